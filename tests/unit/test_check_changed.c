/* test_check_changed.c - files that change while they are judged, which can be
 * wherever a caller or an allocator is called; files that can no longer be
 * read; and callers who want no more. */
#include "judge.h"

#include <errno.h>

#include "kinds.h"
#include "ledger.h"

/* A judgement in which a field becomes another when the `at`-th finding is
 * told. The first member, so that it is what judged_add gets. */
struct meddling {
    struct judged j;
    struct bytes *b;
    size_t at;
    size_t pos, width;
    uint64_t value;
};

static bool meddle(void *ctx, const ggk_finding *finding)
{
    struct meddling *m = ctx;

    if (m->j.n + 1 == m->at)
        bytes_patch(m->b, m->pos, m->value, m->width);
    return judged_add(&m->j, finding);
}

/* Judge; just these are told, and this is foretold. The bytes are freed. */
static void expect_meddled(struct meddling *m, const struct expected *all,
                           const char *reason)
{
    ggk_source *source = kind_source(KIND_MEMORY, m->b, NULL);

    assert_int_equal(
        ggk_check_source(source, NULL, meddle, m, &m->j.verdict, NULL), GGK_OK);
    expect_told(&m->j, all);
    assert_int_equal(m->j.verdict.loads, GGK_LOADS_NOT);
    assert_string_equal(m->j.verdict.reason, reason);
    bytes_free(m->b);
}

/* -------------------------------------------------------------------- keys */

