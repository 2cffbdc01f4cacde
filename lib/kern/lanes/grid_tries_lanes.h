/* grid_tries_lanes.h - IQ2_* and IQ3_*: points of the grid for a run and all
 * scales that are tried, a scale in each lane.
 *
 * From one scale to the next most groups keep their levels, and with these the
 * points that are near. How far one is away, is a polynomial of the scale: it
 * is made once for all of these scales. That is not rounded as in
 * grid_search.c, so where two points are about as near, it is computed as
 * there.
 */
#ifndef GGKI_GRID_TRIES_LANES_H
#define GGKI_GRID_TRIES_LANES_H

#include <float.h>
#include <string.h>

#include "kern/grid_types.h"
#include "kern/lanes/near_lanes.h"
#include "kern/lanes/super_lanes.h"
#include "kern/lanes/sweep_lanes.h"

enum {
    GRID_TRY_ROWS = 2,
    GRID_TRIES = GRID_TRY_ROWS * LANES, /* scales that are tried, at most */
};

/* What the distances of points follow from: half of one, divided by the scale,
 * is scale / 2 * square - product, and a term that all have. */
struct grid_near {
    alignas(64) float squares[GGKI_NEAR_MAX + LANES];  /* of root * q * q */
    alignas(64) float products[GGKI_NEAR_MAX + LANES]; /* of root * x * q */
    alignas(64) float points[GGKI_NEAR_MAX + LANES];
};

/* A run, for all scales. 16 are read and written at once, wherever they begin.
 */
struct grid_tries {
    alignas(64) float inverses[GRID_TRIES];
    float scales[GRID_TRIES + LANES];
    /* With the points, the best scale is qx / q2. */
    float qx[GRID_TRIES]; /* sum of weight * x * q, where q = 2 * level + 1 */
    float q2[GRID_TRIES]; /* sum of weight * q * q */
    uint8_t points[GGKI_GRID_RUN_GROUPS][2 * (GRID_TRIES + LANES)]; /* u16 */
    uint32_t off[GGKI_GRID_RUN_GROUPS]; /* bit t: for scale t it was none */
};

/* What is searched, and room for what follows from it. */
struct grid_lanes {
    alignas(64) vrow x[GGKI_GRID_RUN_MAX]; /* magnitudes */
    alignas(64) vrow weights[GGKI_GRID_RUN_MAX];
    alignas(64) vrow weighted[GGKI_GRID_RUN_MAX]; /* weight * x */
    alignas(64) vrow roots[GGKI_GRID_RUN_MAX];    /* of the weights */
    uint8_t signs[GGKI_GRID_RUN_OCTETS][LANES];
    alignas(64) vrow margins[GGKI_GRID_RUN_GROUPS];
    alignas(64) float tops[GRID_TRIES]; /* what the largest number becomes */
    struct grid_tries tries[LANES];

    /* Of one run: codes, from the second word on; and by the number what is
     * added for each level. */
    uint8_t codes[GGKI_GRID_RUN_GROUPS][2 * (1 + GRID_TRIES)];
    alignas(64) float qx_parts[GGKI_GRID_RUN_MAX * NEAR_LEVELS];
    alignas(64) float q2_parts[GGKI_GRID_RUN_MAX * NEAR_LEVELS];
    /* Of one group. */
    alignas(64) float squares[NEAR_PARTS];
    alignas(64) float products[NEAR_PARTS];
    struct grid_near values;
    struct near_lanes near;

    /* Of all runs: a row for each scale. */
    alignas(64) vrow all_qx[GRID_TRIES];
    alignas(64) vrow all_q2[GRID_TRIES];
    struct swept_lanes swept;
};

/* q by the level, for two numbers. */
static const float grid_odds[LANES] = {1, 3, 5, 7, 9, 11, 13, 15,
                                       1, 3, 5, 7, 9, 11, 13, 15};

LANES_INLINE float grid_radix(unsigned dims)
{
    return dims == 8 ? 3 : 8;
}

