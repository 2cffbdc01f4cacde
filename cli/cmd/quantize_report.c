/* quantize_report.c - what gguf quantize tells: the plan of each tensor, and
 * sums. */
#include <inttypes.h>
#include <string.h>

#include "cmd/quantizing.h"
#include "finding.h"
#include "out/fmt.h"
#include "out/table.h"
#include "same.h"
#include "show.h"
#include "ui/progress.h"

/* That a thread takes, as of ggk_plan_quantize. */
#define THREAD_BYTES ((uint64_t)4 << 20)

/* --------------------------------------------------------------------- sums */

/* How far an imatrix goes. */
struct coverage {
    uint64_t used;    /* entries that tensors are quantized by */
    uint64_t missing; /* tensors that are quantized without one */
    uint64_t left;    /* entries for nothing */
    uint64_t bytes;   /* of their values, in memory */
};

static bool is_quantized(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    return info != NULL && (info->flags & GGK_TYPE_QUANTIZED) != 0;
}

static struct coverage coverage_of(const struct quantizing *q)
{
    const struct importances *im = &q->importances;
    struct coverage c = {0, 0, 0, 0};
    ggk_recipe_tensor t;
    ggk_importances e;

    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &t, NULL) == GGK_OK;
         i++) {
        c.used += t.importances != GGK_NONE;
        c.missing +=
            t.importances == GGK_NONE && t.from != t.to && is_quantized(t.to);
    }
    c.left = im->info.n_entries - c.used;
    for (uint64_t i = 0; i < im->info.n_entries; i++)
        if (ggk_imatrix_entry(im->imatrix, i, &e, NULL) == GGK_OK)
            c.bytes += e.n_values * sizeof *e.values;
    return c;
}

/* Bytes of the model's files, and of those that it becomes. */
static uint64_t bytes_before(const struct quantizing *q)
{
    uint64_t sum = 0;
    ggk_file f;

    for (uint32_t i = 0; i < ggk_model_n_files(q->in->model); i++)
        if (ggk_model_file(q->in->model, i, &f, NULL) == GGK_OK &&
            f.size != GGK_SIZE_UNKNOWN)
            sum += f.size;
    return sum;
}

static uint64_t bytes_after(const struct quantizing *q)
{
    uint64_t sum = 0;
    ggk_planned_file f;

    for (uint32_t i = 0; i < ggk_plan_n_files(q->plan); i++)
        if (ggk_plan_file(q->plan, i, &f, NULL) == GGK_OK)
            sum += f.size;
    return sum;
}

static const char *type_name(const struct quantizing *q, uint32_t type,
                             char name[SHOW_TYPE_BYTES])
{
    show_tensor_type(name, q->in->model, type);
    return name;
}

/* -------------------------------------------------------------------- text */

/* The type that it gets, and the one that does not fit its rows. */
static void put_new_type(struct table *t, const struct quantizing *q,
                         const ggk_recipe_tensor *r)
{
    char text[2 * SHOW_TYPE_BYTES + 8], to[SHOW_TYPE_BYTES],
        wanted[SHOW_TYPE_BYTES];

    if (r->fallback)
        snprintf(text, sizeof text, "%s for %s", type_name(q, r->to, to),
                 type_name(q, r->wanted, wanted));
    else
        type_name(q, r->to, text);
    table_text(t, text, strlen(text));
}

static void put_tensor_rows(struct table *t, const struct quantizing *q)
{
    ggk_recipe_tensor r;
    ggk_tensor tensor;
    char shape[SHOW_SHAPE_BYTES], name[SHOW_TYPE_BYTES];

    for (uint64_t i = 0; i < ggk_recipe_n_tensors(q->recipe); i++) {
        if (ggk_recipe_tensor_at(q->recipe, i, &r, NULL) != GGK_OK ||
            ggk_model_tensor(q->in->model, r.tensor, &tensor, NULL) != GGK_OK)
            continue;
        show_shape(shape, &tensor);
        table_text(t, r.name.ptr, r.name.len);
        table_cstring(t, shape);
        table_cstring(t, type_name(q, r.from, name));
        put_new_type(t, q, &r);
        table_u64(t, r.to_bytes);
        table_cstring(t, r.reason->id);
    }
}

