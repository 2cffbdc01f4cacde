/* ternary.h - what the scalar and the vector kernels of TQ1_0 and TQ2_0 share:
 * where levels are in their blocks, and five levels in a byte.
 *
 * A level is 0, 1 or 2, and stands for -1, 0 or 1.
 */
#ifndef GGKI_TERNARY_H
#define GGKI_TERNARY_H

#include <stddef.h>
#include <stdint.h>

#include "kern/k_quants.h"
#include "kern/planes.h"

enum {
    GGKI_TQ1_BYTES = 54,
    GGKI_TQ1_SCALE = 52, /* where it is in the block */
    GGKI_TQ1_RUNS = 3,
    GGKI_TQ2_BYTES = 66,
    GGKI_TQ2_SCALE = 64,
};

/* Bytes one after the other, each with so many levels that are `stride`, the
 * number of the bytes, apart. */
struct ggki_trit_run {
    size_t stride;
    size_t per_byte; /* 5, or 4 that are the first ones of 5 */
};

/* What a block of TQ1_0 begins with. */
static const struct ggki_trit_run ggki_tq1_runs[GGKI_TQ1_RUNS] = {
    {32, 5}, {16, 5}, {4, 4}};

static const struct planes ggki_tq2_planes = {GGKI_SUPER, 2, 32, 0};

/* A byte is a fraction of 256 whose digits to base 3 are the levels, rounded
 * up: each digit is what three times the fraction is before the point. Levels
 * that are none count modulo 256. */
static inline void ggki_put_trits(struct ggki_trit_run run,
                                  const uint8_t *levels, uint8_t *bytes)
{
    for (size_t i = 0; i < run.stride; i++) {
        unsigned digits = 0;

        for (size_t k = 0; k < 5; k++) {
            digits *= 3;
            if (k < run.per_byte)
                digits += levels[k * run.stride + i];
            digits &= 255;
        }
        bytes[i] = (uint8_t)((digits * 256 + 242) / 243);
    }
}

static inline void ggki_get_trits(struct ggki_trit_run run,
                                  const uint8_t *bytes, uint8_t *levels)
{
    unsigned power = 1;

    for (size_t k = 0; k < run.per_byte; k++, power *= 3)
        for (size_t i = 0; i < run.stride; i++) {
            unsigned rest = bytes[i] * power & 255;

            *levels++ = (uint8_t)(rest * 3 >> 8);
        }
}

#endif
