/* measure_loops.h - the loops of measure.c, in C that compilers make vectors
 * of: compiled once as it is, and once for AVX2.
 *
 * Sums have lanes, so that their order is the same in both.
 */
#ifndef GGKI_MEASURE_LOOPS_H
#define GGKI_MEASURE_LOOPS_H

#include <math.h>
#include <string.h>

#include "kern/measure.h"

/* As integers, floats are in order but for those that are negative. */
static int32_t ordered(float x)
{
    int32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

static float unordered(int32_t bits)
{
    float x;

    bits = bits < 0 ? bits ^ INT32_MAX : bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void find_range(const float *x, size_t n, struct ggki_range *out)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    uint32_t zeros = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t bits = ordered(x[i]);

        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
        zeros += x[i] == 0;
    }
    *out = (struct ggki_range){unordered(low), unordered(high), zeros};
}

static void add_up(const float *x, size_t n, double from, struct ggki_sums *out)
{
    double sums[GGKI_LANES] = {0}, squares[GGKI_LANES] = {0};

    for (size_t i = 0; i < n / GGKI_LANES; i++) {
        const float *at = x + i * GGKI_LANES;

        for (int k = 0; k < GGKI_LANES; k++) {
            double d = (double)at[k] - from;

            sums[k] += d;
            squares[k] += d * d;
        }
    }
    memcpy(out->sums, sums, sizeof sums);
    memcpy(out->squares, squares, sizeof squares);
}

static void find_bins(const float *x, size_t n, float scale, uint8_t *bins)
{
    for (size_t i = 0; i < n; i++)
        bins[i] =
            (uint8_t)(GGKI_BINS / 2 + (int32_t)(x[i] * scale) - (x[i] < 0));
}

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

static const struct ggki_loops loops = {find_range, add_up, find_bins, compare};

#endif
