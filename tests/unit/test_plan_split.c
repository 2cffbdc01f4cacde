/* test_plan_split.c - where a plan is cut into shards, to the byte, and what
 * keys they get. */
#include "kinds.h"
#include "ledger.h"
#include "sample.h"

/* What each part takes: the keys of a set, an info of a tensor "tN". */
enum {
    HEAD = 24,
    SPLIT_KEYS = (8 + 8 + 4 + 2) + (8 + 11 + 4 + 2) + (8 + 19 + 4 + 4),
    ALIGN_KEY = 8 + 17 + 4 + 4,
    ARCH_KEY = 8 + 20 + 4 + 8 + 5,
    INFO = 8 + 2 + 4 + 8 + 4 + 8,
    TENSOR = 64
};

/* Up to 10 tensors of 64 bytes, after the architecture, and an alignment if it
 * is not 32; `extra` is a further key, of 8 + its length + 8 bytes. */
static struct bytes make_whole(unsigned n, uint32_t align, const char *extra)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, n, 1u + (align != 32) + (extra != NULL));
    put_kv_str(&b, "general.architecture", "llama");
    if (align != 32)
        put_kv_u32(&b, "general.alignment", align);
    if (extra != NULL)
        put_kv_u32(&b, extra, 7);
    for (unsigned i = 0; i < n; i++) {
        char name[16];
        uint64_t padded = (TENSOR + align - 1) / align * align;

        snprintf(name, sizeof name, "t%u", i);
        put_info(&b, name, 1, (uint64_t[]){TENSOR}, T_I8, i * padded);
    }
    put_padding(&b, align);
    for (unsigned i = 0; i < n; i++) {
        put_fill(&b, (uint8_t)i, TENSOR);
        put_padding(&b, align);
    }
    return b;
}

