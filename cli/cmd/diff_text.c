/* diff_text.c - what `gguf diff` found, as text.
 *
 * One line for each key and tensor: "-" only in the first, "+" only in the
 * second, "~" in both, but not the same. Lines are held back until there is
 * enough of a section to align them.
 */
#include "cmd/diff_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "out/lines.h"
#include "out/table.h"
#include "out/text.h"

enum {
    MAX_ROWS = 1024,
    ONE_LINE = 48,   /* columns: "old -> new" that is longer takes two lines */
    FAR = 40,        /* a string is shown from its start, unless it only differs
                        after so many bytes */
    LEAD = 16,       /* bytes shown before that */
    MOST_LINES = 100 /* of a text, unless all are asked for */
};

bool diff_is_layout(ggk_diff_kind kind)
{
    return kind >= GGK_DIFF_SHARDS;
}

bool diff_string(const struct diff_job *job, int side, uint64_t i, ggk_str *out)
{
    const ggk_model *model = job->in[side].model;
    ggk_walk walk;
    ggk_value value;

    if (i == GGK_NONE || ggk_walk_start(model, i, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &value) != GGK_WALK_VALUE ||
        value.type != GGK_VALUE_STRING)
        return false;
    *out = value.as.s;
    return true;
}

/* -------------------------------------------------------------------- cells */

/* What is told of one difference, beside its name: in one line, or in two. */
struct telling {
    struct show_line first, second;
    bool two;
};

/* Join both lines into one if that is short. */
static void join(struct telling *t)
{
    size_t a = text_width(t->first.text, strlen(t->first.text), TEXT_VERBATIM,
                          ONE_LINE);
    size_t b = text_width(t->second.text, strlen(t->second.text), TEXT_VERBATIM,
                          ONE_LINE);
    size_t used = strlen(t->first.text);

    t->two = a + b >= ONE_LINE;
    if (!t->two)
        snprintf(t->first.text + used, sizeof t->first.text - used, " %s",
                 t->second.text);
}

/* A string from near byte `first` on, which is where it begins to differ. */
static void write_string(FILE *out, ggk_str s, uint64_t first, bool tell_first)
{
    size_t from = 0;

    if (first > FAR && s.len > FAR) {
        from = (first < s.len ? (size_t)first : s.len) - LEAD;
        while (from > 0 && ((unsigned char)s.ptr[from] & 0xc0) == 0x80)
            from--;
        if (tell_first)
            fprintf(out, "from byte %zu on: ", from);
    }
    text_write(out, s.ptr + from, s.len - from, TEXT_QUOTED, SHOW_LINE_COLUMNS);
}

/* A value, after its type if `typed`; of strings that differ at byte `first`,
 * what is there. */
static ggk_status write_value(FILE *out, const struct diff_job *job, int side,
                              uint64_t i, uint64_t first, bool typed,
                              ggk_error *err)
{
    const ggk_model *model = job->in[side].model;
    char type[SHOW_TYPE_BYTES];
    ggk_str s;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(model, i, &kv, err);

    if (status != GGK_OK)
        return status;
    show_type_name(type, &kv);
    if (typed)
        fprintf(out, "%s ", type);
    if (diff_string(job, side, i, &s)) {
        write_string(out, s, first, side == 0);
        return GGK_OK;
    }
    return show_value(out, model, i, SHOW_FEW, FAR, err);
}

static ggk_status tell_values(struct telling *t, const struct diff_job *job,
                              const ggk_difference *d, ggk_error *err)
{
    bool typed = (d->what & GGK_DIFF_TYPE) != 0;
    FILE *out = show_line_open(&t->first);
    ggk_status status;

    if (out == NULL)
        return show_no_memory(err);
    status = write_value(out, job, 0, d->a, d->first, typed, err);
    show_line_close(&t->first, out);
    if (status != GGK_OK)
        return status;
    out = show_line_open(&t->second);
    if (out == NULL)
        return show_no_memory(err);
    fputs("-> ", out);
    status = write_value(out, job, 1, d->b, d->first, typed, err);
    show_line_close(&t->second, out);
    join(t);
    return status;
}

