/* table_lanes.h - all kernels that are written with lanes. Included by one file
 * for each instruction set, after its lanes.
 */
#ifndef GGKI_TABLE_LANES_H
#define GGKI_TABLE_LANES_H

#include "base/type_ids.h"
#include "kern/kern.h"
#include "kern/lanes/few_bits_lanes.h"
#include "kern/lanes/float_lanes.h"
#include "kern/lanes/fp4_lanes.h"
#include "kern/lanes/grid_numbers_lanes.h"
#include "kern/lanes/grid_runs_lanes.h"
#include "kern/lanes/iq1_lanes.h"
#include "kern/lanes/iq4_lanes.h"
#include "kern/lanes/k_offset_lanes.h"
#include "kern/lanes/k_symmetric_lanes.h"
#include "kern/lanes/legacy_lanes.h"
#include "kern/lanes/ternary_lanes.h"

/* By the type. */
static const struct ggki_kern lanes_kernels[] = {
    [GGKI_F16] = {quantize_f16, dequantize_f16},
    [GGKI_Q4_0] = {quantize_q4_0, dequantize_q4_0},
    [GGKI_Q4_1] = {quantize_q4_1, dequantize_q4_1},
    [GGKI_Q5_0] = {quantize_q5_0, dequantize_q5_0},
    [GGKI_Q5_1] = {quantize_q5_1, dequantize_q5_1},
    [GGKI_Q8_0] = {quantize_q8_0, dequantize_q8_0},
    [GGKI_Q2_K] = {quantize_q2_k, dequantize_q2_k},
    [GGKI_Q3_K] = {quantize_q3_k, dequantize_q3_k},
    [GGKI_Q4_K] = {quantize_q4_k, dequantize_q4_k},
    [GGKI_Q5_K] = {quantize_q5_k, dequantize_q5_k},
    [GGKI_Q6_K] = {quantize_q6_k, dequantize_q6_k},
    [GGKI_IQ2_XXS] = {quantize_iq2_xxs, dequantize_iq2_xxs},
    [GGKI_IQ2_XS] = {quantize_iq2_xs, dequantize_iq2_xs},
    [GGKI_IQ3_XXS] = {quantize_iq3_xxs, dequantize_iq3_xxs},
    [GGKI_IQ1_S] = {quantize_iq1_s, dequantize_iq1_s},
    [GGKI_IQ4_NL] = {quantize_iq4_nl, dequantize_iq4_nl},
    [GGKI_IQ3_S] = {quantize_iq3_s, dequantize_iq3_s},
    [GGKI_IQ2_S] = {quantize_iq2_s, dequantize_iq2_s},
    [GGKI_IQ4_XS] = {quantize_iq4_xs, dequantize_iq4_xs},
    [GGKI_IQ1_M] = {quantize_iq1_m, dequantize_iq1_m},
    [GGKI_BF16] = {quantize_bf16, dequantize_bf16},
    [GGKI_TQ1_0] = {quantize_tq1_0, dequantize_tq1_0},
    [GGKI_TQ2_0] = {quantize_tq2_0, dequantize_tq2_0},
    [GGKI_MXFP4] = {quantize_mxfp4, dequantize_mxfp4},
    [GGKI_NVFP4] = {quantize_nvfp4, dequantize_nvfp4},
    [GGKI_Q1_0] = {quantize_q1_0, dequantize_q1_0},
    [GGKI_Q2_0] = {quantize_q2_0, dequantize_q2_0},
};

static struct ggki_kern lanes_kern(uint32_t type)
{
    const struct ggki_kern none = {NULL, NULL};

    if (type >= sizeof lanes_kernels / sizeof *lanes_kernels)
        return none;
    return lanes_kernels[type];
}

#endif
