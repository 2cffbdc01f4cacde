/* iq1.h - what the scalar and the vector kernels of IQ1_S and IQ1_M share: all
 * but the searches.
 *
 * 32 or 16 numbers, a run, have a scale; each 8 in it, a group, are a point of
 * the grid, shifted up or down. x is about d * (2 * scale + 1) * (level - 1 +
 * shift).
 */
#ifndef GGKI_IQ1_H
#define GGKI_IQ1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/k_quants.h"

enum {
    GGKI_IQ1_GROUP = 8,
    GGKI_IQ1_S_RUN = 32, /* numbers that share a scale */
    GGKI_IQ1_M_RUN = 16,
    GGKI_IQ1_RUN_MAX = GGKI_IQ1_S_RUN,
    GGKI_IQ1_S_LOW = 2, /* where it begins in the block */
    GGKI_IQ1_S_HIGH = 34,
    GGKI_IQ1_M_HIGH = 32,
    GGKI_IQ1_M_SCALES = 48,
    GGKI_IQ1_S_BYTES = 50,
    GGKI_IQ1_M_BYTES = 56,
};

/* A run whose numbers are all below is taken for 0. */
#define GGKI_IQ1_S_LEAST 1e-12f
#define GGKI_IQ1_M_LEAST 1e-7f

/* What the levels stand for where the shift is up, and where it is down. */
extern const float ggki_iq1_values[2][3];

/* The numbers of a run, and what they weigh. */
struct ggki_iq1_run {
    const float *x;
    const float *weights;
    size_t n; /* GGKI_IQ1_S_RUN or GGKI_IQ1_M_RUN */
};

/* The numbers of a run in order, and where levels begin among them: the lowest
 * is that of the first `low`, the highest that of those from `high` on. */
struct ggki_iq1_split {
    uint8_t order[GGKI_IQ1_RUN_MAX];
    size_t low, high;
    float scale;
    unsigned down; /* bit i: the shift of group i is down */
};

/* A super-block before it is packed. */
struct ggki_iq1_super {
    uint16_t places[GGKI_SUPER / GGKI_IQ1_GROUP]; /* numbers of points */
    float scales[GGKI_RUNS];
    uint8_t down[GGKI_RUNS];
};

/* Of the points near, the first of the least distance from the group that
 * begins with number `first`, for these values of levels; false if none has a
 * distance. `room` is the caller's. */
typedef bool ggki_iq1_nearest(void *room, const struct ggki_iq1_run *r,
                              size_t first, float scale, const float *values,
                              const uint16_t *list, uint16_t *point);

/* The points of a split, whose scale becomes one that is not negative. False
 * where the reference gives up. */
bool ggki_iq1_find_points(const struct ggki_iq1_run *r,
                          struct ggki_iq1_split *split,
                          ggki_iq1_nearest *nearest, void *room,
                          uint16_t *places);

/* The points of a run, its scale, which is 0 where it is taken for 0 as all
 * numbers are below `least`, and its shifts. False where the reference gives
 * up. */
bool ggki_iq1_search(const struct ggki_iq1_run *r, float least,
                     uint16_t *places, float *scale, uint8_t *down);

/* The scales to integers, and all of it into the block. */
void ggki_iq1_s_put(const struct ggki_iq1_super *super, uint8_t *block);
void ggki_iq1_m_put(const struct ggki_iq1_super *super, const float *x,
                    const float *weights, uint8_t *block);

/* d of a block of IQ1_M. */
float ggki_iq1_m_d(const uint8_t *block);

ggki_quantize ggki_quantize_iq1_s_generic;
ggki_quantize ggki_quantize_iq1_m_generic;

ggki_dequantize ggki_dequantize_iq1_s_generic;
ggki_dequantize ggki_dequantize_iq1_m_generic;

#endif
