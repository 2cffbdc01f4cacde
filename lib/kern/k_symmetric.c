/* k_symmetric.c - Q3_K and Q6_K: super-blocks whose runs of 16 numbers have a
 * scale each.
 *
 * x is about d * scale * (level - half): d is f16, and of the super-block;
 * scale is a small integer of either sign, and of a run.
 */
#include "kern/k_symmetric.h"

#include <math.h>
#include <string.h>

#include "kern/round.h"
#include "kern/search.h"
#include "kern/search_sweep.h"

enum { RUN = GGKI_SUPER / GGKI_RUNS };

/* ------------------------------------------------------------- quantize */

/* The levels for d and the scales as they are stored. Where the product is 0,
 * those of the search stay. */
static void set_levels(const struct ggki_symmetric_type *type, const float *x,
                       struct ggki_symmetric_super *super)
{
    int half = type->half;

    for (size_t i = 0; i < GGKI_RUNS; i++) {
        float scale = super->d * (float)super->scales[i];
        if (scale == 0)
            continue;
        for (size_t k = i * RUN; k < (i + 1) * RUN; k++)
            super->levels[k] = (uint8_t)(clamp_int(nearest_int(x[k] / scale),
                                                   -half, half - 1) +
                                         half);
    }
}

static void read_scales(const struct ggki_symmetric_type *type,
                        const uint8_t *block,
                        struct ggki_symmetric_super *super)
{
    super->d = load_f16(block + type->d_off);
    type->unpack_scales(block, super);
}

void ggki_symmetric_put_scales(const struct ggki_symmetric_type *type,
                               struct ggki_symmetric_super *super,
                               uint8_t *block)
{
    store_f16(block + type->d_off, super->d);
    type->pack_scales(super, block);
    read_scales(type, block, super);
}

static void quantize_super(const struct ggki_symmetric_type *type,
                           const float *x, const float *importance,
                           uint8_t *block)
{
    struct ggki_symmetric_super super;

    type->search(x, importance, &super);
    ggki_symmetric_put_scales(type, &super, block);
    set_levels(type, x, &super);
    type->pack_levels(&super, block);
}

void ggki_symmetric_quantize(const struct ggki_symmetric_type *type,
                             const float *x, uint8_t *blocks, size_t n_rows,
                             size_t row_n, const float *importance)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n; i += GGKI_SUPER) {
            quantize_super(type, x, importance ? importance + i : NULL, blocks);
            x += GGKI_SUPER;
            blocks += type->bytes;
        }
}

/* ----------------------------------------------------------- dequantize */

static void dequantize(const struct ggki_symmetric_type *type,
                       const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER) {
        struct ggki_symmetric_super super = {.levels = {0}};
        read_scales(type, blocks, &super);
        type->unpack_levels(blocks, &super);
        for (size_t i = 0; i < GGKI_RUNS; i++) {
            float scale = super.d * (float)super.scales[i];
            for (size_t k = i * RUN; k < (i + 1) * RUN; k++)
                x[k] = scale * (float)(super.levels[k] - type->half);
        }
        x += GGKI_SUPER;
        blocks += type->bytes;
    }
}

/* ----------------------------------------------------------------- Q3_K */

/* 32 bytes of highest bits of levels, 64 of the lower ones, 12 of scales, d. */
enum { Q3_SCALES = 96, Q3_D = 108, Q3_BYTES = 110 };

static const struct planes q3_scales_low = {GGKI_RUNS, 4, 8, 0};
static const struct planes q3_scales_high = {GGKI_RUNS, 2, 4, 4};

void ggki_q3_k_set_scales(const float *scales,
                          struct ggki_symmetric_super *super)
{
    float peak = ggki_peak(scales, GGKI_RUNS);

    if (peak == 0) {
        memset(super->scales, -32, sizeof super->scales);
        super->d = 0;
        return;
    }
    float inverse = -32.0f / peak;
    for (size_t i = 0; i < GGKI_RUNS; i++)
        super->scales[i] =
            (int8_t)min_int(nearest_int(inverse * scales[i]), 31);
    super->d = 1 / inverse;
}

static void q3_search_plain(const float *x, struct ggki_symmetric_super *super)
{
    float scales[GGKI_RUNS];

    for (size_t i = 0; i < GGKI_RUNS; i++)
        scales[i] =
            ggki_search_squares(x + i * RUN, RUN, 4, super->levels + i * RUN);
    ggki_q3_k_set_scales(scales, super);
}

static void q3_search_weighted(const float *x, const float *importance,
                               struct ggki_symmetric_super *super)
{
    float mean_square = 2 * ggki_sum_squares(x, GGKI_SUPER) / GGKI_SUPER;
    float scales[GGKI_RUNS];
    float sums[GGKI_RUNS];
    uint8_t levels[GGKI_RUNS];

    for (size_t i = 0; i < GGKI_RUNS; i++) {
        float weights[RUN];
        ggki_weigh(x + i * RUN, importance + i * RUN, RUN, mean_square,
                   weights);
        sums[i] = 0;
        for (size_t k = 0; k < RUN; k++)
            sums[i] += weights[k];
        scales[i] = ggki_search_symmetric(x + i * RUN, weights, RUN, 4,
                                          super->levels + i * RUN);
    }
    super->d = ggki_search_symmetric(scales, sums, GGKI_RUNS, 32, levels);
    for (size_t i = 0; i < GGKI_RUNS; i++)
        super->scales[i] = (int8_t)(levels[i] - 32);
}

