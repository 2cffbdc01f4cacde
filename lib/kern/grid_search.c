/* grid_search.c - numbers to IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS and IQ3_S: for
 * each run, a scale and points of the grid.
 */
#include "kern/grid_types.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kern/round.h"
#include "kern/search.h"
#include "kern/search_sweep.h"

/* The magnitudes of a run, and what they weigh. */
struct run {
    const struct ggki_grid_type *type;
    const struct ggki_grid *grid;
    size_t n_groups;
    float x[GGKI_GRID_RUN_MAX];
    float weights[GGKI_GRID_RUN_MAX];
    float roots[GGKI_GRID_RUN_MAX]; /* of the weights: weigh distances */
};

/* x is about scale * (2 * level + 1), with the levels of the points. */
struct fitted {
    float scale;
    unsigned off; /* bit i: the levels of group i were no point */
    uint16_t points[GGKI_GRID_RUN_GROUPS];
};

/* The square of the error is least for scale = qx / q2. */
struct fit {
    float qx; /* sum of weight * x * q, where q = 2 * level + 1 */
    float q2; /* sum of weight * q * q */
};

/* ------------------------------------------------------------------ points */

/* Of the points near, the first of the least distance from the group that
 * begins with number `first`; false if none has a distance. */
static inline bool nearest_of(const struct run *r, unsigned dims, unsigned bits,
                              size_t first, float scale, const uint16_t *list,
                              uint16_t *point)
{
    float least = FLT_MAX;
    bool found = false;

    for (size_t n = list[0]; n > 0; n--) {
        float distance = 0;

        list++;
        for (unsigned i = 0; i < dims; i++) {
            unsigned level = (unsigned)*list >> bits * i & ((1u << bits) - 1);
            float q = (float)(2 * level + 1);
            float diff = scale * q - r->x[first + i];
            distance += r->roots[first + i] * diff * diff;
        }
        if (distance < least) {
            least = distance;
            *point = *list;
            found = true;
        }
    }
    return found;
}

static bool nearest_point(const struct run *r, size_t first, float scale,
                          const uint16_t *list, uint16_t *point)
{
    return r->grid->dims == 8 ? nearest_of(r, 8, 2, first, scale, list, point)
                              : nearest_of(r, 4, 3, first, scale, list, point);
}

/* Points for those groups of which the bit is set. */
static bool find_points(const struct run *r, float inverse, float scale,
                        unsigned groups, struct fitted *f)
{
    const struct ggki_grid *g = r->grid;
    int top = (int)g->radix - 1;

    f->off = 0;
    for (size_t k = 0; k < r->n_groups; k++) {
        const float *x = r->x + k * g->dims;
        unsigned code = 0;

        if ((groups >> k & 1) == 0)
            continue;
        for (unsigned i = g->dims; i-- > 0;) {
            float level = 0.5f * (inverse * x[i] - 1);
            int nearest = clamp_int(nearest_int(level), 0, top);
            code = code * g->radix + (unsigned)nearest;
        }
        int32_t place = g->places[code];
        if (place >= 0) {
            f->points[k] = g->points[place];
            continue;
        }
        f->off |= 1u << k;
        if (!nearest_point(r, k * g->dims, scale, g->lists + ~place,
                           &f->points[k]))
            return false;
    }
    return true;
}

static struct fit fit_points(const struct run *r, const uint16_t *points)
{
    const struct ggki_grid *g = r->grid;
    struct fit fit = {0, 0};
    size_t at = 0;

    for (size_t k = 0; k < r->n_groups; k++)
        for (unsigned i = 0; i < g->dims; i++, at++) {
            float q = (float)(2 * grid_level(g, points[k], i) + 1);
            fit.qx += r->weights[at] * r->x[at] * q;
            fit.q2 += r->weights[at] * q * q;
        }
    return fit;
}

/* ------------------------------------------------------------------ scales */

