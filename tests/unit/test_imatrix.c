/* test_imatrix.c - importance matrices, of both kinds of files. */
#include <math.h>

#include "importance_files.h"
#include "kinds.h"
#include "ledger.h"
#include "model/imatrix.h"

static ggk_status open_imatrix(const struct bytes *b, ggk_imatrix **out,
                               ggk_error *err)
{
    return ggk_imatrix_open_source(kind_source(KIND_MEMORY, b, NULL), 0, NULL,
                                   out, err);
}

static ggk_imatrix *must_open(const struct bytes *b)
{
    ggk_imatrix *imatrix = NULL;
    ggk_error err = error_canary();

    if (open_imatrix(b, &imatrix, &err) != GGK_OK)
        fail_msg("%s: %s", err.where, err.what);
    expect_untouched(&err);
    return imatrix;
}

static void expect_entry(const ggk_imatrix *imatrix, uint64_t i,
                         const char *name, const float *values, size_t n,
                         const int64_t *counts, size_t n_slices)
{
    ggk_importances e;

    assert_int_equal(ggk_imatrix_entry(imatrix, i, &e, NULL), GGK_OK);
    assert_int_equal(e.name.len, strlen(name));
    assert_memory_equal(e.name.ptr, name, e.name.len);
    assert_int_equal(e.n_values, n);
    assert_int_equal(e.n_slices, n_slices);
    assert_memory_equal(e.values, values, n * sizeof *values);
    assert_memory_equal(e.counts, counts, n_slices * sizeof *counts);
    assert_int_equal(ggk_imatrix_find(imatrix, ggk_cstr(name)), i);
}

/* --------------------------------------------------------------------- good */

static void test_legacy(void **state)
{
    struct bytes b = importance_dat();
    ggk_imatrix *imatrix = must_open(&b);
    ggk_imatrix_info info;
    ggk_importances e;
    (void)state;

    ggk_imatrix_about(imatrix, &info);
    assert_true(info.legacy);
    assert_int_equal(info.n_entries, 2);
    assert_int_equal(info.n_chunks, 16);
    assert_int_equal(info.chunk_size, 0);
    assert_int_equal(info.n_datasets, 1);
    assert_int_equal(info.dataset.len, 8);
    assert_memory_equal(info.dataset.ptr, "wiki.txt", 8);
    expect_entry(imatrix, 0, "blk.0.attn_q.weight",
                 (const float[]){0.25f, 0.5f, 0.125f}, 3, (int64_t[]){4}, 1);
    expect_entry(imatrix, 1, "x", (const float[]){7}, 1, (int64_t[]){0}, 1);
    assert_int_equal(ggk_imatrix_entry(imatrix, 2, &e, NULL), GGK_E_RANGE);
    assert_true(ggk_imatrix_find(imatrix, ggk_cstr("y")) == GGK_NONE);
    ggk_imatrix_close(imatrix);
    bytes_free(&b);
}

/* What follows the entries may be missing. */
static void test_legacy_ends(void **state)
{
    const size_t ends[] = {64, 68, 72};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct bytes b = importance_dat();
        ggk_imatrix *imatrix;
        ggk_imatrix_info info;

        b.n = ends[i];
        if (b.n == 72)
            bytes_patch(&b, 68, 0, 4); /* a dataset without a name */
        imatrix = must_open(&b);
        ggk_imatrix_about(imatrix, &info);
        assert_int_equal(info.n_chunks, i == 0 ? 0 : 16);
        assert_int_equal(info.n_datasets, 0);
        assert_int_equal(info.dataset.len, 0);
        ggk_imatrix_close(imatrix);
        bytes_free(&b);
    }
}

static void test_gguf(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct importances d = importance_gguf(i == 0 ? 2 : 3, i == 2);
        ggk_imatrix *imatrix = must_open(&d.b);
        ggk_imatrix_info info;

        ggk_imatrix_about(imatrix, &info);
        assert_false(info.legacy);
        assert_int_equal(info.n_entries, 2);
        assert_int_equal(info.n_chunks, 16);
        assert_int_equal(info.chunk_size, 512);
        assert_int_equal(info.n_datasets, 2);
        assert_memory_equal(info.dataset.ptr, "one.txt", 7);
        expect_entry(imatrix, 0, "a", (const float[]){1, 2, 3, 1, 1, 1}, 6,
                     (int64_t[]){2, 0}, 2);
        expect_entry(imatrix, 1, "b", (const float[]){3, 1}, 2, (int64_t[]){3},
                     1);
        ggk_imatrix_close(imatrix);
        bytes_free(&d.b);
    }
}

