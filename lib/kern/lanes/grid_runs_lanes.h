/* grid_runs_lanes.h - IQ2_* and IQ3_*: super-blocks to runs in lanes, and what
 * is found for these to blocks.
 */
#ifndef GGKI_GRID_RUNS_LANES_H
#define GGKI_GRID_RUNS_LANES_H

#include "kern/lanes/grid_lanes.h"

/* -------------------------------------------------------------------- runs */

/* Signs and magnitudes of the 8 numbers from number `first` on. */
static void take_signs(struct grid_lanes *in, size_t first, bool parity)
{
    vfloat least = vf_set(INFINITY);
    vint cheapest = vi_set(0);
    vint signs = vi_set(0);
    vint n = vi_set(0);
    vint flips = vi_set(0);

    for (int i = 0; i < 8; i++) {
        vfloat x = vf_load(in->x[first + (size_t)i]);
        vfloat weight = vf_load(in->weights[first + (size_t)i]);
        vmask negative = vf_less(x, vf_set(0));
        vfloat cost = vf_mul(vf_mul(weight, x), x);
        vmask cheaper = vf_less(cost, least);
        signs = vi_or(signs, vi_select(negative, vi_set(1 << i), vi_set(0)));
        n = vi_count(n, negative);
        cheapest = vi_select(cheaper, vi_set(i), cheapest);
        least = vf_min(cost, least);
        vf_store(in->x[first + (size_t)i], vf_abs(x));
    }
    vmask odd = vi_equal(vi_and(n, vi_set(1)), vi_set(1));
    for (int i = 0; i < 8 && parity; i++) {
        vfloat x = vf_load(in->x[first + (size_t)i]);
        vmask flip = vm_and(odd, vi_equal(cheapest, vi_set(i)));
        flips = vi_or(flips, vi_select(flip, vi_set(1 << i), vi_set(0)));
        vf_store(in->x[first + (size_t)i], vf_select(flip, vf_negate(x), x));
    }
    vi_store_8(in->signs[first / 8], vi_xor(signs, flips));
}

/* Weights are there, or importance where they will be; returns the lanes in
 * which they are all weights. */
static unsigned set_runs(struct grid_lanes *in,
                         const struct ggki_grid_type *type, bool has_importance,
                         vfloat mean_square)
{
    vfloat zero = vf_set(0);
    vfloat base =
        type->base > 0 ? vf_mul(vf_set(type->base), mean_square) : zero;
    vmask sound = vf_equal(zero, zero);

    if (has_importance)
        weigh_lanes(in->x, type->run, mean_square, in->weights);
    else
        for (size_t i = 0; i < type->run; i++) {
            vfloat x = vf_load(in->x[i]);
            vf_store(in->weights[i], vf_add(base, vf_mul(x, x)));
        }
    for (size_t i = 0; i < type->run; i += 8)
        take_signs(in, i, type->parity);
    for (size_t i = 0; i < type->run; i++) {
        vfloat weight = vf_load(in->weights[i]);
        vf_store(in->roots[i], vf_sqrt(weight));
        vf_store(in->weighted[i], vf_mul(weight, vf_load(in->x[i])));
        sound = vm_and(sound, vf_at_most(zero, weight));
        sound = vm_and(sound, vf_less(weight, vf_set(INFINITY)));
    }
    return vm_bits(sound);
}

/* As first_span; and whether all that is rounded is within the limit. */
LANES_INLINE vfloat first_spans(struct grid_lanes *in,
                                const struct ggki_grid_type *type,
                                unsigned radix, vfloat max, vfloat *scale)
{
    *scale = vf_div(max, vf_set((float)(2 * radix - 1)));
    if (!type->sweep)
        return max;
    for (size_t i = 0; i < type->run; i++) {
        vf_store(in->swept.x[i], vf_load(in->x[i]));
        vf_store(in->swept.weights[i], vf_load(in->weights[i]));
    }
    *scale = search_positive_lanes(&in->swept, type->run, (int)radix + 1);
    return vf_max(vf_set(0), vf_mul(*scale, vf_set((float)radix)));
}

