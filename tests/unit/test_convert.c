/* test_convert.c - tensors that a plan writes as another type of single
 * numbers: which of their numbers are too large for it. */
#include <float.h>
#include <math.h>

#include "kinds.h"
#include "world.h"

enum { N = 64, BAD = 37, F64 = 28, BF16 = 30 };

#define ABOVE_FLOAT 0x1.ffffffp127 /* is rounded away from FLT_MAX */

/* A model of one tensor of F64, whose number BAD is `x`; in `data`, where that
 * begins. */
static struct bytes model_with(const char *name, uint32_t n_dims, double x,
                               bool big, size_t *data)
{
    const uint64_t ne[] = {n_dims > 1 ? N / 2 : N, 2};
    struct bytes b = bytes_of(3, big);

    put_header(&b, 1, 1);
    put_kv_str(&b, "general.architecture", "llama");
    put_info(&b, name, n_dims, ne, F64, 0);
    put_padding(&b, 32);
    *data = b.n;
    for (int i = 0; i < N; i++)
        put_f64(&b, i == BAD ? x : 0.5 * i);
    return b;
}

static struct bytes model_of(double x, bool big, size_t *data)
{
    return model_with("wide.weight", 2, x, big, data);
}

/* Write the tensor as `type`, little-endian. */
static ggk_status convert(const struct world *w, uint32_t type, ggk_error *err)
{
    ggk_run_opts opts = {.struct_bytes = sizeof opts, .flags = GGK_RUN_FORCE};
    ggk_plan *plan;
    uint32_t file;
    ggk_status status;

    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_add_file(plan, w->out, &file, NULL), GGK_OK);
    assert_int_equal(ggk_plan_copy_file(plan, file, w->model, 0, NULL), GGK_OK);
    assert_int_equal(ggk_plan_set_format(plan, file, 3, false, NULL), GGK_OK);
    assert_int_equal(ggk_plan_convert_tensor(plan, file, 0, type, NULL),
                     GGK_OK);
    status = ggk_plan_run(plan, &opts, err);
    ggk_plan_free(plan);
    return status;
}

/* The first number of the output that is not finite; N: there is none. */
static uint64_t first_infinite(const struct world *w)
{
    ggk_model *model;
    ggk_tensor t;
    uint8_t data[8 * N];
    float x[N];
    uint64_t i = 0;

    assert_int_equal(ggk_model_open(w->out, NULL, &model, NULL), GGK_OK);
    assert_int_equal(ggk_model_tensor(model, 0, &t, NULL), GGK_OK);
    assert_int_equal(
        ggk_model_read_tensor(model, 0, 0, data, (size_t)t.bytes, NULL),
        GGK_OK);
    assert_int_equal(ggk_type_dequantize(ggk_type_by_id(t.type), data,
                                         (size_t)t.bytes, x, N, NULL),
                     GGK_OK);
    ggk_model_close(model);
    while (i < N && isfinite(x[i]))
        i++;
    return i;
}

static void expect_refused_at(struct world *w, uint32_t type, const char *name,
                              size_t data)
{
    ggk_error err = {0};
    char what[128];

    assert_int_equal(convert(w, type, &err), GGK_E_VALUE);
    snprintf(what, sizeof what,
             "wide.weight: a number too large for %s at row 1, column 5", name);
    assert_string_equal(err.what, what);
    assert_int_equal(err.offset, data + 8 * BAD);
    assert_string_equal(err.file, w->in);
    assert_int_equal(world_count(w), 1);
}

