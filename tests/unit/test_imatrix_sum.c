/* test_imatrix_sum.c - importances added up, and the files that are made of
 * the sum: their bytes are built here once more, without the library. */
#include <math.h>

#include "importance_files.h"
#include "kinds.h"
#include "ledger.h"
#include "ops/imatrix_image.h"

static ggk_imatrix *open_sums(const struct bytes *b)
{
    ggk_imatrix *imatrix = NULL;
    ggk_error err;

    if (ggk_imatrix_open_source(kind_source(KIND_MEMORY, b, NULL),
                                GGK_IMATRIX_SUMS, NULL, &imatrix,
                                &err) != GGK_OK)
        fail_msg("%s: %s", err.where, err.what);
    return imatrix;
}

static ggk_imatrix *new_sum(uint64_t chunk_size)
{
    ggk_imatrix *sum = NULL;

    assert_int_equal(ggk_imatrix_new(chunk_size, NULL, &sum, NULL), GGK_OK);
    return sum;
}

/* Add a file, which is freed. */
static ggk_status add_to(ggk_imatrix *sum, struct bytes *b, ggk_error *err)
{
    ggk_imatrix *more = open_sums(b);
    ggk_status status = ggk_imatrix_add(sum, more, err);

    ggk_imatrix_close(more);
    bytes_free(b);
    return status;
}

static void must_add(ggk_imatrix *sum, struct bytes b)
{
    ggk_error err;

    if (add_to(sum, &b, &err) != GGK_OK)
        fail_msg("%s", err.what);
}

/* A .dat of one entry "a" without an end. */
static struct bytes one_dat(int32_t n_calls, const float *values, uint32_t n)
{
    struct bytes b = bytes_of(3, false);

    put_u32(&b, 1);
    put_name(&b, "a");
    put_u32(&b, (uint32_t)n_calls);
    put_u32(&b, n);
    for (uint32_t i = 0; i < n; i++)
        put_f32(&b, values[i]);
    return b;
}

/* A GGUF of one entry "a", whose values and counts are few. */
static struct bytes one_gguf(const float *values, uint32_t n,
                             const float *counts, uint32_t n_counts)
{
    struct importances d = importance_draft(3, false);

    importance_add(&d, "a.in_sum2", n / n_counts, n_counts, T_F32);
    importance_add(&d, "a.counts", 1, n_counts, T_F32);
    importance_end(&d);
    for (uint32_t i = 0; i < 8; i++)
        put_f32(&d.b, i < n ? values[i] : 0);
    for (uint32_t i = 0; i < 8; i++)
        put_f32(&d.b, i < n_counts ? counts[i] : 0);
    return d.b;
}

static void expect_sum(const ggk_imatrix *sum, const char *name,
                       const float *values, size_t n, const int64_t *counts,
                       size_t n_counts)
{
    ggk_importances e;
    uint64_t i = ggk_imatrix_find(sum, ggk_cstr(name));

    assert_int_equal(ggk_imatrix_entry(sum, i, &e, NULL), GGK_OK);
    assert_int_equal(e.n_values, n);
    assert_int_equal(e.n_slices, n_counts);
    assert_memory_equal(e.values, values, n * sizeof *values);
    assert_memory_equal(e.counts, counts, n_counts * sizeof *counts);
    assert_true(e.values_off == GGK_NO_OFFSET);
    assert_true(e.counts_off == GGK_NO_OFFSET);
}

/* --------------------------------------------------------------------- sums */

/* Floats are added one file after the other: 1 and 2 are each lost behind 2^25,
 * but not together before it. */
static void test_order(void **state)
{
    const float values[][2] = {{33554432, 1}, {1, 2}, {2, 33554432}};
    ggk_imatrix *sum = new_sum(0);
    ggk_imatrix_info info;
    (void)state;

    for (int i = 0; i < 3; i++)
        must_add(sum, one_gguf(values[i], 2, (const float[]){600}, 1));
    expect_sum(sum, "a", (const float[]){33554432, 33554436}, 2,
               (const int64_t[]){1800}, 1);
    ggk_imatrix_about(sum, &info);
    assert_true(info.sums);
    assert_false(info.legacy);
    assert_int_equal(info.n_entries, 1);
    assert_int_equal(info.chunk_size, 512);
    assert_int_equal(info.n_chunks, 3);
    assert_int_equal(info.n_datasets, 2); /* each once */
    assert_memory_equal(ggk_imatrix_dataset(sum, 0).ptr, "one.txt", 8);
    assert_memory_equal(ggk_imatrix_dataset(sum, 1).ptr, "two.txt", 8);
    assert_int_equal(ggk_imatrix_dataset(sum, 2).len, 0);
    ggk_imatrix_close(sum);
}