/* Counts are rounded to integers, half of one away from zero. */
static void test_counts(void **state)
{
    const float counts[] = {2.5f, 0.49999997f, -2.5f, 16777217.0f};
    const int64_t rounded[] = {3, 0, -3, 16777216};
    const float means[] = {6.0f / 2.5f, 6.0f / 0.49999997f, 1,
                           6.0f / 16777216.0f};
    struct importances d = importance_draft(3, false);
    ggk_imatrix *imatrix;
    ggk_importances e;
    (void)state;

    importance_add(&d, "a.in_sum2", 1, 4, T_F32);
    importance_add(&d, "a.counts", 1, 4, T_F32);
    importance_end(&d);
    for (int i = 0; i < 8; i++)
        put_f32(&d.b, 6);
    for (int i = 0; i < 4; i++)
        put_f32(&d.b, counts[i]);
    put_padding(&d.b, 32);
    imatrix = must_open(&d.b);
    expect_entry(imatrix, 0, "a", means, 4, rounded, 4);
    assert_int_equal(ggk_imatrix_entry(imatrix, 0, &e, NULL), GGK_OK);
    assert_int_equal(e.rounded, 0);
    assert_true(e.rounded_from == 2.5f);
    ggk_imatrix_close(imatrix);
    bytes_free(&d.b);
}

/* More values than are read at once. */
static void test_many_values(void **state)
{
    struct bytes b = bytes_of(3, false);
    ggk_imatrix *imatrix;
    ggk_importances e;
    (void)state;

    put_u32(&b, 1);
    put_name(&b, "x");
    put_u32(&b, 2);
    put_u32(&b, 5000);
    for (int i = 0; i < 5000; i++)
        put_f32(&b, (float)i);
    imatrix = must_open(&b);
    assert_int_equal(ggk_imatrix_entry(imatrix, 0, &e, NULL), GGK_OK);
    for (int i = 0; i < 5000; i++)
        assert_true(e.values[i] == (float)i / 2);
    ggk_imatrix_close(imatrix);
    bytes_free(&b);
}

/* ---------------------------------------------------------------------- bad */

static void expect_bad(const char *name, struct bytes *b,
                       const struct failure *wanted)
{
    ggk_imatrix *imatrix = (ggk_imatrix *)&name;
    ggk_error err;
    ggk_status status = open_imatrix(b, &imatrix, &err);

    expect_failure(name, status, &err, wanted);
    assert_null(imatrix);
    bytes_free(b);
}

static void test_bad_legacy(void **state)
{
    static const struct {
        const char *name;
        size_t at; /* a number there is put to */
        uint32_t to;
        struct failure failure;
    } cases[] = {
        {"none", 0, 0, {GGK_E_COUNT, 0, "n_entries", 0, 4}},
        {"negative", 0, UINT32_MAX, {GGK_E_MAGIC, 0, "n_entries", 0, 0}},
        {"JSON", 0, 0x656b227b, {GGK_E_MAGIC, 0, "n_entries", 0, 0}},
        {"most", 0, 1 << 24, {GGK_E_COUNT, 0, "n_entries", 1 << 24, 4}},
        {"past most", 0, (1 << 24) + 1, {GGK_E_MAGIC, 0, "n_entries", 0, 0}},
        {"many", 0, 5, {GGK_E_COUNT, 0, "n_entries", 5, 4}},
        {"one more", 0, 3, {GGK_E_COUNT, 64, "entry[2].name.len", 16, 12}},
        {"long name", 4, 73, {GGK_E_COUNT, 4, "entry[0].name.len", 73, 72}},
        {"no values", 31, 0, {GGK_E_COUNT, 31, "entry[0].n_values", 0, 11}},
        {"many values", 31, 12, {GGK_E_COUNT, 31, "entry[0].n_values", 12, 11}},
        {"less than none",
         56,
         0x80000000,
         {GGK_E_COUNT, 56, "entry[1].n_values", 0, 5}},
        {"NaN", 39, 0x7fc00000, {GGK_E_RANGE, 39, "entry[0].values[1]", 0, 0}},
        {"infinity",
         60,
         0xff800000,
         {GGK_E_RANGE, 60, "entry[1].values[0]", 0, 0}},
        {"long dataset", 68, 9, {GGK_E_COUNT, 68, "dataset.len", 9, 8}},
        {"short dataset", 68, 7, {GGK_E_COUNT, 79, "end", 0, 1}},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = importance_dat();

        bytes_patch(&b, cases[i].at, cases[i].to, 4);
        expect_bad(cases[i].name, &b, &cases[i].failure);
    }
}

