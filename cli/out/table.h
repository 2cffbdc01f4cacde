/* table.h - aligned columns.
 *
 * The rows are gone through twice, first for the widths and then to be
 * written, so that a table of any length takes no memory and cannot fail:
 *
 *     table_start(&t, out, columns, 3, 0, "", "");
 *     do {
 *         for (i = 0; i < n; i++) {
 *             table_text(&t, name[i].ptr, name[i].len);
 *             table_u64(&t, offset[i]);
 *             table_size(&t, bytes[i]);
 *         }
 *     } while (table_again(&t));
 *
 * A row ends with its last column. The loop must put the same cells each time.
 */
#ifndef CLI_OUT_TABLE_H
#define CLI_OUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_MAX_COLUMNS 16

enum table_align { TABLE_LEFT, TABLE_RIGHT };

/* One column. Of the flexible one, at most one a table, cells are shortened
 * where the table would be too wide. */
struct table_column {
    const char *title; /* NULL in all columns: no header row */
    enum table_align align;
    bool flexible;
};

/* The fields are private. */
struct table {
    FILE *out;
    const struct table_column *columns;
    const char *head_on;
    const char *head_off;
    size_t n_columns;
    size_t at;        /* column of the next cell */
    size_t owed;      /* blanks held back */
    size_t max_width; /* of a line; 0: any */
    bool writing;     /* the second time */
    size_t width[TABLE_MAX_COLUMNS];
    size_t spare[TABLE_MAX_COLUMNS]; /* columns, the first to go first */
    size_t n_spare;
    bool left_out[TABLE_MAX_COLUMNS];
};

/* table_start - begin a table at most `max_width` columns wide, 0 for any
 * width; the header row stands between `head_on` and `head_off`. */
void table_start(struct table *t, FILE *out, const struct table_column *columns,
                 size_t n_columns, size_t max_width, const char *head_on,
                 const char *head_off);

/* After table_start and before table_again, of a column that is not the
 * flexible one; its cells are put all the same.
 * table_leave_out - it is not written.
 * table_spare - it is left out where the flexible one, or 32 columns of it,
 *   would not fit otherwise; of several, the one that was named first. */
void table_leave_out(struct table *t, size_t column);
void table_spare(struct table *t, size_t column);

/* After the first time that the rows were put:
 * table_room - how wide a column may become with all others whole; 0: it has no
 *   room at all, SIZE_MAX: any width.
 * table_widen - let it be at least so wide, whatever was in its cells. */
size_t table_room(const struct table *t, size_t column);
void table_widen(struct table *t, size_t column, size_t width);

/* table_again - after the rows: true the first time, to put them once more. */
bool table_again(struct table *t);

/* The next cell: bytes of a file, made safe; the program's own words, or text
 * that is safe already; numbers; "30.43 MiB". */
void table_text(struct table *t, const void *bytes, size_t n);
void table_cstring(struct table *t, const char *s);
void table_u64(struct table *t, uint64_t v);
void table_size(struct table *t, uint64_t bytes);

/* table_quoted - bytes of a file, made safe, between quotes. */
void table_quoted(struct table *t, const void *bytes, size_t n);

#endif
