/* iq1_lanes.h - IQ1_S and IQ1_M: the searches of iq1_search.c, a run in each
 * lane to find its split.
 *
 * As in search_lanes.h, statement by statement. Numbers are put in order by
 * counting how many each is above.
 */
#ifndef GGKI_IQ1_LANES_H
#define GGKI_IQ1_LANES_H

#include <float.h>
#include <string.h>

#include "kern/iq1.h"
#include "kern/lanes/near_lanes.h"
#include "kern/lanes/super_lanes.h"

/* Sums over numbers in order, by how many are counted. */
struct iq1_sums {
    alignas(64) vrow x[GGKI_IQ1_RUN_MAX + 1]; /* of weight * x */
    alignas(64) vrow w[GGKI_IQ1_RUN_MAX + 1];
};

/* What is searched, and room for what follows from it. The second sums are of
 * the second group, where groups have their own. */
struct iq1_lanes {
    alignas(64) vrow x[GGKI_IQ1_RUN_MAX];
    alignas(64) vrow weights[GGKI_IQ1_RUN_MAX];
    alignas(64) vrow ranks[GGKI_IQ1_RUN_MAX];
    struct iq1_sums sums[2];
    alignas(64) vrow low_terms[2][2][GGKI_IQ1_RUN_MAX + 1];
    alignas(64) vrow high_terms[2][2][GGKI_IQ1_RUN_MAX + 1];
    uint8_t order[LANES][GGKI_IQ1_RUN_MAX];
    float of_lanes[LANES * GGKI_IQ1_RUN_MAX]; /* the weights, run by run */
    struct near_lanes near;
};

/* The best split so far; `which` is (low * 64 + high) * 4 and a choice of
 * shifts, or negative. */
struct iq1_best {
    vfloat score, scale, which;
};

/* Lanes where all can be computed without a NaN. */
static unsigned sound_lanes(struct iq1_lanes *in, size_t n)
{
    vmask sound = vf_equal(vf_set(0), vf_set(0));

    for (size_t i = 0; i < n; i++) {
        vfloat weight = vf_load(in->weights[i]);
        sound = vm_and(sound, vf_at_most(vf_set(0), weight));
        sound = vm_and(sound, vf_less(weight, vf_set(INFINITY)));
        sound =
            vm_and(sound, vf_less(vf_abs(vf_load(in->x[i])), vf_set(1e30f)));
    }
    return vm_bits(sound);
}

/* Of equal numbers the first stays first. */
static void put_in_order(struct iq1_lanes *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vf_store(in->ranks[i], vf_set((float)i));
    for (size_t i = 0; i < n; i++) {
        vfloat one = vf_set(1);
        vfloat x = vf_load(in->x[i]);
        vfloat rank = vf_load(in->ranks[i]);

        for (size_t k = i + 1; k < n; k++) {
            vmask above = vf_less(vf_load(in->x[k]), x);
            vfloat other = vf_load(in->ranks[k]);
            rank = vf_select(above, vf_add(rank, one), rank);
            vf_store(in->ranks[k], vf_select(above, vf_sub(other, one), other));
        }
        vf_store(in->ranks[i], rank);
    }
}

/* The sums of one group, or of all that are in order where there is but one:
 * adding 0 for the others changes nothing. */
static void sum_in_order(struct iq1_lanes *in, size_t n, size_t n_sums)
{
    memset(in->sums, 0, sizeof in->sums);
    for (size_t i = 0; i < n; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t rank = (size_t)in->ranks[i][lane];
            struct iq1_sums *s = &in->sums[i / GGKI_IQ1_GROUP % n_sums];
            float weight = in->weights[i][lane];

            in->order[lane][rank] = (uint8_t)i;
            s->x[rank + 1][lane] = weight * in->x[i][lane];
            s->w[rank + 1][lane] = weight;
        }
    for (size_t k = 0; k < n_sums; k++)
        for (size_t i = 0; i < n; i++) {
            struct iq1_sums *s = &in->sums[k];
            vf_store(s->x[i + 1],
                     vf_add(vf_load(s->x[i]), vf_load(s->x[i + 1])));
            vf_store(s->w[i + 1],
                     vf_add(vf_load(s->w[i]), vf_load(s->w[i + 1])));
        }
}