/* Of numbers `i` and `i` + 1 of a run. */
LANES_INLINE vfloat grid_pair(vrow *rows, size_t i, size_t lane)
{
    return vf_halves(rows[i][lane], rows[i + 1][lane]);
}

/* ----------------------------------------------------------------- rounded */

/* The point for group `k` as grid_search.c finds it; false if none has a
 * distance. */
LANES_INLINE bool nearest_of_lane(struct grid_lanes *in, unsigned dims,
                                  size_t k, size_t lane, float scale,
                                  const uint16_t *list, uint16_t *point)
{
    vfloat values = vf_mul(vf_set(scale), vf_load(grid_odds));

    for (size_t i = 0; i < dims; i += 2) {
        vfloat diff = vf_sub(values, grid_pair(in->x, k * dims + i, lane));
        vfloat root = grid_pair(in->roots, k * dims + i, lane);
        vf_store(in->near.parts + i * NEAR_LEVELS,
                 vf_mul(vf_mul(root, diff), diff));
    }
    return nearest_of(&in->near, dims, list, point) < FLT_MAX;
}

/* -------------------------------------------------------------- polynomials */

/* By how much the least of these values has to be less than the next, to be
 * that of the nearest point for sure: NaN where it never is.
 *
 * With u = 2^-24 and m = sum of root * (scale * q + |x|)^2, rounding changes a
 * distance in grid_search.c by less than 16 * u * m, and twice the scale times
 * the difference of two values by less than 24 * u * m. 64 * u * m is more than
 * that and two distances. Within the limits for m no product is too small or
 * too large. */
LANES_INLINE void set_margins(struct grid_lanes *in, unsigned dims, size_t run,
                              vfloat largest_scale, vfloat largest_inverse)
{
    vfloat highest = vf_set(2 * grid_radix(dims) - 1);
    vfloat reach = vf_mul(highest, largest_scale);

    for (size_t k = 0; k < run / dims; k++) {
        vfloat m = vf_set(0);

        for (size_t i = k * dims; i < (k + 1) * dims; i++) {
            vfloat most = vf_add(reach, vf_abs(vf_load(in->x[i])));
            vfloat root = vf_load(in->roots[i]);
            m = vf_add(m, vf_mul(vf_mul(root, most), most));
        }
        vmask sound =
            vm_and(vf_less(vf_set(1e-33f), m), vf_less(m, vf_set(1e36f)));
        vfloat margin = vf_mul(vf_mul(vf_set(0x1p-19f), m), largest_inverse);
        vf_store(in->margins[k], vf_select(sound, margin, vf_set(NAN)));
    }
}

/* Squares and products of group `k`, by the number and the level. */
LANES_INLINE void set_parts(struct grid_lanes *in, unsigned dims, size_t k,
                            size_t lane)
{
    vfloat odds = vf_load(grid_odds);
    vfloat squares = vf_mul(odds, odds);

    for (size_t i = 0; i < dims; i += 2) {
        vfloat root = grid_pair(in->roots, k * dims + i, lane);
        vfloat x = grid_pair(in->x, k * dims + i, lane);
        vf_store(in->squares + i * NEAR_LEVELS, vf_mul(root, squares));
        vf_store(in->products + i * NEAR_LEVELS, vf_mul(vf_mul(root, x), odds));
    }
}

/* Of the points in a list. */
LANES_INLINE void set_values(struct grid_lanes *in, unsigned dims,
                             const uint16_t *list, size_t n)
{
    for (size_t at = 0; at < n; at += LANES) {
        vf_store(in->values.squares + at,
                 distances_of(dims, in->squares, list + at));
        vf_store(in->values.products + at,
                 distances_of(dims, in->products, list + at));
        vf_store(in->values.points + at, vi_to_float(vi_load_16(list + at)));
    }
}

/* For 16 scales from `t` on, of `n` points the nearest; returns the lanes in
 * which that is sure. */
