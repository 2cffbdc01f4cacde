/* iq4_lanes.h - IQ4_NL and IQ4_XS: the kernels of iq4.c, 32 numbers that share
 * a scale in each lane to search, a number in each lane to round.
 */
#ifndef GGKI_IQ4_LANES_H
#define GGKI_IQ4_LANES_H

#include "kern/iq4.h"
#include "kern/kernels.h"
#include "kern/lanes/super_lanes.h"

/* The midpoints in the order in which halving the range comes to them: one
 * decides the highest bit of a level, one of two the next, one of four and one
 * of eight the last. */
struct iq4_tables {
    float first;
    float second[2];
    float third[4];
    float fourth[8];
    float values[16];
};

static struct iq4_tables iq4_tables(void)
{
    struct iq4_tables t = {.first = ggki_iq4_midpoints[7]};

    for (size_t i = 0; i < 2; i++)
        t.second[i] = ggki_iq4_midpoints[8 * i + 3];
    for (size_t i = 0; i < 4; i++)
        t.third[i] = ggki_iq4_midpoints[4 * i + 1];
    for (size_t i = 0; i < 8; i++)
        t.fourth[i] = ggki_iq4_midpoints[2 * i];
    for (int i = 0; i < 16; i++)
        t.values[i] = (float)ggki_iq4_values[i];
    return t;
}

/* One bit more: 1 where x is not below the midpoint. */
LANES_INLINE vint next_bit(vint level, vfloat midpoint, vfloat x)
{
    return vi_count(vi_add(level, level), vf_not_less(x, midpoint));
}

/* The number of midpoints that x is not below: of a NaN all. */
LANES_INLINE vint nearest_level(const struct iq4_tables *t, vfloat x)
{
    vmask upper = vf_not_less(x, vf_set(t->first));
    vint level = vi_count(vi_set(0), upper);

    level = next_bit(
        level, vf_select(upper, vf_set(t->second[1]), vf_set(t->second[0])), x);
    level = next_bit(level, vf_lookup4(t->third, level), x);
    return next_bit(level, vf_lookup8(t->fourth, level), x);
}

/* What is searched, and what it weighs. */
struct iq4_lanes {
    alignas(64) vrow x[GGKI_IQ4_N];
    alignas(64) vrow weights[GGKI_IQ4_N];
};

/* The square of the error is least for scale = vx / v2. */
struct iq4_fit {
    vfloat vx; /* sum of weight * value * x */
    vfloat v2; /* sum of weight * value * value */
};

LANES_INLINE struct iq4_fit fit_values(const struct iq4_tables *t,
                                       struct iq4_lanes *in, vfloat inverse)
{
    vfloat vx = vf_set(0);
    vfloat v2 = vf_set(0);

    for (int i = 0; i < GGKI_IQ4_N; i++) {
        vfloat x = vf_load(in->x[i]);
        vint level = nearest_level(t, vf_mul(inverse, x));
        vfloat value = vf_lookup16(t->values, level);
        vfloat weighted = vf_mul(vf_load(in->weights[i]), value);
        vx = vf_add(vx, vf_mul(weighted, x));
        v2 = vf_add(v2, vf_mul(weighted, value));
    }
    return (struct iq4_fit){vx, v2};
}

/* Fills the scales; returns the lanes that may be trusted, which are those of
 * finite numbers. */
static unsigned search_iq4(const struct iq4_tables *t, struct iq4_lanes *in,
                           float *scales)
{
    vfloat zero = vf_set(0);
    vfloat peak = peak_lanes(in->x, GGKI_IQ4_N);
    vmask none = vf_less(vf_abs(peak), vf_set(1e-15f));
    vfloat unit = vf_div(vf_negate(peak), vf_set(t->values[0]));
    struct iq4_fit fit = fit_values(t, in, vf_div(vf_set(1), unit));
    vmask finite = vf_less(vf_abs(fit.vx), vf_set(INFINITY));
    vfloat scale =
        vf_select(vf_less(zero, fit.v2), vf_div(fit.vx, fit.v2), zero);
    vfloat best = vf_mul(scale, fit.vx);

    for (int step = -7; step <= 7; step++) {
        vfloat span = vf_set((float)step + t->values[0]);
        fit = fit_values(t, in, vf_div(span, peak));
        vmask better =
            vm_and(vf_less(zero, fit.v2),
                   vf_less(vf_mul(best, fit.v2), vf_mul(fit.vx, fit.vx)));
        vfloat other = vf_div(fit.vx, fit.v2);
        scale = vf_select(better, other, scale);
        best = vf_select(better, vf_mul(other, fit.vx), best);
    }
    vf_store(scales, vf_select(none, zero, scale));
    return vm_bits(vm_or(none, finite));
}