static void q3_search(const float *x, const float *importance,
                      struct ggki_symmetric_super *super)
{
    if (importance)
        q3_search_weighted(x, importance, super);
    else
        q3_search_plain(x, super);
}

static void q3_pack_scales(const struct ggki_symmetric_super *super,
                           uint8_t *block)
{
    uint8_t scales[GGKI_RUNS];

    for (size_t i = 0; i < GGKI_RUNS; i++)
        scales[i] = (uint8_t)(super->scales[i] + 32);
    pack_planes(q3_scales_low, scales, block + Q3_SCALES);
    pack_planes(q3_scales_high, scales, block + Q3_SCALES + 8);
}

static void q3_unpack_scales(const uint8_t *block,
                             struct ggki_symmetric_super *super)
{
    uint8_t scales[GGKI_RUNS] = {0};

    unpack_planes(q3_scales_low, block + Q3_SCALES, scales);
    unpack_planes(q3_scales_high, block + Q3_SCALES + 8, scales);
    for (size_t i = 0; i < GGKI_RUNS; i++)
        super->scales[i] = (int8_t)(scales[i] - 32);
}

static void q3_pack_levels(const struct ggki_symmetric_super *super,
                           uint8_t *block)
{
    pack_planes(ggki_q3_high, super->levels, block);
    pack_planes(ggki_q3_low, super->levels, block + GGKI_Q3_LEVELS);
}

static void q3_unpack_levels(const uint8_t *block,
                             struct ggki_symmetric_super *super)
{
    unpack_planes(ggki_q3_high, block, super->levels);
    unpack_planes(ggki_q3_low, block + GGKI_Q3_LEVELS, super->levels);
}

const struct ggki_symmetric_type ggki_symmetric_q3_k = {
    .bytes = Q3_BYTES,
    .half = 4,
    .d_off = Q3_D,
    .search = q3_search,
    .pack_scales = q3_pack_scales,
    .unpack_scales = q3_unpack_scales,
    .pack_levels = q3_pack_levels,
    .unpack_levels = q3_unpack_levels,
};

/* ----------------------------------------------------------------- Q6_K */

/* 128 bytes of lower bits of levels, 64 of the two highest, scales, d. */
enum { Q6_SCALES = 192, Q6_D = 208, Q6_BYTES = 210 };

bool ggki_q6_k_set_scales(const float *scales,
                          struct ggki_symmetric_super *super)
{
    float peak = ggki_peak(scales, GGKI_RUNS);

    if (fabsf(peak) < 1e-15f)
        return false;

    float inverse = -128.0f / peak;
    for (size_t i = 0; i < GGKI_RUNS; i++)
        super->scales[i] =
            (int8_t)min_int(nearest_int(inverse * scales[i]), 127);
    super->d = 1 / inverse;
    return true;
}

/* Importance weighs as it is. */
static void q6_search(const float *x, const float *importance,
                      struct ggki_symmetric_super *super)
{
    float scales[GGKI_RUNS];

    for (size_t i = 0; i < GGKI_RUNS; i++)
        scales[i] = ggki_search_symmetric(
            x + i * RUN, importance ? importance + i * RUN : NULL, RUN, 32,
            super->levels + i * RUN);
    if (!ggki_q6_k_set_scales(scales, super))
        *super = (struct ggki_symmetric_super){.d = 0};
}

static void q6_pack_scales(const struct ggki_symmetric_super *super,
                           uint8_t *block)
{
    memcpy(block + Q6_SCALES, super->scales, GGKI_RUNS);
}

static void q6_unpack_scales(const uint8_t *block,
                             struct ggki_symmetric_super *super)
{
    memcpy(super->scales, block + Q6_SCALES, GGKI_RUNS);
}

static void q6_pack_levels(const struct ggki_symmetric_super *super,
                           uint8_t *block)
{
    pack_planes(ggki_q6_low, super->levels, block);
    pack_planes(ggki_q6_high, super->levels, block + GGKI_Q6_HIGH);
}

static void q6_unpack_levels(const uint8_t *block,
                             struct ggki_symmetric_super *super)
{
    unpack_planes(ggki_q6_low, block, super->levels);
    unpack_planes(ggki_q6_high, block + GGKI_Q6_HIGH, super->levels);
}

const struct ggki_symmetric_type ggki_symmetric_q6_k = {
    .bytes = Q6_BYTES,
    .half = 32,
    .d_off = Q6_D,
    .search = q6_search,
    .pack_scales = q6_pack_scales,
    .unpack_scales = q6_unpack_scales,
    .pack_levels = q6_pack_levels,
    .unpack_levels = q6_unpack_levels,
};

/* ------------------------------------------------------------- kernels */

void ggki_quantize_q3_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    ggki_symmetric_quantize(&ggki_symmetric_q3_k, x, blocks, n_rows, row_n,
                            importance);
}

void ggki_quantize_q6_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    ggki_symmetric_quantize(&ggki_symmetric_q6_k, x, blocks, n_rows, row_n,
                            importance);
}

void ggki_dequantize_q3_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_symmetric_q3_k, blocks, x, n);
}

void ggki_dequantize_q6_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_symmetric_q6_k, blocks, x, n);
}
