/* test_values.c - what is told of the numbers of tensors: statistics,
 * distances, and what a recipe would do; of every type, by any number of
 * threads, and what becomes of it if something fails.
 */
#include <float.h>
#include <math.h>

#include "ledger.h"
#include "tensor_parts.h"
#include "world.h"

/* --------------------------------------------------------------------- calls
 */

#define MOST_TOLD 64

/* What callbacks were told, and when they are to end it. */
struct told {
    ggk_stats stats[MOST_TOLD];
    ggk_distance distances[MOST_TOLD];
    size_t n, stop_at; /* counted from 1; 0: never */
    size_t ticks, stop_tick;
};

static bool take_stats(void *ctx, const ggk_stats *stats)
{
    struct told *t = ctx;

    t->stats[t->n++] = *stats;
    return t->n != t->stop_at;
}

static bool take_distance(void *ctx, const ggk_distance *distance)
{
    struct told *t = ctx;

    t->distances[t->n++] = *distance;
    return t->n != t->stop_at;
}

static bool take_tick(void *ctx, uint64_t done, uint64_t total)
{
    struct told *t = ctx;

    assert_true(done <= total);
    return ++t->ticks != t->stop_tick;
}

/* The ways to look at the numbers of a model. */
enum way { STATS, COMPARE, CHECK, ERRORS, WAYS };

struct looked {
    const ggk_model *model;
    uint64_t n; /* its first tensors */
    uint32_t n_threads;
    const ggk_recipe *recipe;
};

static ggk_status look(const struct looked *l, enum way way, struct told *told,
                       ggk_error *err)
{
    ggk_values_opts opts = {.struct_bytes = sizeof opts,
                            .n_threads = l->n_threads,
                            .on_progress = take_tick,
                            .progress_ctx = told};
    uint64_t tensors[MOST_TOLD];
    ggk_pair pairs[MOST_TOLD];
    ggk_verdict verdict = {.n_tensors = 0};

    for (uint64_t i = 0; i < l->n; i++) {
        tensors[i] = i;
        pairs[i] = (ggk_pair){i, l->n - 1 - i};
    }
    switch (way) {
    case STATS:
        return ggk_model_stats(l->model, tensors, l->n, &opts, take_stats, told,
                               err);
    case COMPARE:
        return ggk_models_compare(l->model, l->model, pairs, l->n, &opts,
                                  take_distance, told, err);
    case CHECK:
        return ggk_check_data(l->model, NULL, &opts, NULL, NULL, &verdict, err);
    case ERRORS:
    case WAYS: break;
    }
    return ggk_recipe_errors(l->recipe, &opts, take_distance, told, err);
}

static ggk_recipe *recipe_of(const ggk_model *model, const char *target)
{
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .flags = GGK_RECIPE_PURE | GGK_RECIPE_REQUANTIZE,
                            .target = target};
    ggk_recipe *recipe;

    assert_int_equal(ggk_recipe_new(model, &opts, &recipe, NULL), GGK_OK);
    return recipe;
}

/* Of the one tensor of a model, and of two. */
static ggk_stats stats_of(const struct tensor_part *part)
{
    struct bytes b = bytes_of_parts(part, 1, false);
    ggk_model *model = open_bytes(&b);
    struct looked l = {model, 1, 1, NULL};
    struct told told = {.n = 0};

    assert_int_equal(look(&l, STATS, &told, NULL), GGK_OK);
    assert_int_equal(told.n, 1);
    ggk_model_close(model);
    bytes_free(&b);
    return told.stats[0];
}

static ggk_distance distance_of(const struct tensor_part *a,
                                const struct tensor_part *b)
{
    struct tensor_part two[] = {*a, *b};
    struct bytes bytes = bytes_of_parts(two, 2, false);
    ggk_model *model = open_bytes(&bytes);
    ggk_pair pair = {0, 1};
    struct told told = {.n = 0};

    assert_int_equal(ggk_models_compare(model, model, &pair, 1, NULL,
                                        take_distance, &told, NULL),
                     GGK_OK);
    assert_int_equal(told.n, 1);
    ggk_model_close(model);
    bytes_free(&bytes);
    return told.distances[0];
}

