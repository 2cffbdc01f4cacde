/* table_lanes.h - all kernels that are written with lanes. Included by one file
 * for each instruction set, after its lanes.
 */
#ifndef GGKI_TABLE_LANES_H
#define GGKI_TABLE_LANES_H

#include "kern/kern.h"
#include "kern/lanes/float_lanes.h"
#include "kern/lanes/iq4_lanes.h"
#include "kern/lanes/k_offset_lanes.h"
#include "kern/lanes/k_symmetric_lanes.h"
#include "kern/lanes/legacy_lanes.h"

/* By the type's number in GGUF. */
static const struct ggki_kern lanes_kernels[] = {
    [1] = {quantize_f16, dequantize_f16},
    [2] = {quantize_q4_0, dequantize_q4_0},
    [3] = {quantize_q4_1, dequantize_q4_1},
    [6] = {quantize_q5_0, dequantize_q5_0},
    [7] = {quantize_q5_1, dequantize_q5_1},
    [8] = {quantize_q8_0, dequantize_q8_0},
    [10] = {quantize_q2_k, dequantize_q2_k},
    [11] = {quantize_q3_k, dequantize_q3_k},
    [12] = {quantize_q4_k, dequantize_q4_k},
    [13] = {quantize_q5_k, dequantize_q5_k},
    [14] = {quantize_q6_k, dequantize_q6_k},
    [20] = {quantize_iq4_nl, dequantize_iq4_nl},
    [23] = {quantize_iq4_xs, dequantize_iq4_xs},
    [30] = {quantize_bf16, dequantize_bf16},
};

static struct ggki_kern lanes_kern(uint32_t type)
{
    const struct ggki_kern none = {NULL, NULL};

    if (type >= sizeof lanes_kernels / sizeof *lanes_kernels)
        return none;
    return lanes_kernels[type];
}

#endif
