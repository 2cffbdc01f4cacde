/* test_check.c - how check reports: profiles, caps, stopping, several errors in
 * one file, failures that are no findings, and sets of shards. What its rules
 * find is in test_check_keys, test_check_tensors and test_check_model. */
#include <errno.h>
#include <time.h>

#include "judge.h"
#include "kinds.h"
#include "ledger.h"
#include "older.h"
#include "sample.h"

static ggk_check_opts check_opts(void)
{
    return (ggk_check_opts){.struct_bytes = sizeof(ggk_check_opts)};
}

/* ------------------------------------------------------------------- rules */

static void rules_are_listed(void **state)
{
    (void)state;
    assert_true(ggk_rule_count() > 50);
    assert_null(ggk_rule_at(ggk_rule_count()));
    for (size_t i = 0; i < ggk_rule_count(); i++) {
        const ggk_rule *rule = ggk_rule_at(i);
        assert_int_equal(
            strspn(rule->id, "abcdefghijklmnopqrstuvwxyz0123456789-"),
            strlen(rule->id));
        assert_true(strlen(rule->meaning) > 10 && strlen(rule->fix) > 5);
        assert_true(rule->spec != GGK_SEVERITY_NONE ||
                    rule->llama_cpp != GGK_SEVERITY_NONE);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rule->id, ggk_rule_at(k)->id);
    }
}

/* Alignment 4, a key in capitals and a name of 64 bytes: an error under either
 * profile, and one that is a note under the other. */
static struct bytes bytes_disputed(void)
{
    struct bytes b = bytes_sound(1, 2);
    char name[64];

    memset(name, 'n', sizeof name);
    put_kv_u32(&b, "general.alignment", 4);
    put_kv_u32(&b, "KEY", 1);
    put_str_n(&b, name, sizeof name);
    put_u32(&b, 1);
    put_u64(&b, 1);
    put_u32(&b, T_F32);
    put_u64(&b, 0);
    put_padding(&b, 4);
    put_u32(&b, 0);
    return b;
}

static void profiles_have_their_own_rules(void **state)
{
    static const struct {
        uint32_t profiles;
        const char *told; /* ids, each ended by a space */
        uint64_t spec[4], llama_cpp[4];
    } cases[] = {
        {0,
         "key-chars alignment-not-of-8 alignment-under-32 name-64 ",
         {3, 0, 0, 2},
         {1, 1, 1, 2}},
        {GGK_PROFILE_SPEC | GGK_PROFILE_LLAMA_CPP,
         "key-chars alignment-not-of-8 alignment-under-32 name-64 ",
         {3, 0, 0, 2},
         {1, 1, 1, 2}},
        {GGK_PROFILE_SPEC,
         "key-chars alignment-not-of-8 ",
         {0, 0, 0, 2},
         {0, 0, 0, 0}},
        {GGK_PROFILE_LLAMA_CPP,
         "key-chars alignment-under-32 name-64 ",
         {0, 0, 0, 0},
         {0, 1, 1, 2}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_disputed();
        struct judged j = {.n = 0};
        ggk_check_opts opts = check_opts();
        char told[128] = "";
        opts.profiles = cases[i].profiles;
        assert_int_equal(judge_with(&j, &b, &opts, NULL), GGK_OK);
        for (size_t k = 0; k < j.n; k++)
            judged_add_word(told, sizeof told, j.at[k].id);
        assert_string_equal(told, cases[i].told);
        assert_memory_equal(j.verdict.spec, cases[i].spec,
                            sizeof j.verdict.spec);
        assert_memory_equal(j.verdict.llama_cpp, cases[i].llama_cpp,
                            sizeof j.verdict.llama_cpp);
        /* The loader is foretold under any profile. */
        assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
        assert_string_equal(j.verdict.reason,
                            "the name of tensor 0 has over 63 bytes");
        bytes_free(&b);
    }
}

/* -------------------------------------------------------------------- caps */

/* Keys that each break a rule. */
static struct bytes bytes_capital(uint32_t n)
{
    struct bytes b = bytes_sound(0, n);

    for (uint32_t i = 0; i < n; i++) {
        char key[16];
        snprintf(key, sizeof key, "K%" PRIu32, i);
        put_kv_u32(&b, key, i);
    }
    return b;
}

static void findings_are_capped(void **state)
{
    static const struct {
        uint32_t most;
        size_t told;
    } cases[] = {{0, 10},  {1, 1},     {24, 24},
                 {25, 25}, {1000, 25}, {UINT32_MAX, 25}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = bytes_capital(25);
        struct judged j = {.n = 0};
        ggk_check_opts opts = check_opts();
        size_t told = cases[i].told;
        char rest[32];
        opts.max_per_rule = cases[i].most;
        assert_int_equal(judge_with(&j, &b, &opts, NULL), GGK_OK);
        assert_int_equal(j.n, told + (told < 25));
        for (size_t k = 0; k < told; k++) {
            snprintf(rest, sizeof rest, "kv[%zu].key", k + 1);
            assert_string_equal(j.at[k].where, rest);
            assert_int_equal(j.at[k].more, 0);
        }
        if (told < 25) {
            snprintf(rest, sizeof rest, "%zu more of these", 25 - told);
            assert_string_equal(j.at[told].id, "key-chars");
            assert_string_equal(j.at[told].what, rest);
            assert_string_equal(j.at[told].where, "");
            assert_int_equal(j.at[told].offset, GGK_NO_OFFSET);
            assert_int_equal(j.at[told].more, 25 - told);
        }
        assert_int_equal(j.verdict.spec[GGK_SEVERITY_ERROR], 25);
        assert_int_equal(j.verdict.llama_cpp[GGK_SEVERITY_NOTE], 25);
        bytes_free(&b);
    }
}

static uint64_t more_of(const struct judged *j, const char *id)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->at[i].more > 0 && strcmp(j->at[i].id, id) == 0)
            return j->at[i].more;
    return 0;
}