/* Lanes in which numbers up to `max`, times `inverse`, can be rounded. */
LANES_INLINE unsigned within(vfloat inverse, vfloat max)
{
    return vm_bits(v_within_limit(vf_mul(inverse, max)));
}

LANES_INLINE unsigned between(vfloat x, float low, float high)
{
    return vm_bits(vm_and(vf_less(vf_set(low), x), vf_less(x, vf_set(high))));
}

/* For all scales that will be tried; returns the lanes in which all that is
 * rounded is within the limit. */
LANES_INLINE unsigned set_tries(struct grid_lanes *in, unsigned dims,
                                const struct ggki_grid_type *type, vfloat span,
                                vfloat largest)
{
    float top = 2 * grid_radix(dims) - 1;
    float reach = (float)type->steps * type->step;
    vfloat largest_scale = vf_div(span, vf_set(top - reach));
    vfloat largest_inverse = vf_div(vf_set(top + reach), span);

    for (int t = 0; t < GRID_TRIES; t++)
        in->tops[t] = top + (float)(t - type->steps) * type->step;
    set_margins(in, dims, type->run, largest_scale, largest_inverse);
    return within(largest_inverse, largest);
}

/* After set_runs, of the `sound` lanes. */
LANES_INLINE void search_grid(struct grid_lanes *in, unsigned dims,
                              const struct ggki_grid_type *type, unsigned sound,
                              struct grid_found *found)
{
    const struct ggki_grid *g = ggki_grid_of(type->grid);
    vfloat max = vf_set(-INFINITY);
    vfloat largest = vf_set(0);
    vfloat scale;
    vrow spans;

    for (size_t i = 0; i < type->run; i++) {
        vfloat x = vf_load(in->x[i]);
        max = vf_max(max, x);
        largest = vf_max(largest, vf_abs(x));
    }
    vfloat span = first_spans(in, type, g->radix, max, &scale);
    unsigned below = vm_bits(vf_less(max, vf_set(type->least)));
    found->empty = sound & (below | vm_bits(vf_equal(span, vf_set(0))));
    unsigned usable = sound & ~found->empty &
                      between(span, grid_tiny, grid_huge) &
                      vm_bits(vf_less(largest, vf_set(grid_huge)));

    usable &= set_tries(in, dims, type, span, largest);
    vf_store(spans, span);
    usable &= try_scales(in, dims, type, g, spans, usable);
    choose_scale(in, type, type->run / dims, scale, found);
    scale = vf_load(found->scale);
    usable &= between(vf_abs(scale), grid_tiny, grid_huge);
    usable &= within(vf_div(vf_set(1), scale), largest);
    usable &= ~search_scale_again(in, dims, type, g, usable, found);
    usable &= vm_bits(vf_less(vf_abs(vf_load(found->scale)), vf_set(INFINITY)));
    found->trusted = usable | found->empty;
}

/* ------------------------------------------------------------------ blocks */

/* Run `i` of a super-block from that lane. */
static void take_run(const struct grid_lanes *in,
                     const struct ggki_grid_type *type,
                     const struct grid_found *found, size_t lane, size_t i,
                     struct ggki_grid_super *super, float *scale)
{
    const struct ggki_grid *g = ggki_grid_of(type->grid);
    size_t n_groups = type->run / g->dims;

    if ((found->empty >> lane & 1) != 0) {
        super->empty |= 1u << i;
        return;
    }
    *scale = fabsf(found->scale[lane]);
    for (size_t k = 0; k < n_groups; k++) {
        unsigned code = grid_code(g, found->points.of[k][lane]);
        super->places[i * n_groups + k] = (uint16_t)g->places[code];
    }
    for (size_t k = 0; k < type->run / 8; k++) {
        unsigned flip = found->scale[lane] < 0 ? 255 : 0;
        super->signs[i * type->run / 8 + k] =
            (uint8_t)(in->signs[k][lane] ^ flip);
    }
}