/* Sixteen levels are the most that are opened. */
static void arrays_may_become_deeper(void **state)
{
    static const struct expected one[] = {{"array-nested", 65 + 8 + 1 + 4 + 12,
                                           "kv[1].value",
                                           "the value is an array of arrays"},
                                          {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct meddling m = {.b = &b, .at = 1, .width = 4, .value = V_ARR};

    (void)state;
    put_key(&b, "a", V_ARR);
    for (int depth = 1; depth < 16; depth++)
        put_array(&b, V_ARR, 1);
    m.pos = b.n;
    put_array(&b, V_STR, 2);
    for (int i = 0; i < 2; i++)
        put_str(&b, "\1\1\1\1");
    expect_meddled(&m, one, "key 1 has an array of arrays");
}

/* "K", a finding, and after it "l", of which the type is spoilt. */
static void keys_may_be_spoilt(void **state)
{
    static const struct expected one[] = {
        {"key-chars", 73, "kv[1].key",
         "the key \"K\" is not made of lower-case words"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 2);
    struct meddling m = {.b = &b, .at = 1, .width = 4, .value = 99};

    (void)state;
    put_kv_u32(&b, "K", 1);
    m.pos = b.n + 8 + 1;
    put_kv_u32(&b, "l", 1);
    expect_meddled(&m, one, "key 2 changed");
}

/* The key becomes shorter, so that its type is read from other bytes, and the
 * value has no room. */
static void alignments_may_lose_their_value(void **state)
{
    static const struct expected one[] = {
        {"key-nul", 65 + 8 + 17, "kv[1].key",
         "the key has a NUL byte, its byte 17"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 1);
    struct meddling m = {.b = &b, .at = 1, .pos = 65, .width = 8, .value = 19};

    (void)state;
    put_str_n(&b, "general.alignment\0A\x04", 20);
    put_u32(&b, V_U8);
    put_u8(&b, 1);
    expect_meddled(&m, one, "key 1 changed");
}

/* The key that another repeats. */
static void repeated_keys_may_be_spoilt(void **state)
{
    static const struct expected one[] = {
        {"key-duplicate", 65 + 17 + 8, "kv[2].key",
         "kv[2] has the key of kv[1] at byte 65, \"k\""},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(0, 2);
    struct meddling m = {
        .b = &b, .at = 1, .pos = 65 + 9, .width = 4, .value = 99};

    (void)state;
    put_kv_u32(&b, "k", 1);
    put_kv_u32(&b, "k", 1);
    expect_meddled(&m, one, "key 1 changed");
}

/* ----------------------------------------------------------------- tensors */

/* Two tensors with a NUL in their names; as the name of tensor `told` is told,
 * that of tensor `spoilt` becomes too long, and the tensor has no place. */
static void expect_names(uint64_t told, uint64_t spoilt, const char *reason)
{
    static const struct expected all[] = {
        {"name-nul", 65 + 8 + 1, "tensor[0].name",
         "the name of tensor 0 has a NUL byte, its byte 1"},
        {"name-nul", 65 + 35 + 8 + 1, "tensor[1].name",
         "the name of tensor 1 has a NUL byte, its byte 1"},
        {"gap", 65 + 2 * 35 - 8, "tensor[1].offset",
         "32 bytes between the tensors before and offset 32 belong to none"},
        {NULL, 0, NULL, NULL}};
    const struct expected first[] = {all[0], all[3]};
    struct bytes b = bytes_sound(2, 0);
    struct meddling m = {.b = &b,
                         .at = (size_t)told + 1,
                         .pos = 65 + 35 * (size_t)spoilt,
                         .width = 8,
                         .value = UINT64_MAX};

    for (uint64_t i = 0; i < 2; i++) {
        put_str_n(&b, i == 0 ? "a\0x" : "b\0x", 3);
        put_u32(&b, 1);
        put_u64(&b, 8);
        put_u32(&b, T_F32);
        put_u64(&b, 32 * i);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, 64);
    expect_meddled(&m, told == 0 ? first : all, reason);
}

static void names_may_be_spoilt(void **state)
{
    (void)state;
    expect_names(0, 1, "tensor 1 changed");
    expect_names(1, 0, "tensor 0 changed");
}

/* The tensor that an alignment under 32 puts where llama.cpp does not map it.
 */
static void tensors_may_be_lost_before_the_alignment(void **state)
{
    static const struct expected one[] = {
        {"key-chars", 65 + 8, "kv[1].key",
         "the key \"A\" is not made of lower-case words"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(1, 2);
    struct meddling m = {.b = &b, .at = 1, .width = 4, .value = 9};

    (void)state;
    put_kv_u32(&b, "A", 1);
    put_kv_u32(&b, "general.alignment", 8);
    m.pos = b.n + 9;
    put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, 0);
    put_padding(&b, 8);
    put_fill(&b, 0, 64);
    assert_int_not_equal((b.n - 64) % 32, 0);
    expect_meddled(&m, one, "tensor 0 changed");
}

/* What the data of tensor[1] comes after was found out before; where its offset
 * stands cannot be told any more. */
static void places_may_be_lost(void **state)
{
    static const struct expected all[] = {
        {"order", 65 + 33 - 8, "tensor[0].offset",
         "the data of tensor[0] comes after that of tensor[2]"},
        {"order", GGK_NO_OFFSET, "",
         "the data of tensor[1] comes after that of tensor[2]"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(3, 0);
    struct meddling m = {
        .b = &b, .at = 1, .pos = 65 + 33 + 9, .width = 4, .value = 9};

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, 64);
    put_info(&b, "b", 1, (uint64_t[]){16}, T_F32, 128);
    put_info(&b, "c", 1, (uint64_t[]){16}, T_F32, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 192);
    expect_meddled(&m, all, "tensor 1 changed");
}

/* Where an unknown type's data ends is where the next begins, which cannot be
 * told any more: what comes after it is not judged by that. */
static void ends_may_be_lost(void **state)
{
    static const struct expected all[] = {
        {"type-unknown", 65 + 2 * 33 - 12, "tensor[1].type",
         "type 1000 of tensor \"b\" is not known"},
        {"gap", 65 + 2 * 33 - 8, "tensor[1].offset",
         "64 bytes between the tensors before and offset 128 belong to none"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_sound(3, 0);
    struct meddling m = {
        .b = &b, .at = 2, .pos = 65 + 2 * 33 + 9, .width = 4, .value = 9};

    (void)state;
    put_info(&b, "a", 1, (uint64_t[]){16}, T_F32, 0);
    put_info(&b, "b", 1, (uint64_t[]){16}, T_UNKNOWN, 128);
    put_info(&b, "c", 1, (uint64_t[]){16}, T_F32, 192);
    put_padding(&b, 32);
    put_fill(&b, 0, 256);
    expect_meddled(&m, all, "the type of tensor 1 is not known");
}

/* Of the tensors that a mamba needs, the last. Neither its shape, which is
 * wrong, nor its block can be told any more. */
static void blocks_may_be_lost(void **state)
{
    static const char *const names[] = {
        "token_embd.weight",      "output_norm.weight",
        "blk.0.attn_norm.weight", "blk.1.attn_norm.weight",
        "blk.2.attn_norm.weight", "blk.3.attn_norm.weight"};
    static const struct expected all[] = {
        {"key-chars", 379 + 8, "kv[9].key",
         "the key \"K\" is not made of lower-case words"},
        {"tensor-missing", GGK_NO_OFFSET, "",
         "there is no tensor of block 3: mamba.block_count is 4, and blocks "
         "count from 0"},
        {NULL, 0, NULL, NULL}};
    struct bytes b = bytes_mamba(6, 2);
    struct meddling m = {.b = &b, .at = 1, .width = 4, .value = 9};

    (void)state;
    put_kv_u32(&b, "K", 1);
    put_kv_str(&b, "tokenizer.ggml.model", "none");
    for (uint64_t i = 0; i < 6; i++) {
        m.pos = b.n + 8 + strlen(names[i]);
        put_info(&b, names[i], 1, (uint64_t[]){i < 5 ? 4 : 5}, T_F32, 32 * i);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, 192);
    expect_meddled(&m, all, "tensor 5 changed");
}

/* ------------------------------------------------------ while it is opened */

/* An allocator that spoils a field when it is called for the n-th time. */
struct spoiler {
    struct ledger ledger;
    struct bytes *b;
    size_t at_call;
    size_t pos;
    uint32_t value;
};

static void *spoil_resize(void *ctx, void *ptr, size_t old_bytes,
                          size_t new_bytes)
{
    struct spoiler *s = ctx;

    if (s->ledger.calls + 1 == s->at_call)
        bytes_patch(s->b, s->pos, s->value, 4);
    return ledger_resize(&s->ledger, ptr, old_bytes, new_bytes);
}

static void spoil_release(void *ctx, void *ptr, size_t bytes)
{
    struct spoiler *s = ctx;
    ledger_release(&s->ledger, ptr, bytes);
}

/* The status of judging while the field at `pos` becomes `value` at allocation
 * `at_call`; false if there was no such call. */
static bool judge_spoilt(const struct bytes *fresh, size_t at_call, size_t pos,
                         uint32_t value, ggk_status *status)
{
    struct bytes b = bytes_of(3, false);
    struct spoiler s = {
        .b = &b, .at_call = at_call, .pos = pos, .value = value};
    const ggk_allocator alloc = {spoil_resize, spoil_release, &s};
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    struct judged j = {.n = 0};

    put_raw(&b, fresh->at, fresh->n);
    open.allocator = &alloc;
    *status = judge_with(&j, &b, &opts, NULL);
    assert_true(ledger_is_even(&s.ledger));
    bytes_free(&b);
    return s.ledger.calls >= at_call;
}

/* Infos are read once more to be laid out, after the last of eight positions
 * was kept. */
static void infos_may_change_before_they_are_laid_out(void **state)
{
    struct bytes b = bytes_sound(8, 0);
    size_t last = 0, changed = 0;
    ggk_status status;

    (void)state;
    for (uint64_t i = 0; i < 8; i++) {
        last = b.n;
        put_info(&b, (char[]){(char)('a' + i), 0}, 1, (uint64_t[]){8}, T_F32,
                 32 * i);
    }
    put_padding(&b, 32);
    put_fill(&b, 0, 256);
    /* More dimensions than are read, which no lookup by name is hurt by. */
    for (size_t call = 1; judge_spoilt(&b, call, last + 9, 9, &status); call++)
        changed += status == GGK_E_CHANGED;
    assert_int_equal(changed, 1);
    bytes_free(&b);
}

/* ---------------------------------------------------------- reading fails */

/* A file of which only what is read first can be read. */
static int read_once(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    const struct bytes *b = ctx;

    *got = 0;
    if (off > 0)
        return EIO;
    *got = bytes < b->n ? bytes : b->n;
    memcpy(buf, b->at, *got);
    return 0;
}

/* Padding that cannot be read is not judged; the rest is. */
static void padding_may_be_unreadable(void **state)
{
    struct bytes b = bytes_sound(1, 1);
    ggk_callbacks callbacks = {read_once, NULL, &b, 0};
    struct judged j = {.n = 0};
    ggk_source *source;

    (void)state;
    put_kv_u32(&b, "K", 1);
    put_info(&b, "t", 1, (uint64_t[]){5}, T_F32, 0);
    put_fill(&b, 0xff, 31 - (b.n + 31) % 32 + 32);
    callbacks.size = b.n;
    assert_int_equal(ggk_source_from_callbacks(&callbacks, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(
        ggk_check_source(source, NULL, judged_add, &j, &j.verdict, NULL),
        GGK_OK);
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "key-chars");
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    bytes_free(&b);
}

/* Opens shard 2 once, and no other. */
static ggk_status open_once(void *ctx, const char *path, ggk_source **out,
                            ggk_error *err)
{
    struct meddling *m = ctx;

    *out = NULL;
    err->status = GGK_E_IO;
    err->sys_errno = strstr(path, "m-00002-of") != NULL ? EACCES : ENOENT;
    if (err->sys_errno == ENOENT || m->at++ > 0)
        return GGK_E_IO;
    return ggk_source_from_memory(m->b->at, m->b->n, NULL, out, err);
}

/* A set lacks a shard, so the one that was named is opened again, by itself. */
static void a_shard_may_be_gone_when_it_is_opened_again(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct meddling m = {.b = &b};
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .open = &open};
    const ggk_verdict zero = {.loads = GGK_LOADS_NOT};
    ggk_error err;

    (void)state;
    put_header(&b, 0, 2);
    put_key(&b, "split.no", V_U16);
    put_u16(&b, 1);
    put_key(&b, "split.count", V_U16);
    put_u16(&b, 2);
    open.open_source = open_once;
    open.open_ctx = &m;
    assert_int_equal(ggk_check("m-00002-of-00002.gguf", &opts, judged_add, &m.j,
                               &m.j.verdict, &err),
                     GGK_E_IO);
    assert_int_equal(err.sys_errno, EACCES);
    assert_int_equal(m.at, 2);
    assert_int_equal(m.j.n, 1);
    assert_string_equal(m.j.at[0].id, "split-missing");
    assert_int_equal(m.j.at[0].file, 1);
    assert_memory_equal(&m.j.verdict, &zero, sizeof zero);
    bytes_free(&b);
}

/* -------------------------------------------------------- wanting no more */

/* Several findings in one key, in its elements, in tokens, in one tensor, in
 * the order, the layout and the padding; and more of two rules than are told.
 */
static struct bytes bytes_rich(void)
{
    struct bytes b = bytes_sound(8, 6);

    put_key(&b, "A\0", V_ARR);
    put_array(&b, V_BOOL, 12);
    for (uint8_t i = 0; i < 12; i++)
        put_u8(&b, (uint8_t)(i + 2));
    put_key(&b, "B", V_STR);
    put_str_n(&b, "\x1b\0\xff", 3);
    put_kv_str(&b, "general.architecture", "u");
    put_key(&b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&b, V_STR, 12);
    for (int i = 0; i < 12; i++)
        put_str_n(&b, "\0", 1);
    put_key(&b, "tokenizer.ggml.token_type", V_ARR);
    put_array(&b, V_I32, 12);
    put_fill(&b, 9, 48);
    put_kv_u32(&b, "tokenizer.ggml.eos_token_id", 99);
    for (uint64_t i = 0; i < 8; i++)
        put_info(&b, "/\x1b", 1, (uint64_t[]){5}, i < 2 ? 99 : T_F32,
                 i < 4 ? 128 - 32 * i : 40 * i);
    put_padding(&b, 32);
    put_fill(&b, 1, 600);
    return b;
}

/* A mamba of which two tensors have a wrong shape, two are of no use, two of
 * blocks past the last, and two are missing; one of its blocks lacks what the
 * others have. */
static struct bytes bytes_mamba_rich(void)
{
    static const char *const names[] = {"blk.0.attn_norm.weight",
                                        "blk.1.attn_norm.weight",
                                        "blk.0.ssm_in.weight",
                                        "blk.0.ssm_a",
                                        "blk.1.x",
                                        "lm_head.weight",
                                        "other.weight",
                                        "blk.4.x",
                                        "blk.6.x"};
    struct bytes b = bytes_mamba(9, 0);

    for (size_t i = 0; i < 9; i++)
        put_info(&b, names[i], 1, (uint64_t[]){5}, T_F32, 32 * i);
    put_padding(&b, 32);
    put_fill(&b, 0, (size_t)32 * 9);
    return b;
}

/* Whichever finding is the last that is wanted; there are at least so many. All
 * of them are put into `all`, and the bytes are freed. */
static void expect_stops(struct bytes *b, size_t least, struct judged *all)
{
    *all = (struct judged){.n = 0};
    assert_int_equal(judge_with(all, b, NULL, NULL), GGK_OK);
    assert_in_range(all->n, least, JUDGED_MOST);
    for (size_t stop = 1; stop <= all->n; stop++) {
        struct judged j = {.stop_at = stop};
        assert_int_equal(judge_with(&j, b, NULL, NULL), GGK_OK);
        assert_int_equal(j.n, stop);
        assert_memory_equal(j.at, all->at, stop * sizeof j.at[0]);
        assert_int_equal(j.verdict.loads, all->verdict.loads);
        assert_string_equal(j.verdict.reason, all->verdict.reason);
    }
    bytes_free(b);
}

static void a_caller_may_stop_anywhere(void **state)
{
    struct bytes b = bytes_rich(), mamba = bytes_mamba_rich();
    struct judged all;

    (void)state;
    expect_stops(&mamba, 12, &all);
    expect_stops(&b, 60, &all);
    assert_true(all.at[all.n - 2].more > 0);
}

/* Also after the first of two shards. */
static void a_caller_may_stop_between_shards(void **state)
{
    struct scratch s;

    (void)state;
    scratch_make(&s);
    for (uint16_t no = 0; no < 2; no++) {
        struct bytes b = bytes_of(3, false);
        put_header(&b, 0, 3);
        put_kv_u32(&b, "K", 1);
        put_key(&b, "split.no", V_U16);
        put_u16(&b, no);
        put_key(&b, "split.count", V_U16);
        put_u16(&b, 2);
        scratch_write(
            &s, no == 0 ? "m-00001-of-00002.gguf" : "m-00002-of-00002.gguf",
            &b);
        bytes_free(&b);
    }
    for (size_t stop = 0; stop < 2; stop++) {
        struct judged j = {.stop_at = stop};
        assert_int_equal(ggk_check(scratch_path(&s, "m-00001-of-00002.gguf"),
                                   NULL, judged_add, &j, &j.verdict, NULL),
                         GGK_OK);
        assert_int_equal(j.n, stop == 0 ? 4 : 1);
        assert_string_equal(j.at[0].id, "key-chars");
        if (stop == 0)
            assert_int_equal(j.at[2].file, 1);
    }
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_may_become_deeper),
        cmocka_unit_test(keys_may_be_spoilt),
        cmocka_unit_test(alignments_may_lose_their_value),
        cmocka_unit_test(repeated_keys_may_be_spoilt),
        cmocka_unit_test(names_may_be_spoilt),
        cmocka_unit_test(tensors_may_be_lost_before_the_alignment),
        cmocka_unit_test(places_may_be_lost),
        cmocka_unit_test(ends_may_be_lost),
        cmocka_unit_test(blocks_may_be_lost),
        cmocka_unit_test(infos_may_change_before_they_are_laid_out),
        cmocka_unit_test(padding_may_be_unreadable),
        cmocka_unit_test(a_shard_may_be_gone_when_it_is_opened_again),
        cmocka_unit_test(a_caller_may_stop_anywhere),
        cmocka_unit_test(a_caller_may_stop_between_shards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
