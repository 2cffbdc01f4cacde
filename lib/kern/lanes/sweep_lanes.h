/* sweep_lanes.h - the searches of search_sweep.h, 16 at once: one in each lane.
 *
 * As in search_lanes.h, statement by statement. What a sweep would do to a lane
 * after an idle one is nothing; so all lanes sweep until all are idle.
 */
#ifndef GGKI_SWEEP_LANES_H
#define GGKI_SWEEP_LANES_H

#include <limits.h>

#include "kern/lanes/search_lanes.h"
#include "kern/search_sweep.h"

enum { LANES_SWEEPS = 5 };

/* Levels, which are whole numbers, and what the best scale for them follows
 * from. */
struct swept_lanes {
    alignas(64) vrow x[GGKI_SWEEP_MAX];
    alignas(64) vrow weights[GGKI_SWEEP_MAX];
    alignas(64) vrow levels[GGKI_SWEEP_MAX];
    size_t n;
    int lowest;
    int highest;
    bool positive; /* sums must be positive before a level goes in, not after */
    vfloat lx;     /* sum of weight * x * level */
    vfloat l2;     /* sum of weight * level * level */
};

/* As it is kept: a positive one in a byte. */
LANES_INLINE vfloat kept_level(bool positive, vint level)
{
    return vi_to_float(positive ? vi_and(level, vi_set(255)) : level);
}

LANES_INLINE void set_swept_levels(struct swept_lanes *s, vfloat inverse)
{
    s->lx = vf_set(0);
    s->l2 = vf_set(0);
    for (size_t i = 0; i < s->n; i++) {
        vfloat x = vf_load(s->x[i]);
        vfloat weight = vf_load(s->weights[i]);
        vint found =
            v_clamp(v_nearest(vf_mul(inverse, x)), s->lowest, s->highest);
        vfloat level = vi_to_float(found);
        vf_store(s->levels[i], kept_level(s->positive, found));
        s->lx = vf_add(s->lx, vf_mul(vf_mul(weight, x), level));
        s->l2 = vf_add(s->l2, vf_mul(vf_mul(weight, level), level));
    }
}

/* Take number i out of the sums, and put it in with the level that is best for
 * the others. Where it is a new one, and better. */
LANES_INLINE vmask better_level(struct swept_lanes *s, size_t i)
{
    vfloat zero = vf_set(0);
    vfloat x = vf_load(s->x[i]);
    vfloat weight = vf_load(s->weights[i]);
    vfloat kept = vf_load(s->levels[i]);
    vfloat wx = vf_mul(weight, x);
    vfloat lx = vf_sub(s->lx, vf_mul(wx, kept));
    vfloat l2 = vf_sub(s->l2, vf_mul(vf_mul(weight, kept), kept));
    vmask better = vf_less(zero, lx);

    if (s->positive)
        better = vm_and(better, vf_less(zero, l2));
    vint found =
        v_clamp(v_nearest(vf_div(vf_mul(x, l2), lx)), s->lowest, s->highest);
    vfloat level = vi_to_float(found);
    better = vm_and_not(better, vf_equal(level, kept));
    lx = vf_add(lx, vf_mul(wx, level));
    l2 = vf_add(l2, vf_mul(vf_mul(weight, level), level));
    if (!s->positive)
        better = vm_and(better, vf_less(zero, l2));
    better = vm_and(better, vf_less(vf_mul(vf_mul(s->lx, s->lx), l2),
                                    vf_mul(vf_mul(lx, lx), s->l2)));

    vf_store(s->levels[i],
             vf_select(better, kept_level(s->positive, found), kept));
    s->lx = vf_select(better, lx, s->lx);
    s->l2 = vf_select(better, l2, s->l2);
    return better;
}

/* Sweep; returns the scales, 0 in the lanes of `none`, whose levels become 0.
 */
LANES_INLINE vfloat sweep(struct swept_lanes *s, vmask none)
{
    vfloat zero = vf_set(0);
    bool changed = true;

    for (int i = 0; i < LANES_SWEEPS && changed; i++) {
        changed = false;
        for (size_t k = 0; k < s->n; k++)
            changed = vm_bits(better_level(s, k)) != 0 || changed;
    }
    vmask usable = vm_and_not(vf_less(zero, s->l2), none);
    return vf_select(usable, vf_div(s->lx, s->l2), zero);
}

/* The error with `inverse`; levels go up to `top`, or with `cut` to where a
 * byte begins again. */
LANES_INLINE vfloat positive_error(struct swept_lanes *s, vfloat inverse,
                                   bool cut)
{
    vfloat scale = vf_div(vf_set(1), inverse);
    vfloat error = vf_set(0);

    for (size_t i = 0; i < s->n; i++) {
        vfloat x = vf_load(s->x[i]);
        vint nearest = v_nearest(vf_mul(inverse, x));
        if (!cut)
            nearest = vi_min(nearest, vi_set(s->highest));
        vfloat level = kept_level(cut, nearest);
        vfloat diff = vf_sub(x, vf_mul(scale, level));
        vfloat weighted = vf_mul(vf_load(s->weights[i]), diff);
        error = vf_add(error, vf_mul(weighted, diff));
    }
    return error;
}

/* ggki_search_positive, of the first `n` numbers and weights. */
static vfloat search_positive_lanes(struct swept_lanes *s, size_t n, int top)
{
    vfloat max = vf_set(0);

    s->n = n;
    s->lowest = INT_MIN;
    s->highest = top;
    s->positive = true;
    for (size_t i = 0; i < n; i++)
        max = vf_max(max, vf_load(s->x[i]));

    vfloat inverse = vf_div(vf_set((float)top), max);
    vfloat least = positive_error(s, inverse, true);
    for (int step = -4; step <= 4; step++) {
        if (step == 0)
            continue;
        vfloat other = vf_div(vf_set(0.1f * (float)step + (float)top), max);
        vfloat error = positive_error(s, other, false);
        vmask better = vf_less(error, least);
        least = vf_select(better, error, least);
        inverse = vf_select(better, other, inverse);
    }
    set_swept_levels(s, inverse);

    vmask none = vf_less(max, vf_set(1e-15f));
    vfloat scale = sweep(s, none);
    for (size_t i = 0; i < n; i++)
        vf_store(s->levels[i],
                 vf_select(none, vf_set(0), vf_load(s->levels[i])));
    return scale;
}

/* ggki_search_squares, of 16 numbers; here the levels are left signed, but for
 * lanes without numbers they are -half. */
static vfloat search_squares_lanes(struct swept_lanes *s, int half)
{
    vfloat peak = peak_lanes(s->x, GGKI_SWEEP_MAX);
    vmask none = vf_less(vf_abs(peak), vf_set(1e-15f));

    s->n = GGKI_SWEEP_MAX;
    s->lowest = -half;
    s->highest = half - 1;
    s->positive = false;
    for (size_t i = 0; i < s->n; i++) {
        vfloat x = vf_load(s->x[i]);
        vf_store(s->weights[i], vf_mul(x, x));
    }
    set_swept_levels(s, vf_div(vf_set(-(float)half), peak));

    vfloat scale = sweep(s, none);
    for (size_t i = 0; i < s->n; i++)
        vf_store(s->levels[i],
                 vf_select(none, vf_set(-(float)half), vf_load(s->levels[i])));
    return scale;
}

#endif
