/* slice.h - elements I up to, not with, J, as "I:J" on the command line. */
#ifndef CLI_SLICE_H
#define CLI_SLICE_H

#include <stdbool.h>
#include <stdint.h>

/* A slice that is not given stands for everything. */
struct slice {
    bool given;
    bool single; /* I alone: the element itself, not a list of one */
    uint64_t from, to;
};

/* slice_parse - "I", "I:J", "I:", ":J" or ":"; false if it is none of these.
 */
bool slice_parse(const char *text, struct slice *out);

/* slice_fit - cut it to `n` elements; false if it lies outside of them. */
bool slice_fit(struct slice *s, uint64_t n);

#endif
