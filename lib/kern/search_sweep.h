/* search_sweep.h - searches that end with sweeps: in each, every level in turn
 * may become a better one, until none does.
 *
 * Of the kind of search.h. They take 32 numbers at most.
 */
#ifndef GGKI_SEARCH_SWEEP_H
#define GGKI_SEARCH_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum { GGKI_SWEEP_MAX = 32 };

/* x is about scale * level, where 0 <= level <= top, for numbers that are
 * positive but for a few. Fills `levels`, returns the scale. Where all numbers
 * are below 1e-15, both are 0. Levels of numbers that are negative or not
 * finite may be above `top`. ("make_qp_quants") */
float ggki_search_positive(const float *x, const float *weights, size_t n,
                           int top, uint8_t *levels);

/* x is about scale * (level - half), where 0 <= level < 2 * half; each number's
 * weight is its square. Fills `levels`, returns the scale. Where all numbers
 * are below 1e-15, both are 0: the levels too, not `half`. ("make_q3_quants")
 */
float ggki_search_squares(const float *x, size_t n, int half, uint8_t *levels);

#endif
