/* k_symmetric_lanes.h - Q3_K and Q6_K: the kernels of k_symmetric.c, a run in
 * each lane to search, a number in each lane to round.
 */
#ifndef GGKI_K_SYMMETRIC_LANES_H
#define GGKI_K_SYMMETRIC_LANES_H

#include "kern/k_symmetric.h"
#include "kern/lanes/planes_lanes.h"
#include "kern/lanes/super_lanes.h"
#include "kern/lanes/sweep_lanes.h"

enum { SYMMETRIC_RUN = GGKI_SUPER / GGKI_RUNS };

LANES_INLINE vint symmetric_levels(vfloat steps, int half)
{
    return vi_add(v_clamp(v_nearest(steps), -half, half - 1), vi_set(half));
}

/* The levels for d and the scales as they are stored; false for a run where the
 * product is 0, which has those of the search. */
LANES_INLINE bool set_run_levels(const float *x, int half, size_t run,
                                 struct ggki_symmetric_super *super)
{
    float scale = super->d * (float)super->scales[run];
    vfloat steps = vf_div(vf_load(x + run * SYMMETRIC_RUN), vf_set(scale));

    vi_store_8(super->levels + run * SYMMETRIC_RUN,
               symmetric_levels(steps, half));
    return scale != 0;
}

/* Those of the search. */
LANES_INLINE void set_found_levels(const float *x, int half, float inverse,
                                   uint8_t *levels)
{
    vfloat steps = vf_mul(vf_load(x), vf_set(inverse));

    vi_store_8(levels,
               inverse == 0 ? vi_set(0) : symmetric_levels(steps, half));
}

/* Scales are integers: put them into the block, and find the levels. */
static void set_symmetric_block(const struct ggki_symmetric_type *type,
                                const float *x,
                                const struct symmetric_found *found,
                                struct ggki_symmetric_super *super,
                                uint8_t *block)
{
    ggki_symmetric_put_scales(type, super, block);
    for (size_t i = 0; i < GGKI_RUNS; i++)
        if (!set_run_levels(x, type->half, i, super))
            set_found_levels(x + i * SYMMETRIC_RUN, type->half,
                             found->inverse[i],
                             super->levels + i * SYMMETRIC_RUN);
}

/* ------------------------------------------------------------------- Q6_K */

/* Importance weighs as it is; without it, a number's square does. */
static void gather_q6_k(const float *x, const float *importance,
                        struct searched *in)
{
    gather_runs(&x, 0, SYMMETRIC_RUN, in->x);
    if (importance != NULL)
        gather_runs(&importance, 0, SYMMETRIC_RUN, in->weights);
    else
        for (size_t i = 0; i < SYMMETRIC_RUN; i++) {
            vfloat number = vf_load(in->x[i]);
            vf_store(in->weights[i], vf_mul(number, number));
        }
}

static void pack_q6_k(const uint8_t *levels, uint8_t *block)
{
    pack_planes_lanes(ggki_q6_low, levels, block);
    pack_planes_lanes(ggki_q6_high, levels, block + GGKI_Q6_HIGH);
}

static void quantize_q6_k_block(const float *x, const float *importance,
                                uint8_t *block, struct searched *in)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q6_k;
    struct symmetric_found found;
    struct ggki_symmetric_super super;

    gather_q6_k(x, importance, in);
    search_symmetric_lanes(in, SYMMETRIC_RUN, type->half, &found);
    if (found.trusted != LANES_ALL ||
        !ggki_q6_k_set_scales(found.scale, &super)) {
        ggki_symmetric_quantize(type, x, block, 1, GGKI_SUPER, importance);
        return;
    }
    set_symmetric_block(type, x, &found, &super, block);
    pack_q6_k(super.levels, block);
}

static void quantize_q6_k(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    struct searched in;

    for (size_t at = 0; at < n_rows * row_n; at += GGKI_SUPER) {
        quantize_q6_k_block(x + at, importance ? importance + at % row_n : NULL,
                            blocks, &in);
        blocks += ggki_symmetric_q6_k.bytes;
    }
}

/* ------------------------------------------------------------------- Q3_K */

static void pack_q3_k(const uint8_t *levels, uint8_t *block)
{
    pack_planes_lanes(ggki_q3_high, levels, block);
    pack_planes_lanes(ggki_q3_low, levels, block + GGKI_Q3_LEVELS);
}

/* The levels of the search are in column i, for run i. */
static void put_q3_k(const float *x, const float *scales, vrow *levels,
                     uint8_t *block)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q3_k;
    struct ggki_symmetric_super super;

    ggki_q3_k_set_scales(scales, &super);
    ggki_symmetric_put_scales(type, &super, block);
    for (size_t i = 0; i < GGKI_RUNS; i++)
        if (!set_run_levels(x, type->half, i, &super))
            for (size_t k = 0; k < SYMMETRIC_RUN; k++)
                super.levels[i * SYMMETRIC_RUN + k] =
                    (uint8_t)((int)levels[k][i] + type->half);
    pack_q3_k(super.levels, block);
}

/* Two super-blocks at once; of an odd number the last one twice. */
static void quantize_q3_k_plain(const float *x, uint8_t *blocks, size_t n)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q3_k;
    struct swept_lanes s[2];
    vrow scales[2];

    for (size_t k = 0; k < n; k += 2) {
        const float *pair[2] = {x + k * GGKI_SUPER, x + k * GGKI_SUPER};

        if (k + 1 < n)
            pair[1] += GGKI_SUPER;
        for (size_t j = 0; j < 2; j++)
            gather_runs(&pair[j], 0, SYMMETRIC_RUN, s[j].x);
        search_squares_lanes(s, type->half, scales);
        for (size_t j = 0; j < 2 && k + j < n; j++)
            put_q3_k(pair[j], scales[j], s[j].levels,
                     blocks + (k + j) * type->bytes);
    }
}