/* More than anyone keeps: each rule's are capped by themselves, and counted. */
static void no_error_is_lost_in_many(void **state)
{
    enum { ROWS = 1200, DIMS = 700 };
    struct bytes b = bytes_sound(ROWS + DIMS, 0);
    struct judged j;

    (void)state;
    for (uint32_t i = 0; i < ROWS + DIMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu32, i);
        if (i < ROWS)
            put_info(&b, name, 1, (uint64_t[]){31}, T_Q8_0, 0);
        else
            put_info(&b, name, 1, (uint64_t[]){UINT64_MAX}, T_Q8_0, 0);
    }
    judge(&j, &b);
    for (size_t i = 0; i < 20; i++)
        assert_string_equal(j.at[i].id,
                            i < 10 ? "row-not-blocks" : "dimension-size");
    assert_int_equal(more_of(&j, "row-not-blocks"), ROWS - 10);
    assert_int_equal(more_of(&j, "dimension-size"), DIMS - 10);
    assert_true(j.verdict.spec[GGK_SEVERITY_ERROR] >= ROWS + DIMS);
}

static void a_caller_may_want_no_more(void **state)
{
    for (size_t stop = 1; stop <= 11; stop++) {
        struct bytes b = bytes_capital(25);
        struct judged j = {.stop_at = stop};
        (void)state;
        assert_int_equal(judge_with(&j, &b, NULL, NULL), GGK_OK);
        assert_int_equal(j.n, stop);
        assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
        assert_int_equal(j.verdict.spec[GGK_SEVERITY_ERROR],
                         stop < 11 ? stop : 25);
        bytes_free(&b);
    }
}

static void nobody_need_listen(void **state)
{
    struct bytes b = bytes_capital(25);
    ggk_source *source = kind_source(KIND_MEMORY, &b, NULL);
    ggk_verdict verdict;

    (void)state;
    assert_int_equal(ggk_check_source(source, NULL, NULL, NULL, &verdict, NULL),
                     GGK_OK);
    assert_int_equal(verdict.spec[GGK_SEVERITY_ERROR], 25);
    bytes_free(&b);
}

/* -------------------------------------------------------------- broken files
 */

