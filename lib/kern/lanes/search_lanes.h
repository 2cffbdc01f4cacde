/* search_lanes.h - the searches of search.h, 16 at once: one in each lane.
 *
 * Each statement is one of the scalar search, with its operations in their
 * order, so each lane has the bits that the scalar search has. A branch is a
 * choice lane by lane. Row i of an array is number i of each lane.
 *
 * The levels are not kept: a block has others once its scales are rounded, save
 * where a scale becomes 0. What they follow from is kept.
 */
#ifndef GGKI_SEARCH_LANES_H
#define GGKI_SEARCH_LANES_H

#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

#include "kern/search.h"

typedef float vrow[LANES];

/* What is searched: numbers and their weights; and room for what follows from
 * them. Not on the stack of each search, since the hardened build clears that.
 */
struct searched {
    alignas(64) vrow x[GGKI_SEARCH_MAX];
    alignas(64) vrow weights[GGKI_SEARCH_MAX];
    alignas(64) vrow room[GGKI_SEARCH_MAX];
    alignas(64) vrow levels[2][GGKI_SEARCH_MAX];
};

/* Beyond these, the scalar nearest_int is something else. */
static const float nearest_limit = 4194303.0f;

/* nearest_int, whatever the argument. */
LANES_INLINE vint v_nearest(vfloat x)
{
    vint bits = vf_bits(vf_add(x, vf_set(12582912.0f)));
    return vi_sub(vi_and(bits, vi_set(0x7fffff)), vi_set(0x400000));
}

LANES_INLINE vint v_clamp(vint x, int lowest, int highest)
{
    return vi_max(vi_min(x, vi_set(highest)), vi_set(lowest));
}

/* clamp_int(nearest_int(x), 0, top) as a float, within the limit. Bits of
 * positive floats are in their order, and those of negative ones are negative.
 */
LANES_INLINE vfloat v_level_up_to(vint top_bits, vfloat x)
{
    vint bits = vf_bits(vf_round(x));
    return vi_as_float(vi_max(vi_min(bits, top_bits), vi_set(0)));
}

/* clamp_int(nearest_int(x), lowest, highest), the same way; `lowest` is
 * negative. Bits of negative floats, as unsigned numbers, are above those of
 * all others, and in the reverse order. 0 may be -0, which makes no difference
 * to a sum. */
LANES_INLINE vfloat v_level_between(int lowest, int highest, vfloat x)
{
    vint bits = vf_bits(vf_round(x));
    bits = vi_min(bits, vf_bits(vf_set((float)highest)));
    return vi_as_float(vi_min_unsigned(bits, vf_bits(vf_set((float)lowest))));
}

LANES_INLINE vmask v_within_limit(vfloat x)
{
    return vf_at_most(vf_abs(x), vf_set(nearest_limit));
}

/* ggki_weigh; importance is in `weights`, and becomes them. */
LANES_INLINE void weigh_lanes(vrow *x, size_t n, vfloat mean_square,
                              vrow *weights)
{
    for (size_t i = 0; i < n; i++) {
        vfloat number = vf_load(x[i]);
        vfloat square = vf_add(mean_square, vf_mul(number, number));
        vf_store(weights[i], vf_mul(vf_load(weights[i]), vf_sqrt(square)));
    }
}

/* ------------------------------------------------------------- symmetric */

/* What is found: x is about scale * (level - half), where `level` is that of
 * inverse * x; where inverse is 0, so are the scale and all levels. Where a
 * lane's bit is not in `trusted`, the scalar search has to be asked. */
struct symmetric_found {
    vrow scale;
    vrow inverse;
    unsigned trusted;
};

/* What the best scale for some levels follows from. */
struct symmetric_fit {
    vfloat lx; /* sum of weight * x * level */
    vfloat l2; /* sum of weight * level * level */
};

/* ggki_peak. */
LANES_INLINE vfloat peak_lanes(vrow *x, size_t n)
{
    vfloat largest = vf_set(0);
    vfloat peak = vf_set(0);

    for (size_t i = 0; i < n; i++) {
        vfloat number = vf_load(x[i]);
        vmask larger = vf_less(largest, vf_abs(number));
        largest = vf_select(larger, vf_abs(number), largest);
        peak = vf_select(larger, number, peak);
    }
    return peak;
}

/* Levels and sums over them are made in loops of their own, here and below: in
 * one, what waits for its level would fill the processor's queue. */
LANES_INLINE void set_symmetric_level(struct searched *in, size_t i, int half,
                                      vfloat inverse, size_t k)
{
    vfloat steps = vf_mul(inverse, vf_load(in->x[i]));
    vf_store(in->levels[k][i], v_level_between(-half, half - 1, steps));
}