/* Once more for the scale that was found. */
static bool search_again(const struct run *r, struct fitted *f)
{
    unsigned all = (1u << r->n_groups) - 1;
    unsigned groups = f->off;

    if (r->type->again == GGKI_AGAIN_ALL ||
        (r->type->again == GGKI_AGAIN_IF_OFF && groups != 0))
        groups = all;
    if (groups == 0 || !(f->scale > 0))
        return true;
    if (!find_points(r, 1 / f->scale, f->scale, groups, f))
        return false;

    struct fit fit = fit_points(r, f->points);
    if (fit.q2 > 0)
        f->scale = fit.qx / fit.q2;
    return true;
}

/* The scale with which the highest level is `span`, and others near it. */
static bool search_scale(const struct run *r, float span, struct fitted *f)
{
    const struct ggki_grid_type *type = r->type;
    unsigned all = (1u << r->n_groups) - 1;
    float top = (float)(2 * r->grid->radix - 1);
    float best = 0;

    f->off = type->again == GGKI_AGAIN_IF_OFF ? all : 0;
    memset(f->points, 0, sizeof f->points);
    for (int step = -type->steps; step <= type->steps; step++) {
        float inverse = (top + (float)step * type->step) / span;
        struct fitted tried = {.scale = 0};

        if (!find_points(r, inverse, 1 / inverse, all, &tried))
            return false;
        struct fit fit = fit_points(r, tried.points);
        if (fit.q2 > 0 && fit.qx * fit.qx > best * fit.q2) {
            *f = tried;
            f->scale = fit.qx / fit.q2;
            best = f->scale * fit.qx;
        }
    }
    return search_again(r, f);
}

/* -------------------------------------------------------------------- runs */

/* Magnitudes, and the signs of 8 numbers. Where these have to be an even number
 * of minus, the number that costs least gets the other one. */
static uint8_t take_signs(const struct run *r, const float *x,
                          const float *weights, float *out)
{
    unsigned signs = 0;
    unsigned n = 0;
    size_t cheapest = 0;
    float least = weights[0] * x[0] * x[0];

    for (size_t i = 0; i < 8; i++) {
        float cost = weights[i] * x[i] * x[i];
        bool negative = !(x[i] >= 0);

        out[i] = negative ? -x[i] : x[i];
        signs |= (unsigned)negative << i;
        n += negative;
        if (cost < least) {
            least = cost;
            cheapest = i;
        }
    }
    if (r->type->parity && n % 2 != 0) {
        out[cheapest] = -out[cheapest];
        signs ^= 1u << cheapest;
    }
    return (uint8_t)signs;
}

static void weigh(const struct ggki_grid_type *type, const float *x,
                  const float *importance, float mean_square, float *weights)
{
    float base = type->base > 0 ? type->base * mean_square : 0;

    if (importance != NULL)
        ggki_weigh(x, importance, type->run, mean_square, weights);
    else
        for (size_t i = 0; i < type->run; i++)
            weights[i] = base + x[i] * x[i];
}

static void set_run(struct run *r, const float *x, const float *importance,
                    float mean_square, uint8_t *signs)
{
    weigh(r->type, x, importance, mean_square, r->weights);
    for (size_t i = 0; i < r->type->run; i++)
        r->roots[i] = sqrtf(r->weights[i]);
    for (size_t i = 0; i < r->type->run; i += 8)
        signs[i / 8] = take_signs(r, x + i, r->weights + i, r->x + i);
}

/* With which highest level the search begins, and the scale if it finds none; 0
 * for a run that is taken for 0. */
static float first_span(const struct run *r, float *scale)
{
    const struct ggki_grid_type *type = r->type;
    int levels = (int)r->grid->radix;
    float max = r->x[0];

    for (size_t k = 1; k < type->run; k++)
        max = max_f32(max, r->x[k]);
    *scale = max / (float)(2 * levels - 1);
    if (max < type->least)
        return 0;
    if (type->sweep) {
        uint8_t swept[GGKI_GRID_RUN_MAX];

        *scale = ggki_search_positive(r->x, r->weights, type->run, levels + 1,
                                      swept);
        max = max_f32(0, *scale * (float)levels);
    }
    return max;
}

