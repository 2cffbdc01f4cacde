/* search_sweep.c - searches for levels that are then bettered one by one. */
#include "kern/search_sweep.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "kern/round.h"
#include "kern/search.h"

enum { SWEEPS = 5 };

/* Levels, and what the best scale for them follows from. */
struct swept {
    const float *x;
    const float *weights;
    size_t n;
    int lowest;
    int highest;
    bool positive; /* sums must be positive before a level goes in, not after */
    int levels[GGKI_SWEEP_MAX];
    float lx; /* sum of weight * x * level */
    float l2; /* sum of weight * level * level */
};

/* As the reference keeps a level: in a byte. Those of numbers that are negative
 * or not finite may not fit, and are then another in the next sweep. */
static int in_byte(const struct swept *s, int level)
{
    return s->positive ? (uint8_t)level : level;
}

static void set_levels(struct swept *s, float inverse)
{
    s->lx = 0;
    s->l2 = 0;
    for (size_t i = 0; i < s->n; i++) {
        int found =
            clamp_int(nearest_int(inverse * s->x[i]), s->lowest, s->highest);
        float level = (float)found;
        s->levels[i] = in_byte(s, found);
        s->lx += s->weights[i] * s->x[i] * level;
        s->l2 += s->weights[i] * level * level;
    }
}

/* Take number i out of the sums, and put it in with the level that is best for
 * the others. Whether it is a new one, and better. */
static bool better_level(struct swept *s, size_t i)
{
    float weight = s->weights[i];
    float wx = weight * s->x[i];
    float level = (float)s->levels[i];
    float lx = s->lx - wx * level;
    float l2 = s->l2 - weight * level * level;

    if (!(lx > 0) || (s->positive && !(l2 > 0)))
        return false;
    int found =
        clamp_int(nearest_int(s->x[i] * l2 / lx), s->lowest, s->highest);
    if (found == s->levels[i])
        return false;
    level = (float)found;
    lx += wx * level;
    l2 += weight * level * level;
    if (!(s->positive || l2 > 0) || !(lx * lx * s->l2 > s->lx * s->lx * l2))
        return false;
    s->levels[i] = in_byte(s, found);
    s->lx = lx;
    s->l2 = l2;
    return true;
}

/* Sweep; returns the scale. */
static float sweep(struct swept *s)
{
    bool changed = true;

    for (int i = 0; i < SWEEPS && changed; i++) {
        changed = false;
        for (size_t k = 0; k < s->n; k++)
            changed = better_level(s, k) || changed;
    }
    return s->l2 > 0 ? s->lx / s->l2 : 0;
}

/* The error with `inverse`. Levels go up to the highest, or with `cut` are what
 * a byte keeps of them. */
static float positive_error(const struct swept *s, float inverse, bool cut)
{
    float scale = 1 / inverse;
    float error = 0;

    for (size_t i = 0; i < s->n; i++) {
        int level = nearest_int(inverse * s->x[i]);
        level = cut ? (uint8_t)level : min_int(level, s->highest);
        float diff = s->x[i] - scale * (float)level;
        error += s->weights[i] * diff * diff;
    }
    return error;
}

float ggki_search_positive(const float *x, const float *weights, size_t n,
                           int top, uint8_t *levels)
{
    struct swept s = {.x = x,
                      .weights = weights,
                      .n = n,
                      .lowest = INT_MIN,
                      .highest = top,
                      .positive = true};
    float max = 0;

    for (size_t i = 0; i < n; i++)
        max = max_f32(max, x[i]); /* begins anew after a NaN */
    memset(levels, 0, n);
    if (max < 1e-15f)
        return 0;

    float inverse = (float)top / max;
    float least = positive_error(&s, inverse, true);
    for (int step = -4; step <= 4; step++) {
        if (step == 0)
            continue;
        float other = (0.1f * (float)step + (float)top) / max;
        float error = positive_error(&s, other, false);
        if (error < least) {
            least = error;
            inverse = other;
        }
    }
    set_levels(&s, inverse);
    float scale = sweep(&s);
    for (size_t i = 0; i < n; i++)
        levels[i] = (uint8_t)s.levels[i];
    return scale;
}

float ggki_search_squares(const float *x, size_t n, int half, uint8_t *levels)
{
    float weights[GGKI_SWEEP_MAX];
    struct swept s = {.x = x,
                      .weights = weights,
                      .n = n,
                      .lowest = -half,
                      .highest = half - 1};
    float peak = ggki_peak(x, n);

    memset(levels, 0, n);
    if (fabsf(peak) < 1e-15f)
        return 0;

    for (size_t i = 0; i < n; i++)
        weights[i] = x[i] * x[i];
    set_levels(&s, -(float)half / peak);
    float scale = sweep(&s);
    for (size_t i = 0; i < n; i++)
        levels[i] = (uint8_t)(s.levels[i] + half);
    return scale;
}
