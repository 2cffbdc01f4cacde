/* float_lanes.h - F16 and BF16: the kernels of float_types.c, a number in each
 * lane.
 */
#ifndef GGKI_FLOAT_LANES_H
#define GGKI_FLOAT_LANES_H

#include "kern/kernels.h"

/* All NaNs become one, with the sign kept. */
LANES_INLINE vfloat one_nan(vfloat x)
{
    vint sign = vi_and(vf_bits(x), vi_set(INT32_MIN));
    vfloat nan = vi_as_float(vi_or(sign, vi_set(0x7fc00000)));
    return vf_select(vf_equal(x, x), x, nan);
}

static void quantize_f16(const float *x, uint8_t *blocks, size_t n_rows,
                         size_t row_n, const float *importance)
{
    size_t n = n_rows * row_n;
    size_t whole = n - n % LANES;

    for (size_t i = 0; i < whole; i += LANES)
        vf_store_f16(blocks + 2 * i, one_nan(vf_load(x + i)));
    ggki_quantize_f16_generic(x + whole, blocks + 2 * whole, 1, n - whole,
                              importance);
}

static void dequantize_f16(const uint8_t *blocks, float *x, size_t n)
{
    size_t whole = n - n % LANES;

    for (size_t i = 0; i < whole; i += LANES)
        vf_store(x + i, vf_load_f16(blocks + 2 * i));
    ggki_dequantize_f16_generic(blocks + 2 * whole, x + whole, n - whole);
}

LANES_INLINE vint brain_of(vfloat x)
{
    vint bits = vf_bits(x);
    vint high = vi_shr(bits, 16);
    vint odd = vi_and(high, vi_set(1));
    vint nearest = vi_shr(vi_add(vi_add(bits, vi_set(0x7fff)), odd), 16);
    return vi_select(vf_equal(x, x), nearest, vi_or(high, vi_set(0x40)));
}

static void quantize_bf16(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    size_t n = n_rows * row_n;
    size_t whole = n - n % LANES;

    for (size_t i = 0; i < whole; i += LANES)
        vi_store_16(blocks + 2 * i, brain_of(vf_load(x + i)));
    ggki_quantize_bf16_generic(x + whole, blocks + 2 * whole, 1, n - whole,
                               importance);
}

static void dequantize_bf16(const uint8_t *blocks, float *x, size_t n)
{
    size_t whole = n - n % LANES;

    for (size_t i = 0; i < whole; i += LANES)
        vf_store(x + i, vi_as_float(vi_shl(vi_load_u16(blocks + 2 * i), 16)));
    ggki_dequantize_bf16_generic(blocks + 2 * whole, x + whole, n - whole);
}

#endif
