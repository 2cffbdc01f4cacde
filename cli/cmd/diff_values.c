/* diff_values.c - gguf diff --values: how far the numbers of two models are
 * from each other, tensor by tensor, the farthest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/diff_report.h"
#include "cmd/ranking.h"
#include "looking.h"
#include "order.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

enum { WORST = 3 }; /* tensors that are named in the end */

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
    struct ranking_sum sum;
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

static ggk_status pair_tensor(struct values_report *r, uint64_t i, uint64_t j,
                              ggk_error *err)
{
    const ggk_model *a = r->job->in[0].model, *b = r->job->in[1].model;
    ggk_tensor s, t;
    ggk_status status = ggk_model_tensor(a, i, &s, err);

    if (status == GGK_OK)
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

/* Of the tensors of one name in a and in b the first go together, then the
 * second, and so on: in both orders they are in the order of the file. Into
 * `partner`, for each of a the one of b, and for each of b behind them the one
 * of a; those that have none keep GGK_NONE. */
static void find_partners(const struct order *a, const struct order *b,
                          uint64_t *partner)
{
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        int sign = order_compare_names(&a->items[i], &b->items[j]);

        if (sign == 0) {
            partner[a->items[i].tensor] = b->items[j].tensor;
            partner[a->n + b->items[j].tensor] = a->items[i].tensor;
        }
        i += sign <= 0;
        j += sign >= 0;
    }
}

static ggk_status sort_out(struct values_report *r, const uint64_t *partner,
                           size_t n, size_t m, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < n && status == GGK_OK; i++)
        if (partner[i] == GGK_NONE)
            note_odd(r, REMOVED, i, GGK_NONE);
        else
            status = pair_tensor(r, i, partner[i], err);
    for (size_t j = 0; j < m && status == GGK_OK; j++)
        if (partner[n + j] == GGK_NONE)
            note_odd(r, ADDED, GGK_NONE, j);
    return status;
}

static ggk_status pair_ordered(struct values_report *r, const struct order *a,
                               const struct order *b, ggk_error *err)
{
    uint64_t *partner = malloc((a->n + b->n + 1) * sizeof *partner);
    ggk_status status;

    r->pairs = calloc(a->n + 1, sizeof *r->pairs);
    r->distances = calloc(a->n + 1, sizeof *r->distances);
    r->odd = calloc(a->n + b->n + 1, sizeof *r->odd);
    if (partner == NULL || r->pairs == NULL || r->distances == NULL ||
        r->odd == NULL) {
        free(partner);
        return show_no_memory(err);
    }
    memset(partner, 0xff, (a->n + b->n) * sizeof *partner); /* GGK_NONE */
    find_partners(a, b, partner);
    status = sort_out(r, partner, a->n, b->n, err);
    free(partner);
    return status;
}

static ggk_status pair_tensors(struct values_report *r, ggk_error *err)
{
    struct order order[2];
    ggk_status status = order_tensors(r->job->in[0].model, NULL, ORDER_NAME,
                                      false, &order[0], err);

    if (status != GGK_OK)
        return status;
    status = order_tensors(r->job->in[1].model, NULL, ORDER_NAME, false,
                           &order[1], err);
    if (status == GGK_OK) {
        status = pair_ordered(r, &order[0], &order[1], err);
        order_free(&order[1]);
    }
    order_free(&order[0]);
    return status;
}

/* ---------------------------------------------------------------- comparing */

static bool keep_distance(void *ctx, const ggk_distance *d)
{
    struct values_report *r = ctx;

    r->distances[r->n_told++] = *d;
    ranking_add(&r->sum, d);
    r->n_differ += d->n_differ > 0;
    return true;
}

