/* iq4.h - what the scalar and the vector kernels of IQ4_NL and IQ4_XS share:
 * all but the searches. */
#ifndef GGKI_IQ4_H
#define GGKI_IQ4_H

#include <stddef.h>
#include <stdint.h>

enum {
    GGKI_IQ4_N = 32,  /* numbers that share a scale */
    GGKI_IQ4_SUB = 8, /* such scales in a block of IQ4_XS */
    GGKI_IQ4_NL_BYTES = 18,
    GGKI_IQ4_NL_LEVELS = 2, /* where the levels begin */
    GGKI_IQ4_XS_BYTES = 136,
    GGKI_IQ4_XS_LEVELS = 8,
};

/* What levels stand for. */
extern const int8_t ggki_iq4_values[16];

/* Half way between two of them the upper one is nearest. */
extern const float ggki_iq4_midpoints[15];

/* Put the 8 scales into a block of IQ4_XS. What its numbers are then to be
 * multiplied with becomes `inverses`. */
void ggki_iq4_xs_put_scales(const float *scales, uint8_t *block,
                            float *inverses);

/* The scale of 32 numbers of a block of IQ4_XS. */
float ggki_iq4_xs_scale(const uint8_t *block, size_t sub);

#endif
