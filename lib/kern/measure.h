/* measure.h - what runs of numbers are like, and how far two of them are from
 * each other.
 *
 * All numbers are finite: ggki_moments_add and ggki_find_not_finite tell. What
 * comes out is the same with every instruction set.
 */
#ifndef GGKI_MEASURE_H
#define GGKI_MEASURE_H

#include <stdbool.h>

#include "kern/kern.h"

/* -------------------------------------------------------------------- loops */

#define GGKI_LANES 8 /* of sums, whatever the vectors of the processor have */

/* If a number is not finite, neither is a sum of squares. */
struct ggki_sight {
    /* Bits of the numbers, the largest as integers: that is the least number,
     * if one is negative; and the largest, if one is not. */
    uint32_t lowest[GGKI_LANES];
    int32_t highest[GGKI_LANES];
    uint32_t zeros[GGKI_LANES];
    double sums[GGKI_LANES], squares[GGKI_LANES];
};

/* Of pairs, of their distance, and the greatest of these. */
struct ggki_products {
    double aa[GGKI_LANES], bb[GGKI_LANES], ab[GGKI_LANES];
    double squares[GGKI_LANES], most[GGKI_LANES];
};

/* Where there are lanes, `n` is a multiple of them. */
struct ggki_loops {
    void (*look)(const float *x, size_t n, struct ggki_sight *out);
    /* In which intervals of a histogram GGKI_COUNTED_AT_ONCE numbers are: adds
     * to `counts`, which has GGKI_BINS. `bins` is room, a byte for each. */
    void (*count)(const float *x, float scale, uint8_t *bins, uint64_t *counts);
    void (*compare)(const float *a, const float *b, size_t n,
                    struct ggki_products *out);
};

const struct ggki_loops *ggki_loops_of(enum ggki_isa isa);

/* ------------------------------------------------------------------ moments */

/* Begins as zeros. Of floats the exponent is 0; of doubles so large that
 * squares are in range. */
struct ggki_moments {
    uint64_t n, n_zero;
    double min, max;
    int64_t exponent; /* of what follows: times 2 to the power of it */
    double mean;
    double squares; /* of the distances from the mean, summed; times that of it,
                       twice */
};

/* Add `n` numbers, fewer than 2^32; add what is known of others. If one of the
 * numbers is not finite, the first adds nothing, and returns false. */
bool ggki_moments_add(struct ggki_moments *m, const struct ggki_loops *loops,
                      const float *x, size_t n);
void ggki_moments_add_doubles(struct ggki_moments *m, const double *x,
                              size_t n);
void ggki_moments_merge(struct ggki_moments *m, const struct ggki_moments *b);

/* ---------------------------------------------------------------- histogram */

/* How many numbers are in each of so many intervals, all of one width, a power
 * of two, and one behind the other around zero. Interval i begins at
 * (i - GGKI_BINS / 2) widths; a number on the border of two is in the one that
 * is farther from zero. The width is the least power of two, from
 * 2^GGKI_LEAST_EXPONENT on, for which all have room: so it depends on the
 * numbers alone, and two of these can be merged without loss. Begins as
 * zeros. */
#define GGKI_BINS           64
#define GGKI_LEAST_EXPONENT (-126)

struct ggki_histogram {
    bool begun;
    int steps; /* the exponent, counted from the least */
    uint64_t bins[GGKI_BINS];
};

#define GGKI_COUNTED_AT_ONCE 512

/* Add `n` numbers, none of them larger than `most` or less than -most. */
void ggki_histogram_add(struct ggki_histogram *h,
                        const struct ggki_loops *loops, const float *x,
                        size_t n, float most);
void ggki_histogram_add_doubles(struct ggki_histogram *h, const double *x,
                                size_t n, double most);
void ggki_histogram_merge(struct ggki_histogram *h,
                          const struct ggki_histogram *b);

/* ----------------------------------------------------------------- distance */

/* Of pairs of numbers, a and b. Begins as zeros. Sums are times 2 to the power
 * of exponents, which are those of their two factors; of floats these are 0. */
struct ggki_distance {
    uint64_t n_differ;
    int64_t exponent; /* of a - b; of a; of b */
    int64_t exponent_a;
    int64_t exponent_b;
    double squares; /* of a - b, summed */
    double squares_a;
    double squares_b;
    double products; /* of a and b */
    double max;      /* the greatest |a - b|, */
    uint64_t max_at; /* and the first pair that has it */
};

/* Add `n` pairs; the first of them is number `at`. They follow those that were
 * added before. */
void ggki_distance_add(struct ggki_distance *d, const struct ggki_loops *loops,
                       const float *a, const float *b, size_t n, uint64_t at);
void ggki_distance_add_doubles(struct ggki_distance *d, const double *a,
                               const double *b, const double *apart, size_t n,
                               uint64_t at); /* `apart`: |a - b| */
void ggki_distance_merge(struct ggki_distance *d,
                         const struct ggki_distance *b);

#endif