/* ----------------------------------------------- what floats do not hold */

static void put_le64(uint8_t *out, const void *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, (const uint8_t *)words + 8 * i, 8);
        for (size_t k = 0; k < 8; k++)
            out[8 * i + k] = (uint8_t)(bits >> 8 * k);
    }
}

static void test_doubles(void **state)
{
    static const double x[] = {1e300, -1e300, 1e-60, 0};
    uint8_t data[sizeof x];
    struct tensor_part part = {"x.weight", "F64", {4, 0}, data};
    ggk_stats s;
    (void)state;

    put_le64(data, x, 4);
    s = stats_of(&part);
    assert_int_equal(s.n_infinite, 0);
    assert_int_equal(s.n_zero, 1);
    assert_true(s.min == -1e300 && s.max == 1e300);
    assert_true(fabs(s.mean) < 1e284);
    assert_true(fabs(s.deviation / (1e300 * sqrt(0.5)) - 1) < 1e-14);
    assert_true(s.bin_width * 32 > 1e300 && s.bin_width * 16 <= 1e300);
    assert_int_equal(s.bins[32], 2);
}

static void test_double_extremes(void **state)
{
    static const double x[] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX},
                        tiny[] = {4e-320, -4e-320, 4e-320, -4e-320};
    uint8_t data[32], other[32];
    struct tensor_part a = {"a", "F64", {4, 0}, data},
                       b = {"b", "F64", {4, 0}, other};
    ggk_distance d;
    ggk_stats s;
    (void)state;

    put_le64(data, x, 4);
    put_le64(other, tiny, 4);
    s = stats_of(&a);
    assert_true(s.mean == DBL_MAX && s.deviation == 0);
    s = stats_of(&b);
    assert_true(s.mean == 0 && s.deviation == tiny[0] && s.n_zero == 0);
    d = distance_of(&b, &b);
    assert_true(d.cosine == 1 && d.n_differ == 0 && d.relative == 0);
    d = distance_of(&a, &a);
    assert_true(d.cosine == 1 && d.rmse == 0);
    d = distance_of(&a, &b);
    assert_true(d.n_differ == 4 && d.rmse == DBL_MAX && d.relative == 1);
}

/* A part of a tensor of zeros does not keep what is tiny from being seen. */
static void test_tiny_behind_zeros(void **state)
{
    enum { N = 600 << 10 };
    double *x = calloc(N, sizeof *x);
    uint8_t *data = malloc(N * sizeof *x);
    struct tensor_part part = {"x", "F64", {N, 0}, data};
    ggk_distance d;
    ggk_stats s;
    (void)state;

    assert_true(x != NULL && data != NULL);
    x[N - 1] = 0x1p-900;
    put_le64(data, x, N);
    s = stats_of(&part);
    assert_true(s.n_zero == N - 1 && s.max == 0x1p-900);
    assert_true(fabs(s.deviation / (0x1p-900 / sqrt(N)) - 1) < 1e-5);
    d = distance_of(&part, &part);
    assert_true(d.cosine == 1);
    free(x);
    free(data);
}

