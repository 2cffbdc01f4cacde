/* importances_show.c - gguf imatrix show: the entries, and what they are from.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/importances.h"
#include "input.h"
#include "out/fmt.h"
#include "out/text.h"
#include "show.h"

/* An entry, and what its values are together: of means of squares, without
 * those of experts that no token went to. */
struct entry_row {
    const struct imatrix_options *options; /* that it is sorted by */
    ggk_importances e;
    uint64_t number; /* in the file */
    uint64_t columns;
    int64_t count; /* of all experts */
    uint64_t n_unseen;
    uint64_t zeros, nans;
    double sum, mean;
    float min, max; /* without NaN; NaN if all are */
};

struct showing {
    const struct cli *cli;
    const char *file;
    const ggk_imatrix *imatrix;
    ggk_imatrix_info info;
    struct entry_row *rows;
    size_t n;
};

/* ------------------------------------------------------------------ numbers */

static void add_value(struct entry_row *row, float x)
{
    row->sum += (double)x;
    row->zeros += x == 0;
    if (isnan(x)) {
        row->nans++;
        return;
    }
    if (!(x >= row->min)) /* it may be NaN yet */
        row->min = x;
    if (!(x <= row->max))
        row->max = x;
}

/* A count past all sense stays what an integer can hold. */
static int64_t add_counts(int64_t a, int64_t b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return b > 0 ? INT64_MAX : INT64_MIN;
    return a + b;
}

static void sum_up(struct entry_row *row, bool legacy)
{
    const ggk_importances *e = &row->e;
    uint64_t n = 0;

    row->columns = e->n_values / e->n_slices;
    row->min = row->max = NAN;
    for (uint64_t s = 0; s < e->n_slices; s++) {
        row->count = add_counts(row->count, e->counts[s]);
        if (e->counts[s] <= 0 && !legacy) {
            row->n_unseen++;
            continue;
        }
        for (uint64_t i = 0; i < row->columns; i++, n++)
            add_value(row, e->values[s * row->columns + i]);
    }
    if (n == 0)
        row->min = row->max = 0;
    row->mean = n > 0 ? row->sum / (double)n : 0;
}

/* -------------------------------------------------------------------- order */

static int compare_names(ggk_str a, ggk_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n > 0 ? memcmp(a.ptr, b.ptr, n) : 0;

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* NaN comes last. */
static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

static int compare_by(const struct entry_row *a, const struct entry_row *b,
                      enum entry_order by)
{
    switch (by) {
    case ENTRY_FILE: break;
    case ENTRY_NAME: return compare_names(a->e.name, b->e.name);
    case ENTRY_COLUMNS:
        return (a->columns > b->columns) - (a->columns < b->columns);
    case ENTRY_COUNT: return (a->count > b->count) - (a->count < b->count);
    case ENTRY_SUM: return compare_numbers(a->sum, b->sum);
    case ENTRY_ZEROS: return (a->zeros > b->zeros) - (a->zeros < b->zeros);
    case ENTRY_MEAN: return compare_numbers(a->mean, b->mean);
    case ENTRY_MAX: return compare_numbers((double)a->max, (double)b->max);
    }
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct entry_row *x = a, *y = b;
    int order = compare_by(x, y, (enum entry_order)x->options->sort);

    if (order != 0)
        return x->options->reverse ? -order : order;
    return (x->number > y->number) - (x->number < y->number);
}

static bool collect_rows(struct showing *s, const char *pattern)
{
    const struct imatrix_options *o = s->cli->options;

    if (s->info.n_entries >= SIZE_MAX / sizeof *s->rows)
        return false;
    s->rows = calloc((size_t)s->info.n_entries + 1, sizeof *s->rows);
    if (s->rows == NULL)
        return false;
    for (uint64_t i = 0; i < s->info.n_entries; i++) {
        struct entry_row *row = &s->rows[s->n];

        if (ggk_imatrix_entry(s->imatrix, i, &row->e, NULL) != GGK_OK ||
            !show_matches(pattern, row->e.name))
            continue;
        row->options = o;
        row->number = i;
        sum_up(row, s->info.legacy);
        s->n++;
    }
    qsort(s->rows, s->n, sizeof *s->rows, compare_rows);
    return true;
}

/* --------------------------------------------------------------------- text */

static void print_text_line(FILE *out, const char *label, const char *text)
{
    fprintf(out, "  %-12s %s\n", label, text);
}

static void print_datasets(const struct showing *s)
{
    FILE *out = s->cli->out;

    if (s->info.n_datasets == 0)
        print_text_line(out, "datasets", "it does not say");
    for (uint64_t i = 0; i < s->info.n_datasets; i++) {
        ggk_str name = ggk_imatrix_dataset(s->imatrix, i);

        fprintf(out, "  %-12s ", i == 0 ? "datasets" : "");
        text_write(out, name.ptr, name.len, TEXT_PLAIN, TEXT_WHOLE);
        putc('\n', out);
    }
}

static void print_about(const struct showing *s)
{
    const ggk_imatrix_info *info = &s->info;
    FILE *out = s->cli->out;
    char text[128];

    text_write(out, s->file, strlen(s->file), TEXT_PLAIN, TEXT_WHOLE);
    putc('\n', out);
    if (!info->legacy)
        snprintf(text, sizeof text, "GGUF version %" PRIu64, info->version);
    print_text_line(out, "format",
                    info->legacy ? ".dat, of before August 2025" : text);
    print_datasets(s);
    snprintf(text, sizeof text, "?");
    if (info->n_chunks > 0)
        snprintf(text, sizeof text, "%" PRIu64, info->n_chunks);
    if (info->chunk_size > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 " of %" PRIu64 " tokens", info->chunk_size);
    print_text_line(out, "chunks", text);
    snprintf(text, sizeof text, "%" PRIu64, info->n_entries);
    print_text_line(out, "entries", text);
    if (info->n_other_tensors > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " tensor%s of other kinds",
                 info->n_other_tensors, fmt_plural(info->n_other_tensors));
        print_text_line(out, "besides", text);
    }
}

