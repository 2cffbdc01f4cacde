/* cmd_stats.c - gguf stats: what the numbers of tensors are like. */
#include <inttypes.h>
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

/* What tensors are sorted by: as in enum order_by, or by what was found. */
enum stats_order {
    STATS_MAX = ORDER_TYPE + 1,
    STATS_DEV,
    STATS_ZEROS,
    STATS_OUTLIERS
};
static const char *const stats_choices[] = {
    "name", "size", "offset", "type", "max", "dev", "zeros", "outliers", NULL};

struct stats_options {
    int sort; /* enum order_by or enum stats_order */
    bool reverse;
};

static const struct opt stats_options[] = {
    {"sort", 0, OPT_CHOICE, NULL, "sort by this, least first; else file order",
     offsetof(struct stats_options, sort), stats_choices},
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

/* Why a tensor has no numbers. */
enum lack { LACKS_NOTHING, LACKS_VALUES, LACKS_DATA };

/* A tensor that was asked for; `stats` only if it lacks nothing. */
struct row {
    uint64_t tensor;
    const struct kept *stats;
    enum lack lack;
    size_t at; /* in the order so far */
    double key;
};

/* The tensors that were asked for, and what was found of them. */
struct statistics {
    const struct input *in;
    struct row *rows;
    size_t n_rows;
    uint64_t *tensors;  /* those that have numbers, in that order */
    struct kept *stats; /* of each */
    uint64_t n, n_told;
    uint64_t n_cut; /* rows that lack data */
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
    free(s->rows);
}

static uint64_t bin_at(const struct kept *k, size_t i)
{
    return i >= k->first && i - k->first < k->n_bins ? k->bins[i - k->first]
                                                     : 0;
}

/* The farthest number from the mean, in deviations. */
static double outlier_of(const struct kept *k)
{
    double below = k->mean - k->min, above = k->max - k->mean;

    if (k->deviation == 0)
        return 0;
    return (below > above ? below : above) / k->deviation;
}

static enum lack lack_of(const ggk_model *model, const ggk_tensor *t)
{
    ggk_file f;

    if (!ggk_model_has_values(model, t))
        return LACKS_VALUES;
    if (ggk_model_file(model, t->file, &f, NULL) != GGK_OK ||
        f.size == GGK_SIZE_UNKNOWN || t->bytes == 0)
        return LACKS_NOTHING;
    return t->data_off <= f.size && t->bytes <= f.size - t->data_off
               ? LACKS_NOTHING
               : LACKS_DATA;
}

static ggk_status list_rows(struct statistics *s, const struct order *order,
                            ggk_error *err)
{
    const ggk_model *model = s->in->model;

    s->rows = calloc(order->n + 1, sizeof *s->rows);
    s->tensors = calloc(order->n + 1, sizeof *s->tensors);
    s->stats = calloc(order->n + 1, sizeof *s->stats);
    if (s->rows == NULL || s->tensors == NULL || s->stats == NULL)
        return show_no_memory(err);
    for (; s->n_rows < order->n; s->n_rows++) {
        struct row *row = &s->rows[s->n_rows];
        ggk_tensor t;
        ggk_status status = order_at(order, model, s->n_rows, &t, err);

        if (status != GGK_OK)
            return status;
        row->tensor = order->items[s->n_rows].tensor;
        row->at = s->n_rows;
        row->lack = lack_of(model, &t);
        s->n_cut += row->lack == LACKS_DATA;
        if (row->lack != LACKS_NOTHING)
            continue;
        row->stats = &s->stats[s->n];
        s->tensors[s->n++] = row->tensor;
    }
    return GGK_OK;
}

static ggk_status find_stats(struct statistics *s, ggk_error *err)
{
    struct looking looking;
    ggk_status status;

    if (s->n == 0)
        return GGK_OK;
    looking_start(&looking, s->in->cli, "looking at");
    status = ggk_model_stats(s->in->model, s->tensors, s->n, &looking.opts,
                             keep_stats, s, err);
    looking_end(&looking);
    return s->no_memory ? show_no_memory(err) : status;
}

/* ----------------------------------------------------------------- sorting */

static double key_of(const struct kept *k, enum stats_order by)
{
    switch (by) {
    case STATS_MAX: return k->max;
    case STATS_DEV: return k->deviation;
    case STATS_ZEROS: return k->n > 0 ? (double)k->n_zero / (double)k->n : 0;
    case STATS_OUTLIERS: return outlier_of(k);
    }
    return 0;
}

/* Those without numbers come last. */
static int compare_rows(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    bool has_a = a->stats != NULL, has_b = b->stats != NULL;

    if (has_a != has_b)
        return has_a ? -1 : 1;
    if (has_a && a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* By what was found, if that was asked for. */
static void sort_rows(struct statistics *s, const struct stats_options *o)
{
    double sign = o->reverse ? -1 : 1;

    if (o->sort <= ORDER_TYPE)
        return;
    for (size_t i = 0; i < s->n_rows; i++) {
        struct row *row = &s->rows[i];

        if (row->stats != NULL)
            row->key = sign * key_of(row->stats, (enum stats_order)o->sort);
    }
    qsort(s->rows, s->n_rows, sizeof *s->rows, compare_rows);
}

/* -------------------------------------------------------------------- text */

enum {
    MIN = 2,
    MEAN = 4,
    OUTLIER = 7,
    NANS = 8,
    INFINITE = 9,
    HISTOGRAM = 10,
    COLUMN_COUNT = 11
};

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

static void put_outlier(struct table *t, const struct kept *stats)
{
    char text[FMT_BYTES];

    fmt_fixed(text, outlier_of(stats), 1);
    table_cstring(t, text);
}

/* `picture`: columns that it has, if any. */
static void put_histogram(struct table *t, const struct kept *stats,
                          size_t picture)
{
    uint64_t bins[GGK_STATS_BINS];
    char line[SPARKLINE_BYTES] = "";

    for (size_t i = 0; i < GGK_STATS_BINS; i++)
        bins[i] = bin_at(stats, i);
    if (picture > 0)
        sparkline(line, bins, GGK_STATS_BINS, picture);
    table_cstring(t, line);
}

/* NULL: the tensor has no numbers that could be told. */
static void put_stats(struct table *t, const struct kept *stats, size_t picture)
{
    if (stats == NULL) {
        for (size_t i = MIN; i < COLUMN_COUNT; i++)
            table_cstring(t, "-");
        return;
    }
    put_number(t, stats->min);
    put_number(t, stats->max);
    put_number(t, stats->mean);
    put_number(t, stats->deviation);
    put_share(t, stats->n_zero, stats->n);
    put_outlier(t, stats);
    table_u64(t, stats->n_nan);
    table_u64(t, stats->n_infinite);
    put_histogram(t, stats, picture);
}

static ggk_status put_rows(struct table *t, const struct statistics *s,
                           size_t picture, ggk_error *err)
{
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct row *row = &s->rows[i];
        char type[SHOW_TYPE_BYTES];
        ggk_tensor tensor;
        ggk_status status =
            ggk_model_tensor(s->in->model, row->tensor, &tensor, err);

        if (status != GGK_OK)
            return status;
        show_tensor_type(type, s->in->model, tensor.type);
        table_text(t, tensor.name.ptr, tensor.name.len);
        table_cstring(t, type);
        put_stats(t, row->stats, picture);
    }
    return GGK_OK;
}

/* How many bars have room beside all else: 64, 32, 16, 8 or none. */
static size_t choose_picture(struct table *t)
{
    size_t room = table_room(t, HISTOGRAM), bars = GGK_STATS_BINS;

    while (bars > room)
        bars /= 2;
    return bars >= 8 && room >= strlen("HISTOGRAM") ? bars : 0;
}

/* On a terminal the histogram is a picture; what reads a pipe has --json. */
static ggk_status print_stats(const struct statistics *s, ggk_error *err)
{
    static const struct table_column columns[COLUMN_COUNT] = {
        {"NAME", TABLE_LEFT, true},
        {"TYPE", TABLE_LEFT, false},
        [MIN] = {"MIN", TABLE_RIGHT, false},
        {"MAX", TABLE_RIGHT, false},
        [MEAN] = {"MEAN", TABLE_RIGHT, false},
        {"DEV", TABLE_RIGHT, false},
        {"ZEROS", TABLE_RIGHT, false},
        [OUTLIER] = {"OUTLIER", TABLE_RIGHT, false},
        [NANS] = {"NAN", TABLE_RIGHT, false},
        [INFINITE] = {"INF", TABLE_RIGHT, false},
        [HISTOGRAM] = {"HISTOGRAM", TABLE_LEFT, false},
    };
    const struct term *term = &s->in->cli->term;
    size_t picture;
    ggk_status status;
    struct table t;

    table_start(&t, s->in->cli->out, columns, COLUMN_COUNT, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    if (!s->odd) {
        table_leave_out(&t, NANS);
        table_leave_out(&t, INFINITE);
    }
    table_spare(&t, MEAN);
    table_spare(&t, OUTLIER);
    table_spare(&t, MIN);
    status = put_rows(&t, s, 0, err);
    if (status != GGK_OK)
        return status;
    picture = term->tty ? choose_picture(&t) : 0;
    if (picture > 0)
        table_widen(&t, HISTOGRAM, picture);
    else
        table_leave_out(&t, HISTOGRAM);
    (void)table_again(&t);
    return put_rows(&t, s, picture, err);
}

/* -------------------------------------------------------------------- JSON */

static void put_bins(struct json *j, const struct kept *stats)
{
    json_put_f64(j, "bin_width", stats->bin_width);
    json_key(j, "bins");
    json_open_row(j);
    for (size_t i = 0; i < GGK_STATS_BINS; i++)
        json_u64(j, bin_at(stats, i));
    json_close_array(j);
}

static void put_members(struct json *j, const struct row *row)
{
    const struct kept *stats = row->stats;

    json_put_bool(j, "has_values", row->lack != LACKS_VALUES);
    if (row->lack == LACKS_DATA)
        json_put_bool(j, "data_missing", true);
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
    json_put_f64(j, "outlier", outlier_of(stats));
    put_bins(j, stats);
}

static ggk_status print_json(const struct statistics *s, ggk_error *err)
{
    struct json j;

    show_json_start(&j, s->in->cli);
    json_put_cstring(&j, "file", s->in->name);
    json_key(&j, "tensors");
    json_open_array(&j);
    for (size_t i = 0; i < s->n_rows; i++) {
        ggk_tensor tensor;
        ggk_status status =
            ggk_model_tensor(s->in->model, s->rows[i].tensor, &tensor, err);

        if (status != GGK_OK)
            return status;
        json_open_object(&j);
        show_json_named(&j, s->in->model, &tensor);
        put_members(&j, &s->rows[i]);
        json_close_object(&j);
    }
    json_close_array(&j);
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- run */

/* What was found has to be there before it is sorted by. */
static ggk_status gather(struct statistics *s, char *const *patterns,
                         ggk_error *err)
{
    const struct stats_options *o = s->in->cli->options;
    bool later = o->sort > ORDER_TYPE;
    struct order order;
    ggk_status status = order_tensors(
        s->in->model, patterns, later ? ORDER_FILE : (enum order_by)o->sort,
        !later && o->reverse, &order, err);

    if (status != GGK_OK)
        return status;
    status = list_rows(s, &order, err);
    order_free(&order);
    if (status == GGK_OK)
        status = find_stats(s, err);
    if (status == GGK_OK)
        sort_rows(s, o);
    return status;
}

/* A file that is cut short: the others were told. */
static int tell_cut(const struct statistics *s)
{
    msg_error(&s->in->cli->msg, s->in->name,
              "of %zu tensor%s the data of %" PRIu64 " is not all there; %s "
              "not looked at",
              s->n_rows, fmt_plural(s->n_rows), s->n_cut,
              s->n_cut == 1 ? "it was" : "they were");
    return CLI_UNREADABLE;
}

/* The model is open. */
static int tell_stats(const struct cli *cli, const struct input *in,
                      char *const *patterns)
{
    struct statistics s = {.in = in};
    int status = CLI_DONE;
    ggk_error err;
    ggk_status result = gather(&s, patterns, &err);

    if (result == GGK_OK && cli->global.json)
        result = print_json(&s, &err);
    else if (result == GGK_OK && s.n_rows > 0)
        result = print_stats(&s, &err);
    if (result != GGK_OK)
        status = input_fail(in, &err);
    else if (s.n_cut > 0)
        status = tell_cut(&s);
    free_stats(&s);
    return status;
}

static int run_stats(struct cli *cli, int argc, char **argv)
{
    const struct stats_options *o = cli->options;

    (void)argc;
    return order_run(cli, argv, o->sort, o->reverse, tell_stats);
}

static const struct cli_example stats_examples[] = {
    {"gguf stats model.gguf", "the range of every tensor, and its histogram"},
    {"gguf stats model.gguf '*ffn_down*'", "those that are often the widest"},
    {"gguf stats --sort outliers -r model.gguf | head",
     "those whose extremes are farthest out"},
    {"gguf stats --json model.gguf | jq '.tensors[] | select(.nan > 0)'",
     "tensors with a NaN"},
    {NULL, NULL},
};

const struct command cmd_stats = {
    .name = "stats",
    .operands = "FILE [PATTERN]...",
    .min_operands = 1,
    .max_operands = CLI_ANY_OPERANDS,
    .flags = CLI_READS_MODEL | CLI_READS_DATA,
    .summary = "tell what the numbers of tensors are like",
    .about = "Tells of each tensor, dequantized, the least, the greatest and "
             "the mean number,\nthe standard deviation, the share of zeros, "
             "how far the farthest number is from\nthe mean, in deviations, "
             "and, on a terminal, the histogram.",
    .examples = stats_examples,
    .options = stats_options,
    .options_bytes = sizeof(struct stats_options),
    .no_means = "no tensor matches a PATTERN",
    .run = run_stats,
};
