/* recipe_errors.c - what a recipe would do to numbers: they are quantized and
 * dequantized in memory, and compared. */
#include "base/mem.h"
#include "base/opts.h"
#include "ops/distances.h"
#include "ops/numbers.h"
#include "ops/recipe.h"

struct trying {
    const ggk_recipe *recipe;
    const ggk_model *model;
    struct ggki_u64s changed; /* tensors of the recipe */
    ggk_on_distance *on_distance;
    void *ctx;
};

static ggk_status list_changed(struct trying *t, ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_recipe_n_tensors(t->recipe); i++) {
        ggk_recipe_tensor r;
        ggk_status status = ggk_recipe_tensor_at(t->recipe, i, &r, err);

        if (status != GGK_OK)
            return status;
        if (r.from != r.to && !ggki_u64s_push(&t->changed, &t->model->mem, i))
            return ggki_fail_memory(err);
    }
    return GGK_OK;
}

static ggk_status item_of(const void *ctx, uint64_t i,
                          struct ggki_values_item *out, ggk_error *err)
{
    const struct trying *t = ctx;
    const struct ggki_values *from = &out->sides[0];
    struct ggki_numbers_to *to = &out->to;
    ggk_recipe_tensor r;
    ggk_status status =
        ggk_recipe_tensor_at(t->recipe, t->changed.at[i], &r, err);

    if (status == GGK_OK)
        status = ggki_values_of(t->model, r.tensor, &out->sides[0], err);
    if (status != GGK_OK)
        return status;
    to->type = ggk_type_by_id(r.to);
    to->quantize = ggki_numbers_kern(to->type).quantize;
    to->ne = from->info.ne;
    if (!ggk_type_can_quantize(to->type) || !ggk_type_can_dequantize(to->type))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "there is no way to type %lu and back",
                         (unsigned long)r.to);
    status = ggki_recipe_importances(t->recipe, &r, &from->info,
                                     &to->importances, err);
    if (from->info.n_elements == 0)
        to->importances = NULL;
    out->unit =
        to->importances != NULL ? (size_t)from->info.ne[0] : to->type->block;
    return status;
}

static ggk_status look(const struct ggki_chunk *c, void *part, ggk_error *err)
{
    const struct ggki_values_item *item = c->item;
    ggki_dequantize *dequantize = ggki_numbers_kern(item->to.type).dequantize;

    (void)err;
    for (size_t i = 0, n; i < c->n; i += n) {
        n = c->n - i < item->span ? c->n - i : item->span;
        ggki_convert_numbers(&item->to, ggki_chunk_numbers(c, 0, i, n),
                             c->at + i, n, c->spare);
        dequantize(c->spare, c->numbers[1], n);
        ggki_distance_look(c, part, i, n);
    }
    return GGK_OK;
}

static bool tell(void *ctx, const struct ggki_values_item *item,
                 const void *whole)
{
    const struct trying *t = ctx;
    ggk_distance d =
        ggki_distance_told(whole, item->sides[0].tensor, t->changed.at[item->i],
                           item->sides[0].info.n_elements);

    return t->on_distance(t->ctx, &d);
}

static ggk_status try_all(struct trying *t, const ggk_values_opts *opts,
                          ggk_error *err)
{
    struct ggki_values_work work = {.mem = &t->model->mem,
                                    .ctx = t,
                                    .item = item_of,
                                    .part_bytes =
                                        sizeof(struct ggki_found_distance),
                                    .look = look,
                                    .merge = ggki_distance_put_together,
                                    .done = tell};
    ggk_status status = ggki_opts_take(&work.opts, sizeof work.opts, opts, err);

    if (status == GGK_OK)
        status = ggk_recipe_check(t->recipe, err);
    if (status == GGK_OK)
        status = list_changed(t, err);
    work.n_items = t->changed.n;
    return status == GGK_OK ? ggki_values_run(&work, err) : status;
}

ggk_status ggk_recipe_errors(const ggk_recipe *recipe,
                             const ggk_values_opts *opts,
                             ggk_on_distance *on_distance, void *ctx,
                             ggk_error *err)
{
    struct trying t = {.recipe = recipe,
                       .model = ggki_recipe_model(recipe),
                       .on_distance = on_distance,
                       .ctx = ctx};
    ggk_status status = try_all(&t, opts, err);

    ggki_u64s_free(&t.changed, &t.model->mem);
    return status;
}