static void put_number(struct table *t, double x)
{
    char text[FMT_BYTES];

    fmt_short(text, x);
    table_cstring(t, text);
}

static void put_row(struct table *t, const struct entry_row *row)
{
    char text[FMT_BYTES];
    bool used = row->n_unseen < row->e.n_slices;

    table_text(t, row->e.name.ptr, row->e.name.len);
    table_u64(t, row->columns);
    table_u64(t, row->e.n_slices);
    table_u64(t, row->n_unseen);
    fmt_i64(text, row->count);
    table_cstring(t, text);
    table_u64(t, row->zeros);
    table_u64(t, row->nans);
    if (!used) {
        for (int i = 0; i < 4; i++)
            table_cstring(t, "-");
        return;
    }
    put_number(t, row->sum);
    put_number(t, row->mean);
    put_number(t, (double)row->min);
    put_number(t, (double)row->max);
}

/* The columns behind the name. */
enum {
    EXPERTS = 2,
    UNSEEN = 3,
    ZEROS = 5,
    NANS = 6,
    SUM = 7,
    MIN = 9,
    COLUMN_COUNT = 11
};

/* Columns that say the same of all entries, and those that matter least. */
static void choose_columns(struct table *t, const struct showing *s)
{
    static const size_t spare[] = {SUM, MIN, ZEROS};
    bool experts = false, unseen = false, nans = false;

    for (size_t i = 0; i < s->n; i++) {
        nans = nans || s->rows[i].nans != 0;
        experts = experts || s->rows[i].e.n_slices != 1;
        unseen = unseen || s->rows[i].n_unseen != 0;
    }
    if (!experts)
        table_leave_out(t, EXPERTS);
    if (!unseen)
        table_leave_out(t, UNSEEN);
    if (!nans)
        table_leave_out(t, NANS);
    for (size_t i = 0; i < sizeof spare / sizeof spare[0]; i++)
        table_spare(t, spare[i]);
}