/* Levels `k`; weight * x is in the room. */
LANES_INLINE void add_to_fit(struct searched *in, size_t i, size_t k,
                             struct symmetric_fit *fit)
{
    vfloat level = vf_load(in->levels[k][i]);
    vfloat weighted = vf_mul(vf_load(in->weights[i]), level);
    vfloat weighted_x = vf_mul(vf_load(in->room[i]), level);

    fit->lx = vf_add(fit->lx, weighted_x);
    fit->l2 = vf_add(fit->l2, vf_mul(weighted, level));
}

/* Two at once: while one waits for a sum, the other goes on. */
LANES_INLINE void symmetric_fits(struct searched *in, size_t n, int half,
                                 const vfloat inverses[2],
                                 struct symmetric_fit fits[2])
{
    struct symmetric_fit a = {vf_set(0), vf_set(0)};
    struct symmetric_fit b = a;

    LANES_UNROLL_TWO
    for (size_t i = 0; i < n; i++) {
        set_symmetric_level(in, i, half, inverses[0], 0);
        set_symmetric_level(in, i, half, inverses[1], 1);
    }
    LANES_UNROLL_TWO
    for (size_t i = 0; i < n; i++) {
        add_to_fit(in, i, 0, &a);
        add_to_fit(in, i, 1, &b);
    }
    fits[0] = a;
    fits[1] = b;
}

/* The best so far; the gain is scale * lx. */
struct symmetric_best {
    vfloat scale, inverse, gain;
};

LANES_INLINE void keep_better_fit(const struct symmetric_fit *fit,
                                  vfloat inverse, struct symmetric_best *best)
{
    vfloat scale = vf_div(fit->lx, fit->l2);
    vmask better =
        vm_and(vf_less(vf_set(0), fit->l2),
               vf_less(vf_mul(best->gain, fit->l2), vf_mul(fit->lx, fit->lx)));

    best->inverse = vf_select(better, inverse, best->inverse);
    best->scale = vf_select(better, scale, best->scale);
    best->gain = vf_select(better, vf_mul(scale, fit->lx), best->gain);
}

/* The inverse for a step, of which there are 9 to each side. */
LANES_INLINE vfloat stepped_inverse(int half, int step, vfloat peak)
{
    return vf_div(vf_set(-((float)half + 0.1f * (float)step)), peak);
}

LANES_INLINE void search_symmetric(struct searched *in, size_t n, int half,
                                   struct symmetric_found *found)
{
    vfloat zero = vf_set(0);
    vfloat peak = peak_lanes(in->x, n);

    for (size_t i = 0; i < n; i++)
        vf_store(in->room[i],
                 vf_mul(vf_load(in->weights[i]), vf_load(in->x[i])));

    vfloat inverse = stepped_inverse(half, 0, peak);
    struct symmetric_fit fit = {zero, zero};

    for (size_t i = 0; i < n; i++)
        set_symmetric_level(in, i, half, inverse, 0);
    for (size_t i = 0; i < n; i++)
        add_to_fit(in, i, 0, &fit);

    vfloat scale =
        vf_select(vf_equal(fit.l2, zero), zero, vf_div(fit.lx, fit.l2));
    struct symmetric_best best = {scale, inverse, vf_mul(scale, fit.lx)};
    /* A NaN anywhere, or an infinity, is one in the sum. */
    vmask finite = vf_less(vf_abs(fit.lx), vf_set(INFINITY));

    for (int k = 0; k < 18; k += 2) { /* steps -9 to -1, then 1 to 9 */
        const vfloat inverses[2] = {
            stepped_inverse(half, k < 9 ? k - 9 : k - 8, peak),
            stepped_inverse(half, k + 1 < 9 ? k - 8 : k - 7, peak)};
        struct symmetric_fit fits[2];

        symmetric_fits(in, n, half, inverses, fits);
        keep_better_fit(&fits[0], inverses[0], &best);
        keep_better_fit(&fits[1], inverses[1], &best);
    }

    vmask none = vf_less(vf_abs(peak), vf_set(1e-15f));
    vf_store(found->scale, vf_select(none, zero, best.scale));
    vf_store(found->inverse, vf_select(none, zero, best.inverse));
    found->trusted = vm_bits(vm_or(none, finite));
}

/* Of runs of 32 or of 16 numbers: loops of a known length are faster. */
static void search_symmetric_lanes(struct searched *in, size_t n, int half,
                                   struct symmetric_found *found)
{
    if (n == 32)
        search_symmetric(in, 32, half, found);
    else
        search_symmetric(in, 16, half, found);
}

