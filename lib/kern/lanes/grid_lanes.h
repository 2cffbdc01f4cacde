/* grid_lanes.h - IQ2_* and IQ3_*: the searches of grid_search.c, a run in each
 * lane to try scales; and for a group that is no point of the grid, a point
 * near it in each lane.
 *
 * As in search_lanes.h, statement by statement.
 */
#ifndef GGKI_GRID_LANES_H
#define GGKI_GRID_LANES_H

#include <float.h>
#include <string.h>

#include "kern/grid_types.h"
#include "kern/lanes/near_lanes.h"
#include "kern/lanes/super_lanes.h"
#include "kern/lanes/sweep_lanes.h"

enum {
    GRID_TRIES = 31, /* scales that are tried, at most */
};

/* Points for the groups of all lanes. */
struct grid_points {
    uint16_t of[GGKI_GRID_RUN_GROUPS][LANES];
    uint16_t off[GGKI_GRID_RUN_GROUPS]; /* lanes where the levels were none */
};

/* What the best scale for these follows from. */
struct grid_fit {
    vrow qx; /* sum of weight * x * q, where q = 2 * level + 1 */
    vrow q2; /* sum of weight * q * q */
};

/* What is searched, and room for what follows from it. */
struct grid_lanes {
    alignas(64) vrow x[GGKI_GRID_RUN_MAX]; /* magnitudes */
    alignas(64) vrow weights[GGKI_GRID_RUN_MAX];
    alignas(64) vrow weighted[GGKI_GRID_RUN_MAX]; /* weight * x */
    alignas(64) vrow roots[GGKI_GRID_RUN_MAX];    /* of the weights */
    uint8_t signs[GGKI_GRID_RUN_OCTETS][LANES];

    /* Of one group: each number, and its root, once for each level. */
    alignas(64) float wide_x[LANES][NEAR_PARTS];
    alignas(64) float wide_roots[LANES][NEAR_PARTS];
    struct near_lanes near;

    vrow inverses[GRID_TRIES];
    vrow scales[GRID_TRIES];
    struct grid_fit fits[GRID_TRIES];
    struct grid_points points[GRID_TRIES];
    struct swept_lanes swept;
};

/* What is found. Where a lane's bit is not in `trusted`, the scalar search has
 * to be asked. */
struct grid_found {
    vrow scale;
    struct grid_points points;
    unsigned empty; /* lanes that are taken for 0 */
    unsigned trusted;
};

/* Numbers beyond these, and their scales, are left to the scalar search. */
static const float grid_tiny = 1e-36f;
static const float grid_huge = 1e30f;

/* q by the level: as a table for each of the numbers of a group. */
static const float odds_of_8[LANES] = {1, 3, 5, 7, 1, 3, 5, 7,
                                       1, 3, 5, 7, 1, 3, 5, 7};
static const float odds_of_4[LANES] = {1, 3, 5, 7, 9, 11, 13, 15,
                                       1, 3, 5, 7, 9, 11, 13, 15};

LANES_INLINE const float *grid_odds(unsigned dims)
{
    return dims == 8 ? odds_of_8 : odds_of_4;
}

/* ------------------------------------------------------------------ points */

