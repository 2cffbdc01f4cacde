/* sparkline.h - counts as a line of bars, one character each. */
#ifndef CLI_CMD_SPARKLINE_H
#define CLI_CMD_SPARKLINE_H

#include <stddef.h>
#include <stdint.h>

/* Room for 64 bars of three bytes, and a NUL. */
#define SPARKLINE_BYTES 193

/* sparkline - `n` counts as `columns` bars, of which each stands for n /
 * columns of them, next to each other; that must be a whole number. The highest
 * has full height, the others that of the logarithm of their counts; none is
 * empty unless its counts are zero. Blanks at the end are left out. */
void sparkline(char out[SPARKLINE_BYTES], const uint64_t *counts, size_t n,
               size_t columns);

#endif
