/* text.h - any bytes, made safe to show.
 *
 * Whatever a file calls its keys and tensors, nothing of it can move the
 * cursor, change colours, reorder a line or end it: printable characters stay,
 * everything else is written as an escape.
 *
 *     newline, tab, return, backslash     \n  \t  \r  \\
 *     other control bytes, invalid UTF-8  \x1b  \xff
 *     other characters not printable      \u{202e}
 */
#ifndef CLI_OUT_TEXT_H
#define CLI_OUT_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum text_form {
    TEXT_PLAIN,
    TEXT_QUOTED,  /* between double quotes, those inside escaped */
    TEXT_VERBATIM /* backslashes stay: for reading, not for reading back */
};

#define TEXT_WHOLE ((size_t)-1) /* as a number of columns: do not shorten */

/* text_write - write `n` bytes within `columns` columns, shortened by an
 * ellipsis if they need more; returns the columns used.
 * text_width - the columns text_write would use. Counts no further than
 * `columns`, so that a long text costs no more than a short one. */
size_t text_write(FILE *out, const void *bytes, size_t n, enum text_form form,
                  size_t columns);
size_t text_width(const void *bytes, size_t n, enum text_form form,
                  size_t columns);

/* text_copy - the same into memory: as many whole characters as fit into
 * `room` bytes with a NUL, whole escapes only. Returns the bytes written. */
size_t text_copy(char *buf, size_t room, const void *bytes, size_t n);

/* text_repr - as Python's repr(str), character for character. Bytes that are
 * not UTF-8 as what bytes.decode("utf-8", "surrogateescape") makes of them. */
void text_repr(FILE *out, const void *bytes, size_t n);

/* text_prefix - bytes of the first `count` characters; all, if fewer. A byte
 * that is not UTF-8 counts as one. */
size_t text_prefix(const void *bytes, size_t n, size_t count);

#endif
