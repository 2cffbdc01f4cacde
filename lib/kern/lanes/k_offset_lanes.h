/* k_offset_lanes.h - Q2_K, Q4_K and Q5_K: the kernels of k_offset.c, a run in
 * each lane to search, a number in each lane to round.
 */
#ifndef GGKI_K_OFFSET_LANES_H
#define GGKI_K_OFFSET_LANES_H

#include "kern/k_offset.h"
#include "kern/lanes/planes_lanes.h"
#include "kern/lanes/super_lanes.h"
#include "kern/lanes/sweep_lanes.h"

/* Super-blocks that are worked on together, and what is found for their runs:
 * that of lane l of group g is run number LANES * g + l. */
struct offset_batch {
    struct super_rows rows;
    struct offset_found found[LANES];
};

/* Without importance. */
LANES_INLINE void weigh_runs(bool rms, size_t run, struct searched *in)
{
    vfloat sum = vf_set(0);

    if (rms)
        for (size_t i = 0; i < run; i++) {
            vfloat x = vf_load(in->x[i]);
            sum = vf_add(sum, vf_mul(x, x));
        }
    vfloat root = vf_sqrt(vf_div(sum, vf_set((float)run)));
    for (size_t i = 0; i < run; i++)
        vf_store(in->weights[i], vf_add(root, vf_abs(vf_load(in->x[i]))));
}

/* Runs from number `first` on: their numbers, and what they weigh. */
LANES_INLINE void gather_offset_lanes(const struct ggki_offset_type *type,
                                      const struct super_rows *rows,
                                      const float *mean_squares, size_t first,
                                      struct searched *in)
{
    gather_runs(rows->x, first, type->run, in->x);
    if (rows->has_importance) {
        vfloat mean_square =
            runs_mean_square(mean_squares, first, GGKI_SUPER / type->run);
        gather_runs(rows->importance, first, type->run, in->weights);
        weigh_lanes(in->x, type->run, mean_square, in->weights);
    } else {
        weigh_runs(type->rms, type->run, in);
    }
}

/* Where their groups of lanes are odd in number, one more is searched, of the
 * first super-block. */
static void search_runs(const struct ggki_offset_type *type,
                        const struct ggki_offset_way *way,
                        struct offset_batch *batch)
{
    size_t n = batch->rows.n * (GGKI_SUPER / type->run);
    struct searched in[2];
    vrow mean_squares;

    if (batch->rows.has_importance)
        vf_store(mean_squares, super_mean_squares(&batch->rows, type->spread));
    for (size_t first = 0; first < n; first += (size_t)2 * LANES) {
        for (size_t j = 0; j < 2; j++)
            gather_offset_lanes(type, &batch->rows, mean_squares,
                                first + j * LANES, &in[j]);
        search_two_offsets(in, type->run, type->top, &way->steps,
                           &batch->found[first / LANES]);
    }
}

/* With importance: scales to integers, a super-block in each lane. */
static void search_scales(const struct ggki_offset_type *type,
                          const struct offset_batch *batch,
                          struct ggki_offset_super *supers)
{
    size_t runs = GGKI_SUPER / type->run;
    struct swept_lanes scales;
    struct swept_lanes offsets;
    vrow d;
    vrow dmin;

    for (size_t i = 0; i < runs; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t at = super_of_lane(&batch->rows, lane) * runs + i;
            const struct offset_found *found = &batch->found[at / LANES];
            scales.x[i][lane] = found->scale[at % LANES];
            offsets.x[i][lane] = -found->min[at % LANES];
            scales.weights[i][lane] = found->sum_w[at % LANES];
            offsets.weights[i][lane] = found->sum_w[at % LANES];
        }
    vf_store(d, search_positive_lanes(&scales, runs, type->scale_top));
    vf_store(dmin, search_positive_lanes(&offsets, runs, type->scale_top));
    for (size_t k = 0; k < batch->rows.n; k++) {
        supers[k].d = d[k];
        supers[k].dmin = dmin[k];
        for (size_t i = 0; i < runs; i++) {
            supers[k].scales[i] = (uint8_t)scales.levels[i][k];
            supers[k].offsets[i] = (uint8_t)offsets.levels[i][k];
        }
    }
}

