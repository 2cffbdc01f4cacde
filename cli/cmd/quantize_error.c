/* quantize_error.c - gguf quantize --error: what a recipe would do to the
 * numbers of each tensor, the worst first. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/quantizing.h"
#include "cmd/ranking.h"
#include "looking.h"
#include "out/fmt.h"
#include "show.h"

struct errors {
    const struct quantizing *q;
    ggk_distance *distances;
    uint64_t n;
    double squares; /* of all differences, summed */
    uint64_t n_finite;
};

static bool keep_error(void *ctx, const ggk_distance *d)
{
    struct errors *e = ctx;
    uint64_t n_finite = d->n - d->n_not_finite;

    e->distances[e->n++] = *d;
    e->squares += d->rmse * d->rmse * (double)n_finite;
    e->n_finite += n_finite;
    return true;
}

static ggk_status find_errors(struct errors *e, ggk_error *err)
{
    const struct quantizing *q = e->q;
    uint64_t n = ggk_recipe_n_tensors(q->recipe);
    struct looking looking;
    ggk_status status;

    e->distances = calloc((size_t)n + 1, sizeof *e->distances);
    if (e->distances == NULL)
        return show_no_memory(err);
    looking_start(&looking, q->cli, "trying");
    status = ggk_recipe_errors(q->recipe, &looking.opts, keep_error, e, err);
    looking_end(&looking);
    ranking_sort(e->distances, e->n);
    return status;
}

static double rmse_of_all(const struct errors *e)
{
    return e->n_finite > 0 ? sqrt(e->squares / (double)e->n_finite) : 0;
}

/* The tensor of a distance, and the names of its types. */
static ggk_status tensor_of(const struct errors *e, const ggk_distance *d,
                            ggk_tensor *out, char from[SHOW_TYPE_BYTES],
                            char to[SHOW_TYPE_BYTES], ggk_error *err)
{
    const ggk_model *model = e->q->in->model;
    ggk_recipe_tensor r;
    ggk_status status = ggk_recipe_tensor_at(e->q->recipe, d->b, &r, err);

    if (status == GGK_OK)
        status = ggk_model_tensor(model, d->a, out, err);
    if (status != GGK_OK)
        return status;
    show_tensor_type(from, model, r.from);
    show_tensor_type(to, model, r.to);
    return GGK_OK;
}

static ggk_status print_table(const struct errors *e, ggk_error *err)
{
    struct ranking r;

    ranking_start(&r, e->q->cli, "FROM", "TO", e->distances, e->n);
    do
        for (uint64_t i = 0; i < e->n; i++) {
            char from[SHOW_TYPE_BYTES], to[SHOW_TYPE_BYTES];
            ggk_tensor tensor;
            ggk_status status =
                tensor_of(e, &e->distances[i], &tensor, from, to, err);

            if (status != GGK_OK)
                return status;
            ranking_put(&r, tensor.name, from, to, &e->distances[i]);
        }
    while (table_again(&r.table));
    return GGK_OK;
}

static ggk_status print_errors(const struct errors *e, ggk_error *err)
{
    ggk_status status = e->n > 0 ? print_table(e, err) : GGK_OK;
    char rmse[FMT_BYTES], bits[FMT_BYTES];
    ggk_recipe_total sum;

    if (status != GGK_OK)
        return status;
    ggk_recipe_sum(e->q->recipe, &sum);
    fmt_short(rmse, rmse_of_all(e));
    fmt_fixed(bits, sum.bits_per_weight, 3);
    fprintf(e->q->cli->out,
            "%s: %" PRIu64 " of %" PRIu64 " tensors change, RMSE of all their "
            "numbers %s, %s bits per weight\n",
            sum.target->name, sum.n_changed, sum.n_tensors, rmse, bits);
    return GGK_OK;
}

static ggk_status print_json(const struct errors *e, ggk_error *err)
{
    ggk_recipe_total sum;
    struct json j;

    ggk_recipe_sum(e->q->recipe, &sum);
    show_json_start(&j, e->q->cli);
    json_put_cstring(&j, "file", e->q->in->name);
    json_put_cstring(&j, "target", sum.target->name);
    json_key(&j, "errors");
    json_open_array(&j);
    for (uint64_t i = 0; i < e->n; i++) {
        const ggk_distance *d = &e->distances[i];
        char from[SHOW_TYPE_BYTES], to[SHOW_TYPE_BYTES];
        ggk_tensor tensor;
        ggk_status status = tensor_of(e, d, &tensor, from, to, err);

        if (status != GGK_OK)
            return status;
        json_open_object(&j);
        ranking_put_json(&j, &tensor, "from", from, "to", to, d);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_put_u64(&j, "n_tensors", sum.n_tensors);
    json_put_u64(&j, "n_changed", sum.n_changed);
    json_put_f64(&j, "rmse", rmse_of_all(e));
    json_put_f64(&j, "bits_per_weight", sum.bits_per_weight);
    show_json_end(&j);
    return GGK_OK;
}

int quantize_error(const struct quantizing *q)
{
    struct errors e = {.q = q};
    ggk_error err;
    ggk_status status = find_errors(&e, &err);

    if (status == GGK_OK)
        status =
            q->cli->global.json ? print_json(&e, &err) : print_errors(&e, &err);
    free(e.distances);
    return status == GGK_OK ? CLI_DONE
                            : quantize_fail(q->cli, q->in->name, &err);
}