/* Up to `most` elements of an array, from number `from` on. */
static ggk_status write_elements(FILE *out, const struct diff_job *job,
                                 int side, uint64_t i, uint64_t from,
                                 uint64_t most, ggk_error *err)
{
    ggk_walk walk;
    ggk_value head;
    ggk_status status = ggk_walk_start(job->in[side].model, i, &walk, err);

    if (status != GGK_OK)
        return status;
    if (ggk_walk_next(&walk, &head) != GGK_WALK_OPEN || head.as.u <= from ||
        ggk_walk_skip(&walk, from) != from)
        return show_broken(err);
    for (uint64_t k = 0; k < most && from + k < head.as.u; k++) {
        fputs(k > 0 ? ", " : "", out);
        status = show_element(out, &walk, SHOW_FEW, FAR, err);
        if (status != GGK_OK)
            return status;
    }
    fputs(from + most < head.as.u && most > 1 ? ", ..." : "", out);
    return GGK_OK;
}

/* The first elements that differ, or that only the longer array has. */
static ggk_status write_first(FILE *out, const struct diff_job *job,
                              const ggk_difference *d, uint64_t n_a,
                              ggk_error *err)
{
    ggk_status status;

    if (d->n_differ == 0) {
        int longer = n_a > d->first ? 0 : 1;
        fprintf(out, "%s: [%" PRIu64 "] ", longer == 0 ? "removed" : "added",
                d->first);
        return write_elements(out, job, longer, longer == 0 ? d->a : d->b,
                              d->first, SHOW_FEW, err);
    }
    fprintf(out, "[%" PRIu64 "]: ", d->first);
    status = write_elements(out, job, 0, d->a, d->first, 1, err);
    fputs(" -> ", out);
    return status == GGK_OK
               ? write_elements(out, job, 1, d->b, d->first, 1, err)
               : status;
}

static void write_counts(FILE *out, const ggk_difference *d, uint64_t n_a,
                         uint64_t n_b)
{
    if (n_a == n_b) {
        fprintf(out, "%" PRIu64 " of %" PRIu64 " element%s differ%s",
                d->n_differ, n_a, fmt_plural(n_a), d->n_differ == 1 ? "s" : "");
        return;
    }
    fprintf(out, "%" PRIu64 " -> %" PRIu64 " element%s", n_a, n_b,
            fmt_plural(n_b));
    if (d->n_differ > 0)
        fprintf(out, ", %" PRIu64 " changed", d->n_differ);
}

static ggk_status tell_array(struct telling *t, const struct diff_job *job,
                             const ggk_difference *d, const ggk_kv *a,
                             const ggk_kv *b, ggk_error *err)
{
    ggk_status status;
    FILE *out;

    if (a->n <= SHOW_FEW && b->n <= SHOW_FEW && a->elem_type != GGK_VALUE_ARRAY)
        return tell_values(t, job, d, err);
    out = show_line_open(&t->first);
    if (out == NULL)
        return show_no_memory(err);
    write_counts(out, d, a->n, b->n);
    show_line_close(&t->first, out);
    out = show_line_open(&t->second);
    if (out == NULL)
        return show_no_memory(err);
    status = write_first(out, job, d, a->n, err);
    show_line_close(&t->second, out);
    t->two = true;
    return status;
}

/* Both are strings, and one has several lines: then they are compared line by
 * line, below. */
static bool has_lines(const struct diff_job *job, const ggk_difference *d,
                      ggk_str *a, ggk_str *b)
{
    return d->kind == GGK_DIFF_KEY_CHANGED && diff_string(job, 0, d->a, a) &&
           diff_string(job, 1, d->b, b) &&
           (lines_count(a->ptr, a->len) > 1 || lines_count(b->ptr, b->len) > 1);
}

static void tell_lines(struct telling *t, size_t a, size_t b)
{
    if (a == b)
        snprintf(t->first.text, sizeof t->first.text, "%zu lines: see below",
                 a);
    else
        snprintf(t->first.text, sizeof t->first.text,
                 "%zu -> %zu lines: see below", a, b);
}