static void test_integers(void **state)
{
    static const int64_t x[] = {INT64_C(1) << 24, (INT64_C(1) << 24) + 1,
                                INT64_C(1) << 62, -1},
                         y[] = {(INT64_C(1) << 24) + 1, INT64_C(1) << 24,
                                (INT64_C(1) << 62) + 1, -1};
    uint8_t data[2][32];
    struct tensor_part a = {"a", "I64", {4, 0}, data[0]},
                       b = {"b", "I64", {4, 0}, data[1]};
    ggk_distance d;
    ggk_stats s;
    (void)state;

    put_le64(data[0], x, 4);
    put_le64(data[1], y, 4);
    d = distance_of(&a, &b);
    assert_int_equal(d.n_differ, 3);
    assert_true(d.max == 1 && d.max_at == 0);
    assert_true(d.rmse == sqrt(3. / 4));
    a.ne[0] = 2;
    s = stats_of(&a);
    assert_true(s.min == 16777216 && s.max == 16777217 &&
                s.mean == 16777216.5 && s.deviation == 0.5);
}

/* The extremes of I64 are farther from each other than an I64 holds. */
static void test_integer_extremes(void **state)
{
    static const int64_t x[] = {INT64_MIN, INT64_MAX},
                         y[] = {INT64_MAX, INT64_MAX};
    uint8_t data[2][16];
    struct tensor_part a = {"a", "I64", {2, 0}, data[0]},
                       b = {"b", "I64", {2, 0}, data[1]};
    ggk_distance d;
    (void)state;

    put_le64(data[0], x, 2);
    put_le64(data[1], y, 2);
    d = distance_of(&a, &b);
    assert_true(d.n_differ == 1 && d.max == 0x1p64 && d.max_at == 0);
    d = distance_of(&b, &a);
    assert_true(d.max == 0x1p64);
}

/* I32 beside other types: as doubles, which hold them. */
static void test_mixed_types(void **state)
{
    static const uint8_t integers[] = {1, 0, 0, 1, 2, 0, 0, 0},
                         floats[] = {0, 0, 0x80, 0x4b, 0, 0, 0, 0x40};
    struct tensor_part a = {"a", "I32", {2, 0}, integers}, /* 2^24 + 1, 2 */
        b = {"b", "F32", {2, 0}, floats};                  /* 2^24, 2 */
    ggk_distance d;
    (void)state;

    d = distance_of(&a, &b);
    assert_true(d.n_differ == 1 && d.max == 1 && d.max_at == 0);
    d = distance_of(&b, &a);
    assert_true(d.n_differ == 1 && d.max == 1);
}

static void test_not_finite(void **state)
{
    static const double x[] = {(double)NAN, (double)INFINITY, 1, 2},
                        y[] = {(double)NAN, 1, -(double)INFINITY, 4};
    uint8_t data[2][32];
    struct tensor_part a = {"a", "F64", {4, 0}, data[0]},
                       b = {"b", "F64", {4, 0}, data[1]};
    ggk_distance d;
    ggk_stats s;
    (void)state;

    put_le64(data[0], x, 4);
    put_le64(data[1], y, 4);
    s = stats_of(&a);
    assert_true(s.n_nan == 1 && s.n_infinite == 1 && s.mean == 1.5);
    d = distance_of(&a, &b);
    assert_int_equal(d.n_not_finite, 3);
    assert_int_equal(d.n_lost, 2);
    assert_int_equal(d.n_differ, 3);
    assert_true(d.rmse == 2 && d.max_at == 3);
}

/* ------------------------------------------------------------------ all types
 */

static bool has_numbers(const ggk_type_info *type)
{
    return ggk_type_can_dequantize(type);
}

enum { TYPE_N = 512, BIG_N = 600 << 10 };

/* A model of random bytes of every type, of `n` numbers each. */
static struct bytes all_types(size_t n, bool big, uint64_t *n_tensors)
{
    struct tensor_part parts[MOST_TOLD];
    struct bytes b;
    void *data[MOST_TOLD];

