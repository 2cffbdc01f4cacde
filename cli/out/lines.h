/* lines.h - two texts compared line by line, shown as by diff -u.
 *
 * The fewest lines are shown as changed where that can be found out in little
 * time and memory; else whole stretches are, which is true too. So neither
 * grows with more than the length of the texts, whatever they hold. The texts
 * must not change meanwhile.
 */
#ifndef CLI_OUT_LINES_H
#define CLI_OUT_LINES_H

#include <stddef.h>
#include <stdio.h>

/* How it is shown: what stands before lines of each kind, and after them. */
struct lines_look {
    const char *place;
    const char *removed;
    const char *added;
    const char *off;
    size_t most; /* lines that are shown; (size_t)-1: all */
};

/* lines_count - lines of a text; the last need not end.
 * lines_diff - write the difference; lines are made safe. Returns how many
 * lines of it are not shown. */
size_t lines_count(const void *text, size_t n);
size_t lines_diff(FILE *out, const void *a, size_t a_bytes, const void *b,
                  size_t b_bytes, const struct lines_look *look);

#endif
