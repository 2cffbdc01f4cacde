/* test_recipe.c - which type each tensor gets, and what keeps it from that.
 *
 * Numbers are worked out by hand; that the rules are llama.cpp's is the matter
 * of interop.recipe. */
#include <inttypes.h>
#include <math.h>

#include "kinds.h"
#include "ledger.h"
#include "ops/recipe.h"

/* ------------------------------------------------------------------- models */

/* A model that is being written: keys first, then tensor infos. Of tensors
 * there are headers only. */
struct draft {
    struct bytes b;
    uint64_t n_kv, n_tensors;
    size_t info[32]; /* where each begins */
};

static struct draft draft_of(const char *arch)
{
    struct draft d = {.b = bytes_of(3, false), .n_kv = 1};

    put_header(&d.b, 0, 0);
    put_kv_str(&d.b, "general.architecture", arch);
    return d;
}

static void add_key(struct draft *d, const char *key, uint32_t v)
{
    put_kv_u32(&d->b, key, v);
    d->n_kv++;
}

static struct draft draft_llama(uint32_t layers)
{
    struct draft d = draft_of("llama");

    add_key(&d, "llama.block_count", layers);
    add_key(&d, "llama.attention.head_count", 8);
    add_key(&d, "llama.attention.head_count_kv", 2);
    return d;
}

static void add(struct draft *d, const char *name, uint32_t type, uint64_t ne0,
                uint64_t ne1)
{
    uint64_t ne[] = {ne0, ne1};

    if (d->n_tensors < 32)
        d->info[d->n_tensors] = d->b.n;
    d->n_tensors++;
    put_info(&d->b, name, ne1 > 0 ? 2 : 1, ne, type, 0);
}

static ggk_model *open_draft(struct draft *d)
{
    bytes_patch(&d->b, 8, d->n_tensors, 8);
    bytes_patch(&d->b, 16, d->n_kv, 8);
    return open_bytes(&d->b);
}

static void close_draft(struct draft *d, ggk_model *model)
{
    ggk_model_close(model);
    bytes_free(&d->b);
}

static ggk_recipe_opts opts_for(const char *target)
{
    return (ggk_recipe_opts){.struct_bytes = sizeof(ggk_recipe_opts),
                             .target = target};
}

static ggk_recipe *recipe_of(const ggk_model *model,
                             const ggk_recipe_opts *opts)
{
    ggk_recipe *recipe = NULL;
    ggk_error err = error_canary();

    if (ggk_recipe_new(model, opts, &recipe, &err) != GGK_OK)
        fail_msg("%s: %s", err.where, err.what);
    expect_untouched(&err);
    return recipe;
}

/* The tensor of that name, wherever it is in the order. */
static ggk_recipe_tensor tensor_of(const ggk_recipe *recipe,
                                   const ggk_model *model, const char *name)
{
    ggk_recipe_tensor t = {0};
    ggk_tensor from;

    for (uint64_t i = 0; i < ggk_recipe_n_tensors(recipe); i++) {
        assert_int_equal(ggk_recipe_tensor_at(recipe, i, &t, NULL), GGK_OK);
        assert_int_equal(ggk_model_tensor(model, t.tensor, &from, NULL),
                         GGK_OK);
        if (from.name.len == strlen(name) &&
            memcmp(from.name.ptr, name, from.name.len) == 0)
            return t;
    }
    fail_msg("no tensor %s", name);
    return t;
}

static void expect_type(const ggk_recipe *recipe, const ggk_model *model,
                        const char *name, const char *type, const char *reason)
{
    ggk_recipe_tensor t = tensor_of(recipe, model, name);

    assert_string_equal(ggk_type_by_id(t.to)->name, type);
    if (t.reason == NULL || strcmp(t.reason->id, reason) != 0)
        fail_msg("%s has another reason than %s", name, reason);
}

static void expect_order(const ggk_recipe *recipe, const ggk_model *model,
                         const char *const *names, uint64_t n)
{
    assert_int_equal(ggk_recipe_n_tensors(recipe), n);
    for (uint64_t i = 0; i < n; i++) {
        ggk_recipe_tensor t;
        ggk_tensor from;

        assert_int_equal(ggk_recipe_tensor_at(recipe, i, &t, NULL), GGK_OK);
        assert_int_equal(ggk_model_tensor(model, t.tensor, &from, NULL),
                         GGK_OK);
        assert_int_equal(from.name.len, strlen(names[i]));
        assert_memory_equal(from.name.ptr, names[i], from.name.len);
    }
}

/* ------------------------------------------------------------------ example */

static void add_layer(struct draft *d, int layer)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t ne[2];
    } parts[] = {
        {"attn_norm", T_F32, {256, 0}},     {"attn_q", T_F16, {256, 256}},
        {"attn_k", T_F16, {256, 64}},       {"attn_v", T_F16, {256, 64}},
        {"attn_output", T_F16, {256, 256}}, {"ffn_norm", T_F32, {256, 0}},
        {"ffn_gate", T_F16, {256, 704}},    {"ffn_up", T_F16, {256, 704}},
        {"ffn_down", T_F16, {704, 256}},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char name[64];

        snprintf(name, sizeof name, "blk.%d.%s.weight", layer, parts[i].name);
        add(d, name, parts[i].type, parts[i].ne[0], parts[i].ne[1]);
    }
}