/* What is wrong before the place where nothing can be read any more. */
static void several_errors_are_all_told(void **state)
{
    struct bytes b = bytes_sound(5, 2);
    uint64_t infos;
    struct judged j;

    (void)state;
    put_kv_u32(&b, "general.alignment", 0);
    put_key(&b, "ok", V_BOOL);
    put_u8(&b, 9);
    infos = b.n;
    put_info(&b, "a", 1, (uint64_t[]){31}, T_Q8_0, 0);
    put_info(&b, "a", 1, (uint64_t[]){UINT64_MAX}, 99, 7);
    put_info(&b, "c", 2, (uint64_t[]){1, 1}, 99, 0);
    put_info(&b, "d", 9, (uint64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, T_F32, 0);
    put_fill(&b, 0, 100);
    const struct expected all[] = {
        {"alignment-zero", 94, "kv[1].value", NULL},
        {"row-not-blocks", infos + 13, "tensor[0].ne[0]", NULL},
        {"dimension-size", infos + 33 + 13, "tensor[1].ne[0]", NULL},
        {"dimensions", infos + 66 + 41 + 9, "tensor[3].n_dims", NULL},
        {"bool-value", 98 + 8 + 2 + 4, "kv[2].value", "a BOOL is stored as 9"},
        {"name-duplicate", infos + 33 + 8, "tensor[1].name", NULL},
        {"type-unknown", infos + 33 + 21, "tensor[1].type",
         "type 99 of tensor \"a\" is not known"},
        {"type-unknown", infos + 66 + 29, "tensor[2].type",
         "type 99 of tensor \"c\" is not known"},
        {NULL, 0, NULL, NULL}};
    judge(&j, &b);
    expect_told(&j, all);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
}

static void judge_kind(struct judged *j, enum kind kind, const struct bytes *b)
{
    memset(j, 0, sizeof *j);
    assert_int_equal(ggk_check_source(kind_source(kind, b, NULL), NULL,
                                      judged_add, j, &j->verdict, NULL),
                     GGK_OK);
}

static void all_sources_are_judged_alike(void **state)
{
    struct bytes b = bytes_disputed();
    struct judged j;

    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        judge_kind(&j, kind, &b);
        assert_int_equal(j.n, 4);
        assert_string_equal(j.at[3].id, "name-64");
        assert_int_equal(j.at[3].offset, 65 + 33 + 19);
    }
    bytes_free(&b);
}

/* What a stream cannot tell is whether its data is whole. */
static void streams_are_given_the_benefit(void **state)
{
    struct bytes b = bytes_sound(1, 0);
    struct judged j;

    (void)state;
    put_info(&b, "t", 1, (uint64_t[]){100000}, T_F32, 0);
    put_fill(&b, 0, 300000);
    judge_kind(&j, KIND_SIZED, &b);
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "data-missing");
    assert_int_equal(j.verdict.loads, GGK_LOADS_METADATA);
    judge_kind(&j, KIND_STREAM, &b);
    assert_int_equal(j.n, 0);
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    assert_string_equal(j.verdict.reason,
                        "if its data is whole, which a stream does not tell");
    bytes_free(&b);
}

/* Places count from the start of the file that holds the GGUF. */
static void a_gguf_may_start_later(void **state)
{
    struct bytes inner = bytes_disputed(), b = bytes_of(3, false);
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    struct judged j = {.n = 0}, moved = {.n = 0};

    (void)state;
    put_fill(&b, 0xab, 517);
    put_raw(&b, inner.at, inner.n);
    opts.open = &open;
    open.base_off = 517;
    assert_int_equal(judge_with(&j, &inner, NULL, NULL), GGK_OK);
    assert_int_equal(judge_with(&moved, &b, &opts, NULL), GGK_OK);
    assert_int_equal(moved.n, j.n);
    for (size_t i = 0; i < j.n; i++) {
        assert_int_equal(moved.at[i].offset, j.at[i].offset + 517);
        assert_string_equal(moved.at[i].where, j.at[i].where);
    }
    assert_memory_equal(&moved.verdict, &j.verdict, sizeof j.verdict);
    bytes_free(&inner);
    bytes_free(&b);
}

/* -------------------------------------------------- failures, not findings */

static void expect_zero(const ggk_verdict *verdict)
{
    const ggk_verdict zero = {.loads = GGK_LOADS_NOT};
    assert_memory_equal(verdict, &zero, sizeof zero);
}