static void print_tensors(FILE *out, const struct quantizing *q)
{
    static const struct table_column columns[] = {
        {"NAME", TABLE_LEFT, true},    {"SHAPE", TABLE_LEFT, false},
        {"FROM", TABLE_LEFT, false},   {"TO", TABLE_LEFT, false},
        {"BYTES", TABLE_RIGHT, false}, {"RULE", TABLE_LEFT, false},
    };
    const struct term *term = &q->cli->term;
    struct table t;

    if (ggk_recipe_n_tensors(q->recipe) == 0)
        return;
    table_start(&t, out, columns, 6, term->width, term_style(term, TERM_BOLD),
                term_style(term, TERM_PLAIN));
    table_spare(&t, 1);
    table_spare(&t, 5);
    do
        put_tensor_rows(&t, q);
    while (table_again(&t));
    putc('\n', out);
}

/* Does a type come before another: the most bytes first; then by id. */
static bool comes_before(const ggk_recipe_type *a, const ggk_recipe_type *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->type < b->type;
}

/* The type that comes next after the one in *type, if that is not the first. */
static bool next_type(const struct quantizing *q, bool is_first,
                      ggk_recipe_type *type)
{
    const ggk_recipe_type before = *type;
    bool found = false;
    ggk_recipe_type t;

    for (size_t i = 0; ggk_recipe_type_at(q->recipe, i, &t, NULL) == GGK_OK;
         i++) {
        if ((!is_first && !comes_before(&before, &t)) ||
            (found && !comes_before(&t, type)))
            continue;
        *type = t;
        found = true;
    }
    return found;
}

static void print_types(FILE *out, const struct quantizing *q,
                        const ggk_recipe_total *sum)
{
    static const struct table_column columns[] = {
        {"TYPE", TABLE_LEFT, false},        {"TENSORS", TABLE_RIGHT, false},
        {"PARAMETERS", TABLE_RIGHT, false}, {"BYTES", TABLE_RIGHT, false},
        {"SHARE", TABLE_RIGHT, false},
    };
    const struct term *term = &q->cli->term;
    size_t n = ggk_recipe_n_types(q->recipe);
    struct table t;

    if (n == 0)
        return;
    table_start(&t, out, columns, 5, term->width, term_style(term, TERM_BOLD),
                term_style(term, TERM_PLAIN));
    do {
        ggk_recipe_type type = {0};
        char name[SHOW_TYPE_BYTES];

        for (size_t i = 0; i < n && next_type(q, i == 0, &type); i++)
            show_type_row(&t, type_name(q, type.type, name), type.n_tensors,
                          type.n_elements, type.bytes, sum->to_bytes);
        if (n > 1)
            show_type_row(&t, "total", sum->n_tensors, sum->n_elements,
                          sum->to_bytes, sum->to_bytes);
    } while (table_again(&t));
    putc('\n', out);
}

static bool has_decided(const struct quantizing *q, const ggk_reason *reason)
{
    ggk_recipe_tensor r;

    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++)
        if (r.reason == reason)
            return true;
    return false;
}

/* What the rules say that decided something. */
static void print_rules(FILE *out, const struct quantizing *q)
{
    const struct term *term = &q->cli->term;
    const ggk_reason *reason;
    size_t width = strlen("RULE");

    if (ggk_recipe_n_tensors(q->recipe) == 0)
        return;
    for (size_t i = 0; (reason = ggk_reason_at(i)) != NULL; i++)
        if (has_decided(q, reason) && strlen(reason->id) > width)
            width = strlen(reason->id);
    fprintf(out, "%s%-*s  MEANS%s\n", term_style(term, TERM_BOLD), (int)width,
            "RULE", term_style(term, TERM_PLAIN));
    for (size_t i = 0; (reason = ggk_reason_at(i)) != NULL; i++)
        if (has_decided(q, reason)) {
            fprintf(out, "%-*s  ", (int)width, reason->id);
            finding_print_last(q->cli, reason->what, width + 2);
        }
    putc('\n', out);
}

static void print_importances(FILE *out, const struct quantizing *q)
{
    const struct importances *im = &q->importances;
    struct coverage c = coverage_of(q);

    if (q->options->imatrix == NULL)
        return;
    fprintf(out,
            "importances: %" PRIu64 " entr%s used, %" PRIu64
            " tensor%s quantized without, %" PRIu64 " entr%s for nothing",
            c.used, c.used == 1 ? "y" : "ies", c.missing, fmt_plural(c.missing),
            c.left, c.left == 1 ? "y" : "ies");
    if (im->n_dropped > 0)
        fprintf(out, ", %" PRIu64 " left out", im->n_dropped);
    putc('\n', out);
}

/* Is there a tensor that will have another name? */
static bool renames(const struct quantizing *q)
{
    ggk_recipe_tensor r;
    ggk_tensor t;

    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++)
        if (ggk_model_tensor(q->in->model, r.tensor, &t, NULL) == GGK_OK &&
            !str_same(r.name, t.name))
            return true;
    return false;
}