static ggk_status tell_key_change(struct telling *t, const struct diff_job *job,
                                  const ggk_difference *d, ggk_error *err)
{
    ggk_str x, y;
    ggk_kv a, b;
    ggk_status status = ggk_model_kv(job->in[0].model, d->a, &a, err);

    if (status == GGK_OK)
        status = ggk_model_kv(job->in[1].model, d->b, &b, err);
    if (status != GGK_OK)
        return status;
    if (has_lines(job, d, &x, &y)) {
        tell_lines(t, lines_count(x.ptr, x.len), lines_count(y.ptr, y.len));
        return GGK_OK;
    }
    return a.type == GGK_VALUE_ARRAY && (d->what & GGK_DIFF_TYPE) == 0
               ? tell_array(t, job, d, &a, &b, err)
               : tell_values(t, job, d, err);
}

static ggk_status tell_key(struct telling *t, const struct diff_job *job,
                           const ggk_difference *d, ggk_error *err)
{
    int side = d->kind == GGK_DIFF_KEY_ADDED;
    ggk_status status;
    FILE *out;

    if (d->kind == GGK_DIFF_KEY_CHANGED)
        return tell_key_change(t, job, d, err);
    out = show_line_open(&t->first);
    if (out == NULL)
        return show_no_memory(err);
    status = write_value(out, job, side, side == 0 ? d->a : d->b, 0, true, err);
    show_line_close(&t->first, out);
    return status;
}

/* "F16", "[4096, 4096]" or "F16 [4096, 4096]". */
static void write_tensor(FILE *out, const struct diff_job *job, int side,
                         const ggk_tensor *tensor, uint32_t what)
{
    char type[SHOW_TYPE_BYTES], shape[SHOW_SHAPE_BYTES];

    show_tensor_type(type, job->in[side].model, tensor->type);
    show_shape(shape, tensor);
    if ((what & GGK_DIFF_TYPE) != 0)
        fputs(type, out);
    if (what == (GGK_DIFF_TYPE | GGK_DIFF_SHAPE))
        fputs(" ", out);
    if ((what & GGK_DIFF_SHAPE) != 0)
        fputs(shape, out);
}

static void write_data(FILE *out, const struct diff_job *job,
                       const ggk_tensor *a, const ggk_difference *d)
{
    const ggk_type_info *type = ggk_model_type(job->in[0].model, a->type);
    bool blocks = d->n_blocks > 0 && type != NULL && type->bytes > 0;
    uint64_t n = blocks ? d->n_blocks : d->n_differ;
    uint64_t all = blocks ? a->bytes / type->bytes : a->bytes;
    const char *noun = !blocks            ? "bytes"
                       : type->block == 1 ? "values"
                                          : "blocks";

    if (n == all)
        fprintf(out, "all %" PRIu64 " %s differ", all, noun);
    else
        fprintf(out, "%" PRIu64 " of %" PRIu64 " %s differ%s", n, all, noun,
                n == 1 ? "s" : "");
    if (d->first > 0)
        fprintf(out, ", from byte %" PRIu64 " on", d->first);
}

static void write_place(FILE *out, const struct diff_job *job,
                        const ggk_tensor *a, const ggk_tensor *b)
{
    bool sets = ggk_model_n_files(job->in[0].model) > 1 ||
                ggk_model_n_files(job->in[1].model) > 1;

    if (sets && a->file != b->file)
        fprintf(out, "shard %" PRIu32 " -> %" PRIu32 ", ", a->file + 1,
                b->file + 1);
    fprintf(out, "byte %" PRIu64 " -> %" PRIu64, a->data_off, b->data_off);
}