static uint64_t pad(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

/* The size of a shard with `n` tensors. */
static uint64_t shard_size(bool first, unsigned n, uint32_t align)
{
    uint64_t head = HEAD + SPLIT_KEYS + (uint64_t)n * INFO;

    if (first)
        head += ARCH_KEY;
    if (align != 32)
        head += ALIGN_KEY;
    return n == 0 ? head : pad(head, align) + n * pad(TENSOR, align);
}

struct planned {
    ggk_model *model;
    ggk_plan *plan;
    struct bytes bytes;
};

static void plan_bytes(struct planned *p, struct bytes b)
{
    uint32_t file;

    p->bytes = b;
    p->model = open_bytes(&p->bytes);
    assert_int_equal(ggk_plan_new(NULL, &p->plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(p->plan, "whole", &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(p->plan, file, p->model, 0, NULL),
                     GGK_OK);
}

static void drop(struct planned *p)
{
    ggk_plan_free(p->plan);
    ggk_model_close(p->model);
    bytes_free(&p->bytes);
}

static ggk_status split(ggk_plan *plan, uint64_t max_bytes,
                        uint64_t max_tensors, bool no_tensor_first,
                        ggk_error *err)
{
    ggk_split_opts opts = {sizeof opts, max_bytes, max_tensors,
                           no_tensor_first};

    return ggk_plan_split(plan, "%s%n", &opts, err);
}

/* The numbers of tensors in the shards, as "3 3 1"; every size is as foretold.
 */
static void expect_counts(struct planned *p, uint32_t align,
                          const char *expected)
{
    char counts[256] = "", path[64];
    uint32_t n = ggk_plan_n_files(p->plan);

    for (uint32_t i = 0; i < n; i++) {
        ggk_planned_file f;
        size_t used = strlen(counts);

        assert_int_equal(ggk_plan_file(p->plan, i, &f, NULL), GGK_OK);
        snprintf(counts + used, sizeof counts - used, "%s%u", i > 0 ? " " : "",
                 (unsigned)f.n_tensors);
        snprintf(path, sizeof path, "%%s%%n-%05u-of-%05u.gguf", i + 1, n);
        assert_string_equal(f.path, path);
        assert_int_equal(f.alignment, align);
        assert_int_equal(f.size,
                         shard_size(i == 0, (unsigned)f.n_tensors, align));
    }
    assert_string_equal(counts, expected);
}

static void check_split(unsigned n, uint32_t align, uint64_t max_bytes,
                        uint64_t max_tensors, bool no_tensor_first,
                        const char *expected)
{
    struct planned p;

    plan_bytes(&p, make_whole(n, align, NULL));
    assert_int_equal(
        split(p.plan, max_bytes, max_tensors, no_tensor_first, NULL), GGK_OK);
    expect_counts(&p, align, expected);
    drop(&p);
}

/* ------------------------------------------------------------------- sizes */

static void a_limit_is_kept_to_the_byte(void **state)
{
    static const uint32_t aligns[] = {8, 16, 24, 32, 64, 128, 4096};

    (void)state;
    for (size_t i = 0; i < sizeof aligns / sizeof aligns[0]; i++) {
        uint32_t align = aligns[i];
        uint64_t three = shard_size(false, 3, align);

        /* The first has its further key, which at times is in the padding. */
        bool fits = shard_size(true, 3, align) <= three;
        bool two = shard_size(true, 2, align) <= three - 1;

        check_split(9, align, three, 0, false, fits ? "3 3 3" : "2 3 3 1");
        check_split(8, align, three - 1, 0, false,
                    two ? "2 2 2 2" : "1 2 2 2 1");
    }
}

static void the_first_shard_counts_its_keys(void **state)
{
    uint64_t three = shard_size(true, 3, 32);

    (void)state;
    check_split(3, 32, three, 0, false, "3");
    check_split(3, 32, three - 1, 0, false, "2 1");
    check_split(1, 32, shard_size(true, 1, 32), 0, false, "1");
    check_split(1, 32, shard_size(true, 1, 32) - 1, 0, false, "0 1");
}

static void what_is_too_large_stands_alone(void **state)
{
    (void)state;
    /* No tensor fits; then not even the keys do. */
    check_split(3, 32, shard_size(false, 1, 32) - 1, 0, false, "0 1 1 1");
    check_split(3, 32, 1, 0, false, "0 1 1 1");
    check_split(0, 32, 1, 0, false, "0");
    check_split(3, 32, UINT64_MAX, 0, false, "3");
}

/* ------------------------------------------------------------------ counts */

static void tensors_are_counted(void **state)
{
    (void)state;
    check_split(6, 32, 0, 3, false, "3 3");
    check_split(7, 32, 0, 3, false, "3 3 1");
    check_split(7, 64, 0, 1, false, "1 1 1 1 1 1 1");
    check_split(7, 32, 0, 7, false, "7");
    check_split(7, 32, 0, UINT64_MAX, false, "7");
    check_split(0, 32, 0, 1, false, "0");
}

static void the_first_may_hold_keys_alone(void **state)
{
    (void)state;
    check_split(6, 32, 0, 3, true, "0 3 3");
    check_split(6, 64, shard_size(false, 2, 64), 0, true, "0 2 2 2");
    check_split(1, 32, 0, 3, true, "0 1");
    check_split(0, 32, 0, 3, true, "0");
}

static void both_limits_hold(void **state)
{
    (void)state;
    check_split(6, 32, shard_size(false, 3, 32), 2, false, "2 2 2");
    check_split(6, 32, shard_size(true, 2, 32), 3, false, "2 2 2");
}

/* -------------------------------------------------------------------- keys */

static const char *const spellings[] = {
    "split.no",         "split.count",         "split.tensors.count",
    "general.split",    "general.split_count", "llama.split.no",
    "llama.split.count"};

static void old_keys_give_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct planned p;

        plan_bytes(&p, make_whole(4, 32, spellings[i]));
        assert_int_equal(split(p.plan, 0, 2, false, NULL), GGK_OK);
        expect_counts(&p, 32, "2 2");
        drop(&p);
    }
}

static void other_keys_stay(void **state)
{
    static const char *const others[] = {
        "llama.general.split", "split", "splat.no", "mamba.split.no",
        "llama.split.tensor",  "no"};
    ggk_planned_file f;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct planned p;

        plan_bytes(&p, make_whole(4, 32, others[i]));
        assert_int_equal(split(p.plan, 0, 2, false, NULL), GGK_OK);
        assert_int_equal(ggk_plan_file(p.plan, 0, &f, NULL), GGK_OK);
        assert_int_equal(f.n_kv, 5);
        assert_int_equal(ggk_plan_file(p.plan, 1, &f, NULL), GGK_OK);
        assert_int_equal(f.n_kv, 3);
        drop(&p);
    }
}