static struct draft draft_example(void)
{
    struct draft d = draft_llama(4);

    add(&d, "output.weight", T_F16, 256, 151936);
    add(&d, "output_norm.weight", T_F32, 256, 0);
    add(&d, "token_embd.weight", T_F16, 256, 151936);
    for (int i = 0; i < 4; i++)
        add_layer(&d, i);
    return d;
}

static void test_example(void **state)
{
    static const ggk_recipe_type types[] = {
        {0, 9, 2304, 9216, {0}},          {6, 2, 360448, 247808, {0}},
        {8, 2, 360448, 382976, {0}},      {12, 23, 40960000, 23040000, {0}},
        {14, 3, 38928384, 31933440, {0}},
    };
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_recipe *recipe = recipe_of(model, &opts);
    ggk_recipe_total total;
    ggk_recipe_type type;
    (void)state;

    ggk_recipe_sum(recipe, &total);
    assert_string_equal(total.target->name, "Q4_K_M");
    assert_int_equal(total.n_tensors, 39);
    assert_int_equal(total.n_elements, 80611584);
    assert_int_equal(total.to_bytes, 55613440);
    assert_int_equal(total.from_bytes, 2 * (80611584 - 2304) + 9216);
    assert_int_equal(total.n_changed, 30);
    assert_int_equal(total.n_fallbacks, 4);
    assert_int_equal(total.n_need_imatrix, 0);
    assert_true(fabs(total.bits_per_weight - 5.52) < 0.005);
    assert_int_equal(ggk_recipe_n_types(recipe), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ggk_recipe_type_at(recipe, i, &type, NULL), GGK_OK);
        assert_int_equal(type.type, types[i].type);
        assert_int_equal(type.n_tensors, types[i].n_tensors);
        assert_int_equal(type.n_elements, types[i].n_elements);
        assert_int_equal(type.bytes, types[i].bytes);
    }
    assert_int_equal(ggk_recipe_type_at(recipe, 5, &type, NULL), GGK_E_RANGE);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_tensor(void **state)
{
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    ggk_recipe_opts opts = opts_for("q4_k_m");
    ggk_recipe *recipe = recipe_of(model, &opts);
    ggk_recipe_tensor t;
    ggk_error err;
    (void)state;

    t = tensor_of(recipe, model, "blk.1.ffn_down.weight");
    assert_int_equal(t.from, T_F16);
    assert_int_equal(t.wanted, T_Q4_K);
    assert_int_equal(t.to, T_Q5_0); /* 704 is no multiple of 256 */
    assert_true(t.fallback);
    assert_int_equal(t.obstacle, GGK_OBSTACLE_NONE);
    assert_true(t.override == GGK_NONE);
    assert_string_equal(t.reason->id, "default");
    assert_int_equal(t.n_elements, 180224);
    assert_int_equal(t.from_bytes, 360448);
    assert_int_equal(t.to_bytes, 180224 / 32 * 22);
    assert_int_equal(ggk_recipe_tensor_at(recipe, 39, &t, &err), GGK_E_RANGE);
    assert_int_equal(err.need, 39);
    assert_int_equal(err.have, 39);
    assert_int_equal(t.n_elements, 0);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

/* -------------------------------------------------------------------- order */

static void test_order(void **state)
{
    static const char *const stored[] = {"blk.10.a", "blk.2.b", "blk.2.a",
                                         "z",        "blk.x",   "blk.2",
                                         "a",        "blk.0.z"};
    static const char *const sorted[] = {"a",       "blk.x",   "z",
                                         "blk.0.z", "blk.2",   "blk.2.a",
                                         "blk.2.b", "blk.10.a"};
    struct draft d = draft_llama(1);
    ggk_model *model;
    ggk_recipe_opts opts = opts_for("Q8_0");
    ggk_recipe *recipe;
    (void)state;

    for (size_t i = 0; i < 8; i++)
        add(&d, stored[i], T_F16, 256, 2);
    for (size_t i = 0; i < 8; i++) /* the last is first in the data */
        bytes_patch(&d.b, (i < 7 ? d.info[i + 1] : d.b.n) - 8,
                    (7 - i) * UINT64_C(1024), 8);
    model = open_draft(&d);
    recipe = recipe_of(model, &opts);
    expect_order(recipe, model, sorted, 8);
    ggk_recipe_free(recipe);

    opts.flags = GGK_RECIPE_KEEP_ORDER;
    recipe = recipe_of(model, &opts);
    expect_order(recipe, model,
                 (const char *const[]){"blk.0.z", "a", "blk.2", "blk.x", "z",
                                       "blk.2.a", "blk.2.b", "blk.10.a"},
                 8);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

/* ---------------------------------------------------------------- obstacles */

/* A recipe, and how it cannot be done; the sentence holds `words`. */
static void expect_obstacle(struct draft *d, const ggk_recipe_opts *opts,
                            const struct failure *wanted, const char *words)
{
    ggk_model *model = open_draft(d);
    ggk_recipe *recipe = recipe_of(model, opts);
    ggk_error err;
    ggk_status status = ggk_recipe_check(recipe, &err);

    expect_failure(opts->target, status, &err, wanted);
    if (strstr(err.what, words) == NULL)
        fail_msg("%s", err.what);
    assert_int_equal(ggk_recipe_check(recipe, NULL), wanted->status);
    ggk_recipe_free(recipe);
    close_draft(d, model);
}

static void test_quantized(void **state)
{
    struct draft d = draft_llama(2);
    ggk_recipe_opts opts = opts_for("Q4_0");
    ggk_model *model;
    ggk_recipe *recipe;
    (void)state;

    add(&d, "blk.1.attn_q.weight", T_Q8_0, 256, 2);
    add(&d, "blk.0.attn_q.weight", T_Q6_K, 256, 2);
    add(&d, "blk.0.attn_k.weight", T_Q4_0, 256, 2);
    add(&d, "blk.0.attn_v.weight", T_F16, 256, 2);
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[1], "tensor[1]", 0, 0},
        "2 tensors are quantized already, and quantizing them again was not "
        "allowed: blk.0.attn_q.weight, blk.1.attn_q.weight");

    d = draft_llama(2);
    add(&d, "blk.1.attn_q.weight", T_Q8_0, 256, 2);
    model = open_draft(&d);
    opts.flags = GGK_RECIPE_REQUANTIZE;
    recipe = recipe_of(model, &opts);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    expect_type(recipe, model, "blk.1.attn_q.weight", "Q4_0", "default");
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_many_quantized(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q4_0");
    (void)state;

    for (int i = 0; i < 1000; i++) {
        char name[64];

        snprintf(name, sizeof name, "blk.0.some_%03d_longer_name.weight", i);
        add(&d, name, T_Q8_0, 256, 2);
    }
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[0], "tensor[0]", 0, 0},
        "some_009_longer_name.weight, blk.0.some_010_longer_name.weight, 989 "
        "more");
}