/* --------------------------------------------------------- with an offset */

/* What is found: x is about scale * level + min, where `level` is that of
 * inverse * (x - base). Where a lane's bit is not in `trusted`, the scalar
 * search has to be asked. */
struct offset_found {
    vrow scale;
    vrow min;
    vrow inverse;
    vrow base;
    vrow sum_w; /* of the weights */
    unsigned trusted;
};

/* What does not change from step to step. */
struct offset_survey {
    vfloat lowest, max;
    vfloat sum_w, sum_x; /* of weights, and of weight * x */
    vmask flat;          /* all numbers are equal, and none is positive */
};

/* The best line so far. */
struct offset_best {
    vfloat scale, min, error;
    vfloat inverse, base;
    vmask within; /* so far, scalar rounding was that of vf_round */
};

/* The sums over levels, which are in the room, and the line for them. */
struct offset_trial {
    vfloat inverse;
    vfloat sum_l, sum_l2, sum_xl;
    vfloat scale, min;
    vmask is_line;
};

LANES_INLINE struct offset_survey survey(struct searched *in, int n)
{
    vfloat x = vf_load(in->x[0]);
    vfloat w = vf_load(in->weights[0]);
    struct offset_survey s = {.lowest = x, .max = x, .sum_w = w};

    s.sum_x = vf_mul(w, x);
    for (int i = 1; i < n; i++) {
        x = vf_load(in->x[i]);
        w = vf_load(in->weights[i]);
        s.lowest = vf_min(x, s.lowest);
        s.max = vf_max(x, s.max);
        s.sum_w = vf_add(s.sum_w, w);
        s.sum_x = vf_add(s.sum_x, vf_mul(w, x));
    }
    s.flat = vf_equal(s.max, vf_min(vf_set(0), s.lowest));
    return s;
}

/* The levels for `span` of them between the best minimum so far and the
 * maximum, and the sums over them. */
LANES_INLINE void try_levels(struct searched *in, int n, int top,
                             const struct offset_survey *s, float span,
                             struct offset_best *best, struct offset_trial *t)
{
    vint top_bits = vf_bits(vf_set((float)top));
    vfloat base = best->min;
    vfloat inverse = vf_div(vf_set(span), vf_sub(s->max, base));
    vfloat sum_l = vf_set(0);
    vfloat sum_l2 = vf_set(0);
    vfloat sum_xl = vf_set(0);

    LANES_UNROLL_TWO
    for (int i = 0; i < n; i++) {
        vfloat steps = vf_mul(inverse, vf_sub(vf_load(in->x[i]), base));
        vf_store(in->room[i], v_level_up_to(top_bits, steps));
    }
    LANES_UNROLL_TWO
    for (int i = 0; i < n; i++) {
        vfloat level = vf_load(in->room[i]);
        vfloat weighted = vf_mul(vf_load(in->weights[i]), level);
        sum_l = vf_add(sum_l, weighted);
        sum_l2 = vf_add(sum_l2, vf_mul(weighted, level));
        sum_xl = vf_add(sum_xl, vf_mul(weighted, vf_load(in->x[i])));
    }
    t->inverse = inverse;
    t->sum_l = sum_l;
    t->sum_l2 = sum_l2;
    t->sum_xl = sum_xl;

    /* Between what is rounded for the extremes is all that is rounded. */
    vfloat last = vf_mul(inverse, vf_sub(s->max, base));
    vfloat first = vf_mul(inverse, vf_sub(s->lowest, base));
    best->within = vm_and(best->within, v_within_limit(last));
    best->within = vm_and(best->within, v_within_limit(first));
}

/* The line with the least squares of errors for these levels, among those whose
 * min is not positive. */
LANES_INLINE void set_line(const struct offset_survey *s,
                           struct offset_trial *t)
{
    vfloat zero = vf_set(0);
    vfloat d = vf_sub(vf_mul(s->sum_w, t->sum_l2), vf_mul(t->sum_l, t->sum_l));
    vfloat scale =
        vf_sub(vf_mul(s->sum_w, t->sum_xl), vf_mul(s->sum_x, t->sum_l));
    vfloat min =
        vf_sub(vf_mul(t->sum_l2, s->sum_x), vf_mul(t->sum_l, t->sum_xl));

    scale = vf_div(scale, d);
    min = vf_div(min, d);

    vmask above = vf_less(zero, min);
    t->scale = vf_select(above, vf_div(t->sum_xl, t->sum_l2), scale);
    t->min = vf_select(above, zero, min);
    t->is_line = vf_less(zero, d);
}