LANES_INLINE void widen_group(struct grid_lanes *in, unsigned dims, size_t k)
{
    for (size_t i = 0; i < dims; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            for (size_t n = 0; n < near_entries(dims); n++) {
                size_t at = i * near_entries(dims) + n;
                in->wide_x[lane][at] = in->x[k * dims + i][lane];
                in->wide_roots[lane][at] = in->roots[k * dims + i][lane];
            }
}

/* Of the group in that lane; false if none has a distance. */
LANES_INLINE bool nearest_of_lane(struct grid_lanes *in, unsigned dims,
                                  size_t lane, float scale,
                                  const uint16_t *list, uint16_t *point)
{
    vfloat values = vf_mul(vf_set(scale), vf_load(grid_odds(dims)));

    for (size_t at = 0; at < NEAR_PARTS; at += LANES) {
        vfloat diff = vf_sub(values, vf_load(in->wide_x[lane] + at));
        vfloat weighted = vf_mul(vf_load(in->wide_roots[lane] + at), diff);
        vf_store(in->near.parts + at, vf_mul(weighted, diff));
    }
    return nearest_of(&in->near, dims, list, point) < FLT_MAX;
}

/* Points for group `k` in these lanes, after widen_group; returns the lanes for
 * which there are none. */
LANES_INLINE unsigned find_group(struct grid_lanes *in, unsigned dims,
                                 const struct ggki_grid *g, size_t k,
                                 vfloat inverse, const float *scales,
                                 unsigned lanes, struct grid_points *out)
{
    int radix = dims == 8 ? 3 : 8;
    vint top_bits = vf_bits(vf_set((float)(radix - 1)));
    vfloat code = vf_set(0);
    uint8_t codes[2 * LANES];
    int32_t places[LANES];
    unsigned off = 0;
    unsigned failed = 0;

    for (unsigned i = dims; i-- > 0;) {
        vfloat steps = vf_mul(inverse, vf_load(in->x[k * dims + i]));
        vfloat level = vf_mul(vf_set(0.5f), vf_sub(steps, vf_set(1)));
        code = vf_add(vf_mul(code, vf_set((float)radix)),
                      v_level_up_to(top_bits, level));
    }
    vi_store_16(codes, vf_truncate(code));
    for (size_t lane = 0; lane < LANES; lane++) {
        int32_t place = g->places[load_le16(codes + 2 * lane)];

        places[lane] = place;
        off |= (unsigned)(place < 0) << lane;
        out->of[k][lane] = g->points[place < 0 ? 0 : place];
    }
    out->off[k] = (uint16_t)off;
    for (unsigned left = off & lanes; left != 0; left &= left - 1) {
        size_t lane = lowest_bit(left);

        if (!nearest_of_lane(in, dims, lane, scales[lane],
                             g->lists + ~places[lane], &out->of[k][lane]))
            failed |= 1u << lane;
    }
    return failed;
}

LANES_INLINE void add_group(struct grid_lanes *in, unsigned dims, size_t k,
                            const uint16_t *of, struct grid_fit *fit)
{
    vint points = vi_load_16(of);
    vfloat qx = vf_load(fit->qx);
    vfloat q2 = vf_load(fit->q2);

    for (unsigned i = 0; i < dims; i++) {
        vfloat q = near_lookup(dims, grid_odds(dims), points, i);
        vfloat weight = vf_load(in->weights[k * dims + i]);
        qx = vf_add(qx, vf_mul(vf_load(in->weighted[k * dims + i]), q));
        q2 = vf_add(q2, vf_mul(vf_mul(weight, q), q));
    }
    vf_store(fit->qx, qx);
    vf_store(fit->q2, q2);
}

/* ------------------------------------------------------------------ scales */

/* Try all scales, group by group; returns the lanes for which there are no
 * points. */
LANES_INLINE unsigned try_scales(struct grid_lanes *in, unsigned dims,
                                 const struct ggki_grid_type *type,
                                 const struct ggki_grid *g, vfloat span,
                                 unsigned lanes)
{
    int n = 2 * type->steps + 1;
    float top = (float)(2 * g->radix - 1);
    unsigned failed = 0;

    for (int t = 0; t < n; t++) {
        float step = (float)(t - type->steps) * type->step;
        vfloat inverse = vf_div(vf_set(top + step), span);
        vf_store(in->inverses[t], inverse);
        vf_store(in->scales[t], vf_div(vf_set(1), inverse));
        vf_store(in->fits[t].qx, vf_set(0));
        vf_store(in->fits[t].q2, vf_set(0));
    }
    for (size_t k = 0; k < type->run / dims; k++) {
        widen_group(in, dims, k);
        for (int t = 0; t < n; t++)
            failed |=
                find_group(in, dims, g, k, vf_load(in->inverses[t]),
                           in->scales[t], lanes & ~failed, &in->points[t]);
        /* Not each at once: it would wait for points that were just written. */
        for (int t = 0; t < n; t++)
            add_group(in, dims, k, in->points[t].of[k], &in->fits[t]);
    }
    return failed;
}

/* The best of these, or `scale` with the lowest levels. */
static void choose_scale(const struct grid_lanes *in,
                         const struct ggki_grid_type *type, size_t n_groups,
                         vfloat scale, struct grid_found *found)
{
    bool all = type->again == GGKI_AGAIN_IF_OFF;
    vfloat best = vf_set(0);
    vfloat chosen = vf_set(-1);
    vrow tries;

    for (int t = 0; t < 2 * type->steps + 1; t++) {
        vfloat qx = vf_load(in->fits[t].qx);
        vfloat q2 = vf_load(in->fits[t].q2);
        vmask better = vm_and(vf_less(vf_set(0), q2),
                              vf_less(vf_mul(best, q2), vf_mul(qx, qx)));
        vfloat other = vf_div(qx, q2);
        scale = vf_select(better, other, scale);
        best = vf_select(better, vf_mul(other, qx), best);
        chosen = vf_select(better, vf_set((float)t), chosen);
    }
    vf_store(found->scale, scale);
    vf_store(tries, chosen);
    memset(&found->points, 0, sizeof found->points);
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t k = 0; k < n_groups; k++) {
            unsigned off = all;

            if (tries[lane] >= 0) {
                const struct grid_points *p = &in->points[(int)tries[lane]];
                found->points.of[k][lane] = p->of[k][lane];
                off = p->off[k] >> lane & 1;
            }
            found->points.off[k] |= (uint16_t)(off << lane);
        }
}