static void test_sources(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q4_0");
    (void)state;

    add(&d, "blk.0.attn_k.weight", T_F64, 256, 0);
    add(&d, "blk.0.attn_q.weight", T_F64, 256, 2);
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[1], "tensor[1]", 0, 0},
        "1 tensor is of a type whose values cannot be read: "
        "blk.0.attn_q.weight");

    d = draft_llama(1);
    add(&d, "blk.0.attn_q.weight", T_UNKNOWN, 256, 2);
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[0], "tensor[0]", 0, 0},
        "cannot be read");
}

static void test_imatrix(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("IQ2_XXS");
    ggk_model *model;
    ggk_recipe *recipe;
    ggk_recipe_total total;
    (void)state;

    add(&d, "token_embd.weight", T_F16, 256, 2);
    add(&d, "output.weight", T_F16, 256, 2);
    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    opts.embedding_type = opts.output_type = "IQ1_S";
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[2], "tensor[2]", 0, 0},
        "1 tensor is to get a type that needs importances, without having any: "
        "blk.0.attn_q.weight");

    d = draft_llama(1);
    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    model = open_draft(&d);
    opts.flags = GGK_RECIPE_IMATRIX;
    recipe = recipe_of(model, &opts);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    assert_true(tensor_of(recipe, model, "blk.0.attn_q.weight").needs_imatrix);
    ggk_recipe_sum(recipe, &total);
    assert_int_equal(total.n_need_imatrix, 1);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

/* A .dat with 256 values for each of these tensors. */
static ggk_imatrix *imatrix_of(const char *const *names, uint32_t n,
                               uint32_t n_values)
{
    struct bytes b = bytes_of(3, false);
    ggk_imatrix *imatrix = NULL;

    put_u32(&b, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u32(&b, (uint32_t)strlen(names[i]));
        put_raw(&b, names[i], strlen(names[i]));
        put_u32(&b, 1);
        put_u32(&b, n_values);
        put_fill(&b, 0, (size_t)n_values * 4);
    }
    assert_int_equal(ggk_imatrix_open_source(kind_source(KIND_MEMORY, &b, NULL),
                                             0, NULL, &imatrix, NULL),
                     GGK_OK);
    bytes_free(&b);
    return imatrix;
}