LANES_INLINE vfloat line_error(struct searched *in, int n, bool absolute,
                               const struct offset_trial *t)
{
    vfloat scale = t->scale;
    vfloat min = t->min;
    vfloat error = vf_set(0);

    LANES_UNROLL_TWO
    for (int i = 0; i < n; i++) {
        vfloat line = vf_add(vf_mul(scale, vf_load(in->room[i])), min);
        vfloat diff = vf_sub(line, vf_load(in->x[i]));
        diff = absolute ? vf_abs(diff) : vf_mul(diff, diff);
        error = vf_add(error, vf_mul(vf_load(in->weights[i]), diff));
    }
    return error;
}

LANES_INLINE void keep_better(const struct offset_survey *s,
                              const struct offset_trial *t, vfloat error,
                              struct offset_best *best)
{
    vmask better = vm_and(t->is_line, vf_less(error, best->error));

    better = vm_and_not(better, s->flat);
    best->inverse = vf_select(better, t->inverse, best->inverse);
    best->base = vf_select(better, best->min, best->base);
    best->error = vf_select(better, error, best->error);
    best->scale = vf_select(better, t->scale, best->scale);
    best->min = vf_select(better, t->min, best->min);
}

/* The first line goes through the extremes. */
LANES_INLINE struct offset_best first_line(struct searched *in, int n, int top,
                                           bool absolute,
                                           const struct offset_survey *s)
{
    struct offset_trial t;
    struct offset_best best = {.min = vf_min(vf_set(0), s->lowest),
                               .within = vf_equal(vf_set(0), vf_set(0))};

    try_levels(in, n, top, s, (float)top, &best, &t);
    t.scale = vf_div(vf_set(1), t.inverse);
    t.min = best.min;
    best.scale = t.scale;
    best.inverse = t.inverse;
    best.base = best.min;
    best.error = line_error(in, n, absolute, &t);
    return best;
}

LANES_INLINE void put_found(const struct offset_survey *s,
                            const struct offset_best *best,
                            struct offset_found *found)
{
    vfloat zero = vf_set(0);
    /* A NaN anywhere, or an infinity, is one in the sum. */
    vmask finite = vf_less(vf_abs(s->sum_x), vf_set(INFINITY));

    vf_store(found->scale, vf_select(s->flat, zero, best->scale));
    vf_store(found->min, best->min);
    vf_store(found->inverse, vf_select(s->flat, zero, best->inverse));
    vf_store(found->base, vf_select(s->flat, zero, best->base));
    vf_store(found->sum_w, s->sum_w);
    found->trusted = vm_bits(vm_and(finite, vm_or(s->flat, best->within)));
}

/* `count` searches, 1 or 2, in turns: while one waits for a division, the other
 * goes on. */
LANES_INLINE void search_offset(struct searched *in, int count, int n, int top,
                                bool absolute, const struct ggki_steps *steps,
                                struct offset_found *found)
{
    struct offset_survey s[2];
    struct offset_best best[2];
    struct offset_trial t[2];

    for (int j = 0; j < count; j++) {
        s[j] = survey(&in[j], n);
        best[j] = first_line(&in[j], n, top, absolute, &s[j]);
    }
    for (int step = 0; step <= steps->n; step++) {
        float span = steps->first + steps->step * (float)step + (float)top;

        for (int j = 0; j < count; j++)
            try_levels(&in[j], n, top, &s[j], span, &best[j], &t[j]);
        for (int j = 0; j < count; j++) {
            set_line(&s[j], &t[j]);
            keep_better(&s[j], &t[j], line_error(&in[j], n, absolute, &t[j]),
                        &best[j]);
        }
    }
    for (int j = 0; j < count; j++)
        put_found(&s[j], &best[j], &found[j]);
}

/* Of runs of 32 numbers. Loops of a known length are faster. */
static void search_offset_lanes(struct searched *in, int top,
                                const struct ggki_steps *steps,
                                struct offset_found *found)
{
    search_offset(in, 1, 32, top, false, steps, found);
}

/* Two, of runs of 32 or of 16. */
static void search_two_offsets(struct searched in[2], size_t n, int top,
                               const struct ggki_steps *steps,
                               struct offset_found found[2])
{
    if (n == 32)
        search_offset(in, 2, 32, top, false, steps, found);
    else if (steps->absolute)
        search_offset(in, 2, 16, top, true, steps, found);
    else
        search_offset(in, 2, 16, top, false, steps, found);
}

#endif