/* Of two files all that either has; what one says of itself stays. */
static void test_union(void **state)
{
    struct importances d = importance_gguf(3, true);
    ggk_imatrix *sum = new_sum(0);
    ggk_imatrix_info info;
    (void)state;

    must_add(sum, d.b);
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.n_chunks, 16);
    must_add(sum, importance_dat());
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.n_entries, 4);
    assert_int_equal(info.n_chunks, 4);
    assert_int_equal(info.n_datasets, 3);
    assert_memory_equal(ggk_imatrix_dataset(sum, 2).ptr, "wiki.txt", 9);
    expect_sum(sum, "a", (const float[]){2, 4, 6, 8, 10, 12}, 6,
               (const int64_t[]){2, 0}, 2);
    expect_sum(sum, "b", (const float[]){9, 3}, 2, (const int64_t[]){3}, 1);
    expect_sum(sum, "blk.0.attn_q.weight", (const float[]){512, 1024, 256}, 3,
               (const int64_t[]){2048}, 1);
    expect_sum(sum, "x", (const float[]){3584}, 1, (const int64_t[]){0}, 1);
    ggk_imatrix_close(sum);
}

/* Chunks are of the size that was asked for, or that the first says which
 * says one. */
static void test_chunks(void **state)
{
    const float one[] = {1};
    ggk_imatrix *sum = new_sum(100);
    ggk_imatrix_info info;
    (void)state;

    must_add(sum, importance_dat());
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.chunk_size, 100);
    assert_int_equal(info.n_chunks, 16);
    must_add(sum, one_gguf(one, 1, (const float[]){1050}, 1));
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.chunk_size, 100);
    assert_int_equal(info.n_chunks, 10);
    expect_sum(sum, "a", one, 1, (const int64_t[]){1050}, 1);
    ggk_imatrix_close(sum);

    sum = new_sum(100);
    must_add(sum, one_gguf(one, 1, (const float[]){1050}, 1));
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.n_chunks, 10);
    ggk_imatrix_close(sum);

    sum = new_sum(0);
    must_add(sum, one_dat(3, one, 1)); /* which does not say how many */
    ggk_imatrix_about(sum, &info);
    assert_int_equal(info.chunk_size, 512);
    assert_int_equal(info.n_chunks, 3);
    ggk_imatrix_close(sum);
}

/* A single count is that of each expert; of a .dat at any time. */
static void test_spread(void **state)
{
    const float values[] = {1, 2, 3, 4};
    ggk_imatrix *sum = new_sum(10);
    (void)state;

    must_add(sum, one_dat(2, values, 4));
    must_add(sum, one_gguf(values, 4, (const float[]){5, 6}, 2));
    expect_sum(sum, "a", (const float[]){11, 22, 33, 44}, 4,
               (const int64_t[]){25, 26}, 2);
    must_add(sum, one_dat(-1, values, 4));
    expect_sum(sum, "a", (const float[]){21, 42, 63, 84}, 4,
               (const int64_t[]){15, 16}, 2);
    ggk_imatrix_close(sum);
}

static void expect_mismatch(struct bytes first, struct bytes second,
                            ggk_status wanted, const char *what)
{
    ggk_imatrix *sum = new_sum(0);
    ggk_error err;

    must_add(sum, first);
    assert_int_equal(add_to(sum, &second, &err), wanted);
    assert_int_equal(err.status, wanted);
    assert_string_equal(err.what, what);
    ggk_imatrix_close(sum);
}

static void test_refusals(void **state)
{
    const float values[] = {1, 2, 3, 4}, large[] = {3e38f, 3e38f, 1, 1};
    const float counts[] = {5, 6, 7, 8}, many[] = {5e18f};
    (void)state;

    expect_mismatch(one_gguf(values, 4, counts, 2),
                    one_gguf(values, 2, counts, 2), GGK_E_RANGE,
                    "\"a\" has 2 values, and what it is added to 4: these are "
                    "not of one model");
    expect_mismatch(one_gguf(values, 4, counts, 2),
                    one_gguf(values, 4, counts, 1), GGK_E_RANGE,
                    "\"a\" has 1 count, and what it is added to 2: these are "
                    "not of one model");
    expect_mismatch(one_gguf(values, 4, counts, 2),
                    one_gguf(values, 4, counts, 4), GGK_E_RANGE,
                    "\"a\" has 4 counts, and what it is added to 2: these are "
                    "not of one model");
    expect_mismatch(one_gguf(values, 4, counts, 2), one_dat(1, values, 3),
                    GGK_E_RANGE,
                    "\"a\" has 3 values, and what it is added to 4: these are "
                    "not of one model");
    expect_mismatch(one_gguf(large, 4, counts, 1),
                    one_gguf(large, 4, counts, 1), GGK_E_VALUE,
                    "\"a\": sum 0 would be inf");
    expect_mismatch(one_gguf(values, 4, many, 1), one_gguf(values, 4, many, 1),
                    GGK_E_OVERFLOW, "\"a\": a count would be past 2^63");
}

