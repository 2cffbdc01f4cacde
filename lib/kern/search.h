/* search.h - searches that several block types share: for the numbers of a
 * block, the levels (small integers) and the scale that come nearest to them.
 *
 * Every sum goes from the first number to the last, every product from left to
 * right, as the reference does it. Weights say what an error in a number costs.
 */
#ifndef GGKI_SEARCH_H
#define GGKI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GGKI_SEARCH_MAX = 32 }; /* numbers that a search takes at most */

/* The number of largest magnitude, of several the first, with its sign. A NaN
 * is passed over; 0 if there is nothing else. */
float ggki_peak(const float *x, size_t n);

/* The sum of the squares. */
float ggki_sum_squares(const float *x, size_t n);

/* What the numbers weigh: importance * sqrt(mean_square + x * x). */
void ggki_weigh(const float *x, const float *importance, size_t n,
                float mean_square, float *weights);

/* x is about scale * (level - half), where 0 <= level < 2 * half. Without
 * weights (NULL), each is the square of its number. Fills `levels`, returns the
 * scale. Where all numbers are below 1e-15, both are 0: the levels too, not
 * `half`. ("make_qx_quants", error type 1) */
float ggki_search_symmetric(const float *x, const float *weights, size_t n,
                            int half, uint8_t *levels);

/* What a search with an offset tries: the scales for which the numbers span
 * top + first, top + first + step, ... levels, `n` steps. */
struct ggki_steps {
    float first;
    float step;
    int n;         /* as many and one scales are tried */
    bool absolute; /* an error counts as it is, not as its square */
};

/* x is about scale * level - offset, where 0 <= level <= top and offset >= 0.
 * Fills `levels` and `*offset`, returns the scale: 0, with all levels 0, where
 * all numbers are equal and none is positive. ("make_qkx2_quants" without
 * importance, "make_qkx3_quants" with it: they are the same, since a maximum is
 * never below its minimum.) */
float ggki_search_offset(const float *x, const float *weights, size_t n,
                         int top, const struct ggki_steps *steps,
                         uint8_t *levels, float *offset);

#endif