/* ------------------------------------------------------------------- split */

LANES_INLINE struct iq1_best keep_better_split(struct iq1_best best, vfloat qx,
                                               vfloat q2, size_t which)
{
    vmask better = vm_and(vf_less(vf_set(0), q2),
                          vf_less(vf_mul(best.score, q2), vf_mul(qx, qx)));

    if (vm_bits(better) != 0) {
        vfloat scale = vf_div(qx, q2);
        best.scale = vf_select(better, scale, best.scale);
        best.score = vf_select(better, vf_mul(scale, qx), best.score);
        best.which = vf_select(better, vf_set((float)which), best.which);
    }
    return best;
}

LANES_INLINE vfloat times_square(vfloat weight, float value)
{
    return vf_mul(vf_mul(weight, vf_set(value)), vf_set(value));
}

/* The terms of the lowest level, and of the highest, by where they end. */
static void set_terms_32(struct iq1_lanes *in)
{
    enum { N = GGKI_IQ1_S_RUN };
    struct iq1_sums *s = &in->sums[0];
    vfloat all_x = vf_load(s->x[N]);
    vfloat all_w = vf_load(s->w[N]);

    for (size_t down = 0; down < 2; down++)
        for (size_t i = 0; i <= N; i++) {
            const float *v = ggki_iq1_values[down];
            vfloat x = vf_load(s->x[i]);
            vfloat w = vf_load(s->w[i]);
            vf_store(in->low_terms[down][0][i], vf_mul(x, vf_set(v[0])));
            vf_store(in->low_terms[down][1][i], times_square(w, v[0]));
            vf_store(in->high_terms[down][0][i],
                     vf_mul(vf_sub(all_x, x), vf_set(v[2])));
            vf_store(in->high_terms[down][1][i],
                     times_square(vf_sub(all_w, w), v[2]));
        }
}

static struct iq1_best split_32_lanes(struct iq1_lanes *in)
{
    enum { N = GGKI_IQ1_S_RUN };
    struct iq1_sums *s = &in->sums[0];
    struct iq1_best best = {vf_set(-FLT_MAX), vf_set(0), vf_set(-1)};

    set_terms_32(in);
    for (size_t low = 0; low <= N; low++)
        for (size_t high = low; high <= N; high++) {
            vfloat x = vf_sub(vf_load(s->x[high]), vf_load(s->x[low]));
            vfloat w = vf_sub(vf_load(s->w[high]), vf_load(s->w[low]));

            for (size_t down = 0; down < 2; down++) {
                float v = ggki_iq1_values[down][1];
                vfloat qx = vf_add(vf_load(in->low_terms[down][0][low]),
                                   vf_mul(x, vf_set(v)));
                vfloat q2 = vf_add(vf_load(in->low_terms[down][1][low]),
                                   times_square(w, v));
                qx = vf_add(qx, vf_load(in->high_terms[down][0][high]));
                q2 = vf_add(q2, vf_load(in->high_terms[down][1][high]));
                best = keep_better_split(best, qx, q2,
                                         (low * 64 + high) * 4 + down);
            }
        }
    return best;
}

/* By the group and its shift: what is added to both sums, and what does not
 * depend on the split. */
static void set_terms_16(struct iq1_lanes *in, vfloat all[2][2])
{
    enum { N = GGKI_IQ1_M_RUN };

    for (size_t g = 0; g < 2; g++)
        for (size_t down = 0; down < 2; down++) {
            struct iq1_sums *s = &in->sums[g];
            const float *v = ggki_iq1_values[down];
            vfloat most = times_square(vf_load(s->w[N]), v[2]);
            vfloat low = vf_set(v[0] * v[0] - v[1] * v[1]);
            vfloat high = vf_set(v[1] * v[1] - v[2] * v[2]);

            all[g][down] = vf_mul(vf_load(s->x[N]), vf_set(v[2]));
            for (size_t i = 0; i <= N; i++) {
                vfloat w = vf_load(s->w[i]);
                vf_store(in->low_terms[g][down][i],
                         vf_add(most, vf_mul(w, low)));
                vf_store(in->high_terms[g][down][i], vf_mul(w, high));
            }
        }
}