/* Chunks of more tokens than any program can count. */
static void test_large_chunks(void **state)
{
    struct importances d = importance_draft(3, false);
    ggk_imatrix *sum = new_sum(0);
    ggk_error err;
    (void)state;

    bytes_patch(&d.b, d.b.n - 4, 0x80000000, 4); /* the last key's value */
    importance_add(&d, "a.in_sum2", 1, 1, T_F32);
    importance_add(&d, "a.counts", 1, 1, T_F32);
    importance_end(&d);
    for (int i = 0; i < 16; i++)
        put_f32(&d.b, 1);
    assert_int_equal(add_to(sum, &d.b, &err), GGK_E_RANGE);
    assert_string_equal(err.what, "a chunk of 2147483648 tokens is too large");
    ggk_imatrix_close(sum);
}

static void test_arguments(void **state)
{
    struct bytes b = importance_dat();
    ggk_imatrix *sum = new_sum(0), *divided, *none = sum;
    ggk_plan *plan;
    ggk_error err;
    (void)state;

    assert_int_equal(ggk_imatrix_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                             0, NULL, &divided, NULL),
                     GGK_OK);
    assert_int_equal(ggk_imatrix_add(sum, divided, &err), GGK_E_ARG);
    assert_int_equal(ggk_imatrix_add(divided, sum, &err), GGK_E_ARG);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(
        ggk_plan_add_imatrix(plan, "x", divided, GGK_IMATRIX_GGUF, &err),
        GGK_E_ARG);
    assert_int_equal(ggk_plan_n_files(plan), 0);
    ggk_imatrix_close(divided);
    assert_int_equal(
        ggk_plan_add_imatrix(plan, "x", sum, GGK_IMATRIX_GGUF, &err),
        GGK_E_NOT_FOUND);
    assert_int_equal(
        ggk_plan_add_imatrix(plan, "x", sum, (ggk_imatrix_format)2, &err),
        GGK_E_ARG);
    ggk_plan_free(plan);
    ggk_imatrix_close(sum);
    assert_int_equal(
        ggk_imatrix_new(GGK_IMATRIX_CHUNK_MOST + 1ULL, NULL, &none, &err),
        GGK_E_ARG);
    assert_null(none);
    none = sum;
    assert_int_equal(ggk_imatrix_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                             4, NULL, &none, &err),
                     GGK_E_ARG);
    assert_null(none);
    bytes_free(&b);
}

/* -------------------------------------------------------------------- files */

/* As a GGUF: values from the first that may be NaN on are not looked at. */
static void test_any(void **state)
{
    const float values[] = {NAN, -INFINITY};
    struct bytes b = one_gguf(values, 2, (const float[]){2}, 1);
    ggk_imatrix *imatrix;
    ggk_importances e;
    (void)state;

    assert_int_equal(ggk_imatrix_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                             GGK_IMATRIX_ANY, NULL, &imatrix,
                                             NULL),
                     GGK_OK);
    assert_int_equal(ggk_imatrix_entry(imatrix, 0, &e, NULL), GGK_OK);
    assert_true(isnan(e.values[0]));
    assert_true(isinf(e.values[1]));
    assert_int_equal(e.values_off, b.n - 64);
    assert_int_equal(e.counts_off, b.n - 32);
    ggk_imatrix_close(imatrix);
    bytes_free(&b);
}

/* What a plan writes. */
static struct bytes written(const ggk_imatrix *sum, ggk_imatrix_format format)
{
    struct scratch s;
    struct bytes b = bytes_of(3, false);
    ggk_run_opts opts = {.struct_bytes = sizeof opts, .n_threads = 1};
    ggk_plan *plan;
    ggk_error err;
    FILE *f;
    int c;

    scratch_make(&s);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    if (ggk_plan_add_imatrix(plan, scratch_path(&s, "out"), sum, format,
                             &err) != GGK_OK ||
        ggk_plan_run(plan, &opts, &err) != GGK_OK)
        fail_msg("%s", err.what);
    ggk_plan_free(plan);
    f = fopen(scratch_path(&s, "out"), "rb");
    assert_non_null(f);
    while ((c = getc(f)) != EOF)
        put_raw(&b, &(uint8_t){(uint8_t)c}, 1);
    fclose(f);
    scratch_remove(&s);
    return b;
}

