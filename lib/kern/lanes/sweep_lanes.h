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

enum { LANES_SWEEPS = 5, LANES_SQUARES = 16 };

struct swept_lanes {
    alignas(64) vrow x[GGKI_SWEEP_MAX];
    alignas(64) vrow weights[GGKI_SWEEP_MAX];
    alignas(64) vrow levels[GGKI_SWEEP_MAX]; /* whole numbers */
};

/* How a search differs from the other. */
struct sweep_rules {
    size_t n;
    int lowest;
    int highest;
    bool positive; /* sums must be positive before a level goes in, not after */
};

/* What the best scale for some levels follows from. */
struct swept_fit {
    vfloat lx; /* sum of weight * x * level */
    vfloat l2; /* sum of weight * level * level */
};

/* As it is kept: a positive one in a byte. */
LANES_INLINE vfloat kept_level(bool positive, vint level)
{
    return vi_to_float(positive ? vi_and(level, vi_set(255)) : level);
}

LANES_INLINE struct swept_fit set_swept_levels(struct swept_lanes *s,
                                               struct sweep_rules rules,
                                               vfloat inverse)
{
    struct swept_fit fit = {vf_set(0), vf_set(0)};

    for (size_t i = 0; i < rules.n; i++) {
        vfloat x = vf_load(s->x[i]);
        vfloat weight = vf_load(s->weights[i]);
        vint found =
            v_clamp(v_nearest(vf_mul(inverse, x)), rules.lowest, rules.highest);
        vfloat level = vi_to_float(found);
        vf_store(s->levels[i], kept_level(rules.positive, found));
        fit.lx = vf_add(fit.lx, vf_mul(vf_mul(weight, x), level));
        fit.l2 = vf_add(fit.l2, vf_mul(vf_mul(weight, level), level));
    }
    return fit;
}

/* Take number i out of the sums, and put it in with the level that is best for
 * the others. Where it is a new one, and better. */
LANES_INLINE vmask better_level(struct swept_lanes *s, struct sweep_rules rules,
                                size_t i, struct swept_fit *fit)
{
    vfloat zero = vf_set(0);
    vfloat x = vf_load(s->x[i]);
    vfloat weight = vf_load(s->weights[i]);
    vfloat kept = vf_load(s->levels[i]);
    vfloat wx = vf_mul(weight, x);
    vfloat lx = vf_sub(fit->lx, vf_mul(wx, kept));
    vfloat l2 = vf_sub(fit->l2, vf_mul(vf_mul(weight, kept), kept));
    vmask better = vf_less(zero, lx);

    if (rules.positive)
        better = vm_and(better, vf_less(zero, l2));
    vint found = v_clamp(v_nearest(vf_div(vf_mul(x, l2), lx)), rules.lowest,
                         rules.highest);
    vfloat level = vi_to_float(found);
    better = vm_and_not(better, vf_equal(level, kept));
    lx = vf_add(lx, vf_mul(wx, level));
    l2 = vf_add(l2, vf_mul(vf_mul(weight, level), level));
    if (!rules.positive)
        better = vm_and(better, vf_less(zero, l2));
    better = vm_and(better, vf_less(vf_mul(vf_mul(fit->lx, fit->lx), l2),
                                    vf_mul(vf_mul(lx, lx), fit->l2)));

    vf_store(s->levels[i],
             vf_select(better, kept_level(rules.positive, found), kept));
    fit->lx = vf_select(better, lx, fit->lx);
    fit->l2 = vf_select(better, l2, fit->l2);
    return better;
}

/* Sweep `count` searches in turns: while one waits for a division, the next
 * goes on. */
LANES_INLINE void sweep(struct swept_lanes *s, int count,
                        struct sweep_rules rules, struct swept_fit *fit)
{
    bool changed = true;

    for (int i = 0; i < LANES_SWEEPS && changed; i++) {
        changed = false;
        for (size_t k = 0; k < rules.n; k++)
            for (int j = 0; j < count; j++) {
                vmask better = better_level(&s[j], rules, k, &fit[j]);
                changed = vm_bits(better) != 0 || changed;
            }
    }
}

/* 0 in the lanes of `none`. */
LANES_INLINE vfloat swept_scale(struct swept_fit fit, vmask none)
{
    vfloat zero = vf_set(0);
    vmask usable = vm_and_not(vf_less(zero, fit.l2), none);
    return vf_select(usable, vf_div(fit.lx, fit.l2), zero);
}

LANES_INLINE void clear_levels(struct swept_lanes *s, size_t n, vmask none,
                               float level)
{
    for (size_t i = 0; i < n; i++)
        vf_store(s->levels[i],
                 vf_select(none, vf_set(level), vf_load(s->levels[i])));
}

/* The error with `inverse`; levels go up to `top`, or with `cut` to where a
 * byte begins again. */
LANES_INLINE vfloat positive_error(struct swept_lanes *s,
                                   struct sweep_rules rules, vfloat inverse,
                                   bool cut)
{
    vfloat scale = vf_div(vf_set(1), inverse);
    vfloat error = vf_set(0);

    for (size_t i = 0; i < rules.n; i++) {
        vfloat x = vf_load(s->x[i]);
        vint nearest = v_nearest(vf_mul(inverse, x));
        if (!cut)
            nearest = vi_min(nearest, vi_set(rules.highest));
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
    const struct sweep_rules rules = {n, INT_MIN, top, true};
    vfloat max = vf_set(0);

    for (size_t i = 0; i < n; i++)
        max = vf_max(max, vf_load(s->x[i]));

    vfloat inverse = vf_div(vf_set((float)top), max);
    vfloat least = positive_error(s, rules, inverse, true);
    for (int step = -4; step <= 4; step++) {
        if (step == 0)
            continue;
        vfloat other = vf_div(vf_set(0.1f * (float)step + (float)top), max);
        vfloat error = positive_error(s, rules, other, false);
        vmask better = vf_less(error, least);
        least = vf_select(better, error, least);
        inverse = vf_select(better, other, inverse);
    }

    struct swept_fit fit = set_swept_levels(s, rules, inverse);
    vmask none = vf_less(max, vf_set(1e-15f));
    sweep(s, 1, rules, &fit);
    clear_levels(s, n, none, 0);
    return swept_scale(fit, none);
}

/* ggki_search_squares of 16 numbers, twice; here the levels are left signed,
 * but for lanes without numbers they are -half. */
static void search_squares_lanes(struct swept_lanes s[2], int half,
                                 vrow scales[2])
{
    const struct sweep_rules rules = {LANES_SQUARES, -half, half - 1, false};
    float lowest = -(float)half;
    struct swept_fit fit[2];
    vmask none[2];

    for (int j = 0; j < 2; j++) {
        vfloat peak = peak_lanes(s[j].x, LANES_SQUARES);

        for (size_t i = 0; i < LANES_SQUARES; i++) {
            vfloat x = vf_load(s[j].x[i]);
            vf_store(s[j].weights[i], vf_mul(x, x));
        }
        none[j] = vf_less(vf_abs(peak), vf_set(1e-15f));
        fit[j] = set_swept_levels(&s[j], rules, vf_div(vf_set(lowest), peak));
    }
    sweep(s, 2, rules, fit);
    for (int j = 0; j < 2; j++) {
        clear_levels(&s[j], LANES_SQUARES, none[j], lowest);
        vf_store(scales[j], swept_scale(fit[j], none[j]));
    }
}

#endif