static void round_scales(const struct ggki_offset_type *type,
                         const struct offset_batch *batch,
                         struct ggki_offset_super *supers)
{
    size_t runs = GGKI_SUPER / type->run;

    for (size_t k = 0; k < batch->rows.n; k++) {
        float scales[GGKI_RUNS];
        float offsets[GGKI_RUNS];

        for (size_t i = 0; i < runs; i++) {
            size_t at = k * runs + i;
            const struct offset_found *found = &batch->found[at / LANES];
            scales[i] = found->scale[at % LANES];
            offsets[i] = -found->min[at % LANES];
        }
        ggki_offset_set_scales(type, scales, offsets, &supers[k]);
    }
}

/* The levels for d and the scales as they are stored. Where the product is 0,
 * those of the search. */
static void set_offset_levels(const struct ggki_offset_type *type,
                              const float *x, const struct offset_found *found,
                              size_t lane, struct ggki_offset_super *super)
{
    for (size_t i = 0; i < GGKI_SUPER / type->run; i++, lane++) {
        float scale = super->d * (float)super->scales[i];
        float offset = super->dmin * (float)super->offsets[i];
        vfloat divisor = vf_set(scale);
        vfloat inverse = vf_set(found[lane / LANES].inverse[lane % LANES]);
        vfloat base = vf_set(found[lane / LANES].base[lane % LANES]);

        for (size_t k = i * type->run; k < (i + 1) * type->run; k += LANES) {
            vfloat numbers = vf_load(x + k);
            vfloat level =
                scale != 0 ? vf_div(vf_add(numbers, vf_set(offset)), divisor)
                           : vf_mul(inverse, vf_sub(numbers, base));
            vi_store_8(super->levels + k,
                       v_clamp(v_nearest(level), 0, type->top));
        }
    }
}

/* Whether all runs of super-block k may be trusted. */
static bool is_trusted(const struct offset_batch *batch, size_t k, size_t runs)
{
    unsigned trusted = batch->found[k * runs / LANES].trusted;
    unsigned all = (1U << runs) - 1;

    return (trusted >> k * runs % LANES & all) == all;
}

typedef void pack_levels(const uint8_t *levels, uint8_t *block);

static void quantize_offset_batch(const struct ggki_offset_type *type,
                                  pack_levels *pack, struct offset_batch *batch,
                                  uint8_t *blocks)
{
    const struct super_rows *rows = &batch->rows;
    const struct ggki_offset_way *way =
        rows->has_importance ? &type->weighted : &type->plain;
    size_t runs = GGKI_SUPER / type->run;
    struct ggki_offset_super supers[LANES];

    search_runs(type, way, batch);
    if (rows->has_importance)
        search_scales(type, batch, supers);
    else
        round_scales(type, batch, supers);
    for (size_t k = 0; k < rows->n; k++, blocks += type->bytes) {
        if (!is_trusted(batch, k, runs)) {
            ggki_offset_quantize(type, rows->x[k], blocks, 1, GGKI_SUPER,
                                 rows->has_importance ? rows->importance[k]
                                                      : NULL);
            continue;
        }
        ggki_offset_put_scales(type, way, &supers[k], blocks);
        set_offset_levels(type, rows->x[k], &batch->found[k * runs / LANES],
                          k * runs % LANES, &supers[k]);
        pack(supers[k].levels, blocks);
    }
}

static void quantize_offset_rows(const struct ggki_offset_type *type,
                                 pack_levels *pack, const float *x,
                                 uint8_t *blocks, size_t n_rows, size_t row_n,
                                 const float *importance)
{
    size_t n = n_rows * (row_n / GGKI_SUPER);

    for (size_t first = 0; first < n; first += LANES) {
        struct offset_batch batch;

        set_super_rows(&batch.rows, x, importance, row_n, first, n);
        quantize_offset_batch(type, pack, &batch, blocks + first * type->bytes);
    }
}