static void expect_bytes(const struct bytes *have, const struct bytes *wanted)
{
    assert_int_equal(have->n, wanted->n);
    assert_memory_equal(have->at, wanted->at, wanted->n);
}

/* The sum of both files of importance_files.h, in chunks of 2 tokens. */
static ggk_imatrix *both(void)
{
    struct importances d = importance_gguf(3, false);
    ggk_imatrix *sum = new_sum(2);

    must_add(sum, importance_dat());
    must_add(sum, d.b);
    return sum;
}

static void test_gguf_file(void **state)
{
    static const struct {
        const char *name;
        uint64_t ne[2];
        float values[6];
    } tensors[] = {
        {"a.in_sum2", {3, 2}, {2, 4, 6, 8, 10, 12}},
        {"a.counts", {1, 2}, {2, 0}},
        {"b.in_sum2", {2, 1}, {9, 3}},
        {"b.counts", {1, 1}, {3}},
        {"blk.0.attn_q.weight.in_sum2", {3, 1}, {2, 4, 1}},
        {"blk.0.attn_q.weight.counts", {1, 1}, {8}},
        {"x.in_sum2", {1, 1}, {14}},
        {"x.counts", {1, 1}, {0}},
    };
    struct bytes wanted = bytes_of(3, false), have;
    ggk_imatrix *sum = both();
    (void)state;

    put_header(&wanted, 8, 4);
    put_kv_str(&wanted, "general.type", "imatrix");
    put_key(&wanted, "imatrix.datasets", V_ARR);
    put_array(&wanted, V_STR, 3);
    put_str(&wanted, "wiki.txt");
    put_str(&wanted, "one.txt");
    put_str(&wanted, "two.txt");
    put_kv_u32(&wanted, "imatrix.chunk_count", 4);
    put_kv_u32(&wanted, "imatrix.chunk_size", 2);
    for (uint64_t i = 0; i < 8; i++)
        put_info(&wanted, tensors[i].name, tensors[i].ne[1] > 1 ? 2 : 1,
                 tensors[i].ne, T_F32, i * 32);
    put_padding(&wanted, 32);
    for (size_t i = 0; i < 8; i++) {
        for (size_t v = 0; v < tensors[i].ne[0] * tensors[i].ne[1]; v++)
            put_f32(&wanted, tensors[i].values[v]);
        put_padding(&wanted, 32);
    }
    have = written(sum, GGK_IMATRIX_GGUF);
    expect_bytes(&have, &wanted);
    ggk_imatrix_close(sum);
    bytes_free(&have);
    bytes_free(&wanted);
}

static void put_entry(struct bytes *b, const char *name, uint32_t n_calls,
                      uint32_t n, const float *values)
{
    put_name(b, name);
    put_u32(b, n_calls);
    put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        put_f32(b, values[i]);
}

/* Calls are rounded up to whole chunks; of a slice that was never in use each
 * value is 1, of an entry like that nothing is written. */
static void test_dat_file(void **state)
{
    struct bytes wanted = bytes_of(3, false), have;
    ggk_imatrix *sum = both();
    (void)state;

    put_u32(&wanted, 3);
    put_entry(&wanted, "a", 1, 6, (const float[]){1, 2, 3, 1, 1, 1});
    put_entry(&wanted, "b", 2, 2, (const float[]){6, 2});
    put_entry(&wanted, "blk.0.attn_q.weight", 4, 3, (const float[]){1, 2, 0.5});
    put_u32(&wanted, 4);
    put_name(&wanted, "two.txt");
    have = written(sum, GGK_IMATRIX_LEGACY);
    expect_bytes(&have, &wanted);
    ggk_imatrix_close(sum);
    bytes_free(&have);
    bytes_free(&wanted);
}

/* Any part of an image is that part of the whole. */
static void test_image(void **state)
{
    ggk_imatrix *sum = both();
    (void)state;

    for (int legacy = 0; legacy < 2; legacy++) {
        const struct ggki_imatrix_image *image;
        ggk_source *source;
        uint8_t whole[256], part[256];
        size_t n;

        assert_int_equal(
            ggki_imatrix_image_new(sum, legacy, NULL, &image, &source, NULL),
            GGK_OK);
        n = (size_t)ggk_source_size(source);
        assert_int_equal(n, legacy ? 120 : 68);
        assert_int_equal(ggki_imatrix_image_count(image), legacy ? 3 : 4);
        assert_int_equal(ggk_source_read(source, 0, whole, n, NULL), GGK_OK);
        for (size_t from = 0; from < n; from++)
            for (size_t to = from + 1; to <= n; to++) {
                memset(part, 0xaa, sizeof part);
                assert_int_equal(
                    ggk_source_read(source, from, part, to - from, NULL),
                    GGK_OK);
                assert_memory_equal(part, whole + from, to - from);
                assert_int_equal(part[to - from], 0xaa);
            }
        ggk_source_close(source);
    }
    ggk_imatrix_close(sum);
}