/* Cut anywhere, it says where it ends. */
static void test_cut_legacy(void **state)
{
    (void)state;
    for (size_t n = 1; n < 80; n++) {
        struct bytes b = importance_dat();
        ggk_imatrix *imatrix;
        ggk_error err;
        ggk_status status;

        b.n = n;
        status = open_imatrix(&b, &imatrix, &err);
        if (n == 64 || n == 68) {
            assert_int_equal(status, GGK_OK);
        } else {
            assert_true(status == GGK_E_TRUNCATED || status == GGK_E_COUNT);
            assert_true(err.offset <= n);
            assert_true(n < 4 || err.where[0] != '\0');
            assert_null(imatrix);
        }
        ggk_imatrix_close(imatrix);
        bytes_free(&b);
    }
}

static void test_twice(void **state)
{
    struct bytes b = importance_twice();
    (void)state;

    expect_bad("twice", &b,
               &(struct failure){GGK_E_DUPLICATE, 34, "entry[1]", 0, 0});
}

static void test_bad_parts(void **state)
{
    static const struct {
        const char *name, *other;
        uint64_t ne[2], other_ne[2];
        uint32_t types[2];
        ggk_status status;
        size_t blamed;
        const char *where;
        uint64_t need, have;
    } cases[] = {
        {"a.in_sum2",
         "b.counts",
         {2, 1},
         {1, 1},
         {T_F32, T_F32},
         GGK_E_NOT_FOUND,
         0,
         "tensor[0]",
         0,
         0},
        {"a.counts",
         "b",
         {1, 1},
         {1, 1},
         {T_F32, T_F32},
         GGK_E_NOT_FOUND,
         0,
         "tensor[0]",
         0,
         0},
        {"a.in_sum2",
         "a.counts",
         {2, 1},
         {1, 1},
         {T_F16, T_F32},
         GGK_E_TYPE,
         0,
         "tensor[0].type",
         0,
         0},
        {"a.in_sum2",
         "a.counts",
         {2, 1},
         {1, 1},
         {T_F32, T_F16},
         GGK_E_TYPE,
         1,
         "tensor[1].type",
         0,
         0},
        {"a.in_sum2",
         "a.counts",
         {2, 2},
         {1, 3},
         {T_F32, T_F32},
         GGK_E_RANGE,
         0,
         "tensor[0].ne",
         4,
         3},
        {"a.in_sum2",
         "a.counts",
         {2, 2},
         {1, 0},
         {T_F32, T_F32},
         GGK_E_RANGE,
         0,
         "tensor[0].ne",
         4,
         0},
        {"a.in_sum2",
         "a.counts",
         {2, 0},
         {1, 1},
         {T_F32, T_F32},
         GGK_E_RANGE,
         0,
         "tensor[0].ne",
         0,
         1},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct importances d = importance_draft(3, false);

        importance_add(&d, cases[i].name, cases[i].ne[0], cases[i].ne[1],
                       cases[i].types[0]);
        importance_add(&d, cases[i].other, cases[i].other_ne[0],
                       cases[i].other_ne[1], cases[i].types[1]);
        importance_end(&d);
        put_fill(&d.b, 0, 64);
        expect_bad(cases[i].where, &d.b,
                   &(struct failure){cases[i].status, d.info[cases[i].blamed],
                                     cases[i].where, cases[i].need,
                                     cases[i].have});
    }
}