static ggk_status tell_tensor(struct telling *t, const struct diff_job *job,
                              const ggk_difference *d, ggk_error *err)
{
    const uint32_t both = GGK_DIFF_TYPE | GGK_DIFF_SHAPE;
    ggk_tensor a = {0}, b = {0};
    ggk_status status = GGK_OK;
    FILE *out;

    if (d->a != GGK_NONE)
        status = ggk_model_tensor(job->in[0].model, d->a, &a, err);
    if (status == GGK_OK && d->b != GGK_NONE)
        status = ggk_model_tensor(job->in[1].model, d->b, &b, err);
    if (status != GGK_OK)
        return status;
    out = show_line_open(&t->first);
    if (out == NULL)
        return show_no_memory(err);
    if (d->kind == GGK_DIFF_TENSOR_MOVED) {
        write_place(out, job, &a, &b);
    } else if ((d->what & GGK_DIFF_DATA) != 0) {
        write_data(out, job, &a, d);
    } else if (d->kind == GGK_DIFF_TENSOR_CHANGED) {
        write_tensor(out, job, 0, &a, d->what);
        fputs(" -> ", out);
        write_tensor(out, job, 1, &b, d->what);
    } else {
        bool added = d->a == GGK_NONE;
        write_tensor(out, job, added, added ? &b : &a, both);
    }
    show_line_close(&t->first, out);
    return GGK_OK;
}

static const char *order_name(const ggk_file *file)
{
    return file->big_endian ? "big-endian" : "little-endian";
}

static void tell_file(struct telling *t, const struct diff_job *job,
                      ggk_diff_kind kind)
{
    const ggk_file *a = &job->summary[0].file, *b = &job->summary[1].file;
    char *text = t->first.text;

    if (kind == GGK_DIFF_VERSION)
        snprintf(text, sizeof t->first.text, "%" PRIu32 " -> %" PRIu32,
                 a->version, b->version);
    else if (kind == GGK_DIFF_BYTE_ORDER)
        snprintf(text, sizeof t->first.text, "%s -> %s", order_name(a),
                 order_name(b));
    else if (kind == GGK_DIFF_ALIGNMENT)
        snprintf(text, sizeof t->first.text, "%" PRIu64 " -> %" PRIu64,
                 a->alignment, b->alignment);
    else if (kind == GGK_DIFF_SHARDS)
        snprintf(text, sizeof t->first.text, "%" PRIu32 " -> %" PRIu32,
                 job->summary[0].n_files, job->summary[1].n_files);
    else
        snprintf(text, sizeof t->first.text, "in another order");
}

/* --------------------------------------------------------------------- rows */

/* What stands in front of the text: a name of the program's, or a file's. */
static ggk_status name_of(const struct diff_job *job, const ggk_difference *d,
                          ggk_str *out, ggk_error *err)
{
    static const char *const own[GGK_DIFF_KIND_COUNT] = {
        [GGK_DIFF_VERSION] = "version",
        [GGK_DIFF_BYTE_ORDER] = "byte order",
        [GGK_DIFF_ALIGNMENT] = "alignment",
        [GGK_DIFF_SHARDS] = "shards",
        [GGK_DIFF_KEY_ORDER] = "keys",
        [GGK_DIFF_TENSOR_ORDER] = "tensors",
    };
    int side = d->a == GGK_NONE;
    const ggk_model *model = job->in[side].model;
    uint64_t i = side == 0 ? d->a : d->b;
    ggk_status status;
    ggk_tensor tensor;
    ggk_kv kv;

    if (own[d->kind] != NULL) {
        *out = ggk_cstr(own[d->kind]);
        return GGK_OK;
    }
    if (d->kind <= GGK_DIFF_KEY_CHANGED) {
        status = ggk_model_kv(model, i, &kv, err);
        *out = kv.key;
    } else {
        status = ggk_model_tensor(model, i, &tensor, err);
        *out = tensor.name;
    }
    return status;
}

static ggk_status tell(struct telling *t, const struct diff_job *job,
                       const ggk_difference *d, ggk_error *err)
{
    t->two = false;
    switch (d->kind) {
    case GGK_DIFF_VERSION:
    case GGK_DIFF_BYTE_ORDER:
    case GGK_DIFF_ALIGNMENT:
    case GGK_DIFF_SHARDS:
    case GGK_DIFF_KEY_ORDER:
    case GGK_DIFF_TENSOR_ORDER: tell_file(t, job, d->kind); return GGK_OK;
    case GGK_DIFF_KEY_REMOVED:
    case GGK_DIFF_KEY_ADDED:
    case GGK_DIFF_KEY_CHANGED: return tell_key(t, job, d, err);
    case GGK_DIFF_TENSOR_REMOVED:
    case GGK_DIFF_TENSOR_ADDED:
    case GGK_DIFF_TENSOR_CHANGED:
    case GGK_DIFF_TENSOR_MOVED: return tell_tensor(t, job, d, err);
    }
    return GGK_OK;
}