static struct iq1_best split_16_lanes(struct iq1_lanes *in)
{
    enum { N = GGKI_IQ1_M_RUN };
    struct iq1_best best = {vf_set(-FLT_MAX), vf_set(0), vf_set(-1)};
    vfloat all[2][2];

    set_terms_16(in, all);
    for (size_t low = 0; low <= N; low++)
        for (size_t high = low; high <= N; high++) {
            vfloat qx[2][2];
            vfloat q2[2][2];

            for (size_t g = 0; g < 2; g++) {
                struct iq1_sums *s = &in->sums[g];
                vfloat x = vf_add(vf_load(s->x[low]), vf_load(s->x[high]));

                for (size_t down = 0; down < 2; down++) {
                    qx[g][down] = vf_sub(all[g][down], x);
                    q2[g][down] =
                        vf_add(vf_load(in->low_terms[g][down][low]),
                               vf_load(in->high_terms[g][down][high]));
                }
            }
            for (size_t k = 0; k < 4; k++)
                best =
                    keep_better_split(best, vf_add(qx[0][k / 2], qx[1][k % 2]),
                                      vf_add(q2[0][k / 2], q2[1][k % 2]),
                                      (low * 64 + high) * 4 + k);
        }
    return best;
}

/* ------------------------------------------------------------------ points */

/* A ggki_iq1_nearest. */
static bool nearest_iq1(void *room, const struct ggki_iq1_run *r, size_t first,
                        float scale, const float *values, const uint16_t *list,
                        uint16_t *point)
{
    struct near_lanes *near = room;

    for (size_t i = 0; i < GGKI_IQ1_GROUP; i++)
        for (size_t level = 0; level < 3; level++) {
            float diff = scale * values[level] - r->x[first + i];
            near->parts[i * NEAR_LEVELS + level] =
                r->weights[first + i] * diff * diff;
        }
    return nearest_of(near, GGKI_IQ1_GROUP, list, point) < FLT_MAX;
}

/* The split of a lane, from how it was noted down. */
static void take_split(const struct iq1_lanes *in, size_t n, size_t lane,
                       unsigned which, float scale,
                       struct ggki_iq1_split *split)
{
    unsigned choice = which % 4;

    memcpy(split->order, in->order[lane], n);
    split->low = which / 4 / 64;
    split->high = which / 4 % 64;
    split->scale = scale;
    if (n == GGKI_IQ1_S_RUN)
        split->down = choice * 15; /* all groups, or none */
    else
        split->down = choice / 2 | choice % 2 << 1;
}

/* What is found for 16 runs. */
struct iq1_found {
    vrow max; /* of the magnitudes */
    vrow scale;
    vrow which;
    unsigned sound;
};

static void search_iq1(struct iq1_lanes *in, size_t n, struct iq1_found *found)
{
    vfloat max = vf_set(0);
    struct iq1_best best;

    for (size_t i = 0; i < n; i++)
        max = vf_max(max, vf_abs(vf_load(in->x[i])));
    found->sound = sound_lanes(in, n);
    put_in_order(in, n);
    sum_in_order(in, n, n == GGKI_IQ1_S_RUN ? 1 : 2);
    best = n == GGKI_IQ1_S_RUN ? split_32_lanes(in) : split_16_lanes(in);
    vf_store(found->max, max);
    vf_store(found->scale, best.scale);
    vf_store(found->which, best.which);
}

/* Run `i` of a super-block, from that lane. False where the scalar kernel has
 * to be asked. */
static bool take_iq1_run(struct iq1_lanes *in, const struct iq1_found *found,
                         const float *x, size_t n, size_t lane, size_t i,
                         struct ggki_iq1_super *super)
{
    const struct ggki_iq1_run r = {x, in->of_lanes + lane * n, n};
    uint16_t *places = super->places + i * n / GGKI_IQ1_GROUP;
    float least = n == GGKI_IQ1_S_RUN ? GGKI_IQ1_S_LEAST : GGKI_IQ1_M_LEAST;
    struct ggki_iq1_split split;

