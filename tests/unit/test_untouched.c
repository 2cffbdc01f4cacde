/* test_untouched.c - calls that succeed leave the caller's error as it is, also
 * where they looked for something that is not there.
 */
#include "importance_files.h"
#include "kinds.h"
#include "world.h"

#define OK(call)                        \
    do {                                \
        ggk_error err = error_canary(); \
                                        \
        assert_int_equal(call, GGK_OK); \
        expect_untouched(&err);         \
    } while (0)

#define WEIGHT "blk.0.ffn_up.weight"

/* A weight, and its importances in both kinds of files: in a GGUF without
 * keys. */
struct files {
    struct world w;
    struct bytes model, dat, gguf;
};

static struct bytes make_model(void)
{
    const uint64_t ne[] = {32, 2};
    struct bytes b = bytes_of(3, false);

    put_header(&b, 1, 3);
    put_kv_str(&b, "general.architecture", "llama");
    put_kv_u32(&b, "llama.block_count", 1);
    put_kv_u32(&b, "llama.vocab_size", UINT32_MAX); /* fits no INT32 */
    put_info(&b, WEIGHT, 2, ne, T_F32, 0);
    put_padding(&b, 32);
    for (int i = 0; i < 64; i++)
        put_f32(&b, (float)(i + 1));
    return b;
}

static struct bytes make_dat(void)
{
    struct bytes b = bytes_of(3, false);

    put_u32(&b, 1);
    put_name(&b, WEIGHT);
    put_u32(&b, 1);
    put_u32(&b, 32);
    for (int i = 0; i < 32; i++)
        put_f32(&b, 1);
    return b;
}

static struct bytes make_gguf(void)
{
    const uint64_t n[] = {32}, one[] = {1};
    struct bytes b = bytes_of(3, false);

    put_header(&b, 2, 0);
    put_info(&b, WEIGHT ".in_sum2", 1, n, T_F32, 0);
    put_info(&b, WEIGHT ".counts", 1, one, T_F32, 128);
    put_padding(&b, 32);
    for (int i = 0; i < 40; i++)
        put_f32(&b, 1);
    return b;
}

static int set_up(void **state)
{
    static struct files f;

    f.model = make_model();
    f.dat = make_dat();
    f.gguf = make_gguf();
    world_make(&f.w, &f.model);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct files *f = *state;

    world_end(&f->w);
    bytes_free(&f->model);
    bytes_free(&f->dat);
    bytes_free(&f->gguf);
    return 0;
}

/* ------------------------------------------------------------------ reading */

static void test_sources(void **state)
{
    const struct files *f = *state;
    const struct bytes few = {.at = f->model.at, .n = 3};

    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_source *source = kind_source(kind, &few, NULL);
        bool big = true;

        OK(ggk_source_byte_order(source, &big, &err));
        assert_false(big);
        ggk_source_close(source);
    }
}

static void test_models(void **state)
{
    const struct files *f = *state;

    for (enum kind kind = 0; kind < KINDS; kind++) {
        ggk_config config;
        ggk_verdict verdict;
        ggk_model *model;

        OK(kind_open(kind, &f->model, NULL, &model, &err));
        OK(ggk_model_config(model, &config, &err));
        ggk_model_close(model);
        OK(ggk_check_source(kind_source(kind, &f->model, NULL), NULL, NULL,
                            NULL, &verdict, &err));
    }
}

static void test_importances(void **state)
{
    const struct files *f = *state;
    const struct bytes *const both[] = {&f->dat, &f->gguf};

    for (size_t i = 0; i < 2; i++) {
        ggk_imatrix_verdict verdict;
        ggk_imatrix *imatrix, *sum;

        OK(ggk_imatrix_open_source(kind_source(KIND_FILE, both[i], NULL),
                                   GGK_IMATRIX_SUMS, NULL, &imatrix, &err));
        OK(ggk_imatrix_new(0, NULL, &sum, &err));
        OK(ggk_imatrix_add(sum, imatrix, &err));
        OK(ggk_imatrix_check(kind_source(KIND_FILE, both[i], NULL), f->w.model,
                             NULL, NULL, NULL, &verdict, &err));
        assert_int_equal(verdict.n_covered, 1);
        ggk_imatrix_close(sum);
        ggk_imatrix_close(imatrix);
    }
}

/* ------------------------------------------------------------------ numbers */

static bool on_stats(void *ctx, const ggk_stats *stats)
{
    (void)ctx;
    assert_int_equal(stats->n, 64);
    return true;
}

static bool on_finding(void *ctx, const ggk_finding *finding)
{
    (void)finding;
    ++*(int *)ctx;
    return false; /* that is enough */
}

static bool on_distance(void *ctx, const ggk_distance *distance)
{
    (void)ctx;
    assert_int_equal(distance->n, 64);
    return true;
}

/* Of all zeros, which is a finding. */
static void test_stopped(void **state)
{
    struct bytes b = make_model();
    ggk_verdict verdict;
    ggk_model *model;
    int n = 0;
    (void)state;

    memset(b.at + b.n - 256, 0, 256);
    model = open_bytes(&b);
    OK(ggk_check_data(model, NULL, NULL, on_finding, &n, &verdict, &err));
    assert_int_equal(n, 1);
    ggk_model_close(model);
    bytes_free(&b);
}