static const char *mark_of(ggk_diff_kind kind, enum term_style *style)
{
    *style = TERM_PLAIN;
    if (kind == GGK_DIFF_KEY_REMOVED || kind == GGK_DIFF_TENSOR_REMOVED) {
        *style = TERM_RED;
        return "-";
    }
    if (kind == GGK_DIFF_KEY_ADDED || kind == GGK_DIFF_TENSOR_ADDED) {
        *style = TERM_GREEN;
        return "+";
    }
    return "~";
}

static ggk_status put_row(struct table *table, const struct diff_text *t,
                          const ggk_difference *d, bool writing, ggk_error *err)
{
    const struct term *term = &t->job->cli->term;
    struct telling telling;
    enum term_style style;
    const char *mark = mark_of(d->kind, &style);
    ggk_str name;
    ggk_status status = name_of(t->job, d, &name, err);

    if (status == GGK_OK)
        status = tell(&telling, t->job, d, err);
    if (status != GGK_OK)
        return status;
    if (writing && style != TERM_PLAIN)
        fputs(term_style(term, style), table->out);
    table_cstring(table, mark);
    table_text(table, name.ptr, name.len);
    table_cstring(table, telling.first.text);
    if (writing && style != TERM_PLAIN)
        fputs(term_style(term, TERM_PLAIN), table->out);
    if (telling.two) {
        table_cstring(table, "");
        table_cstring(table, "");
        table_cstring(table, telling.second.text);
    }
    return GGK_OK;
}

static void heading(const struct diff_text *t, const char *title)
{
    const struct term *term = &t->job->cli->term;

    fprintf(t->job->cli->out, "\n%s%s%s\n", term_style(term, TERM_BOLD), title,
            term_style(term, TERM_PLAIN));
}

static ggk_status write_table(const struct diff_text *t, ggk_error *err)
{
    static const struct table_column columns[] = {
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, true},
    };
    const struct cli *cli = t->job->cli;
    ggk_status status = GGK_OK;
    bool writing = false;
    struct table table;

    table_start(&table, cli->out, columns, 3, cli->term.width, "", "");
    do {
        for (size_t i = 0; i < t->n_rows && status == GGK_OK; i++)
            status = put_row(&table, t, &t->rows[i], writing, err);
        writing = true;
    } while (status == GGK_OK && table_again(&table));
    return status;
}

/* ------------------------------------------------------------ lines of text */

static void write_lines(const struct diff_text *t, ggk_str name, ggk_str a,
                        ggk_str b)
{
    const struct term *term = &t->job->cli->term;
    FILE *out = t->job->cli->out;
    const struct lines_look look = {
        term_style(term, TERM_DIM), term_style(term, TERM_RED),
        term_style(term, TERM_GREEN), term_style(term, TERM_PLAIN),
        t->job->options->full ? SIZE_MAX : MOST_LINES};
    size_t hidden;

    fprintf(out, "\n%s", term_style(term, TERM_BOLD));
    text_write(out, name.ptr, name.len, TEXT_PLAIN, TEXT_WHOLE);
    fprintf(out, "%s\n", look.off);
    hidden = lines_diff(out, a.ptr, a.len, b.ptr, b.len, &look);
    if (hidden > 0)
        fprintf(out, "... and %zu lines more%s\n", hidden,
                t->job->options->full ? "" : "; --full shows them");
}

/* Behind the table: the strings of several lines. */
static ggk_status write_texts(const struct diff_text *t, ggk_error *err)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        ggk_str a, b, name;
        ggk_status status;

        if (!has_lines(t->job, &t->rows[i], &a, &b))
            continue;
        status = name_of(t->job, &t->rows[i], &name, err);
        if (status != GGK_OK)
            return status;
        write_lines(t, name, a, b);
    }
    return GGK_OK;
}

/* ----------------------------------------------------------------- sections */

