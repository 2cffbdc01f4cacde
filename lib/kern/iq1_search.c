/* iq1_search.c - the splits of numbers into three levels, and the points of the
 * grid for them: of IQ1_S and IQ1_M.
 */
#include "kern/iq1.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kern/grids.h"
#include "kern/round.h"

enum { GROUP = GGKI_IQ1_GROUP };

/* ------------------------------------------------------------------- order */

/* Where `half` numbers end that are in order, merge what follows. */
static void merge(const float *x, const uint8_t *in, size_t half, uint8_t *out)
{
    size_t a = 0;
    size_t b = half;

    for (size_t i = 0; i < 2 * half; i++) {
        bool first = b == 2 * half || (a < half && !(x[in[a]] > x[in[b]]));
        out[i] = first ? in[a++] : in[b++];
    }
}

/* Of equal numbers the first stays first. The order of comparisons shows where
 * there are NaNs: it is that of the C library of the reference. */
static void sort(const float *x, size_t n, uint8_t *order)
{
    uint8_t other[GGKI_IQ1_RUN_MAX] = {0};

    for (size_t i = 0; i < n; i++)
        order[i] = (uint8_t)i;
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t at = 0; at < n; at += 2 * half)
            merge(x, order + at, half, other + at);
        memcpy(order, other, n);
    }
}

/* ------------------------------------------------------------------- split */

/* The best split so far. */
struct best {
    struct ggki_iq1_split *split;
    float score;
    bool found;
};

static void keep_better(struct best *best, size_t low, size_t high, float qx,
                        float q2, unsigned down)
{
    if (!(q2 > 0) || !(qx * qx > best->score * q2))
        return;
    best->split->scale = qx / q2;
    best->score = best->split->scale * qx;
    best->split->low = low;
    best->split->high = high;
    best->split->down = down;
    best->found = true;
}

/* All groups are shifted the same way. False if there is no split. */
static bool split_32(const struct ggki_iq1_run *r, struct ggki_iq1_split *split)
{
    enum { N = GGKI_IQ1_S_RUN, ALL = 15 };
    struct best best = {split, -FLT_MAX, false};
    float sum_x[N + 1] = {0}; /* of weight * x */
    float sum_w[N + 1] = {0};

    for (size_t i = 0; i < N; i++) {
        size_t at = split->order[i];
        sum_x[i + 1] = sum_x[i] + r->weights[at] * r->x[at];
        sum_w[i + 1] = sum_w[i] + r->weights[at];
    }
    for (size_t low = 0; low <= N; low++)
        for (size_t high = low; high <= N; high++)
            for (unsigned down = 0; down < 2; down++) {
                const float *v = ggki_iq1_values[down];
                float qx = sum_x[low] * v[0];
                float q2 = sum_w[low] * v[0] * v[0];
                qx += (sum_x[high] - sum_x[low]) * v[1];
                q2 += (sum_w[high] - sum_w[low]) * v[1] * v[1];
                qx += (sum_x[N] - sum_x[high]) * v[2];
                q2 += (sum_w[N] - sum_w[high]) * v[2] * v[2];
                keep_better(&best, low, high, qx, q2, down * ALL);
            }
    return best.found;
}

/* Sums of one group, by how many numbers in order are counted. */
struct sums {
    float x[GGKI_IQ1_M_RUN + 1]; /* of weight * x */
    float w[GGKI_IQ1_M_RUN + 1];
};

static void sum_groups(const struct ggki_iq1_run *r, const uint8_t *order,
                       struct sums sums[2])
{
    for (size_t g = 0; g < 2; g++) {
        struct sums *s = &sums[g];

        s->x[0] = 0;
        s->w[0] = 0;
        for (size_t i = 0; i < GGKI_IQ1_M_RUN; i++) {
            size_t at = order[i];
            bool counts = at / GROUP == g;
            s->x[i + 1] =
                counts ? s->x[i] + r->weights[at] * r->x[at] : s->x[i];
            s->w[i + 1] = counts ? s->w[i] + r->weights[at] : s->w[i];
        }
    }
}

/* Each group has its own shift. Since values are 1 apart, less remains of the
 * sum than a term for each level. */
