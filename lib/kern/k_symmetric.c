/* k_symmetric.c - Q3_K and Q6_K: super-blocks whose runs of 16 numbers have a
 * scale each.
 *
 * x is about d * scale * (level - half): d is f16, and of the super-block;
 * scale is a small integer of either sign, and of a run.
 */
#include <math.h>
#include <string.h>

#include "kern/k_quants.h"
#include "kern/planes.h"
#include "kern/round.h"
#include "kern/search.h"
#include "kern/search_sweep.h"

enum {
    SUPER = 256, /* numbers of a super-block */
    RUN = 16,
    RUNS = SUPER / RUN,
};

/* A super-block before it is packed. */
struct super {
    float d; /* as f16 has it */
    int8_t scales[RUNS];
    uint8_t levels[SUPER];
};

struct type {
    size_t bytes; /* of a super-block */
    int half;     /* levels are below its double */
    size_t d_off; /* of d in the block */
    void (*search)(const float *x, const float *importance,
                   struct super *super);
    void (*pack_scales)(const struct super *super, uint8_t *block);
    void (*unpack_scales)(const uint8_t *block, struct super *super);
    void (*pack_levels)(const struct super *super, uint8_t *block);
    void (*unpack_levels)(const uint8_t *block, struct super *super);
};

/* ------------------------------------------------------------- quantize */

/* The levels for d and the scales as they are stored. Where the product is 0,
 * those of the search stay. */
static void set_levels(const struct type *type, const float *x,
                       struct super *super)
{
    int half = type->half;

    for (size_t i = 0; i < RUNS; i++) {
        float scale = super->d * (float)super->scales[i];
        if (scale == 0)
            continue;
        for (size_t k = i * RUN; k < (i + 1) * RUN; k++)
            super->levels[k] = (uint8_t)(clamp_int(nearest_int(x[k] / scale),
                                                   -half, half - 1) +
                                         half);
    }
}

static void read_scales(const struct type *type, const uint8_t *block,
                        struct super *super)
{
    super->d = load_f16(block + type->d_off);
    type->unpack_scales(block, super);
}

static void quantize_super(const struct type *type, const float *x,
                           const float *importance, uint8_t *block)
{
    struct super super;

    type->search(x, importance, &super);
    store_f16(block + type->d_off, super.d);
    type->pack_scales(&super, block);
    read_scales(type, block, &super);
    set_levels(type, x, &super);
    type->pack_levels(&super, block);
}

static void quantize(const struct type *type, const float *x, uint8_t *blocks,
                     size_t n_rows, size_t row_n, const float *importance)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n; i += SUPER) {
            quantize_super(type, x, importance ? importance + i : NULL, blocks);
            x += SUPER;
            blocks += type->bytes;
        }
}

/* ----------------------------------------------------------- dequantize */

static void dequantize(const struct type *type, const uint8_t *blocks, float *x,
                       size_t n)
{
    for (; n > 0; n -= SUPER) {
        struct super super = {.levels = {0}};
        read_scales(type, blocks, &super);
        type->unpack_levels(blocks, &super);
        for (size_t i = 0; i < RUNS; i++) {
            float scale = super.d * (float)super.scales[i];
            for (size_t k = i * RUN; k < (i + 1) * RUN; k++)
                x[k] = scale * (float)(super.levels[k] - type->half);
        }
        x += SUPER;
        blocks += type->bytes;
    }
}

/* ----------------------------------------------------------------- Q3_K */

/* 32 bytes of highest bits of levels, 64 of the lower ones, 12 of scales, d. */
enum { Q3_LEVELS = 32, Q3_SCALES = 96, Q3_D = 108, Q3_BYTES = 110 };

static const struct planes q3_high = {SUPER, 1, 32, 2};
static const struct planes q3_low = {SUPER, 2, 32, 0};
static const struct planes q3_scales_low = {RUNS, 4, 8, 0};
static const struct planes q3_scales_high = {RUNS, 2, 4, 4};

static void q3_search_plain(const float *x, struct super *super)
{
    float scales[RUNS];

    for (size_t i = 0; i < RUNS; i++)
        scales[i] =
            ggki_search_squares(x + i * RUN, RUN, 4, super->levels + i * RUN);
    float peak = ggki_peak(scales, RUNS);
    float inverse = -32.0f / peak;
    if (peak == 0) {
        memset(super->scales, -32, sizeof super->scales);
        super->d = 0;
        return;
    }
    for (size_t i = 0; i < RUNS; i++) {
        int8_t cut = (int8_t)nearest_int(inverse * scales[i]);
        super->scales[i] = (int8_t)clamp_int(cut, -32, 31);
    }
    super->d = 1 / inverse;
}