/* Super-blocks that are worked on together, and what is found for their runs.
 */
struct symmetric_batch {
    struct super_rows rows;
    struct symmetric_found found[LANES];
    vrow sums[LANES]; /* of the weights */
};

static void search_weighted_runs(struct symmetric_batch *batch, int half)
{
    struct searched in;
    vrow mean_squares;

    vf_store(mean_squares, super_mean_squares(&batch->rows, 2));
    for (size_t k = 0; k < batch->rows.n; k++) {
        vfloat sum = vf_set(0);

        gather_runs(&batch->rows.x[k], 0, SYMMETRIC_RUN, in.x);
        gather_runs(&batch->rows.importance[k], 0, SYMMETRIC_RUN, in.weights);
        weigh_lanes(in.x, SYMMETRIC_RUN, vf_set(mean_squares[k]), in.weights);
        for (size_t i = 0; i < SYMMETRIC_RUN; i++)
            sum = vf_add(sum, vf_load(in.weights[i]));
        vf_store(batch->sums[k], sum);
        search_symmetric_lanes(&in, SYMMETRIC_RUN, half, &batch->found[k]);
    }
}

/* Scales to integers, a super-block in each lane. */
static unsigned search_weighted_scales(const struct symmetric_batch *batch,
                                       struct ggki_symmetric_super *supers)
{
    enum { HALF = 32 };
    struct searched in;
    struct symmetric_found found;

    for (size_t i = 0; i < GGKI_RUNS; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t k = super_of_lane(&batch->rows, lane);
            in.x[i][lane] = batch->found[k].scale[i];
            in.weights[i][lane] = batch->sums[k][i];
        }
    search_symmetric_lanes(&in, GGKI_RUNS, HALF, &found);
    for (size_t k = 0; k < batch->rows.n; k++) {
        uint8_t levels[GGKI_RUNS];

        set_found_levels(batch->found[k].scale, HALF, found.inverse[k], levels);
        supers[k].d = found.scale[k];
        for (size_t i = 0; i < GGKI_RUNS; i++)
            supers[k].scales[i] = (int8_t)(levels[i] - HALF);
    }
    return found.trusted;
}

static void quantize_q3_k_batch(struct symmetric_batch *batch, uint8_t *blocks)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q3_k;
    const struct super_rows *rows = &batch->rows;
    struct ggki_symmetric_super supers[LANES];

    search_weighted_runs(batch, type->half);
    unsigned trusted = search_weighted_scales(batch, supers);
    for (size_t k = 0; k < rows->n; k++, blocks += type->bytes) {
        if (batch->found[k].trusted != LANES_ALL || (trusted >> k & 1) == 0) {
            ggki_symmetric_quantize(type, rows->x[k], blocks, 1, GGKI_SUPER,
                                    rows->importance[k]);
            continue;
        }
        set_symmetric_block(type, rows->x[k], &batch->found[k], &supers[k],
                            blocks);
        pack_q3_k(supers[k].levels, blocks);
    }
}

static void quantize_q3_k(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    size_t bytes = ggki_symmetric_q3_k.bytes;
    size_t n = n_rows * (row_n / GGKI_SUPER);
    struct symmetric_batch batch;

    if (importance == NULL)
        quantize_q3_k_plain(x, blocks, n);
    else
        for (size_t first = 0; first < n; first += LANES) {
            set_super_rows(&batch.rows, x, importance, row_n, first, n);
            quantize_q3_k_batch(&batch, blocks + first * bytes);
        }
}

/* ------------------------------------------------------------- and back */

LANES_INLINE void dequantize_symmetric_super(
    const struct ggki_symmetric_super *super, int half, struct planes low,
    const uint8_t *low_bytes, struct planes high, const uint8_t *high_bytes,
    float *x)
{
    vrow scales;

    vf_store(scales,
             vf_mul(vf_set(super->d), vi_to_float(vi_load_i8(super->scales))));
    LANES_UNROLL
    for (int at = 0; at < GGKI_SUPER; at += LANES) {
        vfloat scale = vf_set(scales[at / LANES]);
        vint levels = vi_or(plane_levels(low, low_bytes, at),
                            plane_levels(high, high_bytes, at));
        vfloat level = vi_to_float(vi_sub(levels, vi_set(half)));
        vf_store(x + at, vf_mul(scale, level));
    }
}

static void dequantize_q3_k(const uint8_t *blocks, float *x, size_t n)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q3_k;
    struct ggki_symmetric_super super;

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        super.d = load_half(blocks + type->d_off);
        type->unpack_scales(blocks, &super);
        dequantize_symmetric_super(&super, 4, ggki_q3_low,
                                   blocks + GGKI_Q3_LEVELS, ggki_q3_high,
                                   blocks, x);
    }
}

static void dequantize_q6_k(const uint8_t *blocks, float *x, size_t n)
{
    const struct ggki_symmetric_type *type = &ggki_symmetric_q6_k;
    struct ggki_symmetric_super super;

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        super.d = load_half(blocks + type->d_off);
        type->unpack_scales(blocks, &super);
        dequantize_symmetric_super(&super, 32, ggki_q6_low, blocks,
                                   ggki_q6_high, blocks + GGKI_Q6_HIGH, x);
    }
}

#endif
