/* grid_lanes.h - IQ2_* and IQ3_*: the searches of grid_search.c, a run in each
 * lane to try scales; and for a group that is no point of the grid, a point
 * near it in each lane.
 *
 * As in search_lanes.h, statement by statement.
 */
#ifndef GGKI_GRID_LANES_H
#define GGKI_GRID_LANES_H

#include "kern/lanes/grid_tries_lanes.h"

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

/* ------------------------------------------------------------------ points */

/* Points for group `k` in these lanes; returns the lanes for which there are
 * none. */
LANES_INLINE unsigned find_group(struct grid_lanes *in, unsigned dims,
                                 const struct ggki_grid *g, size_t k,
                                 vfloat inverse, const float *scales,
                                 unsigned lanes, struct grid_points *out)
{
    vint top_bits = vf_bits(vf_set(grid_radix(dims) - 1));
    vfloat code = vf_set(0);
    uint8_t codes[2 * LANES];
    int32_t places[LANES];
    unsigned off = 0;
    unsigned failed = 0;

    for (unsigned i = dims; i-- > 0;) {
        vfloat steps = vf_mul(inverse, vf_load(in->x[k * dims + i]));
        vfloat level = vf_mul(vf_set(0.5f), vf_sub(steps, vf_set(1)));
        code = vf_add(vf_mul(code, vf_set(grid_radix(dims))),
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

        if (!nearest_of_lane(in, dims, k, lane, scales[lane],
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
        vfloat q = near_lookup(dims, grid_odds, points, i);
        vfloat weight = vf_load(in->weights[k * dims + i]);
        qx = vf_add(qx, vf_mul(vf_load(in->weighted[k * dims + i]), q));
        q2 = vf_add(q2, vf_mul(vf_mul(weight, q), q));
    }
    vf_store(fit->qx, qx);
    vf_store(fit->q2, q2);
}

/* ------------------------------------------------------------------ scales */

/* Try all scales in these lanes; returns those for which there are points. */
LANES_INLINE unsigned try_scales(struct grid_lanes *in, unsigned dims,
                                 const struct ggki_grid_type *type,
                                 const struct ggki_grid *g, const float *spans,
                                 unsigned lanes)
{
    unsigned found = 0;

    for (size_t lane = 0; lane < LANES; lane++)
        if ((lanes >> lane & 1) != 0 &&
            try_run(in, dims, type, g, spans[lane], lane))
            found |= 1u << lane;
        else
            forget_run(&in->tries[lane]);
    return found;
}

/* qx and q2 to rows. */
static void gather_fits(struct grid_lanes *in)
{
    const float *qx[LANES];
    const float *q2[LANES];

    for (size_t lane = 0; lane < LANES; lane++) {
        qx[lane] = in->tries[lane].qx;
        q2[lane] = in->tries[lane].q2;
    }
    lanes_gather(qx, GRID_TRIES, in->all_qx);
    lanes_gather(q2, GRID_TRIES, in->all_q2);
}

/* The best of these, or `scale` with the lowest levels. */
static void choose_scale(struct grid_lanes *in,
                         const struct ggki_grid_type *type, size_t n_groups,
                         vfloat scale, struct grid_found *found)
{
    bool all = type->again == GGKI_AGAIN_IF_OFF;
    vfloat best = vf_set(0);
    vfloat chosen = vf_set(-1);
    vrow of_lanes;

    gather_fits(in);
    for (int t = 0; t < 2 * type->steps + 1; t++) {
        vfloat qx = vf_load(in->all_qx[t]);
        vfloat q2 = vf_load(in->all_q2[t]);
        vmask better = vm_and(vf_less(vf_set(0), q2),
                              vf_less(vf_mul(best, q2), vf_mul(qx, qx)));
        vfloat other = vf_div(qx, q2);
        scale = vf_select(better, other, scale);
        best = vf_select(better, vf_mul(other, qx), best);
        chosen = vf_select(better, vf_set((float)t), chosen);
    }
    vf_store(found->scale, scale);
    vf_store(of_lanes, chosen);
    memset(&found->points, 0, sizeof found->points);
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t k = 0; k < n_groups; k++) {
            unsigned off = all;

            if (of_lanes[lane] >= 0) {
                const struct grid_tries *tries = &in->tries[lane];
                size_t t = (size_t)of_lanes[lane];
                found->points.of[k][lane] = load_le16(tries->points[k] + 2 * t);
                off = tries->off[k] >> t & 1;
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
