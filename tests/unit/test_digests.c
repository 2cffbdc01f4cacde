/* test_digests.c - digests of models and of tensors: known ones, the same by
 * any number of threads, and what is refused. */
#include "kinds.h"
#include "ledger.h"

#define BIT(algo)   (1u << GGK_ALGO_##algo)
#define OF_TENSORS  (BIT(XXH64) | BIT(XXH3) | BIT(SHA1) | BIT(SHA256))
#define ALL_OF_THEM ((1u << GGK_ALGO_COUNT) - 1)

enum { MIB = 1 << 20 };

/* Without a library that computes them there is little to test. */
static void need(uint32_t set)
{
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++)
        if ((set >> algo & 1) != 0 && ggk_algo_usable(algo, NULL) != GGK_OK)
            skip();
}

/* Each has a version exactly if it can be used. */
static void libraries_have_versions(void **state)
{
    char version[GGK_LIBRARY_VERSION_BYTES];

    (void)state;
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        bool sha = algo == GGK_ALGO_SHA1 || algo == GGK_ALGO_SHA256 ||
                   algo == GGK_ALGO_UUID || algo == GGK_ALGO_CONTENT;

        memset(version, 'x', sizeof version);
        assert_string_equal(ggk_algo_library(algo, version),
                            sha ? "libcrypto" : "xxHash");
        if (ggk_algo_usable(algo, NULL) == GGK_OK)
            assert_true(version[0] >= '0' && version[0] <= '9' &&
                        strspn(version, "0123456789.abcdefghijklmnopqrstuvwxyz"
                                        "-") == strlen(version));
        else
            assert_string_equal(version, "");
    }
    assert_null(ggk_algo_library(GGK_ALGO_COUNT, version));
    assert_string_equal(version, "");
}

static ggk_status digest(const ggk_model *model, uint32_t of_model,
                         uint32_t of_tensors, uint32_t threads,
                         ggk_digests **out, ggk_error *err)
{
    ggk_digest_opts opts = {.struct_bytes = sizeof opts,
                            .model = of_model,
                            .tensors = of_tensors,
                            .n_threads = threads};

    return ggk_digests_new(model, &opts, NULL, out, err);
}

static ggk_digests *digest_well(const ggk_model *model, uint32_t of_model,
                                uint32_t of_tensors, uint32_t threads)
{
    ggk_digests *d;

    assert_int_equal(digest(model, of_model, of_tensors, threads, &d, NULL),
                     GGK_OK);
    return d;
}

/* ------------------------------------------------------------------- texts */

static void expect_text(uint32_t algo, const uint8_t *bytes, const char *text)
{
    char out[GGK_DIGEST_TEXT_BYTES];

    assert_non_null(bytes);
    assert_int_equal(ggk_digest_format(algo, bytes, out), strlen(text));
    assert_string_equal(out, text);
}

static void digests_are_texts_and_back(void **state)
{
    static const char *const bad[] = {"",
                                      "143cfd78-1bfb-5c0e-bdf2-11602b3b65b",
                                      "143cfd78-1bfb-5c0e-bdf2-11602b3b65b3a",
                                      "143cfd7811bfb-5c0e-bdf2-11602b3b65b3",
                                      "143cfd78-1bfb-5c0e-bdf2-11602b3b65bg",
                                      "143cfd781bfb5c0ebdf211602b3b65b3"};
    static const char good[] = "143cfd78-1bfb-5c0e-bdf2-11602B3B65B3";
    uint8_t out[GGK_DIGEST_MAX_BYTES];

    (void)state;
    assert_true(ggk_digest_parse(GGK_ALGO_UUID, ggk_cstr(good), out));
    expect_text(GGK_ALGO_UUID, out, "143cfd78-1bfb-5c0e-bdf2-11602b3b65b3");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ggk_digest_parse(GGK_ALGO_UUID, ggk_cstr(bad[i]), out));
    assert_true(
        ggk_digest_parse(GGK_ALGO_XXH64, ggk_cstr("00ff44bc2cf5ad77"), out));
    expect_text(GGK_ALGO_XXH64, out, "00ff44bc2cf5ad77");
    assert_false(ggk_digest_parse(GGK_ALGO_COUNT, ggk_cstr(""), out));
    assert_null(ggk_algo_name(GGK_ALGO_COUNT));
    assert_string_equal(ggk_algo_name(GGK_ALGO_CONTENT), "content");
    assert_int_equal(ggk_algo_bytes(GGK_ALGO_COUNT), 0);
    assert_int_equal(ggk_algo_usable(GGK_ALGO_COUNT, NULL), GGK_E_ARG);
}

