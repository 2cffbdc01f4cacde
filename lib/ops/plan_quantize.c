/* plan_quantize.c - fills a plan with a model as a recipe says. */
#include "base/ckd.h"
#include "base/err.h"
#include "base/opts.h"
#include "format/block_swap.h"
#include "format/types.h"
#include "model/model.h"
#include "ops/numbers.h"
#include "ops/plan.h"
#include "ops/recipe.h"

struct quantizing {
    ggk_plan *plan;
    const ggk_recipe *recipe;
    const ggk_model *model;
    ggk_quantize_opts opts;
    bool split; /* it stays a set, */
    uint32_t n_files;
};

/* ------------------------------------------------------------------ tensors */

/* Is a tensor only copied? Of one that stays what it is llama.cpp, too, looks
 * at numbers and scales. */
static bool is_copied(const ggk_recipe_tensor *r,
                      const struct ggki_plan_tensor *t)
{
    bool floats = r->from == GGKI_F32 || r->from == GGKI_F16 ||
                  r->from == GGKI_BF16 || r->from == GGKI_F64;

    if (r->to != r->from || (floats && ggk_type_can_dequantize(t->info)))
        return false;
    return !ggki_numbers_have_scales(t->info) ||
           (t->big && !ggki_can_swap(t->info));
}

static ggk_status add_tensor(const struct quantizing *q, uint64_t i,
                             ggk_error *err)
{
    ggk_recipe_tensor r;
    struct ggki_plan_tensor t;
    struct ggki_plan_file *f;
    ggk_tensor from;
    bool renamed;
    const float *importances = NULL;
    ggk_status status = ggk_recipe_tensor_at(q->recipe, i, &r, err);

    if (status == GGK_OK)
        status = ggk_model_tensor(q->model, r.tensor, &from, err);
    if (status != GGK_OK)
        return status;
    f = &q->plan->files[q->n_files > 1 ? from.file : 0];
    renamed = !ggki_names_equal(r.name, from.name);
    status = ggki_plan_copy_tensor(q->plan, f, q->model, r.tensor, 0, err);
    if (status == GGK_OK && renamed)
        status =
            ggki_plan_name_tensor(q->plan, f, f->n_tensors - 1, r.name, err);
    if (status != GGK_OK)
        return status;
    if (!ggki_plan_tensor_at(f, f->n_tensors - 1, &t))
        return ggki_fail_changed(err);
    if (is_copied(&r, &t))
        return GGK_OK;
    if (r.to != r.from)
        status = ggki_plan_refuse_types(&t, ggk_type_by_id(r.to), err);
    if (status == GGK_OK && r.to != r.from)
        status =
            ggki_recipe_importances(q->recipe, &r, &from, &importances, err);
    return status == GGK_OK
               ? ggki_plan_convert_tensor(q->plan, f, f->n_tensors - 1,
                                          ggk_type_by_id(r.to), importances,
                                          err)
               : status;
}

/* --------------------------------------------------------------------- keys */

static ggk_status add_keys(const struct quantizing *q, ggk_error *err)
{
    const ggk_quantize_opts *o = &q->opts;
    const struct ggki_recipe_options *asked = ggki_recipe_options(q->recipe);
    const struct ggki_pruning *pruning = &asked->pruning;
    struct ggki_imatrix_keys imatrix = {.file = o->imatrix_file,
                                        .dataset = o->imatrix_dataset};
    struct ggki_quantized_keys keys = {
        .target = asked->target,
        .others = asked->keys,
        .n_others = asked->n_keys,
        .is_shard = ggki_is_part(q->model),
    };
    ggk_status status = ggk_plan_copy_keys(q->plan, 0, q->model, 0, err);

    if (status == GGK_OK && pruning->n > 0)
        status = ggki_plan_cut_keys(q->plan, 0, q->model, pruning, err);
    if (status != GGK_OK)
        return status;
    if (asked->imatrix != NULL) {
        ggk_imatrix_info info;

        ggk_imatrix_about(asked->imatrix, &info);
        if (imatrix.dataset == NULL && info.dataset.len > 0)
            imatrix.dataset = info.dataset.ptr;
        imatrix.n_entries = info.n_entries;
        imatrix.n_chunks = info.n_chunks;
        keys.imatrix = &imatrix;
    }
    status = ggki_plan_quantized_keys(q->plan, 0, &keys, err);
    return status == GGK_OK && pruning->n > 0
               ? ggki_plan_count_layers(q->plan, 0, pruning, err)
               : status;
}

