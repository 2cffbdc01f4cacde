/* sparkline.c - counts as a line of bars, one character each. */
#include "cmd/sparkline.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 8, BAR_BYTES = 3 };

static uint64_t sum_of(const uint64_t *counts, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

/* U+2581 to U+2588: an eighth of the height to all of it. Heights are
 * logarithms: of weights nearly all are near the middle, and the few that are
 * not would all have the lowest bar. */
static char *put_bar(char *out, uint64_t count, uint64_t most)
{
    double height = log2(1 + (double)count) / log2(1 + (double)most) * LEVELS;
    unsigned level = (unsigned)height < LEVELS ? (unsigned)height : LEVELS - 1;

    memcpy(out, "\xe2\x96", BAR_BYTES - 1);
    out[BAR_BYTES - 1] = (char)(0x81 + level);
    return out + BAR_BYTES;
}

void sparkline(char out[SPARKLINE_BYTES], const uint64_t *counts, size_t n,
               size_t columns)
{
    size_t each = n / columns;
    uint64_t most = 0;
    char *end = out;

    for (size_t i = 0; i < columns; i++) {
        uint64_t sum = sum_of(counts + i * each, each);

        most = sum > most ? sum : most;
    }
    for (size_t i = 0; i < columns; i++) {
        uint64_t sum = sum_of(counts + i * each, each);

        if (sum == 0) {
            *out++ = ' ';
            continue;
        }
        out = put_bar(out, sum, most);
        end = out;
    }
    *end = '\0';
}