static void print_pruned(FILE *out, const struct quantizing *q,
                         const ggk_recipe_total *sum)
{
    if (q->layers.n > 0)
        fprintf(out, "pruned: %zu layer%s, %" PRIu64 " tensor%s%s\n",
                q->layers.n, fmt_plural(q->layers.n), sum->n_pruned,
                fmt_plural(sum->n_pruned),
                renames(q) ? "; the layers behind have new numbers" : "");
}

static void print_needs(FILE *out, const struct quantizing *q)
{
    char size[FMT_BYTES];
    struct coverage c = coverage_of(q);

    fmt_size(size, THREAD_BYTES);
    fprintf(out, "needs: up to %s of memory for each thread", size);
    fmt_size(size, c.bytes);
    if (c.bytes > 0)
        fprintf(out, ", %s for the importances", size);
    fmt_size(size, bytes_after(q));
    fprintf(out, "; %s of disk\n", size);
}

#define PAIRS_MOST 16

/* Tensors that get one type in place of another. */
struct pair {
    uint32_t to, wanted;
    uint64_t n;
};

/* Count a tensor in; returns the number of pairs there are. */
static size_t count_pair(struct pair *pairs, size_t n,
                         const ggk_recipe_tensor *r)
{
    size_t i = 0;

    while (i < n && (pairs[i].to != r->to || pairs[i].wanted != r->wanted))
        i++;
    if (i == PAIRS_MOST)
        return n;
    if (i == n)
        pairs[n++] = (struct pair){r->to, r->wanted, 0};
    pairs[i].n++;
    return n;
}

/* Which types stand in for which, and what that means. */
static void print_fallbacks(FILE *out, const struct quantizing *q, uint64_t n)
{
    struct pair pairs[PAIRS_MOST];
    char to[SHOW_TYPE_BYTES], wanted[SHOW_TYPE_BYTES];
    size_t n_pairs = 0;
    ggk_recipe_tensor r;

    if (n == 0)
        return;
    for (uint64_t i = 0; ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK;
         i++)
        if (r.fallback)
            n_pairs = count_pair(pairs, n_pairs, &r);
    fprintf(out,
            "%" PRIu64 " tensor%s %s a larger type, as %s rows do not fill "
            "whole blocks:\n",
            n, fmt_plural(n),
            !q->cli->global.dry_run ? "got"
            : n == 1                ? "gets"
                                    : "get",
            n == 1 ? "its" : "their");
    for (size_t i = 0; i < n_pairs; i++)
        fprintf(out, "  %" PRIu64 " %s for %s\n", pairs[i].n,
                type_name(q, pairs[i].to, to),
                type_name(q, pairs[i].wanted, wanted));
    fputs("  nothing is wrong with that; --tensor-type chooses others, "
          "--no-fallback stops\n",
          out);
}

static void print_summary(FILE *out, const struct quantizing *q,
                          const ggk_recipe_total *sum)
{
    fprintf(out, "%s: %" PRIu64 " of %" PRIu64 " tensors change%s\n",
            sum->target->name, sum->n_changed, sum->n_tensors,
            q->cli->global.dry_run ? "" : "d");
    print_fallbacks(out, q, sum->n_fallbacks);
}

void quantize_put_sizes(FILE *out, const void *ctx)
{
    const struct quantizing *q = ctx;
    double seconds = progress_seconds(&q->begun);
    char before[FMT_BYTES], after[FMT_BYTES], text[FMT_BYTES];
    ggk_recipe_total sum;

    ggk_recipe_sum(q->recipe, &sum);
    fmt_size(before, bytes_before(q));
    fmt_size(after, bytes_after(q));
    fmt_fixed(text, sum.bits_per_weight, 3);
    fprintf(out, "%s to %s, %s bits per weight", before, after, text);
    if (q->cli->global.dry_run || seconds < 1)
        return;
    fmt_duration(text, seconds);
    fprintf(out, ", in %s", text);
}

void quantize_put_text(FILE *out, const void *ctx)
{
    const struct quantizing *q = ctx;
    ggk_recipe_total sum;

    ggk_recipe_sum(q->recipe, &sum);
    if (q->cli->global.dry_run || q->cli->global.verbose) {
        print_tensors(out, q);
        print_types(out, q, &sum);
    }
    if (q->cli->global.verbose)
        print_rules(out, q);
    print_summary(out, q, &sum);
    print_pruned(out, q, &sum);
    print_importances(out, q);
    if (q->cli->global.dry_run && q->plan != NULL)
        print_needs(out, q);
}

/* -------------------------------------------------------------------- JSON */