LANES_INLINE unsigned find_nearest(const struct grid_near *near, size_t n,
                                   vfloat scales, float margin, uint8_t *points)
{
    vfloat half = vf_mul(vf_set(0.5f), scales);
    vfloat least = vf_set(INFINITY);
    vfloat second = least;
    vfloat point = vf_set(0);

    for (size_t i = 0; i < n; i++) {
        vfloat value = vf_sub(vf_mul(half, vf_set(near->squares[i])),
                              vf_set(near->products[i]));
        vmask nearer = vf_less(value, least);
        second = vf_min(second, vf_max(value, least));
        least = vf_min(value, least);
        point = vf_select(nearer, vf_set(near->points[i]), point);
    }
    vi_store_16(points, vf_truncate(point));
    return vm_bits(vf_at_most(vf_set(margin), vf_sub(second, least)));
}

/* A point for the scales from `t` to before `end`. */
LANES_INLINE void fill_points(struct grid_tries *tries, size_t k, unsigned t,
                              unsigned end, uint16_t point)
{
    for (; t < end; t += LANES)
        vi_store_16(tries->points[k] + 2 * (size_t)t, vi_set(point));
}

/* Points of a list for the scales from `t` to before `end`, after set_parts;
 * false if there is none for one. */
LANES_INLINE bool find_near(struct grid_lanes *in, unsigned dims, size_t k,
                            size_t lane, const uint16_t *list, unsigned t,
                            unsigned end)
{
    struct grid_tries *tries = &in->tries[lane];
    float margin = in->margins[k][lane];
    size_t n = *list;

    set_values(in, dims, list + 1, n);
    for (; t < end; t += LANES) {
        uint8_t *points = tries->points[k] + 2 * (size_t)t;
        unsigned left = end - t < LANES ? (1u << (end - t)) - 1 : LANES_ALL;
        unsigned sure = find_nearest(&in->values, n, vf_load(tries->scales + t),
                                     margin, points);

        for (left &= ~sure; left != 0; left &= left - 1) {
            unsigned i = lowest_bit(left);
            uint16_t point;

            if (!nearest_of_lane(in, dims, k, lane, tries->scales[t + i], list,
                                 &point))
                return false;
            store_u16(points + 2 * (size_t)i, point, false);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ scales */

/* The codes of group `k`. */
LANES_INLINE void set_codes(struct grid_lanes *in, unsigned dims, size_t k,
                            size_t lane, size_t rows)
{
    vint top_bits = vf_bits(vf_set(grid_radix(dims) - 1));
    vfloat radix = vf_set(grid_radix(dims));
    uint8_t *codes = in->codes[k] + 2;

    store_u16(in->codes[k], 0, false);
    for (size_t at = 0; at < rows * LANES; at += LANES) {
        vfloat inverse = vf_load(in->tries[lane].inverses + at);
        vfloat code = vf_set(0);

        for (unsigned i = dims; i-- > 0;) {
            vfloat steps = vf_mul(inverse, vf_set(in->x[k * dims + i][lane]));
            vfloat level = vf_mul(vf_set(0.5f), vf_sub(steps, vf_set(1)));
            code = vf_add(vf_mul(code, radix), v_level_up_to(top_bits, level));
        }
        vi_store_16(codes + 2 * at, vf_truncate(code));
    }
}

/* Bit t: the code is another than that of the scale before. */
LANES_INLINE uint32_t code_starts(const uint8_t *codes, size_t rows)
{
    uint32_t starts = 0;

    for (size_t at = 0; at < rows * LANES; at += LANES) {
        vint now = vi_load_u16(codes + 2 * at);
        vint before = vi_load_u16(codes + 2 * at - 2);
        starts |= (~vm_bits(vi_equal(now, before)) & LANES_ALL) << at;
    }
    return starts | 1;
}

/* Points for group `k` and `n` scales; false if there is none for one. */
LANES_INLINE bool try_group(struct grid_lanes *in, unsigned dims,
                            const struct ggki_grid *g, size_t k, size_t lane,
                            unsigned n)
{
    struct grid_tries *tries = &in->tries[lane];
    const uint8_t *codes = in->codes[k] + 2;
    uint32_t starts = code_starts(codes, (n + LANES - 1) / LANES);

    starts &= (1u << n) - 1;
    tries->off[k] = 0;
    fill_points(tries, k, 0, n, 0); /* also behind the last one */
    set_parts(in, dims, k, lane);
    while (starts != 0) {
        unsigned t = lowest_bit(starts);
        int32_t place = g->places[load_le16(codes + 2 * (size_t)t)];

        starts &= starts - 1;
        unsigned end = starts != 0 ? lowest_bit(starts) : n;
        if (place >= 0) {
            fill_points(tries, k, t, end, g->points[place]);
            continue;
        }
        tries->off[k] |= (1u << end) - (1u << t);
        if (!find_near(in, dims, k, lane, g->lists + ~place, t, end))
            return false;
    }
    return true;
}

LANES_INLINE void fit_tries(struct grid_lanes *in, unsigned dims, size_t run,
                            size_t lane, size_t rows)
{
    struct grid_tries *tries = &in->tries[lane];
    vfloat odds = vf_load(grid_odds);

    for (size_t i = 0; i < run; i += 2) {
        vfloat weighted = grid_pair(in->weighted, i, lane);
        vfloat weight = grid_pair(in->weights, i, lane);
        vf_store(in->qx_parts + i * NEAR_LEVELS, vf_mul(weighted, odds));
        vf_store(in->q2_parts + i * NEAR_LEVELS,
                 vf_mul(vf_mul(weight, odds), odds));
    }
    for (size_t at = 0; at < rows * LANES; at += LANES) {
        vfloat qx = vf_set(0);
        vfloat q2 = vf_set(0);

        for (size_t k = 0; k < run / dims; k++) {
            const float *qx_parts = in->qx_parts + k * dims * NEAR_LEVELS;
            const float *q2_parts = in->q2_parts + k * dims * NEAR_LEVELS;
            vint points = vi_load_u16(tries->points[k] + 2 * at);

            for (unsigned i = 0; i < dims; i++) {
                size_t part = (size_t)i * NEAR_LEVELS;
                qx = vf_add(qx, near_lookup(dims, qx_parts + part, points, i));
                q2 = vf_add(q2, near_lookup(dims, q2_parts + part, points, i));
            }
        }
        vf_store(tries->qx + at, qx);
        vf_store(tries->q2 + at, q2);
    }
}

/* All scales for the run of a lane; false if there is no point for one. */
LANES_INLINE bool try_run(struct grid_lanes *in, unsigned dims,
                          const struct ggki_grid_type *type,
                          const struct ggki_grid *g, float span, size_t lane)
{
    struct grid_tries *tries = &in->tries[lane];
    unsigned n = 2 * (unsigned)type->steps + 1;
    size_t rows = (n + LANES - 1) / LANES;

    for (size_t at = 0; at < rows * LANES; at += LANES) {
        vfloat inverse = vf_div(vf_load(in->tops + at), vf_set(span));
        vf_store(tries->inverses + at, inverse);
        vf_store(tries->scales + at, vf_div(vf_set(1), inverse));
    }
    vf_store(tries->scales + rows * LANES, vf_set(1));
    for (size_t k = 0; k < type->run / dims; k++)
        set_codes(in, dims, k, lane, rows);
    for (size_t k = 0; k < type->run / dims; k++)
        if (!try_group(in, dims, g, k, lane, n))
            return false;
    fit_tries(in, dims, type->run, lane, rows);
    return true;
}

static void forget_run(struct grid_tries *tries)
{
    memset(tries->qx, 0, sizeof tries->qx);
    memset(tries->q2, 0, sizeof tries->q2);
}

#endif