static void expect_unwritable(struct bytes b, ggk_imatrix_format format,
                              uint64_t chunk_size, ggk_status wanted)
{
    ggk_imatrix *sum = new_sum(chunk_size);
    ggk_plan *plan;
    ggk_error err;

    must_add(sum, b);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_imatrix(plan, "x", sum, format, &err),
                     wanted);
    assert_int_equal(err.status, wanted);
    ggk_plan_free(plan);
    ggk_imatrix_close(sum);
}

/* A GGUF with an entry whose name has `n` bytes. */
static struct bytes long_name(size_t n)
{
    struct bytes b = bytes_of(3, false);
    char name[64];

    memset(name, 'n', n);
    name[n] = '\0';
    put_u32(&b, 1);
    put_entry(&b, name, 1, 1, (const float[]){1});
    return b;
}

static void test_limits(void **state)
{
    const float one[] = {1};
    struct bytes b;
    ggk_imatrix *sum = new_sum(0);
    (void)state;

    expect_unwritable(long_name(56), GGK_IMATRIX_GGUF, 0, GGK_E_UNSUPPORTED);
    must_add(sum, long_name(55));
    b = written(sum, GGK_IMATRIX_GGUF);
    ggk_imatrix_close(sum);
    bytes_free(&b);
    expect_unwritable(one_gguf(one, 1, (const float[]){0}, 1),
                      GGK_IMATRIX_LEGACY, 0, GGK_E_NOT_FOUND);
    expect_unwritable(one_gguf(one, 1, (const float[]){1099511627776.0f}, 1),
                      GGK_IMATRIX_LEGACY, 0,
                      GGK_E_LIMIT); /* 2^31 calls, in 16 chunks */
    expect_unwritable(one_gguf(one, 1, (const float[]){2147483648.0f}, 1),
                      GGK_IMATRIX_LEGACY, 1, GGK_E_LIMIT);
    expect_unwritable(one_gguf(one, 1, (const float[]){8e18f}, 1),
                      GGK_IMATRIX_GGUF, 1, GGK_E_LIMIT);
    expect_unwritable(one_gguf(one, 1, (const float[]){-1}, 1),
                      GGK_IMATRIX_LEGACY, 1, GGK_E_VALUE);
    expect_unwritable(
        one_gguf((const float[]){1, 3e38f}, 2, (const float[]){9, 1}, 2),
        GGK_IMATRIX_LEGACY, 1, GGK_E_VALUE); /* by 9 calls, infinite */
}

/* Wherever memory ends, nothing is left, and nothing is written. */
static void test_no_memory(void **state)
{
    struct importances d = importance_gguf(3, false);
    ggk_status status = GGK_E_NOMEM;
    size_t n;
    (void)state;

    for (n = 1; status == GGK_E_NOMEM; n++) {
        struct ledger ledger = {.fail_at = n};
        ggk_allocator alloc = ledger_allocator(&ledger);
        ggk_imatrix *more = open_sums(&d.b), *sum = NULL;
        ggk_plan *plan = NULL;

        status = ggk_imatrix_new(0, &alloc, &sum, NULL);
        if (status == GGK_OK)
            status = ggk_imatrix_add(sum, more, NULL);
        if (status == GGK_OK)
            status = ggk_imatrix_add(sum, more, NULL);
        if (status == GGK_OK)
            status = ggk_plan_new(&alloc, &plan, NULL);
        for (int legacy = 0; legacy < 2 && status == GGK_OK; legacy++)
            status = ggk_plan_add_imatrix(plan, "x", sum,
                                          (ggk_imatrix_format)legacy, NULL);
        ggk_plan_free(plan);
        ggk_imatrix_close(sum);
        ggk_imatrix_close(more);
        assert_true(ledger_is_even(&ledger));
    }
    assert_int_equal(status, GGK_OK);
    assert_true(n > 40);
    bytes_free(&d.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_union),
        cmocka_unit_test(test_chunks),    cmocka_unit_test(test_spread),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_large_chunks),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_any),
        cmocka_unit_test(test_gguf_file), cmocka_unit_test(test_dat_file),
        cmocka_unit_test(test_image),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
