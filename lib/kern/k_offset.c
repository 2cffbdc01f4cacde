/* k_offset.c - Q2_K, Q4_K and Q5_K: super-blocks whose runs of 16 or 32 numbers
 * have a scale and an offset each.
 *
 * x is about d * scale * level - dmin * offset: d and dmin are f16, and of the
 * super-block; scale and offset are small integers, and of a run.
 */
#include "kern/k_offset.h"

#include <math.h>
#include <string.h>

#include "kern/round.h"
#include "kern/search_sweep.h"

/* ------------------------------------------------------------- quantize */

static void weigh(const struct ggki_offset_type *type, const float *x,
                  float *weights)
{
    float rms = 0;

    if (type->rms)
        rms = sqrtf(ggki_sum_squares(x, type->run) / (float)type->run);
    for (size_t i = 0; i < type->run; i++)
        weights[i] = rms + fabsf(x[i]);
}

static float sum(const float *x, size_t n)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Scales or offsets to integers: the returned one is the step. */
static float set_scales(const struct ggki_offset_type *type,
                        const float *values, uint8_t *scales)
{
    size_t runs = GGKI_SUPER / type->run;
    float top = (float)type->scale_top;
    float max = 0;

    for (size_t i = 0; i < runs; i++)
        max = values[i] > max ? values[i] : max;
    float inverse = max > 0 ? top / max : 0;
    for (size_t i = 0; i < runs; i++)
        scales[i] = (uint8_t)nearest_int(inverse * values[i]);
    /* Else 0, unless it is a NaN: of that the reference makes something in
     * Q4_K and Q5_K, and 0 in Q2_K. */
    if (!(max > 0) && !type->plain.limit)
        memset(scales, 0, runs);
    return max / top;
}

static void limit(const struct ggki_offset_type *type, uint8_t *scales)
{
    for (size_t i = 0; i < GGKI_SUPER / type->run; i++)
        scales[i] = (uint8_t)min_int(scales[i], type->scale_top);
}

void ggki_offset_set_scales(const struct ggki_offset_type *type,
                            const float *scales, const float *offsets,
                            struct ggki_offset_super *super)
{
    super->d = set_scales(type, scales, super->scales);
    super->dmin = set_scales(type, offsets, super->offsets);
}

/* All but what only follows from d and dmin. */
static void search(const struct ggki_offset_type *type,
                   const struct ggki_offset_way *way, const float *x,
                   const float *importance, struct ggki_offset_super *super)
{
    size_t run = type->run;
    size_t runs = GGKI_SUPER / run;
    float scales[GGKI_RUNS];
    float offsets[GGKI_RUNS];
    float sums[GGKI_RUNS];
    float mean_square =
        importance ? type->spread * ggki_sum_squares(x, GGKI_SUPER) / GGKI_SUPER
                   : 0;

    for (size_t i = 0; i < runs; i++) {
        float weights[GGKI_SEARCH_MAX];
        if (importance)
            ggki_weigh(x + i * run, importance + i * run, run, mean_square,
                       weights);
        else
            weigh(type, x + i * run, weights);
        sums[i] = sum(weights, run);
        scales[i] = ggki_search_offset(x + i * run, weights, run, type->top,
                                       &way->steps, super->levels + i * run,
                                       &offsets[i]);
    }
    if (importance) {
        int top = type->scale_top;
        super->d = ggki_search_positive(scales, sums, runs, top, super->scales);
        super->dmin =
            ggki_search_positive(offsets, sums, runs, top, super->offsets);
    } else {
        ggki_offset_set_scales(type, scales, offsets, super);
    }
}

/* The levels for d and the scales as they are stored. Where the product is 0,
 * those of the search stay. */
static void set_levels(const struct ggki_offset_type *type, const float *x,
                       struct ggki_offset_super *super)
{
    for (size_t i = 0; i < GGKI_SUPER / type->run; i++) {
        float scale = super->d * (float)super->scales[i];
        float offset = super->dmin * (float)super->offsets[i];
        if (scale == 0)
            continue;
        for (size_t k = i * type->run; k < (i + 1) * type->run; k++)
            super->levels[k] = (uint8_t)clamp_int(
                nearest_int((x[k] + offset) / scale), 0, type->top);
    }
}