static void test_importances(void **state)
{
    static const char *const names[] = {
        "token_embd.weight", "blk.0.attn_q.weight", "blk.0.attn_k.weight"};
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("IQ2_XXS");
    ggk_imatrix *imatrix = imatrix_of(names, 3, 256);
    ggk_model *model;
    ggk_recipe *recipe;
    ggk_recipe_total total;
    (void)state;

    add(&d, "token_embd.weight", T_F16, 512, 2);
    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    model = open_draft(&d);
    opts.imatrix = imatrix;
    recipe = recipe_of(model, &opts);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    assert_int_equal(
        tensor_of(recipe, model, "blk.0.attn_q.weight").importances, 1);
    assert_true(tensor_of(recipe, model, "token_embd.weight").importances ==
                GGK_NONE);
    ggk_recipe_sum(recipe, &total);
    assert_int_equal(total.n_importances, 1);
    ggk_recipe_free(recipe);
    close_draft(&d, model);

    d = draft_llama(1);
    add(&d, "blk.0.attn_k.weight", T_F16, 512, 2);
    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[0], "tensor[0]", 0, 0},
        "1 tensor is of another shape than those that the importance matrix is "
        "of: blk.0.attn_k.weight");

    d = draft_llama(1);
    add(&d, "blk.0.ffn_up.weight", T_F16, 256, 2);
    expect_obstacle(
        &d, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[0], "tensor[0]", 0, 0},
        "needs importances, without having any: blk.0.ffn_up.weight");
    ggk_imatrix_close(imatrix);
}

static void test_widths(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q1_0");
    (void)state;

    add(&d, "blk.0.attn_q.weight", T_F16, 96, 2); /* its blocks are of 128 */
    expect_obstacle(
        &d, &opts, &(struct failure){GGK_E_BLOCK, d.info[0], "tensor[0]", 0, 0},
        "1 tensor is to get a type of which their rows are no whole "
        "number of blocks: blk.0.attn_q.weight");

    d = draft_llama(1);
    add(&d, "output.weight", T_F16, 96, 2);
    opts = opts_for("Q4_K_M");
    opts.output_type = "Q6_K"; /* asked for, so it is that or nothing */
    expect_obstacle(
        &d, &opts, &(struct failure){GGK_E_BLOCK, d.info[0], "tensor[0]", 0, 0},
        "output.weight");

    d = draft_llama(1);
    add(&d, "blk.0.attn_q.weight", T_F16, 96, 2);
    opts = opts_for("Q4_K_M");
    opts.flags = GGK_RECIPE_NO_FALLBACK;
    expect_obstacle(
        &d, &opts, &(struct failure){GGK_E_BLOCK, d.info[0], "tensor[0]", 0, 0},
        "falling back to another was not allowed");
}

/* ------------------------------------------------------------------ options */

/* Patterns need a library that may not be here. */
static void need_patterns(void)
{
    struct ggki_pcre2 pcre2;
    ggk_status status = ggki_pcre2_open(&pcre2, NULL);

    ggki_pcre2_close(&pcre2);
    if (status != GGK_OK)
        skip();
}

static void expect_refusal(const char *name, const ggk_model *model,
                           const ggk_recipe_opts *opts,
                           const struct failure *wanted)
{
    ggk_recipe *recipe = (ggk_recipe *)&wanted;
    ggk_error err;
    ggk_status status = ggk_recipe_new(model, opts, &recipe, &err);

    expect_failure(name, status, &err, wanted);
    assert_null(recipe);
    assert_int_equal(ggk_recipe_new(model, opts, &recipe, NULL),
                     wanted->status);
}

static void test_bad_options(void **state)
{
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    struct failure arg = {GGK_E_ARG, GGK_NO_OFFSET, "", 0, 0};
    struct failure name = {GGK_E_NOT_FOUND, GGK_NO_OFFSET, "target", 0, 0};
    ggk_recipe_opts opts = opts_for("Q4_K_L");
    (void)state;

    expect_refusal("unknown target", model, &opts, &name);
    opts = opts_for("39");
    expect_refusal("NVFP4 is no target", model, &opts, &name);
    opts = opts_for("");
    expect_refusal("empty", model, &opts, &name);
    opts = opts_for("Q8_0");
    opts.output_type = "Q8_K";
    name.where = "output_type";
    expect_refusal("for computing only", model, &opts, &name);
    opts.output_type = "F64";
    expect_refusal("F64", model, &opts, &name);
    opts.output_type = NULL;
    opts.embedding_type = "Q4_2";
    name.where = "embedding_type";
    expect_refusal("removed", model, &opts, &name);
    opts.embedding_type = "q9";
    expect_refusal("unknown", model, &opts, &name);
    opts = opts_for("Q8_0");
    opts.flags = 1u << 31;
    expect_refusal("flags", model, &opts, &arg);
    opts = opts_for("Q8_0");
    opts.n_overrides = 1;
    expect_refusal("no overrides", model, &opts, &arg);
    opts = opts_for(NULL);
    arg.where = "target";
    expect_refusal("no options", model, NULL, &arg);
    expect_refusal("no target", model, &opts, &arg);
    close_draft(&d, model);
}