/* ------------------------------------------------------------ known digests */

/* One tensor of three bytes. */
static struct bytes bytes_abc(void)
{
    struct bytes b = bytes_llama(1);

    put_info(&b, "t", 1, (uint64_t[]){3}, T_I8, 0);
    put_padding(&b, 32);
    put_raw(&b, "abc", 3);
    put_padding(&b, 32);
    return b;
}

static void published_digests_of_abc(void **state)
{
    static const char *const known[] = {
        "44bc2cf5ad770999", "78af5f94892f3950",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    struct bytes b = bytes_abc();
    ggk_model *model = open_bytes(&b);
    ggk_digests *d;

    (void)state;
    need(ALL_OF_THEM);
    d = digest_well(model, ALL_OF_THEM, OF_TENSORS, 2);
    for (uint32_t algo = 0; algo < 4; algo++) {
        expect_text(algo, ggk_digests_model(d, algo), known[algo]);
        expect_text(algo, ggk_digests_tensor(d, 0, algo), known[algo]);
        assert_null(ggk_digests_tensor(d, 1, algo));
    }
    expect_text(GGK_ALGO_UUID, ggk_digests_model(d, GGK_ALGO_UUID),
                "9f2200fc-45e8-5a39-9535-c3ea5c0e0cef");
    expect_text(
        GGK_ALGO_CONTENT, ggk_digests_model(d, GGK_ALGO_CONTENT),
        "959885bb8da5a3d45b12e772059e3024aaad8d6e513d96663bd95cbd138e67ff");
    assert_null(ggk_digests_tensor(d, 0, GGK_ALGO_CONTENT));
    assert_null(ggk_digests_model(d, GGK_ALGO_COUNT));
    ggk_digests_free(d);
    ggk_model_close(model);
    bytes_free(&b);
}

static void nothing_has_digests_too(void **state)
{
    struct bytes b = bytes_llama(0);
    ggk_model *model = open_bytes(&b);
    ggk_digests *d;

    (void)state;
    need(ALL_OF_THEM);
    d = digest_well(model, ALL_OF_THEM, OF_TENSORS, 3);
    expect_text(GGK_ALGO_XXH64, ggk_digests_model(d, GGK_ALGO_XXH64),
                "ef46db3751d8e999");
    expect_text(GGK_ALGO_SHA1, ggk_digests_model(d, GGK_ALGO_SHA1),
                "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_null(ggk_digests_tensor(d, 0, GGK_ALGO_SHA1));
    ggk_digests_free(d);
    d = digest_well(model, 0, BIT(SHA1), 0);
    assert_null(ggk_digests_model(d, GGK_ALGO_SHA1));
    ggk_digests_free(d);
    ggk_digests_free(NULL);
    ggk_model_close(model);
    bytes_free(&b);
}

/* -------------------------------------------------------------- many pieces */

/* Tensors whose ends meet those of pieces in all ways, some of no bytes; 7 MiB
 * and a bit in all. */
static const uint64_t sizes[] = {
    0,       0,       5 * MIB / 4, 3 * MIB / 4, MIB, 0, 1,
    MIB - 1, 2 * MIB, 17,          MIB / 2,     333, 0};

enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static struct bytes bytes_large(void)
{
    struct bytes b = bytes_llama(N_SIZES);
    uint64_t at = 0, seed = 1;

    for (int i = 0; i < N_SIZES; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%d", i);
        put_info(&b, name, 1, &sizes[i], T_I8, at);
        at += (sizes[i] + 31) / 32 * 32;
    }
    put_padding(&b, 32);
    for (uint64_t i = 0; i < at; i += 8)
        put_u64(&b, bytes_random(&seed));
    return b;
}

static void expect_same(const ggk_digests *a, const ggk_digests *b)
{
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        size_t n = ggk_algo_bytes(algo);
        const uint8_t *one = ggk_digests_model(a, algo);
        const uint8_t *two = ggk_digests_model(b, algo);
        if (one != NULL && two != NULL)
            assert_memory_equal(one, two, n);
        for (uint64_t i = 0; i < N_SIZES; i++) {
            one = ggk_digests_tensor(a, i, algo);
            two = ggk_digests_tensor(b, i, algo);
            if (one != NULL && two != NULL)
                assert_memory_equal(one, two, n);
        }
    }
}

/* Each way, each number of threads. Alone, a digest is no other than among all;
 * nor is that of a tensor when the model's is made beside it. */
static void threads_do_not_matter(void **state)
{
    struct bytes b = bytes_large();
    ggk_model *model = open_bytes(&b);
    ggk_digests *all, *some;

    (void)state;
    need(ALL_OF_THEM);
    all = digest_well(model, ALL_OF_THEM, OF_TENSORS, 1);
    for (uint32_t threads = 1; threads < 12; threads++) {
        some = digest_well(model, ALL_OF_THEM, OF_TENSORS, threads);
        expect_same(all, some);
        ggk_digests_free(some);
        some = digest_well(model, 0, OF_TENSORS, threads);
        expect_same(all, some);
        ggk_digests_free(some);
        some = digest_well(model, BIT(CONTENT), 0, threads);
        expect_same(all, some);
        assert_null(ggk_digests_tensor(some, 0, GGK_ALGO_SHA256));
        ggk_digests_free(some);
    }
    for (uint32_t algo = 0; algo < GGK_ALGO_COUNT; algo++) {
        some = digest_well(model, 1u << algo, 0, 2);
        expect_same(all, some);
        ggk_digests_free(some);
    }
    ggk_digests_free(all);
    ggk_model_close(model);
    bytes_free(&b);
}

struct told {
    uint64_t calls, last, total;
    uint64_t stop_after;
};

static bool on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct told *told = ctx;

    assert_true(done >= told->last && done <= total);
    told->last = done;
    told->total = total;
    return told->calls++ < told->stop_after;
}

