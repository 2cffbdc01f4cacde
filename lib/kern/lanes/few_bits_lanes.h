/* few_bits_lanes.h - Q1_0 and Q2_0: the kernels of few_bits.c, a number in each
 * lane; to add up magnitudes, a block in each.
 */
#ifndef GGKI_FEW_BITS_LANES_H
#define GGKI_FEW_BITS_LANES_H

#include "kern/few_bits.h"
#include "kern/kernels.h"
#include "kern/lanes/block_lanes.h"
#include "kern/lanes/search_lanes.h"

/* -------------------------------------------------------------------- Q1_0 */

/* Of each block from `x` on, of `n` in all; lanes that are left over have the
 * first. */
static vfloat mean_magnitudes(const float *x, size_t n)
{
    enum { STEP = 16 };
    alignas(64) vrow numbers[STEP];
    vfloat sum = vf_set(0);

    for (size_t at = 0; at < GGKI_Q1_0_N; at += STEP) {
        const float *from[LANES];

        for (size_t lane = 0; lane < LANES; lane++)
            from[lane] = x + (lane < n ? lane : 0) * GGKI_Q1_0_N + at;
        lanes_gather(from, STEP, numbers);
        for (size_t i = 0; i < STEP; i++)
            sum = vf_add(sum, vf_abs(vf_load(numbers[i])));
    }
    return vf_div(sum, vf_set(GGKI_Q1_0_N));
}

static void put_q1_0_block(const float *x, float scale, uint8_t *block)
{
    uint8_t *out = block + GGKI_FEW_BITS_LEVELS;

    store_f16(block, scale);
    for (size_t i = 0; i < GGKI_Q1_0_N; i += LANES) {
        vmask positive = vf_at_most(vf_set(0), vf_load(x + i));
        store_u16(out + i / 8, (uint16_t)vm_bits(positive), false);
    }
}

static void quantize_q1_0(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    size_t n = n_rows * row_n / GGKI_Q1_0_N;

    (void)importance;
    for (size_t first = 0; first < n; first += LANES) {
        vrow scales;

        vf_store(scales, mean_magnitudes(x, n - first));
        for (size_t k = 0; k < LANES && first + k < n; k++) {
            put_q1_0_block(x, scales[k], blocks);
            x += GGKI_Q1_0_N;
            blocks += GGKI_Q1_0_BYTES;
        }
    }
}

static void dequantize_q1_0(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_Q1_0_N, blocks += GGKI_Q1_0_BYTES) {
        const uint8_t *levels = blocks + GGKI_FEW_BITS_LEVELS;
        vfloat scale = vf_set(load_half(blocks));

        for (size_t i = 0; i < GGKI_Q1_0_N; i += LANES) {
            vint bits = vi_spread(load_le16(levels + i / 8));
            vf_store(x + at + i, vf_select(vi_equal(bits, vi_set(1)), scale,
                                           vf_negate(scale)));
        }
    }
}

/* -------------------------------------------------------------------- Q2_0 */

/* Four levels that follow each other are a byte: what is in 4 bytes goes to the
 * lowest of them. */
LANES_INLINE bool quantize_q2_0_block(const float *x, uint8_t *block)
{
    float size, inverse;
    uint8_t levels[GGKI_Q2_0_N];

    if (!finite_inverse(x, GGKI_Q2_0_N, &size, &inverse))
        return false;
    for (size_t i = 0; i < GGKI_Q2_0_N; i += LANES)
        vi_store_8(levels + i,
                   trit_levels(vf_mul(vf_load(x + i), vf_set(inverse))));

    vint fours = vi_load(levels);
    fours = vi_or(fours, vi_shr(fours, 6));
    fours = vi_or(fours, vi_shr(fours, 12));
    store_f16(block, size);
    vi_store_8(block + GGKI_FEW_BITS_LEVELS, fours);
    return true;
}

static const struct block_type block_q2_0 = {GGKI_Q2_0_N, GGKI_Q2_0_BYTES,
                                             quantize_q2_0_block,
                                             ggki_quantize_q2_0_generic};

static void quantize_q2_0(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    (void)importance;
    quantize_blocks(&block_q2_0, x, blocks, n_rows * row_n);
}

static void dequantize_q2_0(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_Q2_0_N, blocks += GGKI_Q2_0_BYTES) {
        const uint8_t *levels = blocks + GGKI_FEW_BITS_LEVELS;
        vfloat scale = vf_set(load_half(blocks));

        for (size_t i = 0; i < GGKI_Q2_0_N; i += LANES) {
            vint level = vi_spread_pairs(load_le32(levels + i / 4));
            level = vi_sub(level, vi_set(1));
            vf_store(x + at + i, vf_mul(vi_to_float(level), scale));
        }
    }
}

#endif