static void arguments_are_looked_at(void **state)
{
    struct bytes b = bytes_sound(0, 0);
    struct judged j = {.n = 0};
    ggk_check_opts opts = check_opts();
    ggk_open_opts open = no_opts();
    ggk_error err;

    (void)state;
    memset(&j.verdict, 0x55, sizeof j.verdict);
    assert_int_equal(ggk_check(NULL, NULL, judged_add, &j, &j.verdict, &err),
                     GGK_E_ARG);
    assert_int_equal(err.status, GGK_E_ARG);
    expect_zero(&j.verdict);
    memset(&j.verdict, 0x55, sizeof j.verdict);
    assert_int_equal(
        ggk_check_source(NULL, NULL, judged_add, &j, &j.verdict, NULL),
        GGK_E_ARG);
    expect_zero(&j.verdict);
    assert_int_equal(ggk_check(NULL, NULL, NULL, NULL, NULL, NULL), GGK_E_ARG);
    assert_int_equal(ggk_check("x", NULL, NULL, NULL, NULL, NULL), GGK_E_ARG);
    assert_int_equal(ggk_check_source(NULL, NULL, NULL, NULL, NULL, NULL),
                     GGK_E_ARG);
    opts.struct_bytes = 1;
    assert_int_equal(judge_with(&j, &b, &opts, &err), GGK_E_ARG);
    opts = check_opts();
    opts.profiles = 4;
    assert_int_equal(judge_with(&j, &b, &opts, &err), GGK_E_ARG);
    opts = check_opts();
    opts.open = &open;
    open.flags = 0x80;
    assert_int_equal(judge_with(&j, &b, &opts, &err), GGK_E_ARG);
    assert_int_equal(j.n, 0);
    expect_zero(&j.verdict);
    bytes_free(&b);
}

/* Options of a caller that knows fewer of them are read to their end, and no
 * further; those of a newer one may be zero. */
static void options_may_be_older(void **state)
{
    struct bytes b = bytes_capital(25);
    struct judged j = {.n = 0};
    ggk_check_opts opts = check_opts();
    struct {
        ggk_check_opts known;
        uint64_t more;
    } newer = {opts, 0};
    struct older older;

    (void)state;
    opts.max_per_rule = 3;
    assert_int_equal(
        judge_with(&j, &b,
                   older_make(&older, &opts, offsetof(ggk_check_opts, open)),
                   NULL),
        GGK_OK);
    assert_int_equal(j.n, 4);
    older_free(&older);
    assert_int_equal(judge_with(&j, &b,
                                older_make(&older, &opts,
                                           offsetof(ggk_check_opts, profiles)),
                                NULL),
                     GGK_OK);
    assert_int_equal(j.n, 4 + 11);
    older_free(&older);
    newer.known.struct_bytes = sizeof newer;
    assert_int_equal(judge_with(&j, &b, &newer.known, NULL), GGK_OK);
    newer.more = 1;
    assert_int_equal(judge_with(&j, &b, &newer.known, NULL), GGK_E_ARG);
    bytes_free(&b);
}

/* A source is closed whatever comes of it. */
static void sources_are_closed(void **state)
{
    struct bytes b = bytes_sound(0, 0);

    (void)state;
    for (int bad = 0; bad < 3; bad++) {
        ggk_source *source = kind_callbacks(&b, true, NULL);
        struct judged j = {.n = 0};
        ggk_check_opts opts = check_opts();
        opts.profiles = bad == 1 ? 4 : 0; /* leak checkers see the others */
        assert_int_equal(ggk_check_source(source, &opts, judged_add, &j,
                                          bad == 2 ? NULL : &j.verdict, NULL),
                         bad == 0 ? GGK_OK : GGK_E_ARG);
    }
    bytes_free(&b);
}

static int read_eio(void *ctx, uint64_t off, void *buf, size_t bytes,
                    size_t *got)
{
    (void)ctx;
    (void)off;
    (void)buf;
    (void)bytes;
    *got = 0;
    return EIO;
}

