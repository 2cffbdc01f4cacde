/* ternary_lanes.h - TQ1_0 and TQ2_0: the kernels of ternary.c, a number in each
 * lane.
 */
#ifndef GGKI_TERNARY_LANES_H
#define GGKI_TERNARY_LANES_H

#include "kern/kernels.h"
#include "kern/lanes/block_lanes.h"
#include "kern/lanes/planes_lanes.h"
#include "kern/ternary.h"

LANES_INLINE vint ternary_levels(const float *x, float inverse)
{
    return trit_levels(vf_mul(vf_load(x), vf_set(inverse)));
}

LANES_INLINE vfloat ternary_numbers(vint levels, float scale)
{
    return vf_mul(vi_to_float(vi_sub(levels, vi_set(1))), vf_set(scale));
}

/* ------------------------------------------------------------------- TQ1_0 */

LANES_INLINE vint three_times(vint a)
{
    return vi_add(vi_add(a, a), a);
}

/* ggki_put_trits, 16 bytes of 5 levels: what is cut off is never as near to a
 * whole number as floats are inexact. */
LANES_INLINE void put_trit_lanes(const float *x, size_t stride, float inverse,
                                 uint8_t *out)
{
    vint digits = vi_set(0);

    for (size_t k = 0; k < 5; k++)
        digits = vi_add(three_times(digits),
                        ternary_levels(x + k * stride, inverse));

    vfloat fraction = vf_mul(vi_to_float(digits), vf_set(256.0f / 243));
    vi_store_8(out, vf_truncate(vf_add(fraction, vf_set(242.5f / 243))));
}

LANES_INLINE void get_trit_lanes(const uint8_t *bytes, size_t stride,
                                 float scale, float *x)
{
    vint rest = vi_load_u8(bytes);

    for (size_t k = 0; k < 5; k++) {
        vint digit = three_times(rest);
        vf_store(x + k * stride, ternary_numbers(vi_shr(digit, 8), scale));
        rest = vi_and(digit, vi_set(255));
    }
}

/* Where the runs of 16 bytes and 4 begin. */
enum { TQ1_SECOND = 32, TQ1_SECOND_X = 160, TQ1_LAST = 48, TQ1_LAST_X = 240 };

LANES_INLINE bool quantize_tq1_0_block(const float *x, uint8_t *block)
{
    float size, inverse;
    uint8_t last[LANES];

    if (!finite_inverse(x, GGKI_SUPER, &size, &inverse))
        return false;
    put_trit_lanes(x, 32, inverse, block);
    put_trit_lanes(x + LANES, 32, inverse, block + LANES);
    put_trit_lanes(x + TQ1_SECOND_X, 16, inverse, block + TQ1_SECOND);
    vi_store_8(last, ternary_levels(x + TQ1_LAST_X, inverse));
    ggki_put_trits(ggki_tq1_runs[2], last, block + TQ1_LAST);
    store_f16(block + GGKI_TQ1_SCALE, size);
    return true;
}

static const struct block_type block_tq1_0 = {GGKI_SUPER, GGKI_TQ1_BYTES,
                                              quantize_tq1_0_block,
                                              ggki_quantize_tq1_0_generic};

static void quantize_tq1_0(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    (void)importance;
    quantize_blocks(&block_tq1_0, x, blocks, n_rows * row_n);
}

static void dequantize_tq1_0(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += GGKI_TQ1_BYTES) {
        float scale = load_half(blocks + GGKI_TQ1_SCALE);
        uint8_t last[LANES];

        get_trit_lanes(blocks, 32, scale, x);
        get_trit_lanes(blocks + LANES, 32, scale, x + LANES);
        get_trit_lanes(blocks + TQ1_SECOND, 16, scale, x + TQ1_SECOND_X);
        ggki_get_trits(ggki_tq1_runs[2], blocks + TQ1_LAST, last);
        vf_store(x + TQ1_LAST_X, ternary_numbers(vi_load_u8(last), scale));
    }
}

/* ------------------------------------------------------------------- TQ2_0 */

/* 16 bytes: of 4 levels each, that are 32 apart. */
LANES_INLINE void put_tq2_lanes(const float *x, float inverse, uint8_t *out)
{
    vint bytes = vi_set(0);

    for (int k = 0; k < 4; k++, x += 32)
        bytes = vi_or(bytes, vi_shl(ternary_levels(x, inverse), 2 * k));
    vi_store_8(out, bytes);
}

LANES_INLINE bool quantize_tq2_0_block(const float *x, uint8_t *block)
{
    float size, inverse;

    if (!finite_inverse(x, GGKI_SUPER, &size, &inverse))
        return false;
    put_tq2_lanes(x, inverse, block);
    put_tq2_lanes(x + LANES, inverse, block + LANES);
    put_tq2_lanes(x + 128, inverse, block + 32);
    put_tq2_lanes(x + 128 + LANES, inverse, block + 32 + LANES);
    store_f16(block + GGKI_TQ2_SCALE, size);
    return true;
}

static const struct block_type block_tq2_0 = {GGKI_SUPER, GGKI_TQ2_BYTES,
                                              quantize_tq2_0_block,
                                              ggki_quantize_tq2_0_generic};

static void quantize_tq2_0(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    (void)importance;
    quantize_blocks(&block_tq2_0, x, blocks, n_rows * row_n);
}

static void dequantize_tq2_0(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += GGKI_TQ2_BYTES) {
        float scale = load_half(blocks + GGKI_TQ2_SCALE);

        LANES_UNROLL
        for (int at = 0; at < GGKI_SUPER; at += LANES)
            vf_store(x + at,
                     ternary_numbers(plane_levels(ggki_tq2_planes, blocks, at),
                                     scale));
    }
}

#endif