static ggk_status compare(struct values_report *r, ggk_error *err)
{
    const struct diff_job *job = r->job;
    struct looking looking;
    ggk_status status;

    if (job->same_file)
        return GGK_OK;
    status = pair_tensors(r, err);
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

static bool has_difference(const struct values_report *r)
{
    return r->n_differ > 0 || r->n[REMOVED] > 0 || r->n[ADDED] > 0 ||
           r->n[RESHAPED] > 0;
}

/* Nothing differs, but not all was compared. */
static bool is_open(const struct values_report *r)
{
    return !has_difference(r) && r->n[NOT_COMPARED] > 0;
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

/* Which model is nearer is seen from these, of two comparisons with one. */
static ggk_status print_all(const struct values_report *r, ggk_error *err)
{
    FILE *out = r->job->cli->out;

    if (r->n_differ > 0) {
        fputs("all    ", out);
        ranking_print_sum(out, &r->sum);
        fputs("\nworst  ", out);
    }
    for (uint64_t i = 0; i < r->n_differ && i < WORST; i++) {
        const ggk_distance *d = &r->distances[i];
        ggk_tensor t;
        ggk_status status =
            ggk_model_tensor(r->job->in[0].model, d->a, &t, err);

        if (status != GGK_OK)
            return status;
        fputs(i > 0 ? ", " : "", out);
        text_write(out, t.name.ptr, t.name.len, TEXT_PLAIN, TEXT_WHOLE);
    }
    if (r->n_differ > 0)
        putc('\n', out);
    for (int side = 0; side < 2; side++) {
        const struct summary *s = &r->job->summary[side];
        char size[FMT_BYTES], bits[FMT_BYTES];

        fmt_size(size, s->tensor_bytes);
        fmt_fixed(bits, summary_bits_per_weight(s), 3);
        fprintf(out, "%c      %s, %s bits per weight\n", "AB"[side], size,
                bits);
    }
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
    ggk_status status;

    if (r->job->same_file) {
        fputs("no differences: it is the same file\n", r->job->cli->out);
        return GGK_OK;
    }
    status = print_table(r, err);

    for (uint64_t i = 0; i < r->n_odd && status == GGK_OK; i++)
        status = print_odd(r, &r->odd[i], err);
    if (status != GGK_OK)
        return status;
    print_sum(r);
    return r->n_told > 0 ? print_all(r, err) : GGK_OK;
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

/* Of both, as in "files". */
static void put_sizes(struct json *j, const struct summary summary[2])
{
    json_key(j, "tensor_bytes");
    json_open_row(j);
    for (int side = 0; side < 2; side++)
        json_u64(j, summary[side].tensor_bytes);
    json_close_array(j);
    json_key(j, "bits_per_weight");
    json_open_row(j);
    for (int side = 0; side < 2; side++)
        if (summary[side].sized_parameters > 0)
            json_f64(j, summary_bits_per_weight(&summary[side]));
        else
            json_null(j);
    json_close_array(j);
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
    put_sizes(&j, r->job->summary);
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
    json_put_u64(&j, "n_not_compared", r->n[NOT_COMPARED]);
    json_put_bool(&j, "same_file", r->job->same_file);
    if (status == GGK_OK && r->n_told > 0)
        ranking_put_sum(&j, &r->sum);
    if (is_open(r))
        json_put_null(&j, "equal");
    else
        json_put_bool(&j, "equal", !has_difference(r));
    show_json_end(&j);
    return status;
}

/* --------------------------------------------------------------------- run */

static int tell_open(const struct values_report *r)
{
    uint64_t n = r->n[NOT_COMPARED];

    msg_error(&r->job->cli->msg, r->job->in[1].name,
              "whether all is equal is not known: %" PRIu64 " tensor%s cannot "
              "be dequantized; without --values their bytes are compared",
              n, fmt_plural(n));
    return CLI_UNSUPPORTED;
}

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
    else if (is_open(&r))
        status = tell_open(&r);
    else if (has_difference(&r))
        status = CLI_NO;
    free(r.odd);
    free(r.distances);
    free(r.pairs);
    return status;
}