static uint64_t total_of_sizes(void)
{
    uint64_t total = 0;

    for (int i = 0; i < N_SIZES; i++)
        total += sizes[i];
    return total;
}

static ggk_status run_told(const ggk_model *model, bool in_order,
                           uint32_t threads, struct told *told)
{
    ggk_digest_opts opts = {.struct_bytes = sizeof opts,
                            .model = in_order ? BIT(XXH64) : 0,
                            .tensors = BIT(XXH64),
                            .n_threads = threads,
                            .on_progress = on_progress,
                            .progress_ctx = told};
    ggk_digests *d;
    ggk_error err;
    ggk_status status = ggk_digests_new(model, &opts, NULL, &d, &err);

    assert_true((d == NULL) == (status != GGK_OK));
    if (status != GGK_OK) {
        assert_int_equal(err.status, status);
        assert_string_equal(err.what, "it was cancelled");
    }
    ggk_digests_free(d);
    return status;
}

/* Often, so that no wake-up is lost between the threads. */
static void progress_is_told_and_cancels(void **state)
{
    struct bytes b = bytes_large();
    ggk_model *model = open_bytes(&b);

    (void)state;
    need(BIT(XXH64));
    for (uint32_t round = 0; round < 60; round++) {
        struct told told = {.stop_after = UINT64_MAX};
        bool in_order = round % 3 != 0;
        uint32_t threads = 1 + round % 4;
        assert_int_equal(run_told(model, in_order, threads, &told), GGK_OK);
        assert_int_equal(told.total, total_of_sizes());
        assert_int_equal(told.last, told.total);
        told = (struct told){.stop_after = round % 5};
        if (threads == 1) {
            assert_int_equal(run_told(model, in_order, threads, &told),
                             GGK_E_CANCELLED);
            assert_int_equal(told.calls, round % 5 + 1);
        }
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* ----------------------------------------------------------------- content */

static void expect_content(const struct bytes *a, const struct bytes *b,
                           bool same)
{
    ggk_model *one = open_bytes(a), *two = open_bytes(b);
    ggk_digests *d = digest_well(one, BIT(CONTENT), 0, 1);
    ggk_digests *e = digest_well(two, BIT(CONTENT), 0, 2);

    assert_true((memcmp(ggk_digests_model(d, GGK_ALGO_CONTENT),
                        ggk_digests_model(e, GGK_ALGO_CONTENT), 32) == 0) ==
                same);
    ggk_digests_free(d);
    ggk_digests_free(e);
    ggk_model_close(one);
    ggk_model_close(two);
}

struct two {
    const char *names[2];
    uint64_t ne[2][2];
    uint32_t n_dims[2];
    const char *data[2]; /* 4 bytes each */
    const char *key;
    bool second_first; /* of the data */
};

static struct bytes bytes_two(const struct two *t)
{
    struct bytes b = bytes_of(3, false);

    put_header(&b, 2, 1);
    put_kv_str(&b, t->key, "x");
    for (int i = 0; i < 2; i++)
        put_info(&b, t->names[i], t->n_dims[i], t->ne[i], T_I8,
                 (i == 1) != t->second_first ? 32 : 0);
    put_padding(&b, 32);
    for (int i = 0; i < 2; i++) {
        put_raw(&b, t->data[t->second_first ? 1 - i : i], 4);
        put_padding(&b, 32);
    }
    return b;
}

static const struct two plain = {
    {"a", "b"}, {{4, 1}, {2, 2}}, {1, 2}, {"abcd", "efgh"}, "key", false};

static void expect_variant(const struct two *variant, bool same)
{
    struct bytes a = bytes_two(&plain), b = bytes_two(variant);

    expect_content(&a, &b, same);
    bytes_free(&a);
    bytes_free(&b);
}

static void content_is_what_it_says(void **state)
{
    struct two t = plain;

    (void)state;
    need(BIT(CONTENT));
    expect_variant(&plain, true);
    t.key = "another.key";
    expect_variant(&t, true);
    t.second_first = true;
    expect_variant(&t, true);
    t.n_dims[0] = 2; /* a matrix of one row */
    expect_variant(&t, true);
    t = (struct two){
        {"b", "a"}, {{2, 2}, {4, 1}}, {2, 1}, {"efgh", "abcd"}, "key", false};
    expect_variant(&t, true); /* the other order */
    t.names[1] = "c";
    expect_variant(&t, false);
    t = plain;
    t.data[0] = "abce";
    expect_variant(&t, false);
    t = plain;
    t.names[0] = "b";
    t.names[1] = "a"; /* exchanged */
    expect_variant(&t, false);
    t = plain;
    t.ne[1][0] = 1;
    t.ne[1][1] = 4;
    expect_variant(&t, false);
    t = plain;
    t.ne[1][0] = 4;
    t.n_dims[1] = 1;
    expect_variant(&t, false);
}

/* ---------------------------------------------------------------- refusals */

static void expect_refusal(const struct bytes *b, uint32_t of_model,
                           ggk_status wanted, uint64_t offset)
{
    ggk_model *model = open_bytes(b);
    ggk_digests *d;
    ggk_error err = {0};

    assert_int_equal(digest(model, of_model, 0, 1, &d, &err), wanted);
    assert_null(d);
    assert_int_equal(err.status, wanted);
    assert_int_equal(err.offset, offset);
    ggk_model_close(model);
}

static void data_must_be_there(void **state)
{
    struct bytes b = bytes_abc();

    (void)state;
    need(BIT(XXH64));
    b.n = 130;
    expect_refusal(&b, BIT(XXH64), GGK_E_DATA_MISSING, 128);
    bytes_free(&b);
}

/* An I8 tensor of 32 bytes, and one of an unknown type with 64. */
static struct bytes bytes_unknown(uint32_t type)
{
    struct bytes b = bytes_llama(2);

    put_info(&b, "t", 1, (uint64_t[]){32}, T_I8, 0);
    put_info(&b, "u", 1, (uint64_t[]){64}, type, 32);
    put_padding(&b, 32);
    put_fill(&b, 1, 96);
    return b;
}

/* A type that is not known has the bytes up to the end of the file. */
static void unknown_types_have_all_bytes(void **state)
{
    struct bytes known = bytes_unknown(T_I8), b = bytes_unknown(T_UNKNOWN);
    ggk_model *models[2] = {open_bytes(&known), open_bytes(&b)};
    ggk_digests *d[2];

    (void)state;
    need(BIT(XXH64) | BIT(SHA256));
    for (int k = 0; k < 2; k++)
        d[k] =
            digest_well(models[k], BIT(XXH64) | BIT(CONTENT), BIT(SHA256), 1);
    assert_memory_equal(ggk_digests_model(d[0], GGK_ALGO_XXH64),
                        ggk_digests_model(d[1], GGK_ALGO_XXH64), 8);
    for (uint64_t i = 0; i < 2; i++)
        assert_memory_equal(ggk_digests_tensor(d[0], i, GGK_ALGO_SHA256),
                            ggk_digests_tensor(d[1], i, GGK_ALGO_SHA256), 32);
    assert_memory_not_equal(ggk_digests_model(d[0], GGK_ALGO_CONTENT),
                            ggk_digests_model(d[1], GGK_ALGO_CONTENT), 32);
    for (int k = 0; k < 2; k++) {
        ggk_digests_free(d[k]);
        ggk_model_close(models[k]);
    }
    bytes_free(&known);
    bytes_free(&b);
}

/* In a stream whose end is not reached it could be anywhere. */
static void its_end_must_be_known(void **state)
{
    struct bytes b = bytes_unknown(T_UNKNOWN);
    ggk_model *model;
    ggk_digests *d;
    ggk_error err;

    (void)state;
    need(BIT(XXH64));
    put_fill(&b, 1, 200000);
    assert_int_equal(kind_open(KIND_STREAM, &b, NULL, &model, &err), GGK_OK);
    assert_int_equal(digest(model, BIT(XXH64), 0, 1, &d, &err),
                     GGK_E_UNSUPPORTED);
    assert_null(d);
    assert_int_equal(err.offset, 102);
    ggk_model_close(model);
    bytes_free(&b);
}

static void content_has_one_meaning(void **state)
{
    struct two t = plain;
    struct bytes b;

    (void)state;
    need(BIT(CONTENT) | BIT(XXH64));
    t.names[1] = "a";
    b = bytes_two(&t);
    expect_refusal(&b, BIT(CONTENT), GGK_E_DUPLICATE, GGK_NO_OFFSET);
    expect_refusal(&b, BIT(CONTENT) | BIT(XXH64), GGK_E_DUPLICATE,
                   GGK_NO_OFFSET);
    bytes_free(&b);
    b = bytes_of(3, true);
    put_header(&b, 0, 0);
    expect_refusal(&b, BIT(CONTENT), GGK_E_UNSUPPORTED, GGK_NO_OFFSET);
    bytes_free(&b);
}

/* A hundred tensors that are one. */
static void overlaps_have_a_limit(void **state)
{
    struct bytes b = bytes_llama(100);

    (void)state;
    need(BIT(XXH64));
    for (int i = 0; i < 100; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%d", i);
        put_info(&b, name, 1, (uint64_t[]){8 * MIB}, T_I8, 0);
    }
    put_padding(&b, 32);
    put_fill(&b, 1, 8 * MIB);
    expect_refusal(&b, BIT(XXH64), GGK_E_OVERLAP, GGK_NO_OFFSET);
    bytes_free(&b);
}

static void options_are_checked(void **state)
{
    struct bytes b = bytes_abc();
    ggk_model *model = open_bytes(&b);
    ggk_digest_opts opts = {.struct_bytes = sizeof opts};
    ggk_digests *d;

    (void)state;
    assert_int_equal(ggk_digests_new(model, NULL, NULL, &d, NULL), GGK_E_ARG);
    assert_int_equal(ggk_digests_new(model, &opts, NULL, &d, NULL), GGK_E_ARG);
    opts.model = 1u << GGK_ALGO_COUNT;
    assert_int_equal(ggk_digests_new(model, &opts, NULL, &d, NULL), GGK_E_ARG);
    opts.model = 0;
    opts.tensors = BIT(UUID);
    assert_int_equal(ggk_digests_new(model, &opts, NULL, &d, NULL), GGK_E_ARG);
    assert_null(d);
    ggk_model_close(model);
    bytes_free(&b);
}

/* A file that another process truncates is an error, whoever reads. */
static void a_file_that_shrinks_is_an_error(void **state)
{
    struct bytes b = bytes_large();
    struct scratch s;
    ggk_model *model;

    (void)state;
    need(BIT(XXH64));
    scratch_make(&s);
    assert_int_equal(
        ggk_model_open(scratch_write(&s, "m.gguf", &b), NULL, &model, NULL),
        GGK_OK);
    assert_int_equal(truncate(scratch_path(&s, "m.gguf"), 3 * MIB), 0);
    for (uint32_t threads = 1; threads < 5; threads++)
        for (int in_order = 0; in_order < 2; in_order++) {
            ggk_digests *d;
            ggk_error err = {0};
            assert_int_equal(digest(model, in_order != 0 ? BIT(XXH64) : 0,
                                    BIT(XXH64), threads, &d, &err),
                             GGK_E_CHANGED);
            assert_int_equal(err.status, GGK_E_CHANGED);
            assert_int_equal(err.offset, 3 * MIB);
        }
    ggk_model_close(model);
    scratch_remove(&s);
    bytes_free(&b);
}

/* ------------------------------------------------------------------ memory */

static ggk_status run_on(const ggk_model *model, struct ledger *ledger,
                         uint32_t of_model, uint32_t of_tensors)
{
    ggk_digest_opts opts = {.struct_bytes = sizeof opts,
                            .model = of_model,
                            .tensors = of_tensors,
                            .n_threads = 2};
    ggk_allocator alloc = ledger_allocator(ledger);
    ggk_digests *d;
    ggk_status status = ggk_digests_new(model, &opts, &alloc, &d, NULL);

    ggk_digests_free(d);
    assert_true(ledger_is_even(ledger));
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static const uint32_t sets[][2] = {
        {ALL_OF_THEM, OF_TENSORS}, {0, OF_TENSORS}, {BIT(CONTENT), 0}};
    struct bytes b = bytes_large();
    ggk_model *model = open_bytes(&b);

    (void)state;
    need(ALL_OF_THEM);
    for (int k = 0; k < 3; k++) {
        struct ledger good = {0};
        assert_int_equal(run_on(model, &good, sets[k][0], sets[k][1]), GGK_OK);
        assert_true(good.peak < 32 * MIB);
        for (size_t n = 1; n <= good.calls; n++) {
            struct ledger bad = {.fail_at = n};
            assert_int_equal(run_on(model, &bad, sets[k][0], sets[k][1]),
                             GGK_E_NOMEM);
        }
    }
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_have_versions),
        cmocka_unit_test(digests_are_texts_and_back),
        cmocka_unit_test(published_digests_of_abc),
        cmocka_unit_test(nothing_has_digests_too),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(progress_is_told_and_cancels),
        cmocka_unit_test(content_is_what_it_says),
        cmocka_unit_test(data_must_be_there),
        cmocka_unit_test(unknown_types_have_all_bytes),
        cmocka_unit_test(its_end_must_be_known),
        cmocka_unit_test(content_has_one_meaning),
        cmocka_unit_test(overlaps_have_a_limit),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
