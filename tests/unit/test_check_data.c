/* test_check_data.c - the rules about numbers: what they find, and what they
 * pass over. */
#include <math.h>

#include "ops/suspects.h"
#include "tensor_parts.h"

enum { MOST_FOUND = 8 };

struct finding {
    char rule[32], what[256], where[64];
    uint64_t tensor, count, number, offset;
};

struct found {
    struct finding at[MOST_FOUND];
    size_t n, stop_at;
};

static bool take_finding(void *ctx, const ggk_finding *f)
{
    struct found *found = ctx;
    struct finding *out = &found->at[found->n++];

    assert_true(found->n <= MOST_FOUND);
    snprintf(out->rule, sizeof out->rule, "%s", f->rule->id);
    snprintf(out->what, sizeof out->what, "%s", f->what);
    snprintf(out->where, sizeof out->where, "%s", f->where);
    out->tensor = f->tensor;
    out->count = f->count;
    out->number = f->number;
    out->offset = f->offset;
    return found->n != found->stop_at;
}

/* Judge tensors, in either byte order. */
static struct found judge_as(const struct tensor_part *parts, size_t n,
                             bool big)
{
    struct bytes b = bytes_of_parts(parts, n, big);
    ggk_model *model = open_bytes(&b);
    ggk_verdict verdict = {.n_looked = 0};
    struct found found = {.n = 0};
    ggk_error err = {0};

    if (ggk_check_data(model, NULL, NULL, take_finding, &found, &verdict,
                       &err) != GGK_OK)
        fail_msg("%s", err.what);
    assert_int_equal(verdict.n_looked, n);
    ggk_model_close(model);
    bytes_free(&b);
    return found;
}

static struct found judge(const struct tensor_part *parts, size_t n)
{
    struct found little = judge_as(parts, n, false),
                 big = judge_as(parts, n, true);

    assert_int_equal(little.n, big.n);
    for (size_t i = 0; i < little.n; i++) {
        assert_string_equal(little.at[i].rule, big.at[i].rule);
        assert_string_equal(little.at[i].what, big.at[i].what);
        assert_int_equal(little.at[i].offset, big.at[i].offset);
    }
    return little;
}

/* One finding, and that. */
static void expect_one(const struct tensor_part *part, const char *rule,
                       const char *what, uint64_t number, uint64_t count)
{
    struct found f = judge(part, 1);

    for (size_t i = 0; i < f.n; i++)
        if (i > 0 || strcmp(f.at[i].rule, rule) != 0 ||
            strcmp(f.at[i].what, what) != 0)
            print_error("%s: %s\n", f.at[i].rule, f.at[i].what);
    assert_int_equal(f.n, 1);
    assert_string_equal(f.at[0].rule, rule);
    assert_string_equal(f.at[0].what, what);
    assert_string_equal(f.at[0].where, "tensor[0].data");
    assert_int_equal(f.at[0].tensor, 0);
    assert_int_equal(f.at[0].number, number);
    assert_int_equal(f.at[0].count, count);
}

static void expect_none(const struct tensor_part *part)
{
    struct found f = judge(part, 1);

    for (size_t i = 0; i < f.n; i++)
        print_error("%s: %s\n", f.at[i].rule, f.at[i].what);
    assert_int_equal(f.n, 0);
}

static void put_floats(uint8_t *out, const float *x, size_t n)
{
    assert_int_equal(ggk_type_quantize(ggk_type_by_name("F32"), x, 1, n, NULL,
                                       out, 4 * n, NULL),
                     GGK_OK);
}

/* `rows` rows of 256 normal numbers as `type`; the caller frees them. */
static uint8_t *weights(const char *type, size_t rows, size_t *bytes)
{
    const ggk_type_info *info = ggk_type_by_name(type);
    size_t n = rows * 256;
    float *x = malloc(n * sizeof *x);
    uint64_t seed = 1;
    uint8_t *out;

    *bytes = n / info->block * info->bytes;
    out = malloc(*bytes);
    assert_true(x != NULL && out != NULL);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(0.02 * random_normal(&seed));
    assert_int_equal(
        ggk_type_quantize(info, x, rows, 256, NULL, out, *bytes, NULL), GGK_OK);
    free(x);
    return out;
}

/* ---------------------------------------------------- what floats do not hold
 */