static bool split_16(const struct ggki_iq1_run *r, struct ggki_iq1_split *split)
{
    enum { N = GGKI_IQ1_M_RUN };
    struct best best = {split, -FLT_MAX, false};
    struct sums sums[2];

    sum_groups(r, split->order, sums);
    for (size_t low = 0; low <= N; low++)
        for (size_t high = low; high <= N; high++) {
            float qx[2][2]; /* by the group, then by the shift */
            float q2[2][2];

            for (size_t g = 0; g < 2; g++)
                for (size_t down = 0; down < 2; down++) {
                    const struct sums *s = &sums[g];
                    const float *v = ggki_iq1_values[down];
                    qx[g][down] = s->x[N] * v[2] - (s->x[low] + s->x[high]);
                    q2[g][down] = s->w[N] * v[2] * v[2] +
                                  s->w[low] * (v[0] * v[0] - v[1] * v[1]) +
                                  s->w[high] * (v[1] * v[1] - v[2] * v[2]);
                }
            for (unsigned k = 0; k < 4; k++) {
                unsigned first = k / 2;
                unsigned second = k % 2;
                keep_better(&best, low, high, qx[0][first] + qx[1][second],
                            q2[0][first] + q2[1][second], first | second << 1);
            }
        }
    return best.found;
}

/* ------------------------------------------------------------------ points */

static bool nearest_point(void *room, const struct ggki_iq1_run *r,
                          size_t first, float scale, const float *values,
                          const uint16_t *list, uint16_t *point)
{
    float least = FLT_MAX;
    bool found = false;

    (void)room;
    for (size_t n = list[0]; n > 0; n--) {
        float distance = 0;

        list++;
        for (size_t i = 0; i < GROUP; i++) {
            float diff = scale * values[*list >> 2 * i & 3] - r->x[first + i];
            distance += r->weights[first + i] * diff * diff;
        }
        if (distance < least) {
            least = distance;
            *point = *list;
            found = true;
        }
    }
    return found;
}

/* The scale that is best for the points, if there is one. */
static void fit_scale(const struct ggki_iq1_run *r, const uint16_t *points,
                      struct ggki_iq1_split *split)
{
    float qx = 0;
    float q2 = 0;

    for (size_t i = 0; i < r->n; i++) {
        const float *values = ggki_iq1_values[split->down >> i / GROUP & 1];
        float q = values[points[i / GROUP] >> 2 * (i % GROUP) & 3];
        qx += r->weights[i] * q * r->x[i];
        q2 += r->weights[i] * q * q;
    }
    if (qx > 0 && q2 > 0)
        split->scale = qx / q2;
}

bool ggki_iq1_find_points(const struct ggki_iq1_run *r,
                          struct ggki_iq1_split *split,
                          ggki_iq1_nearest *nearest, void *room,
                          uint16_t *places)
{
    const struct ggki_grid *g = ggki_grid_of(GGKI_GRID_IQ1);
    uint16_t points[GGKI_IQ1_RUN_MAX / GROUP];
    uint8_t levels[GGKI_IQ1_RUN_MAX] = {0};
    bool negative = split->scale < 0;
    bool off = false;

    for (size_t i = 0; i < r->n; i++) {
        int level = i < split->low ? 0 : i < split->high ? 1 : 2;
        levels[split->order[i]] = (uint8_t)(negative ? 2 - level : level);
    }
    if (negative) {
        split->scale = -split->scale;
        split->down ^= (1u << r->n / GROUP) - 1;
    }
    for (size_t k = 0; k < r->n / GROUP; k++) {
        unsigned code = 0;

        for (size_t i = GROUP; i-- > 0;)
            code = code * 3 + levels[k * GROUP + i];
        int32_t place = g->places[code];
        if (place >= 0) {
            points[k] = g->points[place];
        } else if (nearest(room, r, k * GROUP, split->scale,
                           ggki_iq1_values[split->down >> k & 1],
                           g->lists + ~place, &points[k])) {
            off = true;
        } else {
            return false;
        }
        places[k] = (uint16_t)g->places[grid_code(g, points[k])];
    }
    if (off)
        fit_scale(r, points, split);
    return split->scale >= 0;
}

bool ggki_iq1_search(const struct ggki_iq1_run *r, float least,
                     uint16_t *places, float *scale, uint8_t *down)
{
    struct ggki_iq1_split split = {.scale = 0};
    float max = fabsf(r->x[0]);

    for (size_t i = 1; i < r->n; i++)
        max = max_f32(max, fabsf(r->x[i]));
    *scale = 0;
    *down = 0;
    memset(places, 0, r->n / GROUP * sizeof *places);
    if (max < least)
        return true;
    sort(r->x, r->n, split.order);
    if (!(r->n == GGKI_IQ1_S_RUN ? split_32(r, &split) : split_16(r, &split)))
        return true;
    if (!ggki_iq1_find_points(r, &split, nearest_point, NULL, places))
        return false;
    *scale = split.scale;
    *down = (uint8_t)split.down;
    return true;
}