static void failures_are_no_findings(void **state)
{
    const ggk_callbacks eio = {read_eio, NULL, NULL, GGK_SIZE_UNKNOWN};
    struct bytes b = bytes_capital(5000);
    struct judged j = {.n = 0};
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    ggk_source *source;
    ggk_error err;

    (void)state;
    assert_int_equal(ggk_check("/tmp/ggk-no-such-file.gguf", NULL, judged_add,
                               &j, &j.verdict, &err),
                     GGK_E_IO);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_int_equal(ggk_source_from_callbacks(&eio, NULL, &source, NULL),
                     GGK_OK);
    assert_int_equal(
        ggk_check_source(source, NULL, judged_add, &j, &j.verdict, &err),
        GGK_E_IO);
    assert_int_equal(err.sys_errno, EIO);
    opts.open = &open;
    open.max_header_bytes = 70000; /* of a header of 100 kB */
    assert_int_equal(ggk_check_source(kind_source(KIND_SIZED, &b, NULL), &opts,
                                      judged_add, &j, &j.verdict, &err),
                     GGK_E_LIMIT);
    assert_int_equal(j.n, 0);
    expect_zero(&j.verdict);
    bytes_free(&b);
}

/* ----------------------------------------------------------------- memory */

/* A file that makes check allocate all it ever does: broken, unordered, with
 * repeated names that hold NULs. */
static struct bytes bytes_laborious(void)
{
    struct bytes b = bytes_sound(40, 20);

    for (int i = 0; i < 20; i++) {
        put_str_n(&b, "k\0", i % 2 == 0 ? 2 : 1);
        put_u32(&b, V_U8);
        put_u8(&b, 0);
    }
    for (uint64_t i = 0; i < 40; i++) {
        put_str_n(&b, "n\0x", 3);
        put_u32(&b, 1);
        put_u64(&b, i % 7 == 0 ? 31 : 32);
        put_u32(&b, i % 5 == 0 ? 99 : T_Q8_0);
        put_u64(&b, (40 - i) * 64);
    }
    return b;
}

/* True if allocation `n` was reached. */
static bool judge_failing(const struct bytes *b, enum kind kind, size_t n,
                          bool after, const struct judged *wanted)
{
    struct ledger ledger = {.fail_at = n, .fail_after = after};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    struct judged j = {.n = 0};
    ggk_source *source = kind_source(kind, b, &alloc);
    ggk_error err = error_canary();
    ggk_status status;

    open.allocator = &alloc;
    opts.open = &open;
    if (source == NULL)
        return true;
    status = ggk_check_source(source, &opts, judged_add, &j, &j.verdict, &err);
    assert_true(ledger_is_even(&ledger));
    if (status == GGK_OK) {
        expect_untouched(&err);
        assert_int_equal(j.n, wanted->n);
        assert_memory_equal(&j.verdict, &wanted->verdict, sizeof j.verdict);
    } else {
        assert_int_equal(status, GGK_E_NOMEM);
        assert_int_equal(err.status, GGK_E_NOMEM);
        expect_zero(&j.verdict);
        assert_true(ledger.calls >= n);
    }
    return ledger.calls >= n;
}

static void every_allocation_may_fail(void **state)
{
    struct bytes b = bytes_laborious();
    struct judged wanted = {.n = 0};

    (void)state;
    assert_int_equal(judge_with(&wanted, &b, NULL, NULL), GGK_OK);
    assert_true(wanted.n > 20);
    for (enum kind kind = KIND_MEMORY; kind <= KIND_SIZED; kind++) {
        for (int after = 0; after < 2; after++) {
            int past = 0;
            size_t n;
            for (n = 1; past < 2; n++)
                past = judge_failing(&b, kind, n, after != 0, &wanted)
                           ? 0
                           : past + 1;
            assert_true(n > 8);
        }
    }
    bytes_free(&b);
}

