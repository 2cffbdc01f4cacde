/* test_alloc.c - every allocation fails once, alone and with all that follow;
 * and no file, whatever it claims, takes more memory than it has bytes for. */
#include "kinds.h"
#include "sample.h"

#include "base/err.h"
#include "base/mem.h"
#include "ledger.h"

/* ------------------------------------------------------------------ sweeps */

/* Something that allocates by `alloc`: its status, and whether what it gave is
 * right, after which it is freed. */
struct operation {
    const char *name;
    ggk_status (*run)(const struct operation *op, const ggk_allocator *alloc,
                      ggk_error *err);
    enum kind kind;
    const struct bytes *bytes;
    const char *path;
    const char *expected; /* the description of the model */
};

/* Run with allocation `n` failing; false if there was no such allocation. A
 * failure may be got over, as where a block was to shrink. */
static bool fails_at(const struct operation *op, size_t n, bool after,
                     unsigned *got_over)
{
    static const struct failure wanted = {GGK_E_NOMEM, GGK_NO_OFFSET, "", 0, 0};
    struct ledger ledger = {.fail_at = n, .fail_after = after};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_error err = error_canary();
    ggk_status status = op->run(op, &alloc, &err);

    if (!ledger_is_even(&ledger))
        print_error("%s: %zu bytes are left after failure %zu\n", op->name,
                    ledger.bytes, n);
    assert_true(ledger_is_even(&ledger));
    if (status != GGK_OK)
        expect_failure(op->name, status, &err, &wanted);
    else
        expect_untouched(&err);
    if (ledger.calls < n)
        assert_int_equal(status, GGK_OK);
    else
        *got_over += status == GGK_OK;
    return ledger.calls >= n;
}

/* Until two further allocations are not reached. */
static void sweep(const struct operation *op, unsigned may_get_over)
{
    for (int after = 0; after < 2; after++) {
        unsigned got_over = 0, past = 0;
        size_t n;

        for (n = 1; past < 2; n++)
            past = fails_at(op, n, after != 0, &got_over) ? 0 : past + 1;
        assert_true(n > 3); /* there was something to fail */
        assert_in_range(got_over, 0, may_get_over);
    }
}

/* ----------------------------------------------------------------- openings */

static void expect_description(const ggk_model *model, const char *expected)
{
    char *text = describe(model);
    assert_string_equal(text, expected);
    free(text);
}

static ggk_status run_open_source(const struct operation *op,
                                  const ggk_allocator *alloc, ggk_error *err)
{
    ggk_open_opts opts = no_opts();
    ggk_source *source = kind_source(op->kind, op->bytes, alloc);
    ggk_model *model;
    ggk_status status;

    opts.allocator = alloc;
    if (source == NULL)
        return ggki_fail_memory(err);
    status = ggk_model_open_source(source, &opts, &model, err);
    assert_true((status == GGK_OK) == (model != NULL));
    if (status == GGK_OK)
        expect_description(model, op->expected);
    ggk_model_close(model);
    return status;
}

static void sweep_sources(const char *name, const struct bytes *b)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct operation op = {name, run_open_source, kind, b, NULL, NULL};
        ggk_model *model;
        char *expected;

        assert_int_equal(kind_open(kind, b, NULL, &model, NULL), GGK_OK);
        expected = describe(model);
        ggk_model_close(model);
        op.expected = expected;
        sweep(&op, 1);
        free(expected);
    }
}

static void every_allocation_of_opening_may_fail(void **state)
{
    struct bytes b = bytes_features(3, false);

    (void)state;
    sweep_sources("features", &b);
    bytes_free(&b);
}

/* Lists and buffers that grow, offsets that are sorted. */
static struct bytes make_many(void)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 500, 1001);
    put_key(&b, "strings", V_ARR);
    put_array(&b, V_STR, 20000); /* more than one mark */
    put_fill(&b, 0, 160000);
    for (uint32_t i = 0; i < 1000; i++) {
        char key[200];
        memset(key, 'k', sizeof key);
        snprintf(key + 150, sizeof key - 150, "%" PRIu32, i);
        put_kv_u32(&b, key, i);
    }
    for (uint32_t i = 0; i < 500; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu32, i);
        put_info(&b, name, 1, (uint64_t[]){8}, T_UNKNOWN, i * 32);
    }
    put_fill(&b, 0, 300000); /* so that a stream does not end early */
    return b;
}