static void test_bad_gguf(void **state)
{
    struct importances d = importance_draft(3, false);
    struct failure wanted = {GGK_E_NOT_FOUND, GGK_NO_OFFSET, "", 0, 0};
    size_t data;
    (void)state;

    importance_add(&d, "blk.0.attn_q.weight", 2, 1, T_F32);
    importance_end(&d);
    put_fill(&d.b, 0, 32);
    expect_bad("a model", &d.b, &wanted);

    d = importance_draft(3, false);
    importance_end(&d);
    expect_bad("no tensors", &d.b, &wanted);

    d = importance_gguf(3, false);
    data = d.b.n - 128;
    bytes_patch(&d.b, data + 16, 0x7f800000, 4);
    wanted = (struct failure){GGK_E_RANGE, data + 16, "tensor[0].data", 0, 0};
    expect_bad("infinite sum", &d.b, &wanted);

    d = importance_gguf(3, false);
    bytes_patch(&d.b, data + 36, 0x5f800000, 4); /* 2^64 */
    wanted = (struct failure){GGK_E_RANGE, data + 36, "tensor[1].data", 0, 0};
    expect_bad("count", &d.b, &wanted);

    d = importance_gguf(3, false);
    d.b.n -= 32;
    wanted =
        (struct failure){GGK_E_DATA_MISSING, data + 96, "tensor[3].data", 4, 0};
    expect_bad("cut", &d.b, &wanted);
}

/* Of sums that lie on each other as many as the file has bytes for, no more;
 * and one that says it has many times the file's bytes is not made room for. */
static void test_overlap(void **state)
{
    enum { ENTRIES = 3, VALUES = 1024 };
    struct ledger ledger = {0};
    const ggk_allocator mem = ledger_allocator(&ledger);

    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        struct importances d = importance_draft(3, false);
        const uint64_t n = cut ? VALUES * 32 : VALUES;
        ggk_imatrix *imatrix;
        ggk_error err;

        for (int i = 0; i < ENTRIES; i++) {
            char name[] = {
                (char)('a' + i), '.', 'i', 'n', '_', 's', 'u', 'm', '2', 0};

            d.off = 0;
            importance_add(&d, name, n, 1, T_F32);
            memcpy(name + 2, "counts", 7);
            d.off = 0;
            importance_add(&d, name, 1, 1, T_F32);
        }
        importance_end(&d);
        put_fill(&d.b, 0, VALUES * 4);
        assert_int_equal(
            ggk_imatrix_open_source(kind_source(KIND_MEMORY, &d.b, NULL), 0,
                                    &mem, &imatrix, &err),
            cut ? GGK_E_DATA_MISSING : GGK_E_OVERLAP);
        assert_string_equal(err.where, cut ? "tensor[0].data" : "tensor[2]");
        assert_int_equal(err.offset, cut ? d.b.n - VALUES * 4 : d.info[2]);
        assert_int_equal(ledger.blocks, 0);
        assert_true(ledger.biggest < (size_t)VALUES * 32 * 4);
        bytes_free(&d.b);
    }
}

/* The names of datasets are written over between opening and reading. */
static void test_changed(void **state)
{
    struct importances d = importance_gguf(3, false);
    ggk_model *model = open_bytes(&d.b);
    size_t at = 0;
    ggk_imatrix *imatrix;
    ggk_error err;
    (void)state;

    while (memcmp(d.b.at + at, "two.txt", 7) != 0)
        at++;
    bytes_patch(&d.b, at - 8, UINT64_MAX, 8); /* its length */
    assert_int_equal(ggk_imatrix_new(0, NULL, &imatrix, NULL), GGK_OK);
    assert_int_equal(ggki_imatrix_read_gguf(imatrix, model, &err),
                     GGK_E_CHANGED);
    assert_int_equal(err.status, GGK_E_CHANGED);
    ggk_imatrix_close(imatrix);
    ggk_model_close(model);
    bytes_free(&d.b);
}