static void test_too_large(void **state)
{
    static const struct {
        uint32_t type;
        const char *name;
        bool float_fits; /* does FLT_MAX? */
    } types[] = {
        {T_F32, "F32", true}, {T_F16, "F16", false}, {BF16, "BF16", false}};
    static const double too_large[] = {1e300, -1e300, ABOVE_FLOAT, DBL_MAX};
    (void)state;

    for (size_t t = 0; t < 3; t++)
        for (int big = 0; big < 2; big++) {
            struct bytes in;
            struct world w;
            size_t data;

            for (size_t i = 0; i < 4; i++) {
                in = model_of(too_large[i], big, &data);
                world_make(&w, &in);
                expect_refused_at(&w, types[t].type, types[t].name, data);
                world_end(&w);
                bytes_free(&in);
            }
            in = model_of((double)FLT_MAX, big, &data);
            world_make(&w, &in);
            if (types[t].float_fits) {
                assert_int_equal(convert(&w, types[t].type, NULL), GGK_OK);
                assert_int_equal(first_infinite(&w), N);
            } else {
                expect_refused_at(&w, types[t].type, types[t].name, data);
            }
            world_end(&w);
            bytes_free(&in);
        }
}

/* The last double that is nearer to FLT_MAX than to 2^128 fits. */
static void test_just_not_too_large(void **state)
{
    size_t data;
    struct bytes in = model_of(nextafter(ABOVE_FLOAT, 0), false, &data);
    struct world w;
    (void)state;

    world_make(&w, &in);
    assert_int_equal(convert(&w, T_F32, NULL), GGK_OK);
    assert_int_equal(first_infinite(&w), N);
    world_end(&w);
    bytes_free(&in);
}

static void test_odd_ones_stay(void **state)
{
    static const uint32_t types[] = {T_F32, T_F16, BF16};
    static const double odd[] = {(double)INFINITY, -(double)INFINITY,
                                 (double)NAN};
    (void)state;

    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < 3; i++) {
            size_t data;
            struct bytes in = model_of(odd[i], false, &data);
            struct world w;

            world_make(&w, &in);
            assert_int_equal(convert(&w, types[t], NULL), GGK_OK);
            assert_int_equal(first_infinite(&w), BAD);
            world_end(&w);
            bytes_free(&in);
        }
}

/* Have the model quantized: what has one dimension stays what it is. */
static ggk_status quantize(const struct world *w, ggk_error *err)
{
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .flags = GGK_RECIPE_PURE,
                            .target = "Q8_0"};
    ggk_run_opts run = {.struct_bytes = sizeof run, .flags = GGK_RUN_FORCE};
    ggk_recipe *recipe;
    ggk_plan *plan;
    ggk_status status;

    assert_int_equal(ggk_recipe_new(w->model, &opts, &recipe, NULL), GGK_OK);
    assert_int_equal(ggk_plan_new(NULL, &plan, NULL), GGK_OK);
    assert_int_equal(ggk_plan_quantize(plan, w->out, recipe, NULL, NULL),
                     GGK_OK);
    ggk_recipe_free(recipe);
    status = ggk_plan_run(plan, &run, err);
    ggk_plan_free(plan);
    return status;
}

/* What floats do not hold is no infinity where it stays F64. */
static void test_stays(void **state)
{
    static const double finite[] = {1e300, -DBL_MAX, ABOVE_FLOAT};
    static const struct {
        double x;
        const char *what;
    } odd[] = {{(double)INFINITY, "norm.weight: an infinite number at row 0, "
                                  "column 37"},
               {(double)NAN, "norm.weight: NaN at row 0, column 37"}};
    (void)state;

    for (size_t i = 0; i < 5; i++) {
        size_t data;
        struct bytes in = model_with(
            "norm.weight", 1, i < 3 ? finite[i] : odd[i - 3].x, i == 2, &data);
        ggk_error err = {0};
        struct world w;

        world_make(&w, &in);
        assert_int_equal(quantize(&w, &err), i < 3 ? GGK_OK : GGK_E_VALUE);
        if (i < 3) {
            struct bytes out = read_file(w.out);

            assert_memory_equal(out.at + out.n - 8 * N, in.at + data, 8 * N);
            bytes_free(&out);
        } else {
            assert_string_equal(err.what, odd[i - 3].what);
            assert_int_equal(err.offset, data + 8 * BAD);
        }
        world_end(&w);
        bytes_free(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_just_not_too_large),
        cmocka_unit_test(test_odd_ones_stay),
        cmocka_unit_test(test_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
