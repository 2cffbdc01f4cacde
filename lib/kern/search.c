/* search.c - searches for the levels and the scale of a few numbers. */
#include "kern/search.h"

#include <math.h>
#include <string.h>

#include "kern/round.h"

float ggki_peak(const float *x, size_t n)
{
    float largest = 0;
    float peak = 0;

    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) > largest) {
            largest = fabsf(x[i]);
            peak = x[i];
        }
    return peak;
}

float ggki_sum_squares(const float *x, size_t n)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

void ggki_weigh(const float *x, const float *importance, size_t n,
                float mean_square, float *weights)
{
    for (size_t i = 0; i < n; i++)
        weights[i] = importance[i] * sqrtf(mean_square + x[i] * x[i]);
}

static int symmetric_level(float x, float inverse, int half)
{
    return clamp_int(nearest_int(inverse * x), -half, half - 1);
}

/* Numbers, and what they weigh. */
struct symmetric_search {
    size_t n;
    int half;
    const float *x;
    float w[GGKI_SEARCH_MAX];
    float wx[GGKI_SEARCH_MAX];
};

/* The square of the error is least for scale = lx / l2. */
struct fit {
    float lx; /* sum of weight * x * level */
    float l2; /* sum of weight * level * level */
};

static struct fit symmetric_fit(const struct symmetric_search *s, float inverse)
{
    struct fit fit = {0, 0};

    for (size_t i = 0; i < s->n; i++) {
        float level = (float)symmetric_level(s->x[i], inverse, s->half);
        fit.lx += s->wx[i] * level;
        fit.l2 += s->w[i] * level * level;
    }
    return fit;
}

float ggki_search_symmetric(const float *x, const float *weights, size_t n,
                            int half, uint8_t *levels)
{
    struct symmetric_search s = {.n = n, .half = half, .x = x};
    float peak = ggki_peak(x, n);

    memset(levels, 0, n);
    if (fabsf(peak) < 1e-15f)
        return 0;
    for (size_t i = 0; i < n; i++) {
        s.w[i] = weights != NULL ? weights[i] : x[i] * x[i];
        s.wx[i] = s.w[i] * x[i];
    }

    float inverse = -(float)half / peak;
    struct fit fit = symmetric_fit(&s, inverse);
    float scale = fit.l2 != 0 ? fit.lx / fit.l2 : 0;
    float best = scale * fit.lx;

    for (int step = -9; step <= 9; step++) {
        float other = -((float)half + 0.1f * (float)step) / peak;

        if (step == 0)
            continue;
        fit = symmetric_fit(&s, other);
        if (fit.l2 > 0 && fit.lx * fit.lx > best * fit.l2) {
            inverse = other;
            scale = fit.lx / fit.l2;
            best = scale * fit.lx;
        }
    }
    for (size_t i = 0; i < n; i++)
        levels[i] = (uint8_t)(half + symmetric_level(x[i], inverse, half));
    return scale;
}

/* What a search with an offset knows of its numbers. */
struct offset_search {
    const float *x;
    const float *weights;
    size_t n;
    int top;
    bool absolute;
    float max;
    float sum_w;
    float sum_x; /* of weight * x */
};

/* x is about scale * level + min. */
struct line {
    float scale;
    float min;
};

static void set_levels(const struct offset_search *s, float inverse, float min,
                       uint8_t *levels)
{
    for (size_t i = 0; i < s->n; i++)
        levels[i] = (uint8_t)clamp_int(nearest_int(inverse * (s->x[i] - min)),
                                       0, s->top);
}

static float line_error(const struct offset_search *s, struct line line,
                        const uint8_t *levels)
{
    float error = 0;

    for (size_t i = 0; i < s->n; i++) {
        float diff = line.scale * (float)levels[i] + line.min - s->x[i];
        diff = s->absolute ? fabsf(diff) : diff * diff;
        error += s->weights[i] * diff;
    }
    return error;
}

/* The line with the least squares of errors for these levels, among those whose
 * min is not positive; false if there is none. */
static bool best_line(const struct offset_search *s, const uint8_t *levels,
                      struct line *out)
{
    float sum_l = 0;
    float sum_l2 = 0;
    float sum_xl = 0;

    for (size_t i = 0; i < s->n; i++) {
        float level = (float)levels[i];
        float weighted = s->weights[i] * level;
        sum_l += weighted;
        sum_l2 += weighted * level;
        sum_xl += weighted * s->x[i];
    }

    float d = s->sum_w * sum_l2 - sum_l * sum_l;
    if (!(d > 0))
        return false;
    out->scale = (s->sum_w * sum_xl - s->sum_x * sum_l) / d;
    out->min = (sum_l2 * s->sum_x - sum_l * sum_xl) / d;
    if (out->min > 0) {
        out->min = 0;
        out->scale = sum_xl / sum_l2;
    }
    return true;
}

/* Fill max and the sums; returns the minimum, which is not positive. */
static float survey(struct offset_search *s)
{
    float min = s->x[0];

    s->max = s->x[0];
    s->sum_w = s->weights[0];
    s->sum_x = s->weights[0] * s->x[0];
    for (size_t i = 1; i < s->n; i++) {
        min = s->x[i] < min ? s->x[i] : min;
        s->max = s->x[i] > s->max ? s->x[i] : s->max;
        s->sum_w += s->weights[i];
        s->sum_x += s->weights[i] * s->x[i];
    }
    return min > 0 ? 0 : min;
}

float ggki_search_offset(const float *x, const float *weights, size_t n,
                         int top, const struct ggki_steps *steps,
                         uint8_t *levels, float *offset)
{
    struct offset_search s = {.x = x,
                              .weights = weights,
                              .n = n,
                              .top = top,
                              .absolute = steps->absolute};
    struct line best = {0, survey(&s)};

    if (s.max == best.min) {
        memset(levels, 0, n);
        *offset = -best.min;
        return 0;
    }

    float inverse = (float)top / (s.max - best.min);
    best.scale = 1 / inverse;
    set_levels(&s, inverse, best.min, levels);
    float least = line_error(&s, best, levels);

    for (int step = 0; step <= steps->n; step++) {
        uint8_t tried[GGKI_SEARCH_MAX];
        struct line line;
        float span = steps->first + steps->step * (float)step + (float)top;

        /* From the best minimum so far, as the reference has it. */
        set_levels(&s, span / (s.max - best.min), best.min, tried);
        if (!best_line(&s, tried, &line))
            continue;
        float error = line_error(&s, line, tried);
        if (error < least) {
            memcpy(levels, tried, n);
            least = error;
            best = line;
        }
    }
    *offset = -best.min;
    return best.scale;
}
