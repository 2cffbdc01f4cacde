/* table.c - aligned columns. */
#include "out/table.h"

#include <assert.h>
#include <string.h>

#include "out/fmt.h"
#include "out/text.h"

enum {
    COLUMN_GAP = 2,
    MIN_FLEXIBLE = 8,
    /* Columns that are spare go before the flexible one has less than this. */
    ROOM_FLEXIBLE = 32,
    /* A cell wider than this stands out in its own row rather than widen the
     * column in all: else one absurd name would blow up a million rows. */
    MAX_COLUMN = 120
};

static void put_blanks(FILE *out, size_t n)
{
    while (n-- > 0)
        putc_unlocked(' ', out);
}

static void widen(struct table *t, size_t width)
{
    if (width > MAX_COLUMN)
        width = MAX_COLUMN;
    if (width > t->width[t->at])
        t->width[t->at] = width;
}

/* Blanks are held back until something follows, so that no line ends in one. */
static void write_cell(struct table *t, const void *bytes, size_t n,
                       enum text_form form)
{
    const struct table_column *column = &t->columns[t->at];
    size_t room = t->width[t->at];
    size_t limit = column->flexible && t->max_width > 0 ? room : TEXT_WHOLE;
    size_t used = text_width(bytes, n, form, limit);
    size_t pad = used < room ? room - used : 0;

    if (t->left_out[t->at])
        return;
    if (t->at > 0)
        t->owed += COLUMN_GAP;
    if (column->align == TABLE_RIGHT)
        t->owed += pad;
    if (used > 0) {
        put_blanks(t->out, t->owed);
        t->owed = 0;
        text_write(t->out, bytes, n, form, limit);
    }
    if (column->align == TABLE_LEFT)
        t->owed += pad;
}

static void next_column(struct table *t)
{
    if (++t->at < t->n_columns)
        return;
    t->at = 0;
    t->owed = 0;
    if (t->writing)
        putc_unlocked('\n', t->out);
}

static void put_cell(struct table *t, const void *bytes, size_t n,
                     enum text_form form)
{
    if (t->writing)
        write_cell(t, bytes, n, form);
    else
        widen(t, text_width(bytes, n, form, MAX_COLUMN));
    next_column(t);
}

void table_text(struct table *t, const void *bytes, size_t n)
{
    put_cell(t, bytes, n, TEXT_PLAIN);
}

void table_cstring(struct table *t, const char *s)
{
    put_cell(t, s, strlen(s), TEXT_VERBATIM);
}

void table_u64(struct table *t, uint64_t v)
{
    char buf[FMT_BYTES];
    size_t n = fmt_u64(buf, v);

    table_text(t, buf, n);
}

void table_size(struct table *t, uint64_t bytes)
{
    char buf[FMT_BYTES];
    size_t n = fmt_size(buf, bytes);

    table_text(t, buf, n);
}

void table_quoted(struct table *t, const void *bytes, size_t n)
{
    put_cell(t, bytes, n, TEXT_QUOTED);
}

void table_start(struct table *t, FILE *out, const struct table_column *columns,
                 size_t n_columns, size_t max_width, const char *head_on,
                 const char *head_off)
{
    size_t i;

    assert(n_columns > 0 && n_columns <= TABLE_MAX_COLUMNS);
    *t = (struct table){
        .out = out,
        .columns = columns,
        .head_on = head_on,
        .head_off = head_off,
        .n_columns = n_columns,
        .max_width = max_width,
    };
    for (i = 0; columns[0].title != NULL && i < n_columns; i++)
        table_cstring(t, columns[i].title);
}

void table_leave_out(struct table *t, size_t column)
{
    assert(column > 0 && column < t->n_columns);
    t->left_out[column] = true;
}

void table_spare(struct table *t, size_t column)
{
    assert(column > 0 && column < t->n_columns);
    t->spare[t->n_spare++] = column;
}

/* How wide the table is, with at most `flexible` columns of the flexible one.
 */
static size_t total_width(const struct table *t, size_t flexible)
{
    size_t total = 0;

    for (size_t i = 0; i < t->n_columns; i++) {
        size_t width = t->width[i];

        if (t->left_out[i])
            continue;
        if (t->columns[i].flexible && width > flexible)
            width = flexible;
        total += width + (i > 0 ? COLUMN_GAP : 0);
    }
    return total;
}

size_t table_room(const struct table *t, size_t column)
{
    size_t others = total_width(t, SIZE_MAX) - t->width[column];

    if (t->max_width == 0)
        return SIZE_MAX;
    return others < t->max_width ? t->max_width - others : 0;
}

void table_widen(struct table *t, size_t column, size_t width)
{
    if (width > t->width[column])
        t->width[column] = width;
}

/* Leave out what is spare and make the flexible column narrow, as far as the
 * line asks for it. */
static void fit(struct table *t)
{
    size_t i, total, excess;

    if (t->max_width == 0)
        return;
    for (i = 0; i < t->n_spare; i++)
        if (total_width(t, ROOM_FLEXIBLE) > t->max_width)
            t->left_out[t->spare[i]] = true;
    total = total_width(t, SIZE_MAX);
    if (total <= t->max_width)
        return;
    excess = total - t->max_width;
    for (i = 0; i < t->n_columns; i++) {
        if (!t->columns[i].flexible || t->width[i] <= MIN_FLEXIBLE)
            continue;
        t->width[i] = t->width[i] > excess + MIN_FLEXIBLE ? t->width[i] - excess
                                                          : MIN_FLEXIBLE;
        return;
    }
}

static void write_head(struct table *t)
{
    size_t i;

    fputs(t->head_on, t->out);
    for (i = 0; i < t->n_columns; i++) {
        const char *title = t->columns[i].title;

        write_cell(t, title, strlen(title), TEXT_VERBATIM);
        if (i + 1 == t->n_columns)
            fputs(t->head_off, t->out);
        next_column(t);
    }
}

bool table_again(struct table *t)
{
    assert(t->at == 0);
    if (t->writing)
        return false;
    fit(t);
    t->writing = true;
    if (t->columns[0].title != NULL)
        write_head(t);
    return true;
}