static void every_allocation_of_a_long_header_may_fail(void **state)
{
    struct bytes b = make_many();

    (void)state;
    sweep_sources("many entries", &b);
    bytes_free(&b);
}

static ggk_status run_open_path(const struct operation *op,
                                const ggk_allocator *alloc, ggk_error *err)
{
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_status status;

    opts.allocator = alloc;
    status = ggk_model_open(op->path, &opts, &model, err);
    assert_true((status == GGK_OK) == (model != NULL));
    if (status == GGK_OK) {
        assert_int_equal(ggk_model_n_files(model), 5);
        expect_description(model, op->expected);
    }
    ggk_model_close(model);
    if (status != GGK_OK) /* whose name does not matter here */
        memset(err->file, 0, sizeof err->file);
    return status;
}

/* Five shards, each the file of all features with other tensors' names. */
static void write_feature_set(struct scratch *s)
{
    scratch_make(s);
    for (uint32_t no = 0; no < 5; no++) {
        struct bytes b = bytes_of(3, false);
        char name[40];

        put_header(&b, 1, 3);
        put_kv_u32(&b, "split.no", no);
        put_kv_u32(&b, "split.count", 5);
        put_kv_str(&b, "general.architecture", "llama");
        snprintf(name, sizeof name, "t%" PRIu32, no);
        put_info(&b, name, 1, (uint64_t[]){8}, T_UNKNOWN, 0);
        put_padding(&b, 32);
        put_fill(&b, 0, 8);
        snprintf(name, sizeof name, "m-%05u-of-00005.gguf", (unsigned)no + 1);
        scratch_write(s, name, &b);
        bytes_free(&b);
    }
}

static void every_allocation_of_a_set_may_fail(void **state)
{
    static const char *const names[] = {
        "m-00001-of-00005.gguf", "m-00002-of-00005.gguf",
        "m-00003-of-00005.gguf", "m-00004-of-00005.gguf",
        "m-00005-of-00005.gguf", ""};
    struct scratch s;
    ggk_model *model;
    char *expected;

    (void)state;
    write_feature_set(&s);
    assert_int_equal(ggk_model_open(s.dir, NULL, &model, NULL), GGK_OK);
    expected = describe(model);
    ggk_model_close(model);
    for (size_t i = 0; i < 6; i++) {
        char path[100];
        const struct operation op = {"set", run_open_path, KIND_FILE,
                                     NULL,  path,          expected};
        snprintf(path, sizeof path, "%s/%s", s.dir, names[i]);
        sweep(&op, 5);
    }
    free(expected);
    scratch_remove(&s);
}

/* ------------------------------------------------------------------ the rest
 */

/* The model gets its memory; only the index is to fail. */
static ggk_status run_index(const struct operation *op,
                            const ggk_allocator *alloc, ggk_error *err)
{
    struct ledger *ledger = alloc->ctx;
    const size_t fail_at = ledger->fail_at;
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    ggk_index *index;
    ggk_status status;

    opts.allocator = alloc;
    ledger->fail_at = 0;
    assert_int_equal(kind_open(op->kind, op->bytes, &opts, &model, NULL),
                     GGK_OK);
    ledger->calls = 0;
    ledger->fail_at = fail_at;
    status = ggk_index_new(model, 2, &index, err);
    assert_true((status == GGK_OK) == (index != NULL));
    ggk_index_free(index);
    ggk_model_close(model);
    return status;
}

static void every_allocation_of_an_index_may_fail(void **state)
{
    struct bytes b = bytes_features(3, false);
    const struct operation op = {"index", run_index, KIND_MEMORY,
                                 &b,      NULL,      NULL};

    (void)state;
    sweep(&op, 0);
    bytes_free(&b);
}