/* -------------------------------------------------------------------- files */

/* Shards have their keys in the order in which llama-quantize adds them. */
static ggk_status add_shard_keys(ggk_plan *plan, struct ggki_plan_file *f,
                                 ggk_error *err)
{
    ggk_status status =
        ggki_plan_set_integer(plan, f, "split.no", GGK_VALUE_UINT16, 0, err);

    if (status == GGK_OK)
        status = ggki_plan_set_integer(plan, f, "split.count", GGK_VALUE_UINT16,
                                       0, err);
    return status == GGK_OK
               ? ggki_plan_set_integer(plan, f, "split.tensors.count",
                                       GGK_VALUE_INT32, 0, err)
               : status;
}

static ggk_status add_shards(const struct quantizing *q, const char *prefix,
                             ggk_error *err)
{
    uint64_t alignment;
    ggk_status status =
        ggki_plan_alignment(&q->plan->files[0], &alignment, err);

    if (status == GGK_OK)
        status = ggki_plan_name_first(q->plan, prefix, q->n_files, err);
    for (uint32_t i = 1; i < q->n_files && status == GGK_OK; i++)
        status =
            ggki_plan_add_shard(q->plan, prefix, i, q->n_files, alignment, err);
    if (q->n_files == 1)
        return status;
    for (uint32_t i = 0; i < q->n_files && status == GGK_OK; i++)
        status = add_shard_keys(q->plan, &q->plan->files[i], err);
    return status;
}

/* As llama-quantize counts them: up to the last that has a tensor. */
static ggk_status count_shards(struct quantizing *q, ggk_error *err)
{
    uint64_t n = ggk_recipe_n_tensors(q->recipe);
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < n && status == GGK_OK; i++) {
        ggk_recipe_tensor r;
        ggk_tensor t = {.file = 0};

        status = ggk_recipe_tensor_at(q->recipe, i, &r, err);
        if (status == GGK_OK)
            status = ggk_model_tensor(q->model, r.tensor, &t, err);
        if (status == GGK_OK && t.file >= q->n_files)
            q->n_files = t.file + 1;
    }
    return status;
}

static ggk_status fill(const struct quantizing *q, const char *path,
                       ggk_error *err)
{
    uint64_t n = ggk_recipe_n_tensors(q->recipe);
    uint32_t file;
    ggk_status status = ggk_plan_add_file(q->plan, path, &file, err);

    if (status == GGK_OK)
        status = add_keys(q, err);
    if (status == GGK_OK && q->split)
        status = add_shards(q, path, err);
    for (uint32_t i = 0; i < q->model->n_files && status == GGK_OK; i++)
        status = ggk_plan_add_input(q->plan, q->model, i, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = add_tensor(q, i, err);
    if (status == GGK_OK && q->n_files > 1)
        status = ggk_plan_number_shards(q->plan, err);
    return status;
}

ggk_status ggk_plan_quantize(ggk_plan *plan, const char *path,
                             const ggk_recipe *recipe,
                             const ggk_quantize_opts *opts, ggk_error *err)
{
    struct quantizing q = {.plan = plan,
                           .recipe = recipe,
                           .model = ggki_recipe_model(recipe),
                           .n_files = 1};
    ggk_status status = ggki_opts_take(&q.opts, sizeof q.opts, opts, err);

    if (status == GGK_OK)
        status =
            ggki_opts_check_flags(q.opts.flags, GGK_QUANTIZE_KEEP_SPLIT, err);
    if (status != GGK_OK)
        return status;
    if (plan->n_files != 0)
        return ggki_fail(err, GGK_E_ARG, "the plan is not empty");
    status = ggk_recipe_check(recipe, err);
    if (status != GGK_OK)
        return status;
    q.split =
        (q.opts.flags & GGK_QUANTIZE_KEEP_SPLIT) != 0 && q.model->n_files > 1;
    if (q.split)
        status = count_shards(&q, err);
    return status == GGK_OK ? ggki_plan_filled(plan, fill(&q, path, err))
                            : status;
}