    *n_tensors = 0;
    for (size_t i = 0; i < ggk_type_count(); i++) {
        const ggk_type_info *type = ggk_type_at(i);
        struct tensor_part p = {type->name, type->name, {n / 2, 2}, NULL};

        if (!has_numbers(type) || !ggki_can_swap(type))
            continue;
        p.data = data[*n_tensors] = malloc((size_t)tensor_part_bytes(&p));
        assert_non_null(p.data);
        fill_random(data[*n_tensors], (size_t)tensor_part_bytes(&p), i + 1);
        parts[(*n_tensors)++] = p;
    }
    assert_true(*n_tensors > 30);
    b = bytes_of_parts(parts, (size_t)*n_tensors, big);
    for (size_t i = 0; i < *n_tensors; i++)
        free(data[i]);
    return b;
}

/* What floats hold is what ggk_type_dequantize gives. */
static void expect_counts(const ggk_model *model, const ggk_stats *s)
{
    ggk_tensor t;
    const ggk_type_info *type;
    uint8_t data[8 * TYPE_N];
    float x[TYPE_N];
    uint64_t nan = 0, infinite = 0, zero = 0;
    double min = (double)INFINITY, max = -(double)INFINITY;

    assert_int_equal(ggk_model_tensor(model, s->tensor, &t, NULL), GGK_OK);
    type = ggk_model_type(model, t.type);
    if (strcmp(type->name, "I32") == 0 || strcmp(type->name, "I64") == 0 ||
        strcmp(type->name, "F64") == 0)
        return;
    assert_int_equal(
        ggk_model_read_tensor(model, s->tensor, 0, data, (size_t)t.bytes, NULL),
        GGK_OK);
    assert_int_equal(
        ggk_type_dequantize(type, data, (size_t)t.bytes, x, TYPE_N, NULL),
        GGK_OK);
    for (size_t i = 0; i < TYPE_N; i++) {
        nan += isnan(x[i]) != 0;
        infinite += isinf(x[i]) != 0;
        zero += x[i] == 0;
        if (isfinite(x[i])) {
            min = fmin(min, (double)x[i]);
            max = fmax(max, (double)x[i]);
        }
    }
    assert_int_equal(s->n, TYPE_N);
    assert_int_equal(s->n_nan, nan);
    assert_int_equal(s->n_infinite, infinite);
    assert_int_equal(s->n_zero, zero);
    assert_true(nan + infinite == TYPE_N || (s->min == min && s->max == max));
}

static void test_every_type(void **state)
{
    struct told told[2] = {{.n = 0}, {.n = 0}};
    (void)state;

    for (int big = 0; big < 2; big++) {
        struct looked l = {NULL, 0, 1, NULL};
        struct bytes b = all_types(TYPE_N, big, &l.n);
        ggk_model *model = open_bytes(&b);

        l.model = model;
        assert_int_equal(look(&l, STATS, &told[big], NULL), GGK_OK);
        assert_int_equal(told[big].n, l.n);
        for (size_t i = 0; i < l.n && !big; i++)
            expect_counts(model, &told[0].stats[i]);
        ggk_model_close(model);
        bytes_free(&b);
    }
    assert_memory_equal(told[0].stats, told[1].stats, sizeof told[0].stats);
}

