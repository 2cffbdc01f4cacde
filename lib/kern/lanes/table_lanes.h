/* table_lanes.h - all kernels that are written with lanes. Included by one file
 * for each instruction set, after its lanes.
 */
#ifndef GGKI_TABLE_LANES_H
#define GGKI_TABLE_LANES_H

#include "kern/kern.h"
#include "kern/lanes/k_offset_lanes.h"
#include "kern/lanes/k_symmetric_lanes.h"

/* By the type's number in GGUF. */
static const struct ggki_kern lanes_kernels[] = {
    [10] = {quantize_q2_k, NULL}, [11] = {quantize_q3_k, NULL},
    [12] = {quantize_q4_k, NULL}, [13] = {quantize_q5_k, NULL},
    [14] = {quantize_q6_k, NULL},
};

static struct ggki_kern lanes_kern(uint32_t type)
{
    const struct ggki_kern none = {NULL, NULL};

    if (type >= sizeof lanes_kernels / sizeof *lanes_kernels)
        return none;
    return lanes_kernels[type];
}

#endif