static void print_rows(const struct showing *s)
{
    static const struct table_column columns[COLUMN_COUNT] = {
        {"NAME", TABLE_LEFT, true},
        {"COLUMNS", TABLE_RIGHT, false},
        [EXPERTS] = {"EXPERTS", TABLE_RIGHT, false},
        [UNSEEN] = {"UNSEEN", TABLE_RIGHT, false},
        {"COUNT", TABLE_RIGHT, false},
        [ZEROS] = {"ZEROS", TABLE_RIGHT, false},
        [NANS] = {"NAN", TABLE_RIGHT, false},
        [SUM] = {"SUM", TABLE_RIGHT, false},
        {"MEAN", TABLE_RIGHT, false},
        [MIN] = {"MIN", TABLE_RIGHT, false},
        {"MAX", TABLE_RIGHT, false},
    };
    const struct term *term = &s->cli->term;
    struct table t;

    table_start(&t, s->cli->out, columns, COLUMN_COUNT, term->width,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    choose_columns(&t, s);
    do
        for (size_t i = 0; i < s->n; i++)
            put_row(&t, &s->rows[i]);
    while (table_again(&t));
}

/* --------------------------------------------------------------------- JSON */

static void put_entry(struct json *j, const struct entry_row *row)
{
    json_open_object(j);
    json_put_string(j, "name", row->e.name.ptr, row->e.name.len);
    json_put_u64(j, "columns", row->columns);
    json_put_u64(j, "experts", row->e.n_slices);
    json_put_u64(j, "unseen", row->n_unseen);
    json_put_i64(j, "count", row->count);
    json_key(j, "counts");
    json_open_row(j);
    for (uint64_t s = 0; s < row->e.n_slices; s++)
        json_i64(j, row->e.counts[s]);
    json_close_array(j);
    json_put_u64(j, "zeros", row->zeros);
    if (row->nans > 0)
        json_put_u64(j, "nan", row->nans);
    if (row->n_unseen < row->e.n_slices) {
        json_put_f64(j, "sum", row->sum);
        json_put_f64(j, "mean", row->mean);
        json_key(j, "min");
        json_f32(j, row->min);
        json_key(j, "max");
        json_f32(j, row->max);
    }
    json_close_object(j);
}

static void put_about(struct json *j, const struct showing *s)
{
    const ggk_imatrix_info *info = &s->info;

    json_put_cstring(j, "file", s->file);
    json_put_cstring(j, "format", info->legacy ? "dat" : "gguf");
    if (!info->legacy)
        json_put_u64(j, "version", info->version);
    json_key(j, "datasets");
    json_open_array(j);
    for (uint64_t i = 0; i < info->n_datasets; i++) {
        ggk_str name = ggk_imatrix_dataset(s->imatrix, i);

        json_string(j, name.ptr, name.len);
    }
    json_close_array(j);
    if (info->n_chunks > 0)
        json_put_u64(j, "chunks", info->n_chunks);
    if (info->chunk_size > 0)
        json_put_u64(j, "chunk_size", info->chunk_size);
    json_put_u64(j, "n_entries", info->n_entries);
    json_put_u64(j, "other_keys", info->n_other_keys);
    json_put_u64(j, "other_tensors", info->n_other_tensors);
}

static void print_json(const struct showing *s)
{
    struct json j;

    show_json_start(&j, s->cli);
    put_about(&j, s);
    json_key(&j, "entries");
    json_open_array(&j);
    for (size_t i = 0; i < s->n; i++)
        put_entry(&j, &s->rows[i]);
    json_close_array(&j);
    show_json_end(&j);
}

/* ---------------------------------------------------------------------- run */

static int show_entries(struct showing *s, const char *pattern)
{
    const struct input in = {.cli = s->cli, .name = s->file};
    ggk_error err;

    ggk_imatrix_about(s->imatrix, &s->info);
    if (!collect_rows(s, pattern)) {
        show_no_memory(&err);
        return cli_fail(s->cli, s->file, &err);
    }
    if (s->cli->global.json) {
        print_json(s);
    } else {
        print_about(s);
        if (s->n > 0) {
            putc('\n', s->cli->out);
            print_rows(s);
        }
    }
    return s->n == 0 && pattern != NULL ? input_no_match(&in, "entry", pattern)
                                        : CLI_DONE;
}

int imatrix_show(const struct cli *cli, int argc, char **argv)
{
    const struct imatrix_options *o = cli->options;
    struct showing s = {.cli = cli, .file = argc > 0 ? argv[0] : NULL};
    ggk_imatrix *imatrix;
    int status;

    if (argc < 1 || argc > 2) {
        msg_usage(&cli->msg, "show wants IMATRIX [PATTERN]");
        return CLI_USAGE;
    }
    if (o->reverse && o->sort == ENTRY_FILE) {
        msg_usage(&cli->msg, "--reverse needs --sort");
        return CLI_USAGE;
    }
    status = imatrix_open(cli, s.file, GGK_IMATRIX_ANY, &imatrix);
    if (status != CLI_DONE)
        return status;
    s.imatrix = imatrix;
    status = show_entries(&s, argc > 1 ? argv[1] : NULL);
    free(s.rows);
    ggk_imatrix_close(imatrix);
    return status;
}