/* Once it is open, a model takes no more memory. */
static void questions_allocate_nothing(void **state)
{
    struct bytes b = bytes_features(3, false);
    struct ledger ledger = {0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts opts = no_opts();
    ggk_model *model;
    size_t calls;
    uint8_t byte;
    uint64_t at;

    (void)state;
    opts.allocator = &alloc;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        assert_int_equal(kind_open(kind, &b, &opts, &model, NULL), GGK_OK);
        calls = ledger.calls;
        free(describe(model));
        for (uint64_t i = 0; i < FEATURE_KVS; i++) {
            ggk_walk walk;
            ggk_value v;
            assert_int_equal(ggk_walk_start(model, i, &walk, NULL), GGK_OK);
            ggk_walk_next(&walk, &v);
            ggk_walk_skip(&walk, UINT64_MAX);
        }
        assert_int_equal(
            ggk_model_find_tensor(model, ggk_cstr("super"), &at, NULL), GGK_OK);
        assert_int_equal(ggk_model_read_tensor(model, at, 0, &byte, 1, NULL),
                         GGK_OK);
        assert_int_equal(ledger.calls, calls);
        ggk_model_close(model);
    }
    assert_true(ledger_is_even(&ledger));
    bytes_free(&b);
}

static ggk_status run_parse_table(const struct operation *op,
                                  const ggk_allocator *alloc, ggk_error *err)
{
    ggk_type_table *table;
    ggk_status status = ggk_type_table_parse((const char *)op->bytes->at,
                                             op->bytes->n, alloc, &table, err);

    assert_true((status == GGK_OK) == (table != NULL));
    if (status == GGK_OK)
        assert_int_equal(ggk_type_table_count(table), 200);
    ggk_type_table_free(table);
    return status;
}

static void every_allocation_of_a_type_table_may_fail(void **state)
{
    struct bytes text = bytes_of(3, false);
    const struct operation op = {
        "type table", run_parse_table, KIND_MEMORY, &text, NULL, NULL};

    (void)state;
    for (int i = 0; i < 200; i++) {
        char line[32];
        int len = snprintf(line, sizeof line, "%d T%d 1 1\n", i * 7 % 200, i);
        put_raw(&text, line, (size_t)len);
    }
    sweep(&op, 0);
    bytes_free(&text);
}

/* --------------------------------------------------------------- base/mem.h */

static void lists_grow_or_stay_as_they_are(void **state)
{
    struct ledger ledger = {0};
    ggk_allocator mem = ledger_allocator(&ledger);
    struct ggki_u64s list = {NULL, 0, 0};

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(ggki_u64s_push(&list, &mem, i));
    assert_false(ggki_u64s_reserve(&list, &mem, UINT64_MAX));
    assert_false(ggki_u64s_reserve(&list, &mem, SIZE_MAX / 8 + 1));
    assert_true(ggki_u64s_reserve(&list, &mem, 10));
    ledger.fail_at = ledger.calls + 1;
    assert_false(ggki_u64s_reserve(&list, &mem, 1000000));
    ledger.fail_at = ledger.calls + 1;
    while (list.n < list.capacity)
        assert_true(ggki_u64s_push(&list, &mem, list.n));
    assert_false(ggki_u64s_push(&list, &mem, 0));
    for (uint64_t i = 0; i < list.n; i++)
        assert_int_equal(list.at[i], i);
    ggki_u64s_free(&list, &mem);
    ggki_u64s_free(&list, &mem);
    assert_true(ledger_is_even(&ledger));
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Few numbers and many, equal ones, in order, in reverse, in none. */
static void lists_are_sorted(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (size_t i = 0; i < 4 * 300; i++) {
        uint64_t numbers[300], sorted[300];
        size_t n = i / 4;
        struct ggki_u64s list = {numbers, n, n};

        for (size_t j = 0; j < n; j++)
            numbers[j] = i % 4 == 0   ? j
                         : i % 4 == 1 ? n - j
                         : i % 4 == 2 ? bytes_random(&seed) % 8
                                      : bytes_random(&seed);
        memcpy(sorted, numbers, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_u64);
        ggki_u64s_sort(&list);
        assert_memory_equal(numbers, sorted, n * sizeof *sorted);
    }
}

/* ------------------------------------------------------------ memory limits */

/* What opening it takes, at most, whether it opens or not. */
static size_t memory_of(enum kind kind, const struct bytes *b)
{
    struct ledger ledger = {0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts opts = no_opts();
    ggk_model *model;

    opts.allocator = &alloc;
    (void)!kind_open(kind, b, &opts, &model, NULL);
    ggk_model_close(model);
    assert_true(ledger_is_even(&ledger));
    return ledger.peak;
}

/* The first read, twice the file, and some for the structs. */
static void expect_bounded(const struct bytes *b)
{
    static const enum kind kinds[] = {KIND_MEMORY, KIND_SIZED, KIND_STREAM};

    for (size_t i = 0; i < 3; i++) {
        size_t peak = memory_of(kinds[i], b);
        if (peak > 2 * b->n + 65536 + 2048) {
            print_error("%zu bytes of memory for a file of %zu, as %s\n", peak,
                        b->n, kind_name(kinds[i]));
            fail();
        }
    }
}

/* Every field, and every place between, as a number that is a lie. */
static void lies_take_no_memory(void **state)
{
    static const uint64_t lies[] = {
        100000,    0x7ffffffe, 0x7fffffff, UINT64_C(1) << 32, UINT64_C(1) << 40,
        INT64_MAX, UINT64_MAX};

    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        struct bytes b = bytes_features(3, false);
        size_t head = b.n - FEATURE_DATA_BYTES;

        put_fill(&b, 0, padded ? 150000 : 0);
        for (size_t pos = 8; pos < head; pos += padded ? 7 : 1)
            for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
                uint8_t saved[8];
                memcpy(saved, b.at + pos, 8);
                bytes_patch(&b, pos, lies[i], 8);
                expect_bounded(&b);
                memcpy(b.at + pos, saved, 8);
            }
        bytes_free(&b);
    }
}