LANES_INLINE void weigh_squares(struct iq4_lanes *in)
{
    for (int i = 0; i < GGKI_IQ4_N; i++) {
        vfloat x = vf_load(in->x[i]);
        vf_store(in->weights[i], vf_mul(x, x));
    }
}

/* Of 32 numbers: the first 16 in the low nibbles. */
LANES_INLINE void put_iq4_levels(const struct iq4_tables *t, const float *x,
                                 float inverse, uint8_t *out)
{
    vfloat factor = vf_set(inverse);
    vint first = nearest_level(t, vf_mul(factor, vf_load(x)));
    vint second = nearest_level(t, vf_mul(factor, vf_load(x + LANES)));
    vi_store_8(out, vi_or(first, vi_shl(second, 4)));
}

LANES_INLINE void get_iq4_numbers(const struct iq4_tables *t,
                                  const uint8_t *levels, float scale, float *x)
{
    vfloat factor = vf_set(scale);
    vint bytes = vi_load_u8(levels);
    vfloat first = vf_lookup16(t->values, vi_and(bytes, vi_set(15)));
    vfloat second = vf_lookup16(t->values, vi_shr(bytes, 4));
    vf_store(x, vf_mul(factor, first));
    vf_store(x + LANES, vf_mul(factor, second));
}

/* ------------------------------------------------------------------ IQ4_NL */

/* Blocks from number `first` on, of `n` in all; lanes that are left over have
 * the last. */
static unsigned search_iq4_nl(const struct iq4_tables *t, const float *x,
                              size_t first, size_t n, size_t row_n,
                              const float *importance, float *scales)
{
    const float *from[LANES];
    const float *weights[LANES];
    struct iq4_lanes in;

    for (size_t lane = 0; lane < LANES; lane++) {
        size_t block = first + lane < n ? first + lane : n - 1;
        size_t at = block * GGKI_IQ4_N;
        from[lane] = x + at;
        weights[lane] = importance ? importance + at % row_n : NULL;
    }
    lanes_gather(from, GGKI_IQ4_N, in.x);
    if (importance == NULL) {
        weigh_squares(&in);
        return search_iq4(t, &in, scales);
    }

    vfloat sum = vf_set(0);
    for (int i = 0; i < GGKI_IQ4_N; i++) {
        vfloat number = vf_load(in.x[i]);
        sum = vf_add(sum, vf_mul(number, number));
    }
    lanes_gather(weights, GGKI_IQ4_N, in.weights);
    weigh_lanes(in.x, GGKI_IQ4_N, vf_mul(sum, vf_set(2.0f / GGKI_IQ4_N)),
                in.weights);
    return search_iq4(t, &in, scales);
}

static void quantize_iq4_nl(const float *x, uint8_t *blocks, size_t n_rows,
                            size_t row_n, const float *importance)
{
    const struct iq4_tables t = iq4_tables();
    size_t n = n_rows * (row_n / GGKI_IQ4_N);

    for (size_t first = 0; first < n; first += LANES) {
        vrow scales;
        unsigned trusted =
            search_iq4_nl(&t, x, first, n, row_n, importance, scales);

        for (size_t k = 0; k < LANES && first + k < n; k++) {
            size_t at = (first + k) * GGKI_IQ4_N;

            if ((trusted >> k & 1) != 0) {
                store_f16(blocks, scales[k]);
                put_iq4_levels(&t, x + at, inverse_or_0(scales[k]),
                               blocks + GGKI_IQ4_NL_LEVELS);
            } else {
                ggki_quantize_iq4_nl_generic(
                    x + at, blocks, 1, GGKI_IQ4_N,
                    importance ? importance + at % row_n : NULL);
            }
            blocks += GGKI_IQ4_NL_BYTES;
        }
    }
}