static void test_doubles(void **state)
{
    static const uint8_t tiny[] = {1, 0, 0, 0, 0, 0, 0x80, 0x33, /* 1e-60 */
                                   2, 0, 0, 0, 0, 0, 0x80, 0x33},
                         large[] = {1, 0, 0, 0, 0, 0, 0x30, 0x7e, /* 1e300 */
                                    2, 0, 0, 0, 0, 0, 0x30, 0x7e},
                         odd[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x7f,  /* infinite */
                                  1, 0, 0, 0, 0, 0, 0xf8, 0xff}, /* NaN */
        zeros[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    struct tensor_part part = {"a", "F64", {2, 0}, tiny};
    struct found f;
    (void)state;

    expect_none(&part);
    part.data = large;
    expect_none(&part);
    part.data = zeros;
    expect_one(&part, "numbers-zero", "\"a\": all 2 numbers are zero", 0, 2);
    part.data = odd;
    f = judge(&part, 1);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.at[0].what,
                        "\"a\": 1 of 2 numbers are NaN, the first at row 0, "
                        "column 1");
    assert_string_equal(f.at[1].rule, "numbers-infinite");
}

/* Neighbours that no double tells apart are not the same. */
static void test_integers(void **state)
{
    static const uint8_t close[] = {0, 0, 0, 0, 0, 0, 0, 0x40,
                                    1, 0, 0, 0, 0, 0, 0, 0x40},
                         same[] = {0, 0, 0, 1, 0, 0, 0, 1};
    struct tensor_part part = {"a", "I64", {2, 0}, close};
    (void)state;

    expect_none(&part);
    part.type = "I32";
    part.data = same;
    expect_one(&part, "numbers-constant",
               "\"a\": all 2 numbers are 1.67772e+07", 0, 2);
}

/* ------------------------------------------------------ what blocks overflow
 */

static void test_huge_scales(void **state)
{
    uint8_t mxfp4[2 * 17], q8_k[292];
    struct tensor_part part = {"a", "MXFP4", {64, 0}, mxfp4};
    (void)state;

    memset(mxfp4, 0x21, sizeof mxfp4);
    mxfp4[0] = mxfp4[17] = 252;
    mxfp4[17 + 9] = 0x27; /* 12 */
    expect_none(&part);
    mxfp4[17] = 253;
    expect_one(&part, "numbers-infinite",
               "\"a\": 1 of 64 numbers are infinite, the first at row 0, "
               "column 40",
               40, 1);
    mxfp4[17 + 9] = 0x24; /* 4, which 2^126 times it can be */
    expect_none(&part);
    mxfp4[17] = 255;
    expect_one(&part, "numbers-scale",
               "\"a\": 1 of 2 blocks have a scale that is NaN or infinite, the "
               "first at row 0, column 32",
               32, 1);

    memset(q8_k, 0, sizeof q8_k);
    part = (struct tensor_part){"a", "Q8_K", {256, 0}, q8_k};
    memcpy(q8_k, (const uint8_t[]){0xff, 0xff, 0xff, 0x7b, 0x80}, 5);
    expect_none(&part); /* -128 of FLT_MAX / 128 */
    memcpy(q8_k, (const uint8_t[]){0x00, 0x00, 0x00, 0xfc, 0x80, 127}, 6);
    expect_one(&part, "numbers-infinite",
               "\"a\": 1 of 256 numbers are infinite, the first at row 0, "
               "column 0",
               0, 1);
}

/* ------------------------------------------------------------------ no weights
 */

static void test_no_weights(void **state)
{
    static uint8_t zeros[64 * 1024];
    static const uint8_t ones[] = {0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c};
    struct tensor_part part = {"blk.0.ffn_up.weight", "F16", {256, 64}, zeros};
    (void)state;

    expect_one(&part, "numbers-no-weights",
               "\"blk.0.ffn_up.weight\": all 16384 numbers are zero", 0, 16384);
    part.name = "blk.0.norm.weight";
    expect_one(&part, "numbers-zero",
               "\"blk.0.norm.weight\": all 16384 numbers are zero", 0, 16384);
    part = (struct tensor_part){"a.weight", "F16", {2, 2}, ones};
    expect_one(&part, "numbers-no-weights", "\"a.weight\": all 4 numbers are 1",
               0, 4);
    part = (struct tensor_part){"a.weight", "F16", {4, 0}, ones};
    expect_one(&part, "numbers-constant", "\"a.weight\": all 4 numbers are 1",
               0, 4);
    part = (struct tensor_part){"a.weight", "I8", {4, 2}, zeros};
    expect_one(&part, "numbers-zero", "\"a.weight\": all 8 numbers are zero", 0,
               8);
}