    if ((found->sound >> lane & 1) == 0)
        return false;
    if (found->max[lane] < least || found->which[lane] < 0)
        return true;
    if (!(fabsf(found->scale[lane]) < 1e30f))
        return false;
    take_split(in, n, lane, (unsigned)found->which[lane], found->scale[lane],
               &split);
    if (!ggki_iq1_find_points(&r, &split, nearest_iq1, &in->near, places))
        return false;
    super->scales[i] = split.scale;
    super->down[i] = (uint8_t)split.down;
    return true;
}

/* ------------------------------------------------------------------ blocks */

static void gather_iq1(const struct super_rows *rows, const float *mean_squares,
                       size_t first, size_t n, struct iq1_lanes *in)
{
    vfloat mean_square = runs_mean_square(mean_squares, first, GGKI_SUPER / n);

    gather_runs(rows->x, first, n, in->x);
    if (rows->has_importance) {
        gather_runs(rows->importance, first, n, in->weights);
        weigh_lanes(in->x, n, mean_square, in->weights);
    } else {
        for (size_t i = 0; i < n; i++) {
            vfloat x = vf_load(in->x[i]);
            vf_store(in->weights[i], vf_mul(x, x));
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            in->of_lanes[lane * n + i] = in->weights[i][lane];
}

/* A super-block whose first run is in lane `first`. */
static void put_iq1_block(struct iq1_lanes *in, const struct iq1_found *found,
                          const struct super_rows *rows, size_t k, size_t n,
                          size_t first, uint8_t *block)
{
    const float *importance = rows->has_importance ? rows->importance[k] : NULL;
    const float *x = rows->x[k];
    bool is_s = n == GGKI_IQ1_S_RUN;
    struct ggki_iq1_super super;

    memset(&super, 0, sizeof super);
    for (size_t i = 0; i < GGKI_SUPER / n; i++)
        if (!take_iq1_run(in, found, x + i * n, n, first + i, i, &super)) {
            if (is_s)
                ggki_quantize_iq1_s_generic(x, block, 1, GGKI_SUPER,
                                            importance);
            else
                ggki_quantize_iq1_m_generic(x, block, 1, GGKI_SUPER,
                                            importance);
            return;
        }
    if (is_s)
        ggki_iq1_s_put(&super, block);
    else
        ggki_iq1_m_put(&super, x, in->of_lanes, block);
}

/* Super-blocks that are worked on together. */
struct iq1_batch {
    struct iq1_lanes in;
    struct iq1_found found;
    struct super_rows rows;
};

static void quantize_iq1(size_t n, size_t bytes, const float *x,
                         uint8_t *blocks, size_t n_rows, size_t row_n,
                         const float *importance)
{
    size_t n_blocks = n_rows * (row_n / GGKI_SUPER);
    size_t runs = GGKI_SUPER / n;
    struct iq1_batch b;
    vrow mean_squares;

    for (size_t at = 0; at < n_blocks; at += LANES) {
        set_super_rows(&b.rows, x, importance, row_n, at, n_blocks);
        vf_store(mean_squares, super_mean_squares(&b.rows, 2));
        for (size_t first = 0; first < b.rows.n * runs; first += LANES) {
            gather_iq1(&b.rows, mean_squares, first, n, &b.in);
            search_iq1(&b.in, n, &b.found);
            for (size_t lane = 0; lane < LANES; lane += runs) {
                size_t k = (first + lane) / runs;

                if (k < b.rows.n)
                    put_iq1_block(&b.in, &b.found, &b.rows, k, n, lane,
                                  blocks + (at + k) * bytes);
            }
        }
    }
}

static void quantize_iq1_s(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    quantize_iq1(GGKI_IQ1_S_RUN, GGKI_IQ1_S_BYTES, x, blocks, n_rows, row_n,
                 importance);
}

static void quantize_iq1_m(const float *x, uint8_t *blocks, size_t n_rows,
                           size_t row_n, const float *importance)
{
    quantize_iq1(GGKI_IQ1_M_RUN, GGKI_IQ1_M_BYTES, x, blocks, n_rows, row_n,
                 importance);
}

#endif