static void dequantize_iq4_nl(const uint8_t *blocks, float *x, size_t n)
{
    const struct iq4_tables t = iq4_tables();

    for (size_t i = 0; i < n; i += GGKI_IQ4_N, blocks += GGKI_IQ4_NL_BYTES)
        get_iq4_numbers(&t, blocks + GGKI_IQ4_NL_LEVELS, load_half(blocks),
                        x + i);
}

/* ------------------------------------------------------------------ IQ4_XS */

/* Super-blocks that are worked on together, and what is found: a row of each
 * array for 16 scales. */
struct iq4_batch {
    struct super_rows rows;
    vrow scales[GGKI_IQ4_SUB];
    unsigned trusted[GGKI_IQ4_SUB];
};

static void search_iq4_xs(const struct iq4_tables *t, struct iq4_batch *batch)
{
    const struct super_rows *rows = &batch->rows;
    struct iq4_lanes in;
    vrow mean_squares;

    if (rows->has_importance)
        vf_store(mean_squares,
                 vf_mul(super_sum_squares(rows), vf_set(2.0f / GGKI_SUPER)));
    for (size_t first = 0; first < rows->n * GGKI_IQ4_SUB; first += LANES) {
        gather_runs(rows->x, first, GGKI_IQ4_N, in.x);
        if (rows->has_importance) {
            gather_runs(rows->importance, first, GGKI_IQ4_N, in.weights);
            weigh_lanes(in.x, GGKI_IQ4_N,
                        runs_mean_square(mean_squares, first, GGKI_IQ4_SUB),
                        in.weights);
        } else {
            weigh_squares(&in);
        }
        batch->trusted[first / LANES] =
            search_iq4(t, &in, batch->scales[first / LANES]);
    }
}

static void quantize_iq4_batch(const struct iq4_tables *t,
                               struct iq4_batch *batch, uint8_t *blocks)
{
    const struct super_rows *rows = &batch->rows;

    search_iq4_xs(t, batch);
    for (size_t k = 0; k < rows->n; k++, blocks += GGKI_IQ4_XS_BYTES) {
        size_t at = k * GGKI_IQ4_SUB;
        unsigned trusted = batch->trusted[at / LANES] >> at % LANES & 255;
        float inverses[GGKI_IQ4_SUB];

        if (trusted != 255) {
            ggki_quantize_iq4_xs_generic(
                rows->x[k], blocks, 1, GGKI_SUPER,
                rows->has_importance ? rows->importance[k] : NULL);
            continue;
        }
        ggki_iq4_xs_put_scales(&batch->scales[at / LANES][at % LANES], blocks,
                               inverses);
        for (size_t i = 0; i < GGKI_IQ4_SUB; i++)
            put_iq4_levels(t, rows->x[k] + i * GGKI_IQ4_N, inverses[i],
                           blocks + GGKI_IQ4_XS_LEVELS + i * LANES);
    }
}

static void quantize_iq4_xs(const float *x, uint8_t *blocks, size_t n_rows,
                            size_t row_n, const float *importance)
{
    const struct iq4_tables t = iq4_tables();
    size_t n = n_rows * (row_n / GGKI_SUPER);
    struct iq4_batch batch;

    for (size_t first = 0; first < n; first += LANES) {
        set_super_rows(&batch.rows, x, importance, row_n, first, n);
        quantize_iq4_batch(&t, &batch, blocks + first * GGKI_IQ4_XS_BYTES);
    }
}

static void dequantize_iq4_xs(const uint8_t *blocks, float *x, size_t n)
{
    const struct iq4_tables t = iq4_tables();

    for (; n > 0; n -= GGKI_SUPER, blocks += GGKI_IQ4_XS_BYTES)
        for (size_t i = 0; i < GGKI_IQ4_SUB; i++, x += GGKI_IQ4_N)
            get_iq4_numbers(&t, blocks + GGKI_IQ4_XS_LEVELS + i * LANES,
                            ggki_iq4_xs_scale(blocks, i), x);
}

#endif