static void pack_q2_k(const uint8_t *levels, uint8_t *block)
{
    pack_planes_lanes(ggki_q2_planes, levels, block + GGKI_Q2_LEVELS);
}

static void quantize_q2_k(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    quantize_offset_rows(&ggki_offset_q2_k, pack_q2_k, x, blocks, n_rows, row_n,
                         importance);
}

static void pack_q4_k(const uint8_t *levels, uint8_t *block)
{
    pack_planes_lanes(ggki_q45_low, levels, block + GGKI_Q4_LEVELS);
}

static void quantize_q4_k(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    quantize_offset_rows(&ggki_offset_q4_k, pack_q4_k, x, blocks, n_rows, row_n,
                         importance);
}

static void pack_q5_k(const uint8_t *levels, uint8_t *block)
{
    pack_planes_lanes(ggki_q5_high, levels, block + GGKI_Q5_HIGH);
    pack_planes_lanes(ggki_q45_low, levels, block + GGKI_Q5_LEVELS);
}

static void quantize_q5_k(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    quantize_offset_rows(&ggki_offset_q5_k, pack_q5_k, x, blocks, n_rows, row_n,
                         importance);
}

/* ------------------------------------------------------------- and back */

/* `high` has the highest bits of levels, or none. */
LANES_INLINE void dequantize_offset_super(const struct ggki_offset_super *super,
                                          size_t run, struct planes low,
                                          const uint8_t *low_bytes,
                                          struct planes high,
                                          const uint8_t *high_bytes, float *x)
{
    vrow scales;
    vrow offsets;

    vf_store(scales,
             vf_mul(vf_set(super->d), vi_to_float(vi_load_u8(super->scales))));
    vf_store(offsets, vf_mul(vf_set(super->dmin),
                             vi_to_float(vi_load_u8(super->offsets))));
    LANES_UNROLL
    for (int at = 0; at < GGKI_SUPER; at += LANES) {
        vfloat scale = vf_set(scales[(size_t)at / run]);
        vfloat offset = vf_set(offsets[(size_t)at / run]);
        vint levels = plane_levels(low, low_bytes, at);
        if (high.n > 0)
            levels = vi_or(levels, plane_levels(high, high_bytes, at));
        vf_store(x + at, vf_sub(vf_mul(scale, vi_to_float(levels)), offset));
    }
}

LANES_INLINE void read_offset_scales(const struct ggki_offset_type *type,
                                     const uint8_t *block,
                                     struct ggki_offset_super *super)
{
    super->d = load_half(block + type->d_off);
    super->dmin = load_half(block + type->d_off + 2);
    type->unpack_scales(block, super);
}

static void dequantize_q2_k(const uint8_t *blocks, float *x, size_t n)
{
    const struct ggki_offset_type *type = &ggki_offset_q2_k;
    struct ggki_offset_super super = {.d = 0};

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        read_offset_scales(type, blocks, &super);
        dequantize_offset_super(&super, 16, ggki_q2_planes,
                                blocks + GGKI_Q2_LEVELS,
                                (struct planes){.n = 0}, NULL, x);
    }
}

static void dequantize_q4_k(const uint8_t *blocks, float *x, size_t n)
{
    const struct ggki_offset_type *type = &ggki_offset_q4_k;
    struct ggki_offset_super super = {.d = 0};

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        read_offset_scales(type, blocks, &super);
        dequantize_offset_super(&super, 32, ggki_q45_low,
                                blocks + GGKI_Q4_LEVELS,
                                (struct planes){.n = 0}, NULL, x);
    }
}

static void dequantize_q5_k(const uint8_t *blocks, float *x, size_t n)
{
    const struct ggki_offset_type *type = &ggki_offset_q5_k;
    struct ggki_offset_super super = {.d = 0};

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        read_offset_scales(type, blocks, &super);
        dequantize_offset_super(&super, 32, ggki_q45_low,
                                blocks + GGKI_Q5_LEVELS, ggki_q5_high,
                                blocks + GGKI_Q5_HIGH, x);
    }
}

#endif