/* Of what is announced, nothing is believed. */
static void memory_is_bounded(void **state)
{
    struct bytes b = bytes_laborious();
    struct ledger ledger = {.calls = 0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    struct judged j = {.n = 0};

    (void)state;
    open.allocator = &alloc;
    opts.open = &open;
    assert_int_equal(judge_with(&j, &b, &opts, NULL), GGK_OK);
    assert_true(ledger_is_even(&ledger));
    assert_in_range(ledger.peak, 1, 4 * b.n + 100000);
    bytes_free(&b);
}

/* -------------------------------------------------------------------- time */

/* The processor time of judging so many pairs of keys that differ in a final
 * NUL: alike to us, and not to the loader. */
static double time_of_pairs(uint32_t pairs)
{
    struct bytes b = bytes_sound(0, 2 * (uint64_t)pairs);
    struct judged j;
    clock_t start = clock();

    for (uint32_t i = 0; i < 2 * pairs; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%05" PRIu32, i % pairs);
        put_str_n(&b, key, i < pairs ? 7 : 6);
        put_u32(&b, V_U8);
        put_u8(&b, 0);
    }
    judge(&j, &b);
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    assert_int_equal(j.verdict.spec[GGK_SEVERITY_ERROR], 2 * pairs);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* 32 times as many take about 32 times as long; pair by pair it would be a
 * thousand times. */
static void duplicates_are_found_in_linear_time(void **state)
{
    double few = time_of_pairs(1000);

    (void)state;
    for (int i = 0; i < 4; i++) {
        double again = time_of_pairs(1000);
        few = again < few ? again : few;
    }
    assert_true(time_of_pairs(32000) < 200 * few);
}

/* ----------------------------------------------------------- changing files */

struct scribbler {
    struct bytes *bytes;
    uint64_t seed;
    size_t n;
};

/* Spoil the file that is being judged. */
static bool scribble(void *ctx, const ggk_finding *f)
{
    struct scribbler *s = ctx;

    assert_true(f->what[0] != '\0' && strlen(f->what) < 512);
    for (int i = 0; i < 30; i++) {
        uint64_t r = bytes_random(&s->seed);
        s->bytes->at[r % s->bytes->n] = (uint8_t)(r >> 32);
    }
    return ++s->n < 1000;
}

static void files_may_change_while_they_are_judged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct bytes b =
            seed % 2 != 0 ? bytes_laborious() : bytes_features(3, false);
        struct scribbler s = {&b, seed, 0};
        ggk_verdict verdict;
        ggk_source *source = kind_source(KIND_MEMORY, &b, NULL);
        ggk_status status =
            ggk_check_source(source, NULL, scribble, &s, &verdict, NULL);
        assert_true(status == GGK_OK || status == GGK_E_CHANGED);
        assert_true(s.n > 0);
        bytes_free(&b);
    }
}

/* --------------------------------------------------------------------- sets */

/* Write shard `no` of `count`, with a tensor of that name, under the number
 * `as` of its set. */
static void write_shard(struct scratch *s, int as, int no, int count,
                        const char *tensor)
{
    struct bytes b = bytes_of(3, false);
    char name[64];

    put_header(&b, 1, no == 0 ? 4 : 3);
    if (no == 0)
        put_kv_str(&b, "general.architecture", "t");
    put_key(&b, "split.no", V_U16);
    put_u16(&b, (uint16_t)no);
    put_key(&b, "split.count", V_U16);
    put_u16(&b, (uint16_t)count);
    put_key(&b, "split.tensors.count", V_I32);
    put_u32(&b, 3);
    put_info(&b, tensor, 1, (uint64_t[]){8}, T_F32, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 32);
    snprintf(name, sizeof name, "m-%05d-of-00003.gguf", as);
    scratch_write(s, name, &b);
    bytes_free(&b);
}

static void write_set(struct scratch *s)
{
    scratch_make(s);
    write_shard(s, 1, 0, 3, "a");
    write_shard(s, 2, 1, 3, "b");
    write_shard(s, 3, 2, 3, "c");
}

static void judge_path(struct judged *j, struct scratch *s, const char *name)
{
    memset(j, 0, sizeof *j);
    assert_int_equal(ggk_check(scratch_path(s, name), NULL, judged_add, j,
                               &j->verdict, NULL),
                     GGK_OK);
}

