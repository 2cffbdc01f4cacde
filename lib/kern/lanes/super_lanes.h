/* super_lanes.h - super-blocks of 256 numbers, spread over lanes: a run of a
 * super-block in each, or a super-block in each.
 */
#ifndef GGKI_SUPER_LANES_H
#define GGKI_SUPER_LANES_H

#include "kern/k_quants.h"
#include "kern/lanes/search_lanes.h"

/* Where the numbers of `n` super-blocks are, and what weighs them. Lanes that
 * are left over have those of the first. */
struct super_rows {
    size_t n; /* 1 to LANES */
    bool has_importance;
    const float *x[LANES];
    const float *importance[LANES];
};

LANES_INLINE size_t super_of_lane(const struct super_rows *rows, size_t lane)
{
    return lane < rows->n ? lane : 0;
}

/* Super-blocks from number `first` on, of `n` in all. */
static void set_super_rows(struct super_rows *rows, const float *x,
                           const float *importance, size_t row_n, size_t first,
                           size_t n)
{
    rows->n = n - first < LANES ? n - first : LANES;
    rows->has_importance = importance != NULL;
    for (size_t lane = 0; lane < LANES; lane++) {
        size_t at = (first + super_of_lane(rows, lane)) * GGKI_SUPER;

        rows->x[lane] = x + at;
        rows->importance[lane] = importance ? importance + at % row_n : NULL;
    }
}

/* The numbers of run `first` in lane 0, and of the next ones in the others. */
LANES_INLINE void gather_runs(const float *const *supers, size_t first,
                              size_t run, vrow *out)
{
    size_t runs = GGKI_SUPER / run;
    const float *rows[LANES];

    for (size_t lane = 0; lane < LANES; lane++) {
        size_t at = first + lane;
        rows[lane] = supers[at / runs] + at % runs * run;
    }
    lanes_gather(rows, run, out);
}

/* The sum of the squares, of each super-block. */
static vfloat super_sum_squares(const struct super_rows *rows)
{
    enum { STEP = 16 };
    alignas(64) vrow numbers[STEP];
    vfloat sum = vf_set(0);

    for (size_t at = 0; at < GGKI_SUPER; at += STEP) {
        const float *from[LANES];

        for (size_t lane = 0; lane < LANES; lane++)
            from[lane] = rows->x[lane] + at;
        lanes_gather(from, STEP, numbers);
        for (size_t i = 0; i < STEP; i++) {
            vfloat x = vf_load(numbers[i]);
            sum = vf_add(sum, vf_mul(x, x));
        }
    }
    return sum;
}

/* share * the mean of the squares. */
LANES_INLINE vfloat super_mean_squares(const struct super_rows *rows,
                                       float share)
{
    vfloat sum = super_sum_squares(rows);
    return vf_div(vf_mul(vf_set(share), sum), vf_set(GGKI_SUPER));
}

/* That of the super-block of each run. */
LANES_INLINE vfloat runs_mean_square(const float *mean_squares, size_t first,
                                     size_t runs)
{
    vrow of_runs;

    for (size_t lane = 0; lane < LANES; lane++)
        of_runs[lane] = mean_squares[(first + lane) / runs];
    return vf_load(of_runs);
}

#endif