static void read_scales(const struct ggki_offset_type *type,
                        const uint8_t *block, struct ggki_offset_super *super)
{
    super->d = load_f16(block + type->d_off);
    super->dmin = load_f16(block + type->d_off + 2);
    type->unpack_scales(block, super);
}

void ggki_offset_put_scales(const struct ggki_offset_type *type,
                            const struct ggki_offset_way *way,
                            struct ggki_offset_super *super, uint8_t *block)
{
    if (way->limit) {
        limit(type, super->scales);
        limit(type, super->offsets);
    }
    store_f16(block + type->d_off, super->d);
    store_f16(block + type->d_off + 2, super->dmin);
    type->pack_scales(super, block);
    read_scales(type, block, super);
}

static void quantize_super(const struct ggki_offset_type *type, const float *x,
                           const float *importance, uint8_t *block)
{
    struct ggki_offset_super super;
    const struct ggki_offset_way *way =
        importance ? &type->weighted : &type->plain;

    search(type, way, x, importance, &super);
    ggki_offset_put_scales(type, way, &super, block);
    set_levels(type, x, &super);
    type->pack_levels(&super, block);
}

void ggki_offset_quantize(const struct ggki_offset_type *type, const float *x,
                          uint8_t *blocks, size_t n_rows, size_t row_n,
                          const float *importance)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n; i += GGKI_SUPER) {
            quantize_super(type, x, importance ? importance + i : NULL, blocks);
            x += GGKI_SUPER;
            blocks += type->bytes;
        }
}

/* ----------------------------------------------------------- dequantize */

static void dequantize(const struct ggki_offset_type *type,
                       const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER) {
        struct ggki_offset_super super = {.levels = {0}};
        read_scales(type, blocks, &super);
        type->unpack_levels(blocks, &super);
        for (size_t i = 0; i < GGKI_SUPER / type->run; i++) {
            float scale = super.d * (float)super.scales[i];
            float offset = super.dmin * (float)super.offsets[i];
            for (size_t k = i * type->run; k < (i + 1) * type->run; k++)
                x[k] = scale * (float)super.levels[k] - offset;
        }
        x += GGKI_SUPER;
        blocks += type->bytes;
    }
}

/* ----------------------------------------------------------------- Q2_K */

/* 16 bytes of scales and offsets, 64 of levels, d, dmin. */
enum { Q2_D = 80, Q2_BYTES = 84 };

static void q2_pack_scales(const struct ggki_offset_super *super,
                           uint8_t *block)
{
    for (size_t i = 0; i < 16; i++)
        block[i] = (uint8_t)(super->scales[i] | super->offsets[i] << 4);
}

static void q2_unpack_scales(const uint8_t *block,
                             struct ggki_offset_super *super)
{
    for (size_t i = 0; i < 16; i++) {
        super->scales[i] = block[i] & 15;
        super->offsets[i] = block[i] >> 4;
    }
}

static void q2_pack_levels(const struct ggki_offset_super *super,
                           uint8_t *block)
{
    pack_planes(ggki_q2_planes, super->levels, block + GGKI_Q2_LEVELS);
}

static void q2_unpack_levels(const uint8_t *block,
                             struct ggki_offset_super *super)
{
    unpack_planes(ggki_q2_planes, block + GGKI_Q2_LEVELS, super->levels);
}

const struct ggki_offset_type ggki_offset_q2_k = {
    .bytes = Q2_BYTES,
    .run = 16,
    .top = 3,
    .scale_top = 15,
    .spread = 1,
    .plain = {{-0.5f, 0.1f, 15, true}, false},
    .weighted = {{-0.9f, 0.05f, 36, false}, false},
    .d_off = Q2_D,
    .pack_scales = q2_pack_scales,
    .unpack_scales = q2_unpack_scales,
    .pack_levels = q2_pack_levels,
    .unpack_levels = q2_unpack_levels,
};

/* -------------------------------------------------------- Q4_K and Q5_K */

/* d, dmin, 12 bytes of scales and offsets; then in Q5_K 32 bytes of highest
 * bits of levels, and in both 128 of the lower ones. */
enum {
    Q45_SCALES = 4,
    Q4_BYTES = 144,
    Q5_BYTES = 176,
};

/* Four bytes of scales and four of offsets, with the highest two bits of the
 * next four each; then the low bits of those. Scales that are not limited may
 * have more than six bits, which go into the others', as in the reference. */