static void a_whole_set_is_one_model(void **state)
{
    static const char *const names[] = {"m-00001-of-00003.gguf",
                                        "m-00002-of-00003.gguf",
                                        "m-00003-of-00003.gguf", "."};
    struct scratch s;
    struct judged j;

    (void)state;
    write_set(&s);
    for (int i = 0; i < 4; i++) {
        judge_path(&j, &s, names[i]);
        assert_int_equal(j.n, 0);
        assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
        assert_string_equal(j.verdict.reason, "");
    }
    scratch_remove(&s);
}

static void findings_name_their_shard(void **state)
{
    static const struct expected one[] = {
        {"name-duplicate", 24 + 22 + 25 + 35 + 8, "tensor[0].name",
         "tensor[0] has the name of one in an earlier shard, \"a\""},
        {NULL, 0, NULL, NULL}};
    struct scratch s;
    struct judged j;

    (void)state;
    write_set(&s);
    write_shard(&s, 3, 2, 3, "a");
    judge_path(&j, &s, "m-00001-of-00003.gguf");
    expect_told(&j, one);
    assert_int_equal(j.at[0].file, 2);
    scratch_remove(&s);
}

/* Of a set that lacks shards, the file that was named is judged. */
static void a_set_that_is_not_whole_is_told(void **state)
{
    struct scratch s;
    struct judged j;

    (void)state;
    write_set(&s);
    write_shard(&s, 3, 2, 3, "../c");
    assert_int_equal(unlink(scratch_path(&s, "m-00002-of-00003.gguf")), 0);
    for (int i = 0; i < 2; i++) {
        judge_path(&j, &s,
                   i == 0 ? "m-00001-of-00003.gguf" : "m-00003-of-00003.gguf");
        assert_int_equal(j.n, 1 + i);
        assert_string_equal(j.at[0].id, "split-missing");
        assert_string_equal(j.at[0].what, "1 of the set's 3 shards is missing: "
                                          "m-00002-of-00003.gguf");
        assert_int_equal(j.at[0].offset, GGK_NO_OFFSET);
        assert_int_equal(j.at[0].file, 2 * i);
        assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    }
    assert_string_equal(j.at[1].id, "name-path");
    assert_int_equal(j.at[1].file, 2);
    scratch_remove(&s);
}

/* The file that was named is judged by the caller's options once more, which
 * may be those of an older one. */
static void a_set_is_not_whole_for_older_callers(void **state)
{
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    struct older older;
    struct scratch s;
    struct judged j = {.n = 0};

    (void)state;
    scratch_make(&s);
    write_shard(&s, 1, 0, 3, "a");
    opts.open = older_make(&older, &open, offsetof(ggk_open_opts, flags));
    assert_int_equal(ggk_check(scratch_path(&s, "m-00001-of-00003.gguf"), &opts,
                               judged_add, &j, &j.verdict, NULL),
                     GGK_OK);
    assert_string_equal(j.at[0].id, "split-missing");
    older_free(&older);
    opts.open = older_make(&older, &open, offsetof(ggk_open_opts, types));
    j.n = 0;
    assert_int_equal(ggk_check(scratch_path(&s, "m-00001-of-00003.gguf"), &opts,
                               judged_add, &j, &j.verdict, NULL),
                     GGK_OK);
    assert_string_equal(j.at[0].id, "split-missing");
    older_free(&older);
    scratch_remove(&s);
}

/* The shard at fault may be another than that which was named. */
static void a_set_that_contradicts_itself_is_told(void **state)
{
    struct scratch s;
    struct judged j;

    (void)state;
    write_set(&s);
    write_shard(&s, 2, 1, 4, "b");
    for (int i = 0; i < 2; i++) {
        judge_path(&j, &s,
                   i == 0 ? "m-00001-of-00003.gguf" : "m-00002-of-00003.gguf");
        assert_int_equal(j.n, 1);
        assert_string_equal(j.at[0].id, "split-contradiction");
        assert_string_equal(j.at[0].where, "kv[1].value");
        assert_int_equal(j.at[0].offset, 24 + 22 + 23);
        assert_int_equal(j.at[0].file, 1);
    }
    scratch_remove(&s);
}

