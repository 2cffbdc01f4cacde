/* fp4.h - what the scalar and the vector kernels of MXFP4 and NVFP4 share: all
 * but the search for the nearest value. */
#ifndef GGKI_FP4_H
#define GGKI_FP4_H

#include <stdint.h>

enum {
    GGKI_MXFP4_N = 32, /* numbers in a block */
    GGKI_MXFP4_BYTES = 17,
    GGKI_MXFP4_LEVELS = 1, /* where they begin in the block */
    GGKI_NVFP4_N = 64,
    GGKI_NVFP4_SUB = 16, /* of these share a scale */
    GGKI_NVFP4_BYTES = 36,
    GGKI_NVFP4_LEVELS = 4,
};

/* What levels stand for: twice the values of E2M1. */
extern const float ggki_fp4_values[16];

/* The scale of MXFP4 for numbers whose largest magnitude is `size`, as a block
 * has it. Of numbers below 2^-125 it is one that is far too large. */
uint8_t ggki_mxfp4_code(float size);

/* What it stands for, with the half that the values are doubled by. */
float ggki_mxfp4_scale(uint8_t code);

/* The same of NVFP4. */
uint8_t ggki_nvfp4_code(float size);
float ggki_nvfp4_scale(uint8_t code);

#endif
