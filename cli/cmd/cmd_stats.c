/* cmd_stats.c - gguf stats: what the numbers of tensors are like. */
#include <stdlib.h>
#include <string.h>

#include "cmd/sparkline.h"
#include "command.h"
#include "input.h"
#include "looking.h"
#include "order.h"
#include "out/fmt.h"
#include "out/table.h"
#include "show.h"

struct stats_options {
    int sort; /* enum order_by */
    bool reverse;
};

static const struct opt stats_options[] = {
    {"sort", 0, OPT_CHOICE, NULL, "sort by this, least first; else file order",
     offsetof(struct stats_options, sort), order_choices},
    {"reverse", 'r', OPT_FLAG, NULL, "with --sort: greatest first",
     offsetof(struct stats_options, reverse), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

/* What is kept of a tensor, of which there may be millions: of the bins, those
 * from the first to the last that is not zero. */
struct kept {
    uint64_t n, n_zero, n_nan, n_infinite;
    double min, max, mean, deviation, bin_width;
    uint64_t *bins;
    size_t first, n_bins;
};

/* The tensors that were asked for, and what was found of them. */
struct statistics {
    const struct input *in;
    struct order order;
    uint64_t *tensors;  /* those that have values, in that order */
    struct kept *stats; /* of each */
    uint64_t n, n_told;
    bool odd;       /* one has a NaN or an infinity */
    bool no_memory; /* that is why it ended */
};

/* ----------------------------------------------------------------- finding */

static bool keep_bins(struct kept *k, const uint64_t bins[GGK_STATS_BINS])
{
    size_t end = GGK_STATS_BINS;

    while (end > 0 && bins[end - 1] == 0)
        end--;
    while (k->first < end && bins[k->first] == 0)
        k->first++;
    k->n_bins = end - k->first;
    if (k->n_bins == 0)
        return true;
    k->bins = malloc(k->n_bins * sizeof *k->bins);
    if (k->bins != NULL)
        memcpy(k->bins, bins + k->first, k->n_bins * sizeof *k->bins);
    return k->bins != NULL;
}

static bool keep_stats(void *ctx, const ggk_stats *stats)
{
    struct statistics *s = ctx;
    struct kept *k = &s->stats[s->n_told++];

    *k = (struct kept){.n = stats->n,
                       .n_zero = stats->n_zero,
                       .n_nan = stats->n_nan,
                       .n_infinite = stats->n_infinite,
                       .min = stats->min,
                       .max = stats->max,
                       .mean = stats->mean,
                       .deviation = stats->deviation,
                       .bin_width = stats->bin_width};
    s->odd = s->odd || stats->n_nan > 0 || stats->n_infinite > 0;
    s->no_memory = !keep_bins(k, stats->bins);
    return !s->no_memory;
}

static void free_stats(struct statistics *s)
{
    for (uint64_t i = 0; i < s->n_told; i++)
        free(s->stats[i].bins);
    free(s->stats);
    free(s->tensors);
}

static uint64_t bin_at(const struct kept *k, size_t i)
{
    return i >= k->first && i - k->first < k->n_bins ? k->bins[i - k->first]
                                                     : 0;
}

static ggk_status list_tensors(struct statistics *s, ggk_error *err)
{
    const ggk_model *model = s->in->model;

    s->tensors = calloc(s->order.n, sizeof *s->tensors);
    if (s->tensors == NULL)
        return show_no_memory(err);
    for (size_t i = 0; i < s->order.n; i++) {
        ggk_tensor t;
        ggk_status status = order_at(&s->order, model, i, &t, err);

        if (status != GGK_OK)
            return status;
        if (ggk_model_has_values(model, &t))
            s->tensors[s->n++] = s->order.items[i].tensor;
    }
    return GGK_OK;
}

static ggk_status find_stats(struct statistics *s, ggk_error *err)
{
    struct looking looking;
    ggk_status status = list_tensors(s, err);

    if (status != GGK_OK || s->n == 0)
        return status;
    s->stats = calloc((size_t)s->n, sizeof *s->stats);
    if (s->stats == NULL)
        return show_no_memory(err);
    looking_start(&looking, s->in->cli, "looking at");
    status = ggk_model_stats(s->in->model, s->tensors, s->n, &looking.opts,
                             keep_stats, s, err);
    looking_end(&looking);
    return s->no_memory ? show_no_memory(err) : status;
}

/* -------------------------------------------------------------------- text */

enum { COLUMNS_MOST = 10, COLUMNS_FEW = 7, NARROW = 80, WIDE = 132 };

/* Of a table with those columns that there is something to tell in. */
static size_t choose_columns(const struct statistics *s, bool pictured,
                             struct table_column columns[COLUMNS_MOST])
{
    static const struct table_column all[] = {
        {"NAME", TABLE_LEFT, true},    {"TYPE", TABLE_LEFT, false},
        {"MIN", TABLE_RIGHT, false},   {"MAX", TABLE_RIGHT, false},
        {"MEAN", TABLE_RIGHT, false},  {"DEV", TABLE_RIGHT, false},
        {"ZEROS", TABLE_RIGHT, false}, {"NAN", TABLE_RIGHT, false},
        {"INF", TABLE_RIGHT, false},   {"HISTOGRAM", TABLE_LEFT, false},
    };
    size_t n = s->odd ? COLUMNS_MOST - 1 : COLUMNS_FEW;

    memcpy(columns, all, n * sizeof *columns);
    if (pictured)
        columns[n++] = all[COLUMNS_MOST - 1];
    return n;
}

static void put_number(struct table *t, double v)
{
    char text[FMT_BYTES];

    fmt_short(text, v);
    table_cstring(t, text);
}

static void put_share(struct table *t, uint64_t part, uint64_t whole)
{
    char text[FMT_BYTES];

    fmt_percent(text, part, whole);
    table_cstring(t, text);
}

/* NULL: the tensor has no values that could be told. */
static void put_stats(struct table *t, const struct statistics *s,
                      const struct kept *stats, size_t picture)
{
    uint64_t bins[GGK_STATS_BINS];
    char line[SPARKLINE_BYTES];

    if (stats == NULL) {
        for (int i = 0; i < 5 + (s->odd ? 2 : 0) + (picture > 0); i++)
            table_cstring(t, "-");
        return;
    }
    put_number(t, stats->min);
    put_number(t, stats->max);
    put_number(t, stats->mean);
    put_number(t, stats->deviation);
    put_share(t, stats->n_zero, stats->n);
    if (s->odd) {
        table_u64(t, stats->n_nan);
        table_u64(t, stats->n_infinite);
    }
    if (picture > 0) {
        for (size_t i = 0; i < GGK_STATS_BINS; i++)
            bins[i] = bin_at(stats, i);
        sparkline(line, bins, GGK_STATS_BINS, picture);
        table_cstring(t, line);
    }
}

/* What was found of tensor `i` of the order, where `*k` were before it. */
static const struct kept *stats_of(const struct statistics *s, size_t i,
                                   uint64_t *k)
{
    return *k < s->n && s->tensors[*k] == s->order.items[i].tensor
               ? &s->stats[(*k)++]
               : NULL;
}

static ggk_status put_rows(struct table *t, const struct statistics *s,
                           size_t picture, ggk_error *err)
{
    uint64_t k = 0;

    for (size_t i = 0; i < s->order.n; i++) {
        char type[SHOW_TYPE_BYTES];
        ggk_tensor tensor;
        ggk_status status = order_at(&s->order, s->in->model, i, &tensor, err);

        if (status != GGK_OK)
            return status;
        show_tensor_type(type, s->in->model, tensor.type);
        table_text(t, tensor.name.ptr, tensor.name.len);
        table_cstring(t, type);
        put_stats(t, s, stats_of(s, i, &k), picture);
    }
    return GGK_OK;
}

/* On a terminal the histogram is a picture, if names have room beside it; what
 * reads a pipe has --json. */
static size_t picture_columns(const struct term *term)
{
    if (!term->tty || term->width < NARROW)
        return 0;
    return term->width < WIDE ? GGK_STATS_BINS / 4 : GGK_STATS_BINS / 2;
}

static ggk_status print_stats(const struct statistics *s, ggk_error *err)
{
    const struct term *term = &s->in->cli->term;
    struct table_column columns[COLUMNS_MOST];
    size_t picture = picture_columns(term);
    struct table t;

    table_start(&t, s->in->cli->out, columns,
                choose_columns(s, picture > 0, columns), term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        ggk_status status = put_rows(&t, s, picture, err);

        if (status != GGK_OK)
            return status;
    } while (table_again(&t));
    return GGK_OK;
}

/* -------------------------------------------------------------------- JSON */

static void put_histogram(struct json *j, const struct kept *stats)
{
    json_put_f64(j, "bin_width", stats->bin_width);
    json_key(j, "bins");
    json_open_row(j);
    for (size_t i = 0; i < GGK_STATS_BINS; i++)
        json_u64(j, bin_at(stats, i));
    json_close_array(j);
}

static void put_members(struct json *j, const struct kept *stats)
{
    json_put_bool(j, "has_values", stats != NULL);
    if (stats == NULL)
        return;
    json_put_u64(j, "zeros", stats->n_zero);
    json_put_u64(j, "nan", stats->n_nan);
    json_put_u64(j, "infinite", stats->n_infinite);
    if (stats->n == stats->n_nan + stats->n_infinite)
        return;
    json_put_f64(j, "min", stats->min);
    json_put_f64(j, "max", stats->max);
    json_put_f64(j, "mean", stats->mean);
    json_put_f64(j, "deviation", stats->deviation);
    put_histogram(j, stats);
}

static ggk_status print_json(const struct statistics *s, ggk_error *err)
{
    uint64_t k = 0;
    struct json j;

    show_json_start(&j, s->in->cli);
    json_put_cstring(&j, "file", s->in->name);
    json_key(&j, "tensors");
    json_open_array(&j);
    for (size_t i = 0; i < s->order.n; i++) {
        ggk_tensor tensor;
        ggk_status status = order_at(&s->order, s->in->model, i, &tensor, err);

        if (status != GGK_OK)
            return status;
        json_open_object(&j);
        show_json_named(&j, s->in->model, &tensor);
        put_members(&j, stats_of(s, i, &k));
        json_close_object(&j);
    }
    json_close_array(&j);
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- run */

/* The model is open. */
static int tell_stats(const struct cli *cli, const struct input *in,
                      const char *pattern)
{
    const struct stats_options *o = cli->options;
    struct statistics s = {.in = in};
    int status = CLI_DONE;
    ggk_error err;
    ggk_status result = order_tensors(
        in->model, pattern, (enum order_by)o->sort, o->reverse, &s.order, &err);

    if (result == GGK_OK && s.order.n > 0)
        result = find_stats(&s, &err);
    if (result == GGK_OK && cli->global.json)
        result = print_json(&s, &err);
    else if (result == GGK_OK && s.order.n > 0)
        result = print_stats(&s, &err);
    if (result != GGK_OK)
        status = input_fail(in, &err);
    else if (s.order.n == 0 && pattern != NULL)
        status = input_no_match(in, "tensor", pattern);
    free_stats(&s);
    order_free(&s.order);
    return status;
}

static int run_stats(struct cli *cli, int argc, char **argv)
{
    const struct stats_options *o = cli->options;

    return order_run(cli, argc, argv, o->sort, o->reverse, tell_stats);
}

static const struct cli_example stats_examples[] = {
    {"gguf stats model.gguf", "the range of every tensor, and its histogram"},
    {"gguf stats model.gguf '*ffn_down*'", "those that are often the widest"},
    {"gguf stats --json model.gguf | jq '.tensors[] | select(.nan > 0)'",
     "tensors with a NaN"},
    {NULL, NULL},
};

const struct command cmd_stats = {
    .name = "stats",
    .operands = "FILE [PATTERN]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = CLI_READS_MODEL | CLI_READS_DATA,
    .summary = "tell what the numbers of tensors are like",
    .about = "Tells of each tensor, dequantized, the least, the greatest and "
             "the mean number,\nthe standard deviation, the share of zeros "
             "and, on a terminal, the histogram.",
    .examples = stats_examples,
    .options = stats_options,
    .options_bytes = sizeof(struct stats_options),
    .no_means = "no tensor matches PATTERN",
    .run = run_stats,
};
