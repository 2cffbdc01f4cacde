/* sweep_lanes.h - the searches of search_sweep.h, 16 at once: one in each lane.
 *
 * As in search_lanes.h, statement by statement. What a sweep would do to a lane
 * after an idle one is nothing; so all lanes sweep until all are idle.
 */
#ifndef GGKI_SWEEP_LANES_H
#define GGKI_SWEEP_LANES_H

#include "kern/lanes/search_lanes.h"
#include "kern/search_sweep.h"

enum { LANES_SWEEPS = 5 };

/* Levels are whole numbers. */
struct sweep_lanes {
    alignas(64) vrow x[GGKI_SWEEP_MAX];
    alignas(64) vrow weights[GGKI_SWEEP_MAX];
    alignas(64) vrow levels[GGKI_SWEEP_MAX];
    vfloat lx; /* sum of weight * x * level */
    vfloat l2; /* sum of weight * level * level */
};

/* As a byte holds it. */
LANES_INLINE vfloat v_byte(vint level)
{
    return vi_to_float(vi_and(level, vi_set(255)));
}

/* The error with `inverse`; levels go up to `top`, or with `cut` to where a
 * byte begins again. */
LANES_INLINE vfloat positive_error(const struct sweep_lanes *s, size_t n,
                                   int top, vfloat inverse, bool cut)
{
    vfloat scale = vf_div(vf_set(1), inverse);
    vfloat error = vf_set(0);

    for (size_t i = 0; i < n; i++) {
        vfloat x = vf_load(s->x[i]);
        vint nearest = v_nearest(vf_mul(inverse, x));
        vfloat level =
            cut ? v_byte(nearest) : vi_to_float(vi_min(nearest, vi_set(top)));
        vfloat diff = vf_sub(x, vf_mul(scale, level));
        vfloat weighted = vf_mul(vf_load(s->weights[i]), diff);
        error = vf_add(error, vf_mul(weighted, diff));
    }
    return error;
}

LANES_INLINE void positive_levels(struct sweep_lanes *s, size_t n, int top,
                                  vfloat inverse)
{
    s->lx = vf_set(0);
    s->l2 = vf_set(0);
    for (size_t i = 0; i < n; i++) {
        vfloat x = vf_load(s->x[i]);
        vfloat weight = vf_load(s->weights[i]);
        vint nearest = vi_min(v_nearest(vf_mul(inverse, x)), vi_set(top));
        vfloat level = vi_to_float(nearest);
        vf_store(s->levels[i], v_byte(nearest));
        s->lx = vf_add(s->lx, vf_mul(vf_mul(weight, x), level));
        s->l2 = vf_add(s->l2, vf_mul(vf_mul(weight, level), level));
    }
}

/* Take number i out of the sums, and put it in with the level that is best for
 * the others. Where it is a new one, and better. */
LANES_INLINE vmask positive_better(struct sweep_lanes *s, size_t i, int top)
{
    vfloat zero = vf_set(0);
    vfloat x = vf_load(s->x[i]);
    vfloat weight = vf_load(s->weights[i]);
    vfloat level = vf_load(s->levels[i]);
    vfloat wx = vf_mul(weight, x);
    vfloat lx = vf_sub(s->lx, vf_mul(wx, level));
    vfloat l2 = vf_sub(s->l2, vf_mul(vf_mul(weight, level), level));
    vmask better = vm_and(vf_less(zero, lx), vf_less(zero, l2));
    vint found = vi_min(v_nearest(vf_div(vf_mul(x, l2), lx)), vi_set(top));
    vfloat other = vi_to_float(found);

    better = vm_and_not(better, vf_equal(other, level));
    lx = vf_add(lx, vf_mul(wx, other));
    l2 = vf_add(l2, vf_mul(vf_mul(weight, other), other));
    better = vm_and(better, vf_less(vf_mul(vf_mul(s->lx, s->lx), l2),
                                    vf_mul(vf_mul(lx, lx), s->l2)));
    vf_store(s->levels[i], vf_select(better, v_byte(found), level));
    s->lx = vf_select(better, lx, s->lx);
    s->l2 = vf_select(better, l2, s->l2);
    return better;
}

/* Fills `levels`, returns the scales. */
static vfloat search_positive_lanes(struct sweep_lanes *s, size_t n, int top)
{
    vfloat zero = vf_set(0);
    vfloat max = zero;

    for (size_t i = 0; i < n; i++)
        max = vf_max(max, vf_load(s->x[i]));

    vmask none = vf_less(max, vf_set(1e-15f));
    vfloat inverse = vf_div(vf_set((float)top), max);
    vfloat least = positive_error(s, n, top, inverse, true);
    for (int step = -4; step <= 4; step++) {
        if (step == 0)
            continue;
        vfloat other = vf_div(vf_set(0.1f * (float)step + (float)top), max);
        vfloat error = positive_error(s, n, top, other, false);
        vmask better = vf_less(error, least);
        least = vf_select(better, error, least);
        inverse = vf_select(better, other, inverse);
    }
    positive_levels(s, n, top, inverse);

    bool changed = true;
    for (int sweep = 0; sweep < LANES_SWEEPS && changed; sweep++) {
        changed = false;
        for (size_t i = 0; i < n; i++)
            changed = vm_bits(positive_better(s, i, top)) != 0 || changed;
    }

    for (size_t i = 0; i < n; i++)
        vf_store(s->levels[i], vf_select(none, zero, vf_load(s->levels[i])));
    vfloat scale = vf_select(vf_less(zero, s->l2), vf_div(s->lx, s->l2), zero);
    return vf_select(none, zero, scale);
}

#endif