/* Names are new behind the first layer that is left out. */
static void test_pruned(void **state)
{
    static const uint64_t pruned[] = {2, 1};
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_recipe *recipe;
    ggk_recipe_total total;
    ggk_recipe_tensor t;
    (void)state;

    opts.pruned = pruned;
    opts.n_pruned = 2;
    recipe = recipe_of(model, &opts);
    ggk_recipe_sum(recipe, &total);
    assert_int_equal(total.n_tensors, 39 - 2 * 9);
    assert_int_equal(total.n_pruned, 2 * 9);
    t = tensor_of(recipe, model, "blk.3.attn_q.weight");
    assert_int_equal(t.name.len, 19);
    assert_memory_equal(t.name.ptr, "blk.1.attn_q.weight", 19);
    t = tensor_of(recipe, model, "blk.0.attn_q.weight");
    assert_memory_equal(t.name.ptr, "blk.0.attn_q.weight", 19);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_bad_pruned(void **state)
{
    static const struct {
        const char *what;
        uint64_t layers[5];
        size_t n;
    } bad[] = {
        {"layer 1 is there twice", {1, 3, 1}, 3},
        {"there is no layer 4 in the model, whose last is 3", {4, 0}, 2},
        {"no layer would be left", {3, 2, 1, 0}, 4},
        {"no layers", {0}, SIZE_MAX / 8 + 1},
    };
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    ggk_recipe_opts opts = opts_for("F16");
    ggk_recipe *recipe;
    ggk_error err;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        opts.pruned = bad[i].layers;
        opts.n_pruned = bad[i].n;
        assert_int_equal(ggk_recipe_new(model, &opts, &recipe, &err),
                         GGK_E_ARG);
        assert_string_equal(err.where, "pruned");
        assert_string_equal(err.what, bad[i].what);
    }
    close_draft(&d, model);
}

/* Names that do not say which layer they are of, or no number that is one. */
static void test_odd_layers(void **state)
{
    static const char *const names[] = {"enc.blk.0.a.weight", "blk.00.a.weight",
                                        "blk.2147483648.a.weight",
                                        "blk.99999999999999999999.a.weight"};
    static const uint64_t first = 0;
    ggk_recipe_opts opts = opts_for("F16");
    ggk_recipe *recipe;
    (void)state;

    opts.pruned = &first;
    opts.n_pruned = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct draft d = draft_example();
        ggk_model *model;
        ggk_error err;

        add(&d, names[i], T_F16, 256, 2);
        model = open_draft(&d);
        assert_int_equal(ggk_recipe_new(model, &opts, &recipe, &err),
                         GGK_E_UNSUPPORTED);
        assert_string_equal(err.where, "tensor[39].name");
        close_draft(&d, model);
    }
}

static void test_bad_overrides(void **state)
{
    static const struct {
        const char *text;
        ggk_status status;
        uint64_t offset;
    } bad[] = {
        {"attn_q", GGK_E_ARG, GGK_NO_OFFSET},
        {"=Q8_0", GGK_E_ARG, GGK_NO_OFFSET},
        {"attn_q=", GGK_E_ARG, GGK_NO_OFFSET},
        {NULL, GGK_E_ARG, GGK_NO_OFFSET},
        {"attn_q=Q9", GGK_E_NOT_FOUND, GGK_NO_OFFSET},
        {"attn_q=q8_1", GGK_E_NOT_FOUND, GGK_NO_OFFSET},
        {"a(b=Q8_0", GGK_E_ARG, 3},
        {"ab[c=Q8_0", GGK_E_ARG, 4},
    };
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    const char *overrides[] = {"output=F16", NULL};
    ggk_recipe_opts opts = opts_for("Q8_0");
    (void)state;

    need_patterns();
    opts.overrides = overrides;
    opts.n_overrides = 2;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        overrides[1] = bad[i].text;
        expect_refusal(bad[i].text != NULL ? bad[i].text : "NULL", model, &opts,
                       &(struct failure){bad[i].status, bad[i].offset,
                                         "overrides[1]", 0, 0});
    }
    close_draft(&d, model);
}

static void test_endless_pattern(void **state)
{
    const char *overrides[] = {"(a*)*(a*)*(a*)*(a*)*b$=Q8_0"};
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q4_0");
    ggk_model *model;
    (void)state;

    need_patterns();
    add(&d, "blk.0.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabx.weight",
        T_F16, 256, 2);
    model = open_draft(&d);
    opts.overrides = overrides;
    opts.n_overrides = 1;
    expect_refusal(
        overrides[0], model, &opts,
        &(struct failure){GGK_E_LIMIT, GGK_NO_OFFSET, "overrides[0]", 0, 0});
    close_draft(&d, model);
}

/* Each letter takes a frame of some 100 bytes. */
static void test_pattern_too_large(void **state)
{
    enum { LETTERS = 900000 };
    const char *overrides[] = {"nothing=Q8_0", "(a|b)*[#%]=Q8_0"};
    char *name = malloc(LETTERS + 1);
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q4_0");
    ggk_model *model;
    (void)state;

    need_patterns();
    assert_non_null(name);
    memset(name, 'a', LETTERS);
    name[LETTERS] = '\0';
    memcpy(name + LETTERS - 7, ".weight", 7);
    add(&d, name, T_F16, 256, 2);
    model = open_draft(&d);
    opts.overrides = overrides;
    opts.n_overrides = 2;
    expect_refusal(
        overrides[1], model, &opts,
        &(struct failure){GGK_E_NOMEM, GGK_NO_OFFSET, "overrides[1]", 0, 0});
    close_draft(&d, model);
    free(name);
}