/* What was never written of a tensor, at any place; and what is less. */
static void test_zero_rows(void **state)
{
    enum { ROWS = 512, ROW = 144 };
    size_t bytes;
    uint8_t *data = weights("Q4_K", ROWS, &bytes);
    struct tensor_part part = {"a.weight", "Q4_K", {256, ROWS}, data};
    (void)state;

    expect_none(&part);
    memset(data + 100 * ROW + 7, 0, 4095);
    expect_none(&part);
    memset(data + 100 * ROW + 7, 0, 5000); /* ends in row 134 */
    expect_one(&part, "numbers-zero-rows",
               "\"a.weight\": rows 101 to 133 of 512 are all zero", 101 * 256,
               33 * 256);
    part.name = "token_embd.weight";
    expect_none(&part);
    part.name = "norm.weight";
    expect_none(&part);
    part.name = "a.weight";
    memset(data + 200 * ROW, 0, bytes - 200 * ROW);
    expect_one(&part, "numbers-no-weights",
               "\"a.weight\": rows 200 to 511 of 512 are all zero", 200 * 256,
               312 * 256);
    part.name = "token_embd.weight";
    expect_one(&part, "numbers-no-weights",
               "\"token_embd.weight\": rows 200 to 511 of 512 are all zero",
               200 * 256, 312 * 256);
    free(data);
}

/* --------------------------------------------------------------------- runs */

/* The longest run, byte by byte. */
static struct ggki_zeros zeros_of(const uint8_t *p, size_t n)
{
    struct ggki_zeros z = {.n = n};
    size_t run = 0;

    for (size_t i = 0; i < n; i++) {
        run = p[i] == 0 ? run + 1 : 0;
        z.lead += run == i + 1;
        if (run > z.longest && run >= GGKI_ZEROS_LEAST) {
            z.longest = run;
            z.at = i + 1 - run;
        }
    }
    z.trail = run;
    return z;
}

/* Wherever they begin, however it is cut. */
static void test_runs_of_zeros(void **state)
{
    enum { N = 40000 };
    uint8_t *p = malloc(N);
    uint64_t seed = 3;
    (void)state;

    assert_non_null(p);
    for (int round = 0; round < 300; round++) {
        struct ggki_zeros is = {0}, wanted;

        memset(p, 1, N);
        for (int k = 0; k < 3; k++) {
            size_t n = (size_t)(random_bits(&seed) % 9000),
                   at = (size_t)(random_bits(&seed) % (N - n + 1));

            at = round % 7 == 0 ? 0 : round % 7 == 1 ? N - n : at;
            memset(p + at, 0, n);
        }
        if (round == 299)
            memset(p, 0, N);
        for (size_t i = 0, n; i < N; i += n) {
            struct ggki_zeros part = {0};

            n = (size_t)(random_bits(&seed) % 12000);
            n = n < N - i ? n : N - i;
            ggki_zeros_find(&part, p + i, n);
            ggki_zeros_merge(&is, &part);
        }
        wanted = zeros_of(p, N);
        assert_int_equal(is.n, N);
        assert_int_equal(is.lead, wanted.lead);
        assert_int_equal(is.trail, wanted.trail);
        assert_int_equal(is.longest, wanted.longest);
        assert_int_equal(is.at, wanted.at);
    }
    free(p);
}

/* ------------------------------------------------------------------ outliers
 */

