/* grids.h - the grids of IQ1_*, IQ2_* and IQ3_*: the only combinations of
 * levels that 8 or 4 numbers of these types can have.
 *
 * A point is its levels, packed: that of number i from bit i * bits on. A code
 * is the levels of any combination as digits of a number, the first one lowest.
 */
#ifndef GGKI_GRIDS_H
#define GGKI_GRIDS_H

#include <stddef.h>
#include <stdint.h>

enum ggki_grid_id {
    GGKI_GRID_IQ1,
    GGKI_GRID_IQ2_XXS,
    GGKI_GRID_IQ2_XS,
    GGKI_GRID_IQ2_S,
    GGKI_GRID_IQ3_XXS,
    GGKI_GRID_IQ3_S,
    GGKI_GRIDS
};

enum { GGKI_NEAR_MAX = 292 }; /* points that are near a combination, at most */

extern const uint16_t ggki_points_iq1[2048];
extern const uint16_t ggki_points_iq2_xxs[256];
extern const uint16_t ggki_points_iq2_xs[512];
extern const uint16_t ggki_points_iq2_s[1024];
extern const uint16_t ggki_points_iq3_xxs[256];
extern const uint16_t ggki_points_iq3_s[512];

struct ggki_grid {
    const uint16_t *points;
    size_t n;
    unsigned dims;   /* numbers of a point */
    unsigned bits;   /* of a level in it */
    unsigned radix;  /* levels there are */
    unsigned shells; /* points at so many least distances are near */
    /* By the code: the number of the point; or of what is none ~i, where
     * lists[i] is how many points are near, and these follow: by distance, then
     * by number. */
    const int32_t *places;
    const uint16_t *lists;
};

/* The grid, with what it needs to quantize: places and lists are made when it
 * is asked for first. */
const struct ggki_grid *ggki_grid_of(enum ggki_grid_id id);

/* The grid, without these. */
const struct ggki_grid *ggki_grid_points(enum ggki_grid_id id);

static inline unsigned grid_level(const struct ggki_grid *g, unsigned point,
                                  unsigned i)
{
    return point >> g->bits * i & ((1u << g->bits) - 1);
}

static inline unsigned grid_code(const struct ggki_grid *g, unsigned point)
{
    unsigned code = 0;

    for (unsigned i = g->dims; i-- > 0;)
        code = code * g->radix + grid_level(g, point, i);
    return code;
}

#endif