static void q45_pack_scales(const struct ggki_offset_super *super,
                            uint8_t *block)
{
    uint8_t *packed = block + Q45_SCALES;
    const uint8_t *scales = super->scales;
    const uint8_t *offsets = super->offsets;

    for (size_t i = 0; i < 4; i++) {
        packed[i] = (uint8_t)(scales[i] | scales[i + 4] >> 4 << 6);
        packed[i + 4] = (uint8_t)(offsets[i] | offsets[i + 4] >> 4 << 6);
        packed[i + 8] =
            (uint8_t)((scales[i + 4] & 15) | (offsets[i + 4] & 15) << 4);
    }
}

static void q45_unpack_scales(const uint8_t *block,
                              struct ggki_offset_super *super)
{
    const uint8_t *packed = block + Q45_SCALES;
    uint8_t *scales = super->scales;
    uint8_t *offsets = super->offsets;

    for (size_t i = 0; i < 4; i++) {
        scales[i] = packed[i] & 63;
        offsets[i] = packed[i + 4] & 63;
        scales[i + 4] = (uint8_t)((packed[i + 8] & 15) | packed[i] >> 6 << 4);
        offsets[i + 4] =
            (uint8_t)(packed[i + 8] >> 4 | packed[i + 4] >> 6 << 4);
    }
}

static void q4_pack_levels(const struct ggki_offset_super *super,
                           uint8_t *block)
{
    pack_planes(ggki_q45_low, super->levels, block + GGKI_Q4_LEVELS);
}

static void q4_unpack_levels(const uint8_t *block,
                             struct ggki_offset_super *super)
{
    unpack_planes(ggki_q45_low, block + GGKI_Q4_LEVELS, super->levels);
}

static void q5_pack_levels(const struct ggki_offset_super *super,
                           uint8_t *block)
{
    pack_planes(ggki_q5_high, super->levels, block + GGKI_Q5_HIGH);
    pack_planes(ggki_q45_low, super->levels, block + GGKI_Q5_LEVELS);
}

static void q5_unpack_levels(const uint8_t *block,
                             struct ggki_offset_super *super)
{
    unpack_planes(ggki_q5_high, block + GGKI_Q5_HIGH, super->levels);
    unpack_planes(ggki_q45_low, block + GGKI_Q5_LEVELS, super->levels);
}

const struct ggki_offset_type ggki_offset_q4_k = {
    .bytes = Q4_BYTES,
    .run = 32,
    .top = 15,
    .scale_top = 63,
    .rms = true,
    .spread = 2,
    .plain = {{-1, 0.1f, 20, false}, true},
    .weighted = {{-0.9f, 0.05f, 36, false}, false},
    .d_off = 0,
    .pack_scales = q45_pack_scales,
    .unpack_scales = q45_unpack_scales,
    .pack_levels = q4_pack_levels,
    .unpack_levels = q4_unpack_levels,
};

const struct ggki_offset_type ggki_offset_q5_k = {
    .bytes = Q5_BYTES,
    .run = 32,
    .top = 31,
    .scale_top = 63,
    .rms = true,
    .spread = 2,
    .plain = {{-0.5f, 0.1f, 15, false}, true},
    .weighted = {{-0.9f, 0.05f, 36, false}, true},
    .d_off = 0,
    .pack_scales = q45_pack_scales,
    .unpack_scales = q45_unpack_scales,
    .pack_levels = q5_pack_levels,
    .unpack_levels = q5_unpack_levels,
};

/* ------------------------------------------------------------- kernels */

void ggki_quantize_q2_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    ggki_offset_quantize(&ggki_offset_q2_k, x, blocks, n_rows, row_n,
                         importance);
}

void ggki_quantize_q4_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    ggki_offset_quantize(&ggki_offset_q4_k, x, blocks, n_rows, row_n,
                         importance);
}

void ggki_quantize_q5_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    ggki_offset_quantize(&ggki_offset_q5_k, x, blocks, n_rows, row_n,
                         importance);
}

void ggki_dequantize_q2_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_offset_q2_k, blocks, x, n);
}

void ggki_dequantize_q4_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_offset_q4_k, blocks, x, n);
}

void ggki_dequantize_q5_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_offset_q5_k, blocks, x, n);
}