/* The same is at no distance from itself, whatever is in it. */
static void test_the_same(void **state)
{
    uint64_t n;
    struct bytes b = all_types(TYPE_N, false, &n);
    ggk_model *model = open_bytes(&b);
    (void)state;

    for (uint64_t i = 0; i < n; i++) {
        ggk_pair pair = {i, i};
        struct told told = {.n = 0};
        const ggk_distance *d = told.distances;

        assert_int_equal(ggk_models_compare(model, model, &pair, 1, NULL,
                                            take_distance, &told, NULL),
                         GGK_OK);
        assert_true(d->n_differ == 0 && d->n_lost == 0 && d->rmse == 0 &&
                    d->relative == 0 && d->max == 0);
        assert_true(d->cosine == 1);
    }
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------- threads
 */

/* A model of `n` numbers in each tensor, of what can be a recipe's. */
static struct bytes model_of(size_t n)
{
    static const char *const types[] = {"F32", "Q8_0", "F16", "Q4_K"};
    static const char *const names[] = {"a.weight", "b.weight", "c.weight",
                                        "d.weight"};
    struct tensor_part parts[4];
    struct bytes b;
    float *x = malloc(n * sizeof *x);
    uint8_t *data[4];
    uint64_t seed = 7;

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)random_normal(&seed);
    for (size_t i = 0; i < 4; i++) {
        struct tensor_part p = {names[i], types[i], {1024, n / 1024}, NULL};
        size_t bytes = (size_t)tensor_part_bytes(&p);

        p.data = data[i] = malloc(bytes);
        assert_non_null(p.data);
        assert_int_equal(ggk_type_quantize(ggk_type_by_name(types[i]), x,
                                           n / 1024, 1024, NULL, data[i], bytes,
                                           NULL),
                         GGK_OK);
        parts[i] = p;
    }
    b = bytes_of_parts(parts, 4, false);
    for (size_t i = 0; i < 4; i++)
        free(data[i]);
    free(x);
    return b;
}

static void test_threads(void **state)
{
    static const uint32_t threads[] = {1, 2, 7};
    static struct told told[3];
    struct bytes b = model_of(BIG_N);
    ggk_model *model = open_bytes(&b);
    ggk_recipe *recipe = recipe_of(model, "Q4_0");
    (void)state;

    for (enum way way = 0; way < WAYS; way++) {
        memset(told, 0, sizeof told);
        for (size_t i = 0; i < 3; i++) {
            struct looked l = {model, 4, threads[i], recipe};

            assert_int_equal(look(&l, way, &told[i], NULL), GGK_OK);
            assert_int_equal(told[i].n, way == CHECK ? 0 : 4);
            assert_memory_equal(told[0].stats, told[i].stats,
                                sizeof told[0].stats);
            assert_memory_equal(told[0].distances, told[i].distances,
                                sizeof told[0].distances);
        }
    }
    assert_true(told[0].distances[0].relative > 0.05 &&
                told[0].distances[0].relative < 0.15);
    ggk_recipe_free(recipe);
    ggk_model_close(model);
    bytes_free(&b);
}

/* ------------------------------------------------------------------ failures
 */

/* Ended by the k-th call of either callback, whichever that is. */
static void test_cancel(void **state)
{
    struct bytes b = model_of(BIG_N);
    ggk_model *model = open_bytes(&b);
    ggk_recipe *recipe = recipe_of(model, "Q8_0");
    (void)state;

    for (enum way way = 0; way < WAYS; way++) {
        struct looked l = {model, 4, 2, recipe};
        size_t n = way == ERRORS ? 3 : 4; /* Q8_0 stays what it is */

        for (size_t k = 1; k <= n && way != CHECK; k++) {
            struct told told = {.stop_at = k};
            ggk_error err = {0};

            assert_int_equal(look(&l, way, &told, &err), GGK_E_CANCELLED);
            assert_int_equal(err.status, GGK_E_CANCELLED);
            assert_int_equal(told.n, k);
        }
        for (size_t k = 1; k < 4; k++) {
            struct told told = {.stop_tick = k};

            ggk_status status = look(&l, way, &told, NULL);

            /* How often it is called is for the clock to say. */
            assert_int_equal(status,
                             told.ticks == k ? GGK_E_CANCELLED : GGK_OK);
            assert_in_range(told.ticks, 1, k);
        }
    }
    ggk_recipe_free(recipe);
    ggk_model_close(model);
    bytes_free(&b);
}

static void expect_status(const ggk_model *model, uint64_t a, uint64_t b,
                          ggk_status stats, ggk_status compare)
{
    ggk_pair pair = {a, b};
    struct told told = {.n = 0};
    ggk_error err = {0};

    assert_int_equal(
        ggk_model_stats(model, &a, 1, NULL, take_stats, &told, &err), stats);
    assert_int_equal(err.status, stats);
    err.status = GGK_OK;
    assert_int_equal(ggk_models_compare(model, model, &pair, 1, NULL,
                                        take_distance, &told, &err),
                     compare);
    assert_int_equal(err.status, compare);
    assert_int_equal(told.n, (stats == GGK_OK) + (compare == GGK_OK));
}

