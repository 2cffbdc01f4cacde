/* measure_loops.h - the loop of measure.c over pairs of numbers, in C that
 * compilers make vectors of: compiled once as it is, and once for AVX2.
 *
 * Sums have lanes, so that their order is the same in both.
 */
#ifndef GGKI_MEASURE_LOOPS_H
#define GGKI_MEASURE_LOOPS_H

#include <math.h>
#include <string.h>

#include "kern/measure.h"

/* Products of floats are exact in double precision. */
static void compare(const float *a, const float *b, size_t n,
                    struct ggki_products *out)
{
    double aa[GGKI_LANES] = {0}, bb[GGKI_LANES] = {0}, ab[GGKI_LANES] = {0},
           squares[GGKI_LANES] = {0}, most[GGKI_LANES] = {0};

    for (size_t i = 0; i < n / GGKI_LANES; i++) {
        const float *at = a + i * GGKI_LANES, *bt = b + i * GGKI_LANES;

        for (int k = 0; k < GGKI_LANES; k++) {
            double x = (double)at[k], y = (double)bt[k], apart = fabs(x - y);

            aa[k] += x * x;
            bb[k] += y * y;
            ab[k] += x * y;
            squares[k] += apart * apart;
            most[k] = apart > most[k] ? apart : most[k];
        }
    }
    memcpy(out->aa, aa, sizeof aa);
    memcpy(out->bb, bb, sizeof bb);
    memcpy(out->ab, ab, sizeof ab);
    memcpy(out->squares, squares, sizeof squares);
    memcpy(out->most, most, sizeof most);
}

#endif