static enum diff_section section_of(ggk_diff_kind kind)
{
    return kind <= GGK_DIFF_ALIGNMENT        ? DIFF_FILES
           : kind <= GGK_DIFF_KEY_CHANGED    ? DIFF_KEYS
           : kind <= GGK_DIFF_TENSOR_CHANGED ? DIFF_TENSORS
                                             : DIFF_LAYOUT;
}

static void begin(struct diff_text *t)
{
    FILE *out = t->job->cli->out;

    if (t->begun)
        return;
    t->begun = true;
    for (int side = 0; side < 2; side++) {
        const char *name = t->job->in[side].name;
        fputs(side == 0 ? "--- " : "+++ ", out);
        text_write(out, name, strlen(name), TEXT_PLAIN, TEXT_WHOLE);
        putc('\n', out);
    }
}

/* Write the rows that wait. */
static ggk_status write_rows(struct diff_text *t, ggk_error *err)
{
    ggk_status status = GGK_OK;

    if (t->n_rows > 0)
        status = write_table(t, err);
    if (status == GGK_OK && t->section == DIFF_KEYS)
        status = write_texts(t, err);
    t->n_rows = 0;
    return status;
}

static ggk_status enter_section(struct diff_text *t, enum diff_section section,
                                ggk_error *err)
{
    static const char *const titles[] = {
        [DIFF_FILES] = "File",
        [DIFF_KEYS] = "Keys",
        [DIFF_TENSORS] = "Tensors",
        [DIFF_LAYOUT] = "Layout",
    };
    ggk_status status = GGK_OK;

    if (t->section == section)
        return GGK_OK;
    status = write_rows(t, err);
    t->section = section;
    if (status == GGK_OK && section != DIFF_NONE)
        heading(t, titles[section]);
    return status;
}

ggk_status diff_text_start(struct diff_text *t, struct diff_job *job,
                           ggk_error *err)
{
    *t = (struct diff_text){.job = job, .section = DIFF_NONE};
    t->rows = malloc(MAX_ROWS * sizeof *t->rows);
    return t->rows == NULL ? show_no_memory(err) : GGK_OK;
}

void diff_text_free(struct diff_text *t)
{
    free(t->rows);
}

bool diff_text_put(void *text, const ggk_difference *d)
{
    struct diff_text *t = text;

    if (diff_is_layout(d->kind) != t->layout)
        return true;
    begin(t);
    t->status = enter_section(t, section_of(d->kind), &t->err);
    if (t->status == GGK_OK && t->n_rows == MAX_ROWS)
        t->status = write_rows(t, &t->err);
    if (t->status == GGK_OK)
        t->rows[t->n_rows++] = *d;
    return t->status == GGK_OK;
}

/* ------------------------------------------------------------------ the end */

static void write_recipes(const struct diff_text *t)
{
    static const struct table_column columns[] = {
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_LEFT, false},
        {NULL, TABLE_RIGHT, false},
        {NULL, TABLE_LEFT, false},
    };
    const struct diff_job *job = t->job;
    struct table table;

    if (job->n_recipes == 0)
        return;
    heading(t, "Types");
    table_start(&table, job->cli->out, columns, 4, 0, "", "");
    do {
        for (size_t i = 0; i < job->n_recipes; i++) {
            const struct diff_recipe *r = &job->recipes[i];
            char from[SHOW_TYPE_BYTES], to[SHOW_TYPE_BYTES + 3] = "-> ";
            show_tensor_type(from, job->in[0].model, r->from);
            show_tensor_type(to + 3, job->in[1].model, r->to);
            table_cstring(&table, from);
            table_cstring(&table, to);
            table_u64(&table, r->tensors);
            table_cstring(&table, r->tensors == 1 ? "tensor" : "tensors");
        }
    } while (table_again(&table));
    if (job->n_other > 0)
        fprintf(job->cli->out, "other types: %" PRIu64 " tensor%s\n",
                job->n_other, fmt_plural(job->n_other));
}

static void put_bits(struct table *table, const struct summary *s)
{
    char bits[FMT_BYTES];

    if (s->sized_parameters == 0)
        snprintf(bits, sizeof bits, "?");
    else
        fmt_fixed(bits, summary_bits_per_weight(s), 3);
    table_cstring(table, bits);
}