/* A super-block whose first run is in lane `first`. */
static void put_grid_block(const struct grid_lanes *in,
                           const struct ggki_grid_type *type,
                           const struct super_rows *rows, size_t k,
                           const struct grid_found *found, size_t first,
                           uint8_t *block)
{
    size_t runs = GGKI_SUPER / type->run;
    unsigned all = (1u << runs) - 1;
    struct ggki_grid_super super = {.empty = 0};
    float scales[GGKI_RUNS] = {0};

    if ((found->trusted >> first & all) != all) {
        ggki_grid_quantize(type, rows->x[k], block, 1, GGKI_SUPER,
                           rows->has_importance ? rows->importance[k] : NULL);
        return;
    }
    for (size_t i = 0; i < runs; i++)
        take_run(in, type, found, first + i, i, &super, &scales[i]);
    ggki_grid_put(type, scales, &super, block);
}

/* What is worked on, 16 super-blocks after the other. */
struct grid_batch {
    struct grid_lanes in;
    struct grid_found found;
    struct super_rows rows;
};

LANES_INLINE void quantize_grid_batch(struct grid_batch *b, unsigned dims,
                                      const struct ggki_grid_type *type,
                                      uint8_t *blocks)
{
    const struct super_rows *rows = &b->rows;
    size_t runs = GGKI_SUPER / type->run;
    vrow mean_squares;

    vf_store(mean_squares, super_mean_squares(rows, type->spread));
    for (size_t first = 0; first < rows->n * runs; first += LANES) {
        vfloat mean_square = runs_mean_square(mean_squares, first, runs);

        gather_runs(rows->x, first, type->run, b->in.x);
        if (rows->has_importance)
            gather_runs(rows->importance, first, type->run, b->in.weights);
        unsigned sound =
            set_runs(&b->in, type, rows->has_importance, mean_square);
        search_grid(&b->in, dims, type, sound, &b->found);
        for (size_t lane = 0; lane < LANES; lane += runs) {
            size_t k = (first + lane) / runs;

            if (k < rows->n)
                put_grid_block(&b->in, type, rows, k, &b->found, lane,
                               blocks + k * type->bytes);
        }
    }
}

LANES_INLINE void quantize_grid(unsigned dims,
                                const struct ggki_grid_type *type,
                                const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    size_t n = n_rows * (row_n / GGKI_SUPER);
    struct grid_batch batch;

    for (size_t first = 0; first < n; first += LANES) {
        set_super_rows(&batch.rows, x, importance, row_n, first, n);
        quantize_grid_batch(&batch, dims, type, blocks + first * type->bytes);
    }
}

/* Of 8 numbers, and of 4. */
static void quantize_grid_8(const struct ggki_grid_type *type, const float *x,
                            uint8_t *blocks, size_t n_rows, size_t row_n,
                            const float *importance)
{
    quantize_grid(8, type, x, blocks, n_rows, row_n, importance);
}

static void quantize_grid_4(const struct ggki_grid_type *type, const float *x,
                            uint8_t *blocks, size_t n_rows, size_t row_n,
                            const float *importance)
{
    quantize_grid(4, type, x, blocks, n_rows, row_n, importance);
}

static void quantize_iq2_xxs(const float *x, uint8_t *blocks, size_t n_rows,
                             size_t row_n, const float *importance)
{
    quantize_grid_8(&ggki_grid_iq2_xxs, x, blocks, n_rows, row_n, importance);
}

static void quantize_iq2_xs(const float *x, uint8_t *blocks, size_t n_rows,
                            size_t row_n, const float *importance)
{
    quantize_grid_8(&ggki_grid_iq2_xs, x, blocks, n_rows, row_n, importance);
}

static void quantize_iq2_s(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    quantize_grid_8(&ggki_grid_iq2_s, x, blocks, n_rows, row_n, importance);
}

static void quantize_iq3_xxs(const float *x, uint8_t *blocks, size_t n_rows,
                             size_t row_n, const float *importance)
{
    quantize_grid_4(&ggki_grid_iq3_xxs, x, blocks, n_rows, row_n, importance);
}

static void quantize_iq3_s(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    quantize_grid_4(&ggki_grid_iq3_s, x, blocks, n_rows, row_n, importance);
}

#endif
