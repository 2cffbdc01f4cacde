/* diff_values.c - gguf diff --values: how far the numbers of two models are
 * from each other, tensor by tensor, the farthest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/diff_report.h"
#include "cmd/ranking.h"
#include "looking.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

/* What becomes of a tensor of either model. */
enum fate { REMOVED, ADDED, RESHAPED, NOT_COMPARED, FATES };

/* One that is not compared; `b` only where both have it. */
struct odd_one {
    enum fate fate;
    uint64_t a, b; /* GGK_NONE: not there */
};

struct values_report {
    const struct diff_job *job;
    ggk_pair *pairs;
    ggk_distance *distances; /* in the order of `pairs`, then ranked */
    uint64_t n_pairs, n_told, n_differ;
    struct odd_one *odd;
    uint64_t n_odd;
    uint64_t n[FATES];
};

/* ------------------------------------------------------------------ pairing */

static void note_odd(struct values_report *r, enum fate fate, uint64_t a,
                     uint64_t b)
{
    r->odd[r->n_odd++] = (struct odd_one){fate, a, b};
    r->n[fate]++;
}

/* Of several tensors of one name the first is found. */
static bool find_in(const struct diff_job *job, int side, ggk_str name,
                    uint64_t *out)
{
    return ggk_model_find_tensor(job->in[side].model, name, out, NULL) !=
           GGK_E_NOT_FOUND;
}

static ggk_status pair_tensor(struct values_report *r, uint64_t i,
                              ggk_error *err)
{
    const ggk_model *a = r->job->in[0].model, *b = r->job->in[1].model;
    ggk_tensor s, t;
    uint64_t j;
    ggk_status status = ggk_model_tensor(a, i, &s, err);

    if (status != GGK_OK)
        return status;
    if (!find_in(r->job, 1, s.name, &j)) {
        note_odd(r, REMOVED, i, GGK_NONE);
        return GGK_OK;
    }
    status = ggk_model_tensor(b, j, &t, err);
    if (status != GGK_OK)
        return status;
    if (memcmp(s.ne, t.ne, sizeof s.ne) != 0)
        note_odd(r, RESHAPED, i, j);
    else if (!ggk_model_has_values(a, &s) || !ggk_model_has_values(b, &t))
        note_odd(r, NOT_COMPARED, i, j);
    else
        r->pairs[r->n_pairs++] = (ggk_pair){i, j};
    return GGK_OK;
}

static ggk_status note_added(struct values_report *r, uint64_t j,
                             ggk_error *err)
{
    ggk_tensor t;
    uint64_t i;
    ggk_status status = ggk_model_tensor(r->job->in[1].model, j, &t, err);

    if (status == GGK_OK && !find_in(r->job, 0, t.name, &i))
        note_odd(r, ADDED, GGK_NONE, j);
    return status;
}