static void write_totals(const struct diff_text *t)
{
    static const struct table_column columns[] = {
        {"Totals", TABLE_LEFT, false},
        {"FIRST", TABLE_RIGHT, false},
        {"SECOND", TABLE_RIGHT, false},
    };
    const struct summary *s = t->job->summary;
    const struct term *term = &t->job->cli->term;
    struct table table;

    putc('\n', t->job->cli->out);
    table_start(&table, t->job->cli->out, columns, 3, 0,
                term_style(term, TERM_BOLD), term_style(term, TERM_PLAIN));
    do {
        table_cstring(&table, "tensors");
        table_u64(&table, s[0].n_tensors);
        table_u64(&table, s[1].n_tensors);
        table_cstring(&table, "parameters");
        table_u64(&table, s[0].parameters);
        table_u64(&table, s[1].parameters);
        table_cstring(&table, "bytes");
        table_u64(&table, s[0].tensor_bytes);
        table_u64(&table, s[1].tensor_bytes);
        table_cstring(&table, "size");
        table_size(&table, s[0].tensor_bytes);
        table_size(&table, s[1].tensor_bytes);
        table_cstring(&table, "bits per weight");
        put_bits(&table, &s[0]);
        put_bits(&table, &s[1]);
    } while (table_again(&table));
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "3 keys removed, 1 changed", after `before`; nothing if there are none. */
static bool write_count(FILE *out, const char *before, const uint64_t n[3],
                        const char *noun)
{
    static const char *const done[] = {"removed", "added", "changed"};
    bool written = false;

    for (int i = 0; i < 3; i++) {
        if (n[i] == 0)
            continue;
        fprintf(out, "%s%" PRIu64, written ? ", " : before, n[i]);
        if (!written)
            fprintf(out, " %s%s", noun, plural(n[i]));
        fprintf(out, " %s", done[i]);
        written = true;
    }
    return written;
}

static void write_sums(const struct diff_text *t, const uint64_t *n)
{
    FILE *out = t->job->cli->out;
    bool keys = write_count(out, "\n", &n[GGK_DIFF_KEY_REMOVED], "key");
    bool tensors = write_count(out, keys ? "; " : "\n",
                               &n[GGK_DIFF_TENSOR_REMOVED], "tensor");

    if (t->job->options->no_data)
        fputs(keys || tensors ? "; data not compared" : "\ndata not compared",
              out);
    if (keys || tensors || t->job->options->no_data)
        putc('\n', out);
}

static void write_equal(const struct diff_text *t,
                        const ggk_diff_result *result)
{
    const struct diff_job *job = t->job;
    FILE *out = job->cli->out;
    char size[FMT_BYTES];

    if (job->same_file) {
        fputs("no differences: it is the same file\n", out);
        return;
    }
    fprintf(out, "no differences: %" PRIu64 " key%s, %" PRIu64 " tensor%s",
            job->summary[0].n_kv, plural(job->summary[0].n_kv),
            job->summary[0].n_tensors, plural(job->summary[0].n_tensors));
    fmt_size(size, result->bytes);
    if (job->options->no_data)
        fputs("; their data was not compared", out);
    else if (result->n_tensors > 0)
        fprintf(out, ", %s of data", size);
    putc('\n', out);
}

ggk_status diff_text_end(struct diff_text *t, const ggk_diff_result *result,
                         ggk_error *err)
{
    const uint64_t *n = result->n;
    ggk_status status = enter_section(t, DIFF_NONE, err);

    if (status != GGK_OK)
        return status;
    if (result->equal) {
        if (!t->job->cli->global.quiet)
            write_equal(t, result);
        return GGK_OK;
    }
    write_recipes(t);
    if (t->job->n_recipes > 0 || n[GGK_DIFF_TENSOR_REMOVED] > 0 ||
        n[GGK_DIFF_TENSOR_ADDED] > 0)
        write_totals(t);
    write_sums(t, n);
    return GGK_OK;
}

ggk_status diff_text_end_layout(struct diff_text *t, ggk_error *err)
{
    return enter_section(t, DIFF_NONE, err);
}