/* Of every type a scale that a flipped bit made large. */
static void test_outliers(void **state)
{
    static const struct {
        const char *type;
        size_t
            byte; /* of a block or a number: the upper one of what is large */
        uint8_t value;
        const char *what;
    } cases[] = {
        {"F32", 3, 0x47, "runs of 64 numbers have one"},
        {"F16", 1, 0x7b, "runs of 64 numbers have one"},
        {"BF16", 1, 0xc7, "runs of 64 numbers have one"},
        {"Q4_K", 1, 0x7b, "blocks have a scale"},
        {"Q4_1", 3, 0x7b, "blocks have a scale"},
        {"Q8_0", 1, 0x7b, "blocks have a scale"},
        {"Q6_K", 209, 0x7b, "blocks have a scale"},
        {"MXFP4", 0, 200, "blocks have a scale"},
        {"IQ1_M", 55, 0x60, "blocks have a scale"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ggk_type_info *type = ggk_type_by_name(cases[i].type);
        size_t bytes;
        uint8_t *data = weights(cases[i].type, 256, &bytes);
        struct tensor_part part = {"a.weight", cases[i].type, {256, 256}, data};
        char what[256];

        expect_none(&part);
        data[3 * (256 / type->block) * type->bytes + cases[i].byte] =
            cases[i].value;
        snprintf(
            what, sizeof what,
            "\"a.weight\": 1 of %u %s more than 1000 times larger than all "
            "others, the largest at row 3, column 0",
            65536 / (type->block > 1 ? type->block : 64), cases[i].what);
        expect_one(&part, "numbers-outlier", what, 3 * 256, 1);
        part.name = "norm.weight";
        expect_none(&part);
        free(data);
    }
}

/* Many that are large are meant. */
static void test_many_outliers(void **state)
{
    size_t bytes;
    uint8_t *data = weights("Q8_0", 256, &bytes);
    struct tensor_part part = {"a.weight", "Q8_0", {256, 256}, data};
    (void)state;

    for (size_t i = 0; i < 9; i++) {
        struct found f = judge(&part, 1);

        assert_int_equal(f.n, i > 0);
        if (i > 0)
            assert_int_equal(f.at[0].count, i);
        data[i * 20 * 34 + 1] = 0x7b;
    }
    expect_none(&part);
    free(data);
}

/* A number 1000 times the others is told, one 500 times not. */
static void test_how_far_out(void **state)
{
    float *x = malloc(65536 * sizeof *x);
    uint8_t *data = malloc(4 * 65536);
    struct tensor_part part = {"a.weight", "F32", {256, 256}, data};
    (void)state;

    assert_true(x != NULL && data != NULL);
    for (size_t i = 0; i < 65536; i++)
        x[i] = i % 3 == 0 ? 0 : 1 + (float)(i % 7) / 8;
    x[700] = 1000;
    put_floats(data, x, 65536);
    expect_none(&part);
    x[700] = 2050;
    put_floats(data, x, 65536);
    expect_one(&part, "numbers-outlier",
               "\"a.weight\": 1 of 1024 runs of 64 numbers have one more than "
               "1000 times larger than all others, the largest at row 2, "
               "column 188",
               700, 1);
    free(x);
    free(data);
}

/* ---------------------------------------------------------------------- calls
 */

static struct bytes three_of_zeros(void)
{
    static const uint8_t zeros[128];
    const struct tensor_part parts[] = {{"a", "F32", {32, 0}, zeros},
                                        {"b", "F32", {32, 0}, zeros},
                                        {"c", "F32", {32, 0}, zeros}};

    return bytes_of_parts(parts, 3, false);
}

static void test_stopped(void **state)
{
    struct bytes b = three_of_zeros();
    ggk_model *model = open_bytes(&b);
    (void)state;

    for (size_t k = 1; k <= 3; k++) {
        struct found found = {.stop_at = k};
        ggk_verdict verdict = {.n_tensors = 3};

        assert_int_equal(ggk_check_data(model, NULL, NULL, take_finding, &found,
                                        &verdict, NULL),
                         GGK_OK);
        assert_int_equal(found.n, k);
        assert_int_equal(verdict.llama_cpp[GGK_SEVERITY_WARNING], k);
        assert_int_equal(verdict.n_tensors, 3);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* Those that are only counted say no tensor. */
static void test_rest(void **state)
{
    struct bytes b = three_of_zeros();
    ggk_model *model = open_bytes(&b);
    ggk_check_opts opts = {.struct_bytes = sizeof opts, .max_per_rule = 1};
    struct found found = {.n = 0};
    ggk_verdict verdict = {.n_tensors = 0};
    (void)state;

    assert_int_equal(ggk_check_data(model, &opts, NULL, take_finding, &found,
                                    &verdict, NULL),
                     GGK_OK);
    assert_int_equal(found.n, 2);
    assert_string_equal(found.at[1].what, "2 more of these");
    assert_int_equal(found.at[1].tensor, GGK_NONE);
    opts.profiles = 99;
    assert_int_equal(ggk_check_data(model, &opts, NULL, take_finding, &found,
                                    &verdict, NULL),
                     GGK_E_ARG);
    ggk_model_close(model);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_huge_scales),
        cmocka_unit_test(test_no_weights),
        cmocka_unit_test(test_zero_rows),
        cmocka_unit_test(test_runs_of_zeros),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_many_outliers),
        cmocka_unit_test(test_how_far_out),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