static void test_refused(void **state)
{
    static const uint8_t data[256];
    const struct tensor_part parts[] = {{"a", "F32", {32, 0}, data},
                                        {"b", "F32", {16, 2}, data},
                                        {"c", "F16", {32, 0}, data}};
    struct bytes b = bytes_of_parts(parts, 3, false);
    ggk_model *model = open_bytes(&b);
    ggk_values_opts newer = {.struct_bytes = sizeof newer + 8};
    uint64_t tensor = 0;
    (void)state;

    expect_status(model, 0, 2, GGK_OK, GGK_OK);
    expect_status(model, 0, 1, GGK_OK, GGK_E_ARG);
    expect_status(model, 0, 3, GGK_OK, GGK_E_RANGE);
    expect_status(model, 3, 0, GGK_E_RANGE, GGK_E_RANGE);
    newer.struct_bytes = 3;
    assert_int_equal(
        ggk_model_stats(model, &tensor, 1, &newer, take_stats, NULL, NULL),
        GGK_E_ARG);
    ggk_model_close(model);
    bytes_free(&b);
}

/* A tensor that nobody knows the type of, and one that is cut short. */
static void test_no_numbers(void **state)
{
    struct bytes b = bytes_llama(2);
    ggk_model *model;
    (void)state;

    put_info(&b, "odd", 1, (const uint64_t[]){8}, T_UNKNOWN, 0);
    put_info(&b, "cut", 1, (const uint64_t[]){64}, T_F32, 32);
    put_padding(&b, 32);
    put_fill(&b, 1, 100);
    model = open_bytes(&b);
    expect_status(model, 0, 0, GGK_E_UNSUPPORTED, GGK_E_UNSUPPORTED);
    expect_status(model, 1, 1, GGK_E_DATA_MISSING, GGK_E_DATA_MISSING);
    ggk_model_close(model);
    bytes_free(&b);
}

static void test_overlap(void **state)
{
    enum { N = 70 };
    struct bytes b = bytes_llama(N);
    ggk_model *model;
    ggk_verdict verdict = {.n_tensors = 0};
    (void)state;

    for (int i = 0; i < N; i++) {
        char name[8];

        snprintf(name, sizeof name, "t%d", i);
        put_info(&b, name, 1, (const uint64_t[]){1 << 20}, T_F32, 0);
    }
    put_padding(&b, 32);
    put_fill(&b, 1, 4 << 20);
    model = open_bytes(&b);
    expect_status(model, 0, 1, GGK_E_OVERLAP, GGK_E_OVERLAP);
    assert_int_equal(
        ggk_check_data(model, NULL, NULL, NULL, NULL, &verdict, NULL),
        GGK_E_OVERLAP);
    ggk_model_close(model);
    bytes_free(&b);
}

/* The file gets shorter once it is open. */
static void test_changed(void **state)
{
    struct bytes b = model_of(BIG_N);
    struct world w;
    ggk_error err = {0};
    (void)state;

    world_make(&w, &b);
    assert_int_equal(truncate(w.in, (off_t)(b.n / 2)), 0);
    for (enum way way = 0; way < ERRORS; way++) {
        struct looked l = {w.model, 4, 2, NULL};
        struct told told = {.n = 0};

        err.status = GGK_OK;
        assert_int_equal(look(&l, way, &told, &err), GGK_E_CHANGED);
        assert_string_equal(err.file, w.in);
    }
    world_end(&w);
    bytes_free(&b);
}