/* Of the overrides below: in which names are they found? */
static void expect_fits(const ggk_recipe *recipe)
{
    uint64_t n = ggk_recipe_n_tensors(recipe), i = 0;
    ggk_recipe_tensor r;
    ggk_error err;
    bool fits;

    for (; i < n; i++) {
        char name[64];

        assert_int_equal(ggk_recipe_tensor_at(recipe, i, &r, NULL), GGK_OK);
        snprintf(name, sizeof name, "%.*s", (int)r.name.len, r.name.ptr);
        assert_int_equal(ggk_recipe_override_fits(recipe, 1, i, &fits, NULL),
                         GGK_OK);
        assert_int_equal(fits, strstr(name, "attn_v") != NULL);
        assert_int_equal(ggk_recipe_override_fits(recipe, 2, i, &fits, NULL),
                         GGK_OK);
        assert_false(fits);
    }
    assert_int_equal(ggk_recipe_override_fits(recipe, 4, 0, &fits, &err),
                     GGK_E_RANGE);
    assert_int_equal(ggk_recipe_override_fits(recipe, 1, n, &fits, &err),
                     GGK_E_RANGE);
}

static void test_overrides(void **state)
{
    static const char *const overrides[] = {
        "BLK\\.[02]\\.ATTN_V=q5_1", "attn_v=Q8_0", "nothing like this=F16",
        "(?=ffn_gate)=IQ4_NL"};
    struct draft d = draft_example();
    ggk_model *model = open_draft(&d);
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_recipe *recipe;
    ggk_error err;
    ggk_status status;
    (void)state;

    need_patterns();
    opts.overrides = overrides;
    opts.n_overrides = 4;
    opts.flags = GGK_RECIPE_STRICT;
    recipe = recipe_of(model, &opts);
    expect_type(recipe, model, "blk.0.attn_v.weight", "Q5_1",
                "option.tensor-type");
    expect_type(recipe, model, "blk.1.attn_v.weight", "Q8_0",
                "option.tensor-type");
    expect_type(recipe, model, "blk.3.ffn_gate.weight", "IQ4_NL",
                "option.tensor-type");
    expect_type(recipe, model, "blk.3.ffn_norm.weight", "F32", "keep.vector");
    assert_int_equal(tensor_of(recipe, model, "blk.1.attn_v.weight").override,
                     1);
    assert_int_equal(ggk_recipe_override_count(recipe, 0), 2);
    assert_int_equal(ggk_recipe_override_count(recipe, 1), 2);
    assert_int_equal(ggk_recipe_override_count(recipe, 2), 0);
    assert_int_equal(ggk_recipe_override_count(recipe, 3), 4);
    assert_int_equal(ggk_recipe_override_count(recipe, 4), 0);
    expect_fits(recipe);
    status = ggk_recipe_check(recipe, &err);
    expect_failure("strict", status, &err,
                   &(struct failure){GGK_E_NOT_FOUND, GGK_NO_OFFSET,
                                     "overrides[2]", 0, 0});
    ggk_recipe_free(recipe);

    opts.flags = 0;
    recipe = recipe_of(model, &opts);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_tied(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_model *model;
    ggk_recipe *recipe;
    (void)state;

    add(&d, "token_embd.weight", T_F16, 256, 2);
    model = open_draft(&d);
    recipe = recipe_of(model, &opts);
    expect_type(recipe, model, "token_embd.weight", "Q6_K", "output");
    ggk_recipe_free(recipe);
    opts.output_type = "Q5_1";
    recipe = recipe_of(model, &opts);
    expect_type(recipe, model, "token_embd.weight", "Q5_1",
                "option.output-type");
    ggk_recipe_free(recipe);
    opts.embedding_type = "f32";
    recipe = recipe_of(model, &opts);
    expect_type(recipe, model, "token_embd.weight", "F32",
                "option.embedding-type");
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_from(void **state)
{
    static const char *const overrides[] = {"attn_v=F16"};
    struct draft d = draft_llama(1), other = draft_of("whatever");
    ggk_recipe_opts opts = opts_for("Q4_K_S");
    ggk_model *model, *from;
    ggk_recipe *recipe;
    ggk_recipe_tensor t;
    (void)state;

    need_patterns();
    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    add(&d, "blk.0.attn_k.weight", T_F16, 288, 2);
    add(&d, "blk.0.attn_v.weight", T_F16, 256, 2);
    add(&d, "blk.0.ffn_up.weight", T_F16, 256, 2);
    model = open_draft(&d);
    add(&other, "blk.0.attn_q.weight", T_Q8_0, 256, 2);
    add(&other, "blk.0.attn_k.weight", T_Q6_K, 256, 2);
    add(&other, "blk.0.attn_v.weight", T_Q6_K, 256, 2);
    opts.from = from = open_draft(&other);
    opts.overrides = overrides;
    opts.n_overrides = 1;
    recipe = recipe_of(model, &opts);
    close_draft(&other, from);
    expect_type(recipe, model, "blk.0.attn_q.weight", "Q8_0",
                "option.recipe-from");
    expect_type(recipe, model, "blk.0.attn_v.weight", "F16",
                "option.tensor-type");
    expect_type(recipe, model, "blk.0.ffn_up.weight", "Q4_K", "default");
    t = tensor_of(recipe, model, "blk.0.attn_k.weight");
    assert_int_equal(t.wanted, T_Q6_K);
    assert_int_equal(t.to, T_Q8_0);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_bad_from(void **state)
{
    struct draft d = draft_llama(1), other = draft_of("llama");
    ggk_recipe_opts opts = opts_for("Q4_K_S");
    ggk_model *model, *from;
    struct failure wanted = {GGK_E_UNSUPPORTED, 0, "tensor[0]", 0, 0};
    (void)state;

    add(&d, "blk.0.attn_q.weight", T_F16, 256, 2);
    wanted.offset = d.info[0];
    model = open_draft(&d);
    add(&other, "blk.0.attn_q.weight", T_F64, 256, 2);
    opts.from = from = open_draft(&other);
    expect_refusal("F64", model, &opts, &wanted);
    close_draft(&other, from);
    other = draft_of("llama");
    add(&other, "blk.0.attn_q.weight", T_F16, 256, 2);
    add(&other, "blk.0.attn_q.weight", T_F16, 256, 2);
    opts.from = from = open_draft(&other);
    wanted.status = GGK_E_DUPLICATE;
    expect_refusal("twice", model, &opts, &wanted);
    close_draft(&other, from);
    close_draft(&d, model);
}

/* ------------------------------------------------------------------- models */

static void test_bad_models(void **state)
{
    struct draft d = draft_of("llama");
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    struct failure wanted = {GGK_E_NOT_FOUND, GGK_NO_OFFSET, "", 0, 0};
    ggk_recipe *recipe;
    ggk_model *model;
    (void)state;

    add(&d, "output.weight", T_F16, 256, 2);
    model = open_draft(&d);
    expect_refusal("no block_count", model, &opts, &wanted);
    opts.flags = GGK_RECIPE_PURE; /* which does without */
    recipe = recipe_of(model, &opts);
    expect_type(recipe, model, "output.weight", "Q4_K", "option.pure");
    ggk_recipe_free(recipe);
    close_draft(&d, model);

    d = draft_llama(1);
    add(&d, "output.weight", T_F16, 256, 2);
    add(&d, "output.weight", T_F16, 256, 2);
    model = open_draft(&d);
    wanted =
        (struct failure){GGK_E_DUPLICATE, d.info[1], "tensor[1].name", 0, 0};
    expect_refusal("duplicate", model, &opts, &wanted);
    close_draft(&d, model);

    d = draft_llama(1);
    model = open_draft(&d);
    recipe = recipe_of(model, &opts); /* a vocabulary */
    assert_int_equal(ggk_recipe_n_tensors(recipe), 0);
    assert_int_equal(ggk_recipe_n_types(recipe), 0);
    assert_int_equal(ggk_recipe_check(recipe, NULL), GGK_OK);
    ggk_recipe_free(recipe);
    close_draft(&d, model);
}

static void test_long_architecture(void **state)
{
    char name[80];
    struct draft d;
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_model *model;
    (void)state;

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    d = draft_of(name);
    model = open_draft(&d);
    expect_refusal(
        "architecture", model, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, GGK_NO_OFFSET, "", 0, 0});
    close_draft(&d, model);
}

static void test_unknown_size(void **state)
{
    struct draft d = draft_llama(1);
    ggk_recipe_opts opts = opts_for("Q8_0");
    ggk_model *model = NULL;
    (void)state;

    add(&d, "blk.0.attn_q.weight", T_UNKNOWN, 256, 2);
    bytes_patch(&d.b, 8, d.n_tensors, 8);
    bytes_patch(&d.b, 16, d.n_kv, 8);
    put_fill(&d.b, 0, 100000); /* its end is not seen with the header */
    assert_int_equal(kind_open(KIND_STREAM, &d.b, NULL, &model, NULL), GGK_OK);
    expect_refusal(
        "stream", model, &opts,
        &(struct failure){GGK_E_UNSUPPORTED, d.info[0], "tensor[0]", 0, 0});
    close_draft(&d, model);
}

static void test_experts(void **state)
{
    static const struct {
        const char *name;
        const char *target;
        uint64_t need, have;
        bool refused;
    } cases[] = {
        {"ffn_up.weight", "Q4_K_M", 0, 0, true},
        {"ffn_down.0.weight", "Q8_0", 0, 0, true},
        {"blk.ffn_gate.weight", "Q4_K_M", 0, 0, true},
        {"blk.2.ffn_gate.weight", "Q4_K_M", 2, 2, true},
        {"blk.99999999999999999999.ffn_up.weight", "Q4_K_M", UINT64_MAX, 2,
         true},
        {"blk.1.ffn_gate.weight", "Q4_K_M", 0, 0, false},
        {"blk.1x.ffn_gate.weight", "Q4_K_M", 0, 0, false},
        {"ffn_up.weight", "IQ2_XS", 0, 0, false}, /* these count */
        {"ffn_up.weight", "MXFP4_MOE", 0, 0, false},
        {"ffn_up.weight", "F16", 0, 0, false},
        {"attn_q.weight", "Q4_K_M", 0, 0, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct draft d = draft_llama(2);
        ggk_recipe_opts opts = opts_for(cases[i].target);
        ggk_model *model;

        add_key(&d, "llama.expert_count", 4);
        add(&d, cases[i].name, T_F16, 256, 2);
        model = open_draft(&d);
        if (cases[i].refused)
            expect_refusal(cases[i].name, model, &opts,
                           &(struct failure){GGK_E_RANGE, d.info[0],
                                             "tensor[0]", cases[i].need,
                                             cases[i].have});
        else
            ggk_recipe_free(recipe_of(model, &opts));
        close_draft(&d, model);
    }
}

/* -------------------------------------------------------------------- facts */

static void test_targets(void **state)
{
    static const char *const names[][2] = {
        {"q3_k", "Q3_K_M"},        {"Q4_K", "Q4_K_M"}, {"Q5_k", "Q5_K_M"},
        {"15", "Q4_K_M"},          {"0", "F32"},       {"007", "Q8_0"},
        {"mxfp4_moe", "MXFP4_MOE"}};
    (void)state;

    for (size_t i = 0; i < ggk_target_count(); i++) {
        const ggk_target *t = ggk_target_at(i);
        const char *name = ggk_file_type_name(t->file_type);

        assert_non_null(name);
        name = strchr(name, '_') + 1; /* after "MOSTLY" or "ALL" */
        assert_string_equal(t->name, name);
        assert_ptr_equal(ggk_target_by_name(t->name), t);
        assert_true(ggki_is_target_type(t->type));
        assert_true(i == 0 || t->file_type > t[-1].file_type);
    }
    assert_null(ggk_target_at(ggk_target_count()));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(ggk_target_by_name(names[i][0])->name, names[i][1]);
    assert_null(ggk_target_by_name("4"));
    assert_null(ggk_target_by_name("15 "));
    assert_null(ggk_target_by_name("18446744073709551631"));
}

static void test_reasons(void **state)
{
    (void)state;
    for (size_t i = 0; i < ggk_reason_count(); i++) {
        assert_non_null(ggk_reason_at(i)->id);
        assert_non_null(ggk_reason_at(i)->what);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ggk_reason_at(i)->id, ggk_reason_at(j)->id);
    }
    assert_null(ggk_reason_at(ggk_reason_count()));
    for (uint32_t i = 1; i < GGK_OBSTACLE_COUNT; i++)
        assert_non_null(ggk_obstacle_text(i));
    assert_null(ggk_obstacle_text(GGK_OBSTACLE_NONE));
    assert_null(ggk_obstacle_text(GGK_OBSTACLE_COUNT));
}

/* ----------------------------------------------------------------- failures */

static void test_no_memory(void **state)
{
    static const char *const overrides[] = {"attn_v=Q8_0"};
    static const uint64_t first = 0;
    struct draft d = draft_example();
    struct ledger ledger = {0};
    ggk_allocator alloc = ledger_allocator(&ledger);
    ggk_open_opts open = no_opts();
    ggk_recipe_opts opts = opts_for("Q4_K_M");
    ggk_status status = GGK_E_NOMEM;
    ggk_model *model = NULL;
    size_t n = 0, before;
    (void)state;

    need_patterns();
    open.allocator = &alloc;
    bytes_patch(&d.b, 8, d.n_tensors, 8);
    bytes_patch(&d.b, 16, d.n_kv, 8);
    assert_int_equal(kind_open(KIND_MEMORY, &d.b, &open, &model, NULL), GGK_OK);
    opts.overrides = overrides;
    opts.n_overrides = 1;
    opts.pruned = &first;
    opts.n_pruned = 1;
    before = ledger.blocks;
    for (; status == GGK_E_NOMEM; n++) {
        ggk_recipe *recipe;

        ledger.fail_at = ledger.calls + n + 1;
        status = ggk_recipe_new(model, &opts, &recipe, NULL);
        assert_true((status == GGK_OK) == (recipe != NULL));
        ggk_recipe_free(recipe);
        assert_int_equal(ledger.blocks, before);
    }
    assert_int_equal(status, GGK_OK);
    assert_int_equal(n, 7); /* the recipe, overrides, layers, tensors, types,
                               their new names */
    ggk_recipe_free(NULL);
    close_draft(&d, model);
    assert_true(ledger_is_even(&ledger));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_quantized),
        cmocka_unit_test(test_many_quantized),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_imatrix),
        cmocka_unit_test(test_importances),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_pruned),
        cmocka_unit_test(test_bad_pruned),
        cmocka_unit_test(test_odd_layers),
        cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_endless_pattern),
        cmocka_unit_test(test_pattern_too_large),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_tied),
        cmocka_unit_test(test_from),
        cmocka_unit_test(test_bad_from),
        cmocka_unit_test(test_bad_models),
        cmocka_unit_test(test_long_architecture),
        cmocka_unit_test(test_unknown_size),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