/* Of run `i`; its scale is 0 where it is taken for 0. False where the reference
 * gives up. */
static bool search_run(const struct run *r, size_t i,
                       struct ggki_grid_super *super, float *out)
{
    uint8_t *signs = super->signs + i * r->type->run / 8;
    uint16_t *places = super->places + i * r->n_groups;
    size_t octets = r->type->run / 8;
    struct fitted f;
    float span = first_span(r, &f.scale);

    *out = 0;
    if (span == 0) {
        super->empty |= 1u << i;
        memset(signs, 0, octets);
        return true;
    }
    if (!search_scale(r, span, &f))
        return false;
    for (size_t k = 0; k < octets && f.scale < 0; k++)
        signs[k] ^= 255;
    for (size_t k = 0; k < r->n_groups; k++)
        places[k] = (uint16_t)r->grid->places[grid_code(r->grid, f.points[k])];
    *out = fabsf(f.scale);
    return *out >= 0;
}

/* ------------------------------------------------------------------ blocks */

/* Where the reference gives up, d is infinite. */
static void put_failure(const struct ggki_grid_type *type, uint8_t *block)
{
    memset(block, 0, type->bytes);
    store_f16(block, INFINITY);
}

static void quantize_super(const struct ggki_grid_type *type, const float *x,
                           const float *importance, uint8_t *block)
{
    float mean_square =
        type->spread * ggki_sum_squares(x, GGKI_SUPER) / GGKI_SUPER;
    struct ggki_grid_super super = {.empty = 0};
    struct run r = {.type = type, .grid = ggki_grid_of(type->grid)};
    float scales[GGKI_RUNS] = {0};

    r.n_groups = type->run / r.grid->dims;
    for (size_t i = 0; i < GGKI_SUPER / type->run; i++) {
        size_t at = i * type->run;

        set_run(&r, x + at, importance != NULL ? importance + at : NULL,
                mean_square, super.signs + at / 8);
        if (!search_run(&r, i, &super, &scales[i])) {
            put_failure(type, block);
            return;
        }
    }
    ggki_grid_put(type, scales, &super, block);
}

void ggki_grid_quantize(const struct ggki_grid_type *type, const float *x,
                        uint8_t *blocks, size_t n_rows, size_t row_n,
                        const float *importance)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n; i += GGKI_SUPER) {
            quantize_super(type, x, importance != NULL ? importance + i : NULL,
                           blocks);
            x += GGKI_SUPER;
            blocks += type->bytes;
        }
}

void ggki_quantize_iq2_xxs_generic(const float *x, uint8_t *blocks,
                                   size_t n_rows, size_t row_n,
                                   const float *importance)
{
    ggki_grid_quantize(&ggki_grid_iq2_xxs, x, blocks, n_rows, row_n,
                       importance);
}

void ggki_quantize_iq2_xs_generic(const float *x, uint8_t *blocks,
                                  size_t n_rows, size_t row_n,
                                  const float *importance)
{
    ggki_grid_quantize(&ggki_grid_iq2_xs, x, blocks, n_rows, row_n, importance);
}

void ggki_quantize_iq2_s_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    ggki_grid_quantize(&ggki_grid_iq2_s, x, blocks, n_rows, row_n, importance);
}

void ggki_quantize_iq3_xxs_generic(const float *x, uint8_t *blocks,
                                   size_t n_rows, size_t row_n,
                                   const float *importance)
{
    ggki_grid_quantize(&ggki_grid_iq3_xxs, x, blocks, n_rows, row_n,
                       importance);
}

void ggki_quantize_iq3_s_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    ggki_grid_quantize(&ggki_grid_iq3_s, x, blocks, n_rows, row_n, importance);
}