/* Counts as large as the bytes left allow, over bytes that are no entries. */
static void counts_that_could_be_take_no_memory(void **state)
{
    (void)state;
    for (size_t size = 100; size < 2000000; size *= 5)
        for (int i = 0; i < 4; i++) {
            struct bytes b = bytes_of(3, false);
            bool tensors = i % 2 != 0;

            put_header(&b, tensors ? (size - 24) / 24 : 0,
                       tensors ? 0 : (size - 24) / 13);
            put_fill(&b, i < 2 ? 0xff : 0x05, size - 24);
            expect_bounded(&b);
            bytes_free(&b);
        }
}

/* Files of nothing but the smallest entries: the most that any can take. */
static void smallest_entries_take_5_times_their_bytes(void **state)
{
    static const uint64_t counts[] = {1000, 21845, 21846, 100000, 174763};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof counts / sizeof counts[0]; i++) {
        bool tensors = i % 2 != 0;
        struct bytes b = bytes_of(3, false);
        ggk_model *model;

        put_header(&b, tensors ? counts[i / 2] : 0,
                   tensors ? 0 : counts[i / 2]);
        for (uint64_t n = 0; n < counts[i / 2]; n++)
            if (tensors)
                put_info(&b, "", 0, NULL, T_UNKNOWN, n);
            else
                put_fill(&b, 0, 13);
        model = open_bytes(&b);
        ggk_model_close(model);
        for (enum kind kind = KIND_MEMORY; kind < KINDS; kind++)
            assert_in_range(memory_of(kind, &b), 1, 5 * b.n + 65536 + 2048);
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_opening_may_fail),
        cmocka_unit_test(every_allocation_of_a_long_header_may_fail),
        cmocka_unit_test(every_allocation_of_a_set_may_fail),
        cmocka_unit_test(every_allocation_of_an_index_may_fail),
        cmocka_unit_test(questions_allocate_nothing),
        cmocka_unit_test(every_allocation_of_a_type_table_may_fail),
        cmocka_unit_test(lists_grow_or_stay_as_they_are),
        cmocka_unit_test(lists_are_sorted),
        cmocka_unit_test(lies_take_no_memory),
        cmocka_unit_test(counts_that_could_be_take_no_memory),
        cmocka_unit_test(smallest_entries_take_5_times_their_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