static void put_tensor_json(struct json *j, const struct quantizing *q,
                            const ggk_recipe_tensor *r,
                            const ggk_tensor *tensor)
{
    const struct tensor_types *types = &q->types;
    char name[SHOW_TYPE_BYTES];

    json_open_object(j);
    json_put_string(j, "name", r->name.ptr, r->name.len);
    if (!str_same(r->name, tensor->name))
        json_put_string(j, "was", tensor->name.ptr, tensor->name.len);
    json_key(j, "shape");
    show_json_shape(j, tensor);
    json_put_cstring(j, "from", type_name(q, r->from, name));
    json_put_cstring(j, "to", type_name(q, r->to, name));
    json_put_cstring(j, "rule", r->reason->id);
    if (r->override < types->n)
        json_put_string(j, "tensor_type", types->items[r->override],
                        strlen(types->items[r->override]));
    if (r->fallback)
        json_put_cstring(j, "fallback_of", type_name(q, r->wanted, name));
    if (q->importances.imatrix != NULL)
        json_put_bool(j, "importances", r->importances != GGK_NONE);
    json_put_u64(j, "elements", r->n_elements);
    json_put_u64(j, "bytes_before", r->from_bytes);
    json_put_u64(j, "bytes", r->to_bytes);
    json_close_object(j);
}

static void put_types_json(struct json *j, const struct quantizing *q)
{
    ggk_recipe_type type;
    char name[SHOW_TYPE_BYTES];

    json_key(j, "types");
    json_open_array(j);
    for (size_t i = 0; i < ggk_recipe_n_types(q->recipe); i++) {
        if (ggk_recipe_type_at(q->recipe, i, &type, NULL) != GGK_OK)
            continue;
        json_open_object(j);
        json_put_cstring(j, "type", type_name(q, type.type, name));
        json_put_u64(j, "tensors", type.n_tensors);
        json_put_u64(j, "elements", type.n_elements);
        json_put_u64(j, "bytes", type.bytes);
        json_close_object(j);
    }
    json_close_array(j);
}

static void put_importances_json(struct json *j, const struct quantizing *q,
                                 const struct coverage *c)
{
    const char *file = q->options->imatrix;

    if (file == NULL)
        return;
    json_key(j, "imatrix");
    json_open_object(j);
    json_put_string(j, "file", file, strlen(file));
    json_put_u64(j, "entries", q->importances.info.n_entries);
    json_put_u64(j, "left_out", q->importances.n_dropped);
    json_put_u64(j, "used", c->used);
    json_put_u64(j, "missing", c->missing);
    json_put_u64(j, "unused", c->left);
    json_close_object(j);
}

static void put_pruned_json(struct json *j, const struct quantizing *q,
                            const ggk_recipe_total *sum)
{
    if (q->layers.n == 0)
        return;
    json_key(j, "pruned");
    json_open_object(j);
    json_key(j, "layers");
    json_open_row(j);
    for (size_t i = 0; i < q->layers.n; i++)
        json_u64(j, q->layers.items[i]);
    json_close_array(j);
    json_put_u64(j, "tensors", sum->n_pruned);
    json_close_object(j);
}

void quantize_put_json(struct json *j, const void *ctx)
{
    const struct quantizing *q = ctx;
    struct coverage c = coverage_of(q);
    ggk_recipe_total sum;
    ggk_recipe_tensor r;
    ggk_tensor tensor;

    ggk_recipe_sum(q->recipe, &sum);
    json_put_string(j, "file", q->in->name, strlen(q->in->name));
    json_put_cstring(j, "target", sum.target->name);
    json_put_u64(j, "file_type", sum.target->file_type);
    json_key(j, "tensors");
    json_open_array(j);
    for (uint64_t i = 0; i < ggk_recipe_n_tensors(q->recipe); i++)
        if (ggk_recipe_tensor_at(q->recipe, i, &r, NULL) == GGK_OK &&
            ggk_model_tensor(q->in->model, r.tensor, &tensor, NULL) == GGK_OK)
            put_tensor_json(j, q, &r, &tensor);
    json_close_array(j);
    put_types_json(j, q);
    put_importances_json(j, q, &c);
    put_pruned_json(j, q, &sum);
    json_put_u64(j, "n_tensors", sum.n_tensors);
    json_put_u64(j, "n_changed", sum.n_changed);
    json_put_u64(j, "n_fallbacks", sum.n_fallbacks);
    json_put_u64(j, "elements", sum.n_elements);
    json_put_f64(j, "bits_per_weight", sum.bits_per_weight);
    json_put_u64(j, "bytes_before", bytes_before(q));
    json_put_u64(j, "memory_per_thread", THREAD_BYTES);
    json_put_u64(j, "memory_importances", c.bytes);
}
