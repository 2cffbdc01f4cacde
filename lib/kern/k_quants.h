/* k_quants.h - the K types: super-blocks of 256 numbers, with their own scale
 * for each 16 or 32 of them. */
#ifndef GGKI_K_QUANTS_H
#define GGKI_K_QUANTS_H

#include "kern/kern.h"

enum {
    GGKI_SUPER = 256, /* numbers of a super-block */
    GGKI_RUNS = 16,   /* with a scale of their own, at most, in there */
};

ggki_quantize ggki_quantize_q2_k_generic;
ggki_quantize ggki_quantize_q3_k_generic;
ggki_quantize ggki_quantize_q4_k_generic;
ggki_quantize ggki_quantize_q5_k_generic;
ggki_quantize ggki_quantize_q6_k_generic;

ggki_dequantize ggki_dequantize_q2_k_generic;
ggki_dequantize ggki_dequantize_q3_k_generic;
ggki_dequantize ggki_dequantize_q4_k_generic;
ggki_dequantize ggki_dequantize_q5_k_generic;
ggki_dequantize ggki_dequantize_q6_k_generic;

#endif
