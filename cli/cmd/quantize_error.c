/* quantize_error.c - gguf quantize --error: what a recipe would do to the
 * numbers of each tensor, the worst first; and what several would do to all. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/quantizing.h"
#include "looking.h"
#include "out/fmt.h"
#include "out/table.h"
#include "show.h"

struct errors {
    const struct quantizing *q;
    const ggk_recipe *recipe;
    ggk_distance *distances;
    uint64_t n;
    struct ranking_sum sum;
};

static bool keep_error(void *ctx, const ggk_distance *d)
{
    struct errors *e = ctx;

    e->distances[e->n++] = *d;
    ranking_add(&e->sum, d);
    return true;
}

static ggk_status find_errors(struct errors *e, ggk_error *err)
{
    uint64_t n = ggk_recipe_n_tensors(e->recipe);
    struct looking looking;
    ggk_status status;

    e->distances = calloc((size_t)n + 1, sizeof *e->distances);
    if (e->distances == NULL)
        return show_no_memory(err);
    looking_start(&looking, e->q->cli, "trying");
    status = ggk_recipe_errors(e->recipe, &looking.opts, keep_error, e, err);
    looking_end(&looking);
    ranking_sort(e->distances, e->n);
    return status;
}

/* The tensor of a distance, and the names of its types. */
static ggk_status tensor_of(const struct errors *e, const ggk_distance *d,
                            ggk_tensor *out, char from[SHOW_TYPE_BYTES],
                            char to[SHOW_TYPE_BYTES], ggk_error *err)
{
    const ggk_model *model = e->q->in->model;
    ggk_recipe_tensor r;
    ggk_status status = ggk_recipe_tensor_at(e->recipe, d->b, &r, err);

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

/* Quantizing makes another error the least than is told. */
static void note_weights(const struct quantizing *q)
{
    if (q->importances.imatrix != NULL)
        msg_note(&q->cli->msg, NULL,
                 "errors are told unweighted: an imatrix makes them larger "
                 "where it matters less, so they do not tell what it is worth");
}

static ggk_status print_errors(const struct errors *e, ggk_error *err)
{
    FILE *out = e->q->cli->out;
    char size[FMT_BYTES], bits[FMT_BYTES];
    ggk_recipe_total sum;
    ggk_status status;

    ggk_recipe_sum(e->recipe, &sum);
    if (e->n == 0) {
        fprintf(out, "%s: nothing changes: %s\n", sum.target->name,
                sum.n_tensors > 0 ? "no tensor gets another type"
                                  : "there are no tensors");
        return GGK_OK;
    }
    status = print_table(e, err);
    if (status != GGK_OK)
        return status;
    fmt_size(size, sum.to_bytes);
    fmt_fixed(bits, sum.bits_per_weight, 3);
    fprintf(out, "%s: %" PRIu64 " of %" PRIu64 " tensor%s change%s, ",
            sum.target->name, sum.n_changed, sum.n_tensors,
            fmt_plural(sum.n_tensors), sum.n_changed == 1 ? "s" : "");
    ranking_print_sum(out, &e->sum);
    fprintf(out, "; %s, %s bits per weight\n", size, bits);
    note_weights(e->q);
    return GGK_OK;
}

/* What a recipe does to all tensors, as members of an open object. */
static void put_sum(struct json *j, const ggk_recipe *recipe,
                    const struct ranking_sum *errors)
{
    ggk_recipe_total sum;

    ggk_recipe_sum(recipe, &sum);
    json_put_u64(j, "n_tensors", sum.n_tensors);
    json_put_u64(j, "n_changed", sum.n_changed);
    if (sum.n_changed > 0)
        ranking_put_sum(j, errors);
    json_put_u64(j, "tensor_bytes", sum.to_bytes);
    json_put_f64(j, "bits_per_weight", sum.bits_per_weight);
}

static ggk_status print_json(const struct errors *e, ggk_error *err)
{
    ggk_recipe_total sum;
    struct json j;

    ggk_recipe_sum(e->recipe, &sum);
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
    put_sum(&j, e->recipe, &e->sum);
    show_json_end(&j);
    return GGK_OK;
}

int quantize_error(const struct quantizing *q)
{
    struct errors e = {.q = q, .recipe = q->recipe};
    ggk_error err;
    ggk_status status = find_errors(&e, &err);

    if (status == GGK_OK)
        status =
            q->cli->global.json ? print_json(&e, &err) : print_errors(&e, &err);
    free(e.distances);
    return status == GGK_OK ? CLI_DONE
                            : quantize_fail(q->cli, q->in->name, &err);
}

/* ------------------------------------------------------------------ several */

static void put_candidate_row(struct table *t, const struct candidate *c)
{
    char text[FMT_BYTES];
    ggk_recipe_total sum;

    ggk_recipe_sum(c->recipe, &sum);
    table_cstring(t, sum.target->name);
    table_size(t, sum.to_bytes);
    fmt_fixed(text, sum.bits_per_weight, 3);
    table_cstring(t, text);
    fmt_short(text, ranking_rmse(&c->errors));
    table_cstring(t, sum.n_changed > 0 ? text : "-");
    fmt_short(text, ranking_relative(&c->errors));
    table_cstring(t, sum.n_changed > 0 ? text : "-");
    table_u64(t, sum.n_changed);
}

static void print_comparison(const struct quantizing *q,
                             const struct candidate *candidates)
{
    static const struct table_column columns[] = {
        {"TYPE", TABLE_LEFT, false},      {"SIZE", TABLE_RIGHT, false},
        {"BITS", TABLE_RIGHT, false},     {"RMSE", TABLE_RIGHT, false},
        {"RELATIVE", TABLE_RIGHT, false}, {"CHANGE", TABLE_RIGHT, false},
    };
    const struct term *term = &q->cli->term;
    struct table t;

    table_start(&t, q->cli->out, columns, sizeof columns / sizeof columns[0],
                term->width, term_style(term, TERM_BOLD),
                term_style(term, TERM_PLAIN));
    do
        for (size_t i = 0; i < q->n_targets; i++)
            put_candidate_row(&t, &candidates[i]);
    while (table_again(&t));
    note_weights(q);
}

static void put_comparison(const struct quantizing *q,
                           const struct candidate *candidates)
{
    struct json j;

    show_json_start(&j, q->cli);
    json_put_cstring(&j, "file", q->in->name);
    json_key(&j, "targets");
    json_open_array(&j);
    for (size_t i = 0; i < q->n_targets; i++) {
        ggk_recipe_total sum;

        ggk_recipe_sum(candidates[i].recipe, &sum);
        json_open_object(&j);
        json_put_cstring(&j, "target", sum.target->name);
        put_sum(&j, candidates[i].recipe, &candidates[i].errors);
        json_close_object(&j);
    }
    json_close_array(&j);
    show_json_end(&j);
}

static ggk_status try_candidate(const struct quantizing *q, struct candidate *c,
                                ggk_error *err)
{
    struct errors e = {.q = q, .recipe = c->recipe};
    ggk_status status = find_errors(&e, err);

    c->errors = e.sum;
    free(e.distances);
    return status;
}

int quantize_compare(const struct quantizing *q, struct candidate *candidates)
{
    ggk_status status = GGK_OK;
    ggk_error err;

    for (size_t i = 0; i < q->n_targets && status == GGK_OK; i++)
        status = try_candidate(q, &candidates[i], &err);
    if (status != GGK_OK)
        return quantize_fail(q->cli, q->in->name, &err);
    if (q->cli->global.json)
        put_comparison(q, candidates);
    else
        print_comparison(q, candidates);
    return CLI_DONE;
}