static ggk_status pair_tensors(struct values_report *r, ggk_error *err)
{
    uint64_t n = ggk_model_n_tensors(r->job->in[0].model);
    uint64_t m = ggk_model_n_tensors(r->job->in[1].model);
    ggk_status status = GGK_OK;

    r->pairs = calloc((size_t)n + 1, sizeof *r->pairs);
    r->distances = calloc((size_t)n + 1, sizeof *r->distances);
    r->odd = calloc((size_t)n + (size_t)m + 1, sizeof *r->odd);
    if (r->pairs == NULL || r->distances == NULL || r->odd == NULL)
        return show_no_memory(err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        status = pair_tensor(r, i, err);
    for (uint64_t j = 0; j < m && status == GGK_OK; j++)
        status = note_added(r, j, err);
    return status;
}

/* ---------------------------------------------------------------- comparing */

static bool keep_distance(void *ctx, const ggk_distance *d)
{
    struct values_report *r = ctx;

    r->distances[r->n_told++] = *d;
    r->n_differ += d->n_differ > 0;
    return true;
}

static ggk_status compare(struct values_report *r, ggk_error *err)
{
    const struct diff_job *job = r->job;
    struct looking looking;
    ggk_status status = pair_tensors(r, err);

    if (status != GGK_OK)
        return status;
    looking_start(&looking, job->cli, "comparing");
    status =
        ggk_models_compare(job->in[0].model, job->in[1].model, r->pairs,
                           r->n_pairs, &looking.opts, keep_distance, r, err);
    looking_end(&looking);
    ranking_sort(r->distances, r->n_told);
    return status;
}

static bool is_equal(const struct values_report *r)
{
    return r->n_differ == 0 && r->n[REMOVED] == 0 && r->n[ADDED] == 0 &&
           r->n[RESHAPED] == 0;
}

/* The tensor of a side, and the name of its type. */
static ggk_status tensor_of(const struct values_report *r, int side, uint64_t i,
                            ggk_tensor *out, char type[SHOW_TYPE_BYTES],
                            ggk_error *err)
{
    const ggk_model *model = r->job->in[side].model;
    ggk_status status = ggk_model_tensor(model, i, out, err);

    if (status == GGK_OK)
        show_tensor_type(type, model, out->type);
    return status;
}

/* -------------------------------------------------------------------- text */

static ggk_status put_row(struct ranking *ranking,
                          const struct values_report *r, const ggk_distance *d,
                          ggk_error *err)
{
    char type[2][SHOW_TYPE_BYTES];
    ggk_tensor a, b;
    ggk_status status = tensor_of(r, 0, d->a, &a, type[0], err);

    if (status == GGK_OK)
        status = tensor_of(r, 1, d->b, &b, type[1], err);
    if (status == GGK_OK)
        ranking_put(ranking, a.name, type[0], type[1], d);
    return status;
}

/* Those that differ; with -v all. */
static ggk_status print_table(const struct values_report *r, ggk_error *err)
{
    bool all = r->job->cli->global.verbose;
    struct ranking ranking;

    if ((all ? r->n_told : r->n_differ) == 0)
        return GGK_OK;
    ranking_start(&ranking, r->job->cli, "A", "B", r->distances, r->n_told);
    do
        for (uint64_t i = 0; i < r->n_told; i++) {
            const ggk_distance *d = &r->distances[i];
            ggk_status status =
                all || d->n_differ > 0 ? put_row(&ranking, r, d, err) : GGK_OK;

            if (status != GGK_OK)
                return status;
        }
    while (table_again(&ranking.table));
    return GGK_OK;
}

/* "- name", "+ name", "~ name [2, 3] [3, 2]", "? name Q4_K IQ1_S". */
static ggk_status print_odd(const struct values_report *r,
                            const struct odd_one *odd, ggk_error *err)
{
    static const char marks[] = {'-', '+', '~', '?'};
    const uint64_t i[2] = {odd->a, odd->b};
    FILE *out = r->job->cli->out;
    char text[2][SHOW_SHAPE_BYTES] = {"", ""};
    ggk_tensor t = {.n_dims = 0};

    for (int side = 0; side < 2; side++) {
        ggk_status status;

        if (i[side] == GGK_NONE)
            continue;
        status = tensor_of(r, side, i[side], &t, text[side], err);
        if (status != GGK_OK)
            return status;
        if (odd->fate == RESHAPED)
            show_shape(text[side], &t);
    }
    fprintf(out, "%c ", marks[odd->fate]);
    text_write(out, t.name.ptr, t.name.len, TEXT_PLAIN, TEXT_WHOLE);
    if (odd->fate == RESHAPED || odd->fate == NOT_COMPARED)
        fprintf(out, "  %s  %s", text[0], text[1]);
    putc('\n', out);
    return GGK_OK;
}

static void print_sum(const struct values_report *r)
{
    FILE *out = r->job->cli->out;

    fprintf(out, "%" PRIu64 " tensor%s compared, %" PRIu64 " differ%s",
            r->n_told, fmt_plural(r->n_told), r->n_differ,
            r->n_differ == 1 ? "s" : "");
    if (r->n[REMOVED] + r->n[ADDED] > 0)
        fprintf(out, "; %" PRIu64 " only in A, %" PRIu64 " only in B",
                r->n[REMOVED], r->n[ADDED]);
    if (r->n[RESHAPED] > 0)
        fprintf(out, "; %" PRIu64 " of another shape", r->n[RESHAPED]);
    if (r->n[NOT_COMPARED] > 0)
        fprintf(out,
                "; %" PRIu64 " not compared, since types cannot be "
                "dequantized",
                r->n[NOT_COMPARED]);
    putc('\n', out);
}

static ggk_status print_text(const struct values_report *r, ggk_error *err)
{
    ggk_status status = print_table(r, err);

    for (uint64_t i = 0; i < r->n_odd && status == GGK_OK; i++)
        status = print_odd(r, &r->odd[i], err);
    if (status == GGK_OK)
        print_sum(r);
    return status;
}

/* -------------------------------------------------------------------- JSON */

static ggk_status put_distance(struct json *j, const struct values_report *r,
                               const ggk_distance *d, ggk_error *err)
{
    char type[2][SHOW_TYPE_BYTES];
    ggk_tensor a, b;
    ggk_status status = tensor_of(r, 0, d->a, &a, type[0], err);

    if (status == GGK_OK)
        status = tensor_of(r, 1, d->b, &b, type[1], err);
    if (status != GGK_OK)
        return status;
    json_open_object(j);
    ranking_put_json(j, &a, "type_a", type[0], "type_b", type[1], d);
    json_close_object(j);
    return GGK_OK;
}

static ggk_status put_odd(struct json *j, const struct values_report *r,
                          const struct odd_one *odd, ggk_error *err)
{
    static const char *const words[] = {"removed", "added", "reshaped",
                                        "not-compared"};
    char type[SHOW_TYPE_BYTES];
    int side = odd->a == GGK_NONE;
    ggk_tensor t;
    ggk_status status =
        tensor_of(r, side, side == 0 ? odd->a : odd->b, &t, type, err);

    if (status != GGK_OK)
        return status;
    json_open_object(j);
    json_put_string(j, "name", t.name.ptr, t.name.len);
    json_put_cstring(j, "is", words[odd->fate]);
    json_close_object(j);
    return GGK_OK;
}

static ggk_status print_json(const struct values_report *r, ggk_error *err)
{
    ggk_status status = GGK_OK;
    struct json j;

    show_json_start(&j, r->job->cli);
    json_key(&j, "files");
    json_open_row(&j);
    for (int side = 0; side < 2; side++)
        json_cstring(&j, r->job->in[side].name);
    json_close_array(&j);
    json_key(&j, "tensors");
    json_open_array(&j);
    for (uint64_t i = 0; i < r->n_told && status == GGK_OK; i++)
        status = put_distance(&j, r, &r->distances[i], err);
    json_close_array(&j);
    json_key(&j, "others");
    json_open_array(&j);
    for (uint64_t i = 0; i < r->n_odd && status == GGK_OK; i++)
        status = put_odd(&j, r, &r->odd[i], err);
    json_close_array(&j);
    json_put_u64(&j, "n_differ", r->n_differ);
    json_put_bool(&j, "equal", is_equal(r));
    show_json_end(&j);
    return status;
}

/* --------------------------------------------------------------------- run */

int diff_values(const struct diff_job *job)
{
    struct values_report r = {.job = job};
    int status = CLI_DONE;
    ggk_error err;
    ggk_status result = compare(&r, &err);

    if (result == GGK_OK && job->cli->global.json)
        result = print_json(&r, &err);
    else if (result == GGK_OK && !job->cli->global.quiet)
        result = print_text(&r, &err);
    if (result != GGK_OK)
        status = input_fail(&job->in[0], &err);
    else if (!is_equal(&r))
        status = CLI_NO;
    free(r.odd);
    free(r.distances);
    free(r.pairs);
    return status;
}