static void q3_search_weighted(const float *x, const float *importance,
                               struct super *super)
{
    float mean_square = 2 * ggki_sum_squares(x, SUPER) / SUPER;
    float scales[RUNS];
    float sums[RUNS];
    uint8_t levels[RUNS];

    for (size_t i = 0; i < RUNS; i++) {
        float weights[RUN];
        ggki_weigh(x + i * RUN, importance + i * RUN, RUN, mean_square,
                   weights);
        sums[i] = 0;
        for (size_t k = 0; k < RUN; k++)
            sums[i] += weights[k];
        scales[i] = ggki_search_symmetric(x + i * RUN, weights, RUN, 4,
                                          super->levels + i * RUN);
    }
    super->d = ggki_search_symmetric(scales, sums, RUNS, 32, levels);
    for (size_t i = 0; i < RUNS; i++)
        super->scales[i] = (int8_t)(levels[i] - 32);
}

static void q3_search(const float *x, const float *importance,
                      struct super *super)
{
    if (importance)
        q3_search_weighted(x, importance, super);
    else
        q3_search_plain(x, super);
}

static void q3_pack_scales(const struct super *super, uint8_t *block)
{
    uint8_t scales[RUNS];

    for (size_t i = 0; i < RUNS; i++)
        scales[i] = (uint8_t)(super->scales[i] + 32);
    pack_planes(q3_scales_low, scales, block + Q3_SCALES);
    pack_planes(q3_scales_high, scales, block + Q3_SCALES + 8);
}

static void q3_unpack_scales(const uint8_t *block, struct super *super)
{
    uint8_t scales[RUNS] = {0};

    unpack_planes(q3_scales_low, block + Q3_SCALES, scales);
    unpack_planes(q3_scales_high, block + Q3_SCALES + 8, scales);
    for (size_t i = 0; i < RUNS; i++)
        super->scales[i] = (int8_t)(scales[i] - 32);
}

static void q3_pack_levels(const struct super *super, uint8_t *block)
{
    pack_planes(q3_high, super->levels, block);
    pack_planes(q3_low, super->levels, block + Q3_LEVELS);
}

static void q3_unpack_levels(const uint8_t *block, struct super *super)
{
    unpack_planes(q3_high, block, super->levels);
    unpack_planes(q3_low, block + Q3_LEVELS, super->levels);
}

static const struct type q3_k = {
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
enum { Q6_HIGH = 128, Q6_SCALES = 192, Q6_D = 208, Q6_BYTES = 210 };

static const struct planes q6_low = {SUPER, 4, 64, 0};
static const struct planes q6_high = {SUPER, 2, 32, 4};

/* Importance weighs as it is. */
static void q6_search(const float *x, const float *importance,
                      struct super *super)
{
    float scales[RUNS];

    for (size_t i = 0; i < RUNS; i++)
        scales[i] = ggki_search_symmetric(
            x + i * RUN, importance ? importance + i * RUN : NULL, RUN, 32,
            super->levels + i * RUN);
    float peak = ggki_peak(scales, RUNS);
    if (fabsf(peak) < 1e-15f) {
        *super = (struct super){.d = 0};
        return;
    }
    float inverse = -128.0f / peak;
    for (size_t i = 0; i < RUNS; i++)
        super->scales[i] =
            (int8_t)min_int(nearest_int(inverse * scales[i]), 127);
    super->d = 1 / inverse;
}

static void q6_pack_scales(const struct super *super, uint8_t *block)
{
    memcpy(block + Q6_SCALES, super->scales, RUNS);
}

static void q6_unpack_scales(const uint8_t *block, struct super *super)
{
    memcpy(super->scales, block + Q6_SCALES, RUNS);
}

static void q6_pack_levels(const struct super *super, uint8_t *block)
{
    pack_planes(q6_low, super->levels, block);
    pack_planes(q6_high, super->levels, block + Q6_HIGH);
}

static void q6_unpack_levels(const uint8_t *block, struct super *super)
{
    unpack_planes(q6_low, block, super->levels);
    unpack_planes(q6_high, block + Q6_HIGH, super->levels);
}

static const struct type q6_k = {
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
    quantize(&q3_k, x, blocks, n_rows, row_n, importance);
}

void ggki_quantize_q6_k_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    quantize(&q6_k, x, blocks, n_rows, row_n, importance);
}

void ggki_dequantize_q3_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&q3_k, blocks, x, n);
}

void ggki_dequantize_q6_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&q6_k, blocks, x, n);
}