/* Of a recipe that cannot be done. */
static void test_bad_recipe(void **state)
{
    static const uint8_t data[4 << 10];
    const struct tensor_part part = {"a.weight", "F64", {256, 2}, data};
    struct bytes b = bytes_of_parts(&part, 1, false);
    ggk_model *model = open_bytes(&b);
    ggk_recipe *recipe = recipe_of(model, "Q8_0");
    struct looked l = {model, 1, 1, recipe};
    struct told told = {.n = 0};
    (void)state;

    assert_int_equal(look(&l, ERRORS, &told, NULL), GGK_E_UNSUPPORTED);
    ggk_recipe_free(recipe);
    ggk_model_close(model);
    bytes_free(&b);
}

/* -------------------------------------------------------------------- memory
 */

static void sweep(const struct bytes *b, enum way way)
{
    struct ledger ledger = {.calls = 0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts opts = no_opts();
    ggk_recipe *recipe;
    ggk_model *model;
    size_t n = 0, failed = 0;
    ggk_status status = GGK_E_NOMEM;

    opts.allocator = &alloc;
    assert_int_equal(kind_open(KIND_MEMORY, b, &opts, &model, NULL), GGK_OK);
    recipe = recipe_of(model, "Q4_0");
    for (size_t before = ledger.blocks; status != GGK_OK; n++) {
        struct looked l = {model, 4, 1, recipe};
        struct told told = {.n = 0};
        ggk_error err = {0};

        ledger.fail_at = ledger.calls + n + 1;
        status = look(&l, way, &told, &err);
        assert_true(status == GGK_OK || status == GGK_E_NOMEM);
        assert_int_equal(err.status, status);
        assert_int_equal(ledger.blocks, before);
        failed += status != GGK_OK;
    }
    assert_true(failed >= 4);
    ledger.fail_at = 0;
    ggk_recipe_free(recipe);
    ggk_model_close(model);
    assert_true(ledger_is_even(&ledger));
}

static void test_no_memory(void **state)
{
    struct bytes b = model_of(4096);
    (void)state;

    for (enum way way = 0; way < WAYS; way++)
        sweep(&b, way);
    bytes_free(&b);
}

/* What ggk.h promises of memory. */
static void test_memory(void **state)
{
    static const struct {
        const char *type;
        enum way way;
        size_t most; /* KiB for a thread */
    } cases[] = {{"F32", STATS, 1200},
                 {"F32", COMPARE, 2200},
                 {"F64", STATS, 2400},
                 {"F64", COMPARE, 4400},
                 {"F32", CHECK, 1200}};
    uint8_t *data = calloc(BIG_N, 8);
    (void)state;

    assert_non_null(data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensor_part part = {"a", cases[i].type, {BIG_N, 0}, data};
        struct bytes b = bytes_of_parts(&part, 1, false);
        size_t peaks[2];

        for (uint32_t n = 1; n <= 2; n++) {
            struct ledger ledger = {.calls = 0};
            ggk_allocator alloc = ledger_allocator(&ledger);
            ggk_open_opts opts = no_opts();
            struct told told = {.n = 0};
            ggk_model *model;
            size_t before;

            opts.allocator = &alloc;
            assert_int_equal(kind_open(KIND_MEMORY, &b, &opts, &model, NULL),
                             GGK_OK);
            before = ledger.peak = ledger.bytes;
            assert_int_equal(look(&(struct looked){model, 1, n, NULL},
                                  cases[i].way, &told, NULL),
                             GGK_OK);
            peaks[n - 1] = ledger.peak - before;
            ggk_model_close(model);
        }
        assert_in_range(peaks[1] - peaks[0], 1, cases[i].most << 10);
        assert_in_range(2 * peaks[0] - peaks[1], 1, 1536 << 10);
        bytes_free(&b);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_double_extremes),
        cmocka_unit_test(test_tiny_behind_zeros),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integer_extremes),
        cmocka_unit_test(test_mixed_types),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_the_same),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_bad_recipe),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
