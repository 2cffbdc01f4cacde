/* fp4_lanes.h - MXFP4 and NVFP4: the kernels of fp4.c, a number in each lane.
 */
#ifndef GGKI_FP4_LANES_H
#define GGKI_FP4_LANES_H

#include "kern/fp4.h"
#include "kern/kernels.h"
#include "kern/lanes/block_lanes.h"

/* The nearest, of two the smaller: how many midpoints are below. That is what
 * the scalar search finds where the products are finite, and the numbers so
 * small that their differences from all values are told apart. */
LANES_INLINE vint fp4_levels(vfloat x, float scale)
{
    static const float midpoints[7] = {0.5f, 1.5f, 2.5f, 3.5f, 5, 7, 10};
    vint level = vi_set(0);
    vfloat size = vf_abs(x);

    for (int i = 0; i < 7; i++)
        level = vi_count(level, vf_less(vf_set(midpoints[i] * scale), size));
    return vi_select(vf_less(x, vf_set(-0.5f * scale)),
                     vi_add(level, vi_set(8)), level);
}

LANES_INLINE void put_fp4_numbers(vint levels, float scale, float *x)
{
    vf_store(x, vf_mul(vf_lookup16(ggki_fp4_values, levels), vf_set(scale)));
}

/* ------------------------------------------------------------------- MXFP4 */

/* ggki_mxfp4_code, with less work for what is neither subnormal nor just below
 * a power of two. */
LANES_INLINE uint8_t mxfp4_code(float size)
{
    uint32_t bits = f32_bits(size);

    if ((bits & 0x7fff80) == 0x7fff80 || bits < 0x00800000)
        return ggki_mxfp4_code(size);
    return (uint8_t)((bits >> 23) - 2);
}

/* From the code LARGE on, 12 times the scale is not finite. */
LANES_INLINE bool quantize_mxfp4_block(const float *x, uint8_t *block)
{
    enum { LARGE = 253 };
    float size = finite_size(x, GGKI_MXFP4_N);
    uint8_t code = mxfp4_code(size);

    if (size < 0 || code >= LARGE)
        return false;

    float scale = ggki_mxfp4_scale(code);
    vint first = fp4_levels(vf_load(x), scale);
    vint second = fp4_levels(vf_load(x + LANES), scale);

    block[0] = code;
    vi_store_8(block + GGKI_MXFP4_LEVELS, vi_or(first, vi_shl(second, 4)));
    return true;
}

static const struct block_type block_mxfp4 = {GGKI_MXFP4_N, GGKI_MXFP4_BYTES,
                                              quantize_mxfp4_block,
                                              ggki_quantize_mxfp4_generic};

static void quantize_mxfp4(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    (void)importance;
    quantize_blocks(&block_mxfp4, x, blocks, n_rows * row_n);
}

static void dequantize_mxfp4(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_MXFP4_N, x += GGKI_MXFP4_N) {
        float scale = ggki_mxfp4_scale(blocks[0]);
        vint bytes = vi_load_u8(blocks + GGKI_MXFP4_LEVELS);

        put_fp4_numbers(vi_and(bytes, vi_set(15)), scale, x);
        put_fp4_numbers(vi_shr(bytes, 4), scale, x + LANES);
        blocks += GGKI_MXFP4_BYTES;
    }
}

/* ------------------------------------------------------------------- NVFP4 */

/* There is a largest scale, so that numbers may be far beyond it. */
LANES_INLINE bool quantize_nvfp4_block(const float *x, uint8_t *block)
{
    for (size_t i = 0; i < GGKI_NVFP4_N / GGKI_NVFP4_SUB; i++) {
        float size = finite_size(x, GGKI_NVFP4_SUB);
        uint8_t code = ggki_nvfp4_code(size);
        float scale = ggki_nvfp4_scale(code);
        vint levels = vi_set(0); /* where the scale is 0 */

        if (size < 0 || (code > 0 && size > 32 * scale))
            return false;
        if (code > 0)
            levels = fp4_levels(vf_load(x), scale);
        block[i] = code;
        vi_store_nibbles(block + GGKI_NVFP4_LEVELS + i * LANES / 2, levels);
        x += GGKI_NVFP4_SUB;
    }
    return true;
}

static const struct block_type block_nvfp4 = {GGKI_NVFP4_N, GGKI_NVFP4_BYTES,
                                              quantize_nvfp4_block,
                                              ggki_quantize_nvfp4_generic};

static void quantize_nvfp4(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    (void)importance;
    quantize_blocks(&block_nvfp4, x, blocks, n_rows * row_n);
}

static void dequantize_nvfp4(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_NVFP4_N, blocks += GGKI_NVFP4_BYTES)
        for (size_t i = 0; i < GGKI_NVFP4_N / GGKI_NVFP4_SUB; i++) {
            const uint8_t *levels = blocks + GGKI_NVFP4_LEVELS + i * LANES / 2;

            put_fp4_numbers(vi_load_nibbles(levels),
                            ggki_nvfp4_scale(blocks[i]), x);
            x += GGKI_NVFP4_SUB;
        }
}

#endif