/* A key may end in a NUL, by an early writer. */
static void a_nul_at_the_end_of_a_key_does_not_count(void **state)
{
    struct bytes b = bytes_of(3, false);
    struct planned p;
    ggk_planned_file f;

    (void)state;
    put_header(&b, 0, 2);
    put_str_n(&b, "split.count\0", 12);
    put_u32(&b, V_U16);
    put_u16(&b, 3);
    put_kv_u32(&b, "n", 1);
    plan_bytes(&p, b);
    assert_int_equal(ggk_plan_number_shards(p.plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_file(p.plan, 0, &f, NULL), GGK_OK);
    assert_int_equal(f.n_kv, 1);
    drop(&p);
}

/* ---------------------------------------------------------------- failures */

static void what_cannot_be_split_is_refused(void **state)
{
    ggk_split_opts opts = {.struct_bytes = sizeof opts, .max_tensors = 1};
    struct planned p;
    uint32_t file;
    ggk_error err;

    (void)state;
    plan_bytes(&p, make_whole(2, 32, NULL));
    assert_int_equal(split(p.plan, 0, 0, true, &err), GGK_E_ARG);
    assert_int_equal(ggk_plan_split(p.plan, NULL, &opts, &err), GGK_E_ARG);
    assert_int_equal(ggk_plan_add_file(p.plan, "b", &file, NULL), GGK_OK);
    assert_int_equal(split(p.plan, 0, 1, true, &err), GGK_E_ARG);
    drop(&p);
}

/* Plan `n` tensors of no bytes. */
static void plan_many(ggk_plan *plan, const ggk_source *nothing, unsigned n)
{
    uint32_t file;
    ggk_new_tensor t = {
        .type = T_I8, .n_dims = 1, .ne = {0}, .source = nothing};

    assert_int_equal(ggk_plan_add_file(plan, "x", &file, NULL), GGK_OK);
    for (unsigned i = 0; i < n; i++) {
        char name[16];

        snprintf(name, sizeof name, "t%u", i);
        t.name = ggk_cstr(name);
        assert_int_equal(ggk_plan_add_tensor(plan, file, &t, NULL), GGK_OK);
    }
}

static void a_set_has_65535_shards_at_most(void **state)
{
    ggk_source *nothing;
    ggk_error err;

    (void)state;
    assert_int_equal(ggk_source_from_memory("", 0, NULL, &nothing, NULL),
                     GGK_OK);
    for (unsigned n = 65535; n <= 65536; n++) {
        ggk_plan *plan;

        assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
        plan_many(plan, nothing, n);
        if (n == 65535) {
            assert_int_equal(split(plan, 0, 1, false, NULL), GGK_OK);
            assert_int_equal(ggk_plan_n_files(plan), 65535);
        } else {
            assert_int_equal(split(plan, 0, 1, false, &err), GGK_E_LIMIT);
            assert_string_equal(err.what,
                                "these limits make more than 65535 shards");
        }
        ggk_plan_free(plan);
    }
    ggk_source_close(nothing);
}

/* Each allocation that a split makes fails once: nothing is left. */
static void memory_may_run_out(void **state)
{
    struct bytes b = make_whole(5, 64, NULL);
    ggk_model *model = open_bytes(&b);
    ggk_status status = GGK_E_NOMEM;
    size_t fail_at = 1;

    (void)state;
    for (; status == GGK_E_NOMEM; fail_at++) {
        struct ledger ledger = {.fail_at = fail_at};
        ggk_allocator mem = {ledger_resize, ledger_release, &ledger};
        ggk_plan *plan;
        uint32_t file = 0;

        status = ggk_plan_new(&mem, &plan, NULL);
        if (status == GGK_OK)
            status = ggk_plan_add_file(plan, "x", &file, NULL);
        if (status == GGK_OK)
            status = ggk_plan_copy_file(plan, file, model, 0, NULL);
        if (status == GGK_OK)
            status = split(plan, 0, 2, true, NULL);
        ggk_plan_free(plan);
        assert_int_equal(ledger.blocks, 0);
        assert_false(ledger.mismatch);
    }
    assert_int_equal(status, GGK_OK);
    assert_true(fail_at > 30);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_kept_to_the_byte),
        cmocka_unit_test(the_first_shard_counts_its_keys),
        cmocka_unit_test(what_is_too_large_stands_alone),
        cmocka_unit_test(tensors_are_counted),
        cmocka_unit_test(the_first_may_hold_keys_alone),
        cmocka_unit_test(both_limits_hold),
        cmocka_unit_test(old_keys_give_way),
        cmocka_unit_test(other_keys_stay),
        cmocka_unit_test(a_nul_at_the_end_of_a_key_does_not_count),
        cmocka_unit_test(what_cannot_be_split_is_refused),
        cmocka_unit_test(a_set_has_65535_shards_at_most),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