/* Lanes of which group `k` is searched once more. */
static unsigned lanes_again(const struct ggki_grid_type *type,
                            const struct grid_points *points, size_t k)
{
    unsigned any = 0;

    if (type->again == GGKI_AGAIN_ALL)
        return LANES_ALL;
    if (type->again == GGKI_AGAIN_OFF)
        return points->off[k];
    for (size_t i = 0; i < GGKI_GRID_RUN_GROUPS; i++)
        any |= points->off[i];
    return any;
}

/* Once more for the scale that was found; returns the lanes for which there are
 * no points. */
LANES_INLINE unsigned search_scale_again(struct grid_lanes *in, unsigned dims,
                                         const struct ggki_grid_type *type,
                                         const struct ggki_grid *g,
                                         unsigned lanes,
                                         struct grid_found *found)
{
    vfloat scale = vf_load(found->scale);
    vfloat inverse = vf_div(vf_set(1), scale);
    struct grid_points before = found->points;
    struct grid_fit fit;
    unsigned changed = 0;
    unsigned failed = 0;

    vf_store(fit.qx, vf_set(0));
    vf_store(fit.q2, vf_set(0));
    lanes &= vm_bits(vf_less(vf_set(0), scale));
    for (size_t k = 0; k < type->run / dims; k++) {
        unsigned again = lanes_again(type, &before, k) & lanes;

        changed |= again;
        widen_group(in, dims, k);
        failed |= find_group(in, dims, g, k, inverse, found->scale, again,
                             &found->points);
        for (size_t lane = 0; lane < LANES; lane++)
            if ((again >> lane & 1) == 0)
                found->points.of[k][lane] = before.of[k][lane];
        add_group(in, dims, k, found->points.of[k], &fit);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        if ((changed >> lane & 1) != 0 && fit.q2[lane] > 0)
            found->scale[lane] = fit.qx[lane] / fit.q2[lane];
    return failed;
}

#endif
