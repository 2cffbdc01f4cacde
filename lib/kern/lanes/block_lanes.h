/* block_lanes.h - what kernels share that quantize one block after the other.
 */
#ifndef GGKI_BLOCK_LANES_H
#define GGKI_BLOCK_LANES_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include "kern/kern.h"

/* How a type is quantized. False if the scalar kernel has to do the block. */
struct block_type {
    size_t n; /* numbers in a block */
    size_t bytes;
    bool (*quantize)(const float *x, uint8_t *block);
    ggki_quantize *scalar;
};

LANES_INLINE void quantize_blocks(const struct block_type *type, const float *x,
                                  uint8_t *blocks, size_t n)
{
    for (size_t at = 0; at < n; at += type->n, blocks += type->bytes)
        if (!type->quantize(x + at, blocks))
            type->scalar(x + at, blocks, 1, type->n, NULL);
}

/* Of `n` numbers, a multiple of 16; -1 if one of them is not finite. Without
 * their signs, floats are in the order of their bits, NaNs last. */
LANES_INLINE float finite_size(const float *x, size_t n)
{
    vint bits = vi_set(0);

    for (size_t i = 0; i < n; i += LANES)
        bits = vi_max(bits, vf_bits(vf_abs(vf_load(x + i))));

    vfloat sizes = vi_as_float(bits);
    vmask finite = vf_at_most(sizes, vf_set(FLT_MAX));
    return vm_bits(finite) == LANES_ALL ? vf_largest(sizes) : -1;
}

/* To multiply with what is that large at most: the products are -1 to 1, but
 * for what rounding adds. False if there is none. */
LANES_INLINE bool finite_inverse(const float *x, size_t n, float *size,
                                 float *inverse)
{
    *size = finite_size(x, n);
    *inverse = inverse_or_0(*size);
    return *size >= 0 && *inverse <= FLT_MAX;
}

/* Of such a product: 0, 1 or 2 for what rounds to -1, 0 or 1. */
LANES_INLINE vint trit_levels(vfloat x)
{
    vint level = vi_count(vi_set(0), vf_less(vf_set(-0.5f), x));
    return vi_count(level, vf_at_most(vf_set(0.5f), x));
}

#endif