static void a_shard_is_judged_alone_on_demand(void **state)
{
    struct scratch s;
    struct judged j = {.n = 0};
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();

    (void)state;
    write_set(&s);
    opts.open = &open;
    open.flags = GGK_OPEN_SINGLE;
    assert_int_equal(unlink(scratch_path(&s, "m-00002-of-00003.gguf")), 0);
    assert_int_equal(ggk_check(scratch_path(&s, "m-00003-of-00003.gguf"), &opts,
                               judged_add, &j, &j.verdict, NULL),
                     GGK_OK);
    assert_int_equal(j.n, 0);
    scratch_remove(&s);
}

/* A name that says nothing of shards, with options of the caller's. */
static void a_shard_by_another_name_is_judged_alone(void **state)
{
    struct scratch s;
    struct judged j = {.n = 0};
    ggk_open_opts open = no_opts();
    ggk_check_opts opts = check_opts();
    char from[128];

    (void)state;
    write_set(&s);
    opts.open = &open;
    snprintf(from, sizeof from, "%s/m-00002-of-00003.gguf", s.dir);
    assert_int_equal(rename(from, scratch_path(&s, "other.gguf")), 0);
    assert_int_equal(ggk_check(scratch_path(&s, "other.gguf"), &opts,
                               judged_add, &j, &j.verdict, NULL),
                     GGK_OK);
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "split-contradiction");
    assert_string_equal(j.at[0].where, "kv[1].value");
    assert_int_equal(j.at[0].file, 0);
    assert_int_equal(j.verdict.loads, GGK_LOADS_ALL);
    scratch_remove(&s);
}

/* A shard whose header is broken: what it lacks is not missed in the others. */
static void a_broken_shard_is_told(void **state)
{
    struct scratch s;
    struct judged j;
    const char *path;

    (void)state;
    write_set(&s);
    path = scratch_path(&s, "m-00002-of-00003.gguf");
    assert_int_equal(truncate(path, 24 + 22 + 25 + 35 + 20), 0);
    judge_path(&j, &s, "m-00001-of-00003.gguf");
    assert_int_equal(j.n, 1);
    assert_string_equal(j.at[0].id, "header-truncated");
    assert_string_equal(j.at[0].where, "tensor[0].ne[0]");
    assert_int_equal(j.at[0].file, 1);
    assert_int_equal(j.verdict.loads, GGK_LOADS_NOT);
    scratch_remove(&s);
}

/* No file was judged, so nothing is found. */
static void a_folder_without_a_model_is_no_finding(void **state)
{
    struct judged j = {.n = 0};
    struct scratch s;
    ggk_error err;

    (void)state;
    scratch_make(&s);
    assert_int_equal(ggk_check(scratch_path(&s, "."), NULL, judged_add, &j,
                               &j.verdict, &err),
                     GGK_E_SPLIT);
    assert_int_equal(j.n, 0);
    assert_string_equal(err.what, "the folder holds no .gguf file that is a "
                                  "model or the first shard of one");
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_listed),
        cmocka_unit_test(profiles_have_their_own_rules),
        cmocka_unit_test(findings_are_capped),
        cmocka_unit_test(no_error_is_lost_in_many),
        cmocka_unit_test(a_caller_may_want_no_more),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(several_errors_are_all_told),
        cmocka_unit_test(all_sources_are_judged_alike),
        cmocka_unit_test(streams_are_given_the_benefit),
        cmocka_unit_test(a_gguf_may_start_later),
        cmocka_unit_test(arguments_are_looked_at),
        cmocka_unit_test(options_may_be_older),
        cmocka_unit_test(sources_are_closed),
        cmocka_unit_test(failures_are_no_findings),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(duplicates_are_found_in_linear_time),
        cmocka_unit_test(files_may_change_while_they_are_judged),
        cmocka_unit_test(a_whole_set_is_one_model),
        cmocka_unit_test(findings_name_their_shard),
        cmocka_unit_test(a_set_that_is_not_whole_is_told),
        cmocka_unit_test(a_set_is_not_whole_for_older_callers),
        cmocka_unit_test(a_set_that_contradicts_itself_is_told),
        cmocka_unit_test(a_shard_is_judged_alone_on_demand),
        cmocka_unit_test(a_shard_by_another_name_is_judged_alone),
        cmocka_unit_test(a_broken_shard_is_told),
        cmocka_unit_test(a_folder_without_a_model_is_no_finding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