static void test_numbers(void **state)
{
    const struct files *f = *state;
    const uint64_t first = 0;
    const ggk_pair pair = {0, 0};
    const ggk_digest_opts opts = {.struct_bytes = sizeof opts,
                                  .model = 1U << GGK_ALGO_CONTENT};
    ggk_digests *digests;
    ggk_diff_result result;

    OK(ggk_model_stats(f->w.model, &first, 1, NULL, on_stats, NULL, &err));
    OK(ggk_models_compare(f->w.model, f->w.model, &pair, 1, NULL, on_distance,
                          NULL, &err));
    OK(ggk_diff(f->w.model, f->w.model, NULL, NULL, NULL, &result, &err));
    if (ggk_algo_usable(GGK_ALGO_CONTENT, NULL) != GGK_OK)
        return;
    OK(ggk_digests_new(f->w.model, &opts, NULL, &digests, &err));
    ggk_digests_free(digests);
}

/* -------------------------------------------------------------------- plans */

static void test_keys(void **state)
{
    const struct files *f = *state;
    const ggk_value value = {.type = GGK_VALUE_UINT32, .as.u = 7};
    ggk_builder *b;
    ggk_plan *plan;
    uint32_t file;

    OK(ggk_builder_new(NULL, &b, &err));
    OK(ggk_builder_put(b, &value, &err));
    OK(ggk_plan_new(NULL, &plan, &err));
    OK(ggk_plan_add_file(plan, f->w.out, &file, &err));
    OK(ggk_plan_copy_file(plan, file, f->w.model, 0, &err));
    OK(ggk_plan_set_kv(plan, file, ggk_cstr("new"), b, &err));
    OK(ggk_plan_rename_kv(plan, file, ggk_cstr("new"), ggk_cstr("newer"),
                          &err));
    OK(ggk_plan_remove_kv(plan, file, ggk_cstr("newer"), &err));
    ggk_plan_free(plan);
    ggk_builder_free(b);
}

/* A type that the numbers of a key cannot have; a key that is there twice. */
static void test_fix(void **state)
{
    const struct files *f = *state;
    const uint64_t ne[] = {1};
    struct bytes b = bytes_of(3, false);
    ggk_fixed fixed;
    ggk_model *model;
    ggk_plan *plan;
    uint32_t file;

    put_header(&b, 1, 5);
    put_kv_str(&b, "general.architecture", "llama");
    put_key(&b, "llama.block_count", V_I32);
    put_u32(&b, UINT32_MAX);
    put_kv_u32(&b, "split.count", 1);
    put_kv_u32(&b, "split.tensors.count", 5);
    put_kv_u32(&b, "split.tensors.count", 6);
    put_info(&b, "x", 1, ne, T_F32, 0);
    put_padding(&b, 32);
    put_fill(&b, 0, 32);
    model = open_bytes(&b);
    OK(ggk_plan_new(NULL, &plan, &err));
    OK(ggk_plan_add_file(plan, f->w.out, &file, &err));
    OK(ggk_plan_fix(plan, model, NULL, NULL, &fixed, &err));
    ggk_plan_free(plan);
    ggk_model_close(model);
    bytes_free(&b);
}

static void test_quantizing(void **state)
{
    struct files *f = *state;
    const ggk_run_opts run = {.struct_bytes = sizeof run, .n_threads = 1};
    ggk_recipe_opts opts = {.struct_bytes = sizeof opts,
                            .flags = GGK_RECIPE_PURE,
                            .target = "Q4_0",
                            .from = f->w.model};
    ggk_imatrix *imatrix;
    ggk_recipe *recipe;
    ggk_plan *plan;

    OK(ggk_imatrix_open(scratch_write(&f->w.scratch, "im.gguf", &f->gguf), 0,
                        NULL, &imatrix, &err));
    opts.imatrix = imatrix;
    OK(ggk_recipe_new(f->w.model, &opts, &recipe, &err));
    OK(ggk_recipe_check(recipe, &err));
    OK(ggk_recipe_errors(recipe, NULL, on_distance, NULL, &err));
    OK(ggk_plan_new(NULL, &plan, &err));
    OK(ggk_plan_quantize(plan, f->w.out, recipe, NULL, &err));
    ggk_recipe_free(recipe);
    OK(ggk_plan_run(plan, &run, &err));
    ggk_plan_free(plan);
    ggk_imatrix_close(imatrix);
}

static void test_written(void **state)
{
    struct files *f = *state;
    ggk_imatrix *imatrix, *sum;
    ggk_plan *plan;

    OK(ggk_imatrix_open_source(kind_source(KIND_MEMORY, &f->gguf, NULL),
                               GGK_IMATRIX_SUMS, NULL, &imatrix, &err));
    OK(ggk_imatrix_new(0, NULL, &sum, &err));
    OK(ggk_imatrix_add(sum, imatrix, &err));
    OK(ggk_plan_new(NULL, &plan, &err));
    OK(ggk_plan_add_imatrix(plan, scratch_path(&f->w.scratch, "1"), sum,
                            GGK_IMATRIX_GGUF, &err));
    OK(ggk_plan_add_imatrix(plan, scratch_path(&f->w.scratch, "2"), sum,
                            GGK_IMATRIX_LEGACY, &err));
    OK(ggk_plan_run(plan, NULL, &err));
    ggk_plan_free(plan);
    ggk_imatrix_close(sum);
    ggk_imatrix_close(imatrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),     cmocka_unit_test(test_models),
        cmocka_unit_test(test_importances), cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_keys),
        cmocka_unit_test(test_fix),         cmocka_unit_test(test_quantizing),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