static void test_streams(void **state)
{
    struct bytes b = importance_dat();
    ggk_imatrix *imatrix;
    ggk_error err;
    (void)state;

    assert_int_equal(ggk_imatrix_open_source(kind_source(KIND_STREAM, &b, NULL),
                                             0, NULL, &imatrix, &err),
                     GGK_E_UNSUPPORTED);
    assert_null(imatrix);
    assert_int_equal(ggk_imatrix_open_source(NULL, 0, NULL, &imatrix, &err),
                     GGK_E_ARG);
    assert_int_equal(
        ggk_imatrix_open("/nowhere/x.dat", 0, NULL, &imatrix, &err), GGK_E_IO);
    assert_null(imatrix);
    bytes_free(&b);
}

static void sweep(const struct bytes *b)
{
    ggk_status status = GGK_E_NOMEM;

    for (size_t n = 1; status == GGK_E_NOMEM; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_imatrix *imatrix = NULL;
        ggk_source *source = kind_source(KIND_MEMORY, b, &alloc);

        if (source == NULL)
            continue;
        status = ggk_imatrix_open_source(source, 0, &alloc, &imatrix, NULL);
        assert_true((status == GGK_OK) == (imatrix != NULL));
        ggk_imatrix_close(imatrix);
        assert_true(ledger_is_even(&ledger));
        assert_true(n > 8 || status == GGK_E_NOMEM);
    }
    assert_int_equal(status, GGK_OK);
}

static void test_no_memory(void **state)
{
    struct bytes b = importance_dat();
    struct importances d = importance_gguf(3, false);
    (void)state;

    sweep(&b);
    sweep(&d.b);
    ggk_imatrix_close(NULL);
    bytes_free(&b);
    bytes_free(&d.b);
}

/* ---------------------------------------------------------------- forgetting
 */

static bool is_named(void *ctx, ggk_str name)
{
    const char *wanted = ctx;

    return name.len == strlen(wanted) &&
           memcmp(name.ptr, wanted, name.len) == 0;
}

static void test_keep(void **state)
{
    struct bytes b = importance_dat();
    ggk_imatrix *imatrix = must_open(&b);
    ggk_imatrix_info info;
    char name[] = "x";
    (void)state;

    assert_int_equal(ggk_imatrix_keep(imatrix, is_named, name, NULL), GGK_OK);
    ggk_imatrix_about(imatrix, &info);
    assert_int_equal(info.n_entries, 1);
    assert_int_equal(info.n_chunks, 16);
    expect_entry(imatrix, 0, "x", (const float[]){7}, 1, (int64_t[]){0}, 1);
    assert_true(ggk_imatrix_find(imatrix, ggk_cstr("blk.0.attn_q.weight")) ==
                GGK_NONE);
    name[0] = 'y';
    assert_int_equal(ggk_imatrix_keep(imatrix, is_named, name, NULL), GGK_OK);
    ggk_imatrix_about(imatrix, &info);
    assert_int_equal(info.n_entries, 0);
    assert_true(ggk_imatrix_find(imatrix, ggk_cstr("x")) == GGK_NONE);
    ggk_imatrix_close(imatrix);
    bytes_free(&b);
}

static void test_keep_no_memory(void **state)
{
    struct bytes b = importance_dat();
    struct ledger ledger = {0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_imatrix *imatrix;
    ggk_imatrix_info info;
    char name[] = "x";
    ggk_error err;
    (void)state;

    assert_int_equal(
        ggk_imatrix_open_source(kind_source(KIND_MEMORY, &b, &alloc), 0, &alloc,
                                &imatrix, NULL),
        GGK_OK);
    ledger.fail_at = ledger.calls + 1;
    assert_int_equal(ggk_imatrix_keep(imatrix, is_named, name, &err),
                     GGK_E_NOMEM);
    ggk_imatrix_about(imatrix, &info);
    assert_int_equal(info.n_entries, 0);
    assert_true(ggk_imatrix_find(imatrix, ggk_cstr("x")) == GGK_NONE);
    ggk_imatrix_close(imatrix);
    assert_true(ledger_is_even(&ledger));
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legacy),
        cmocka_unit_test(test_legacy_ends),
        cmocka_unit_test(test_gguf),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_bad_legacy),
        cmocka_unit_test(test_cut_legacy),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_bad_parts),
        cmocka_unit_test(test_bad_gguf),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_keep_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
