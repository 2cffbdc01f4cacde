/* near_lanes.h - points of a grid near a group of numbers that is none: one in
 * each lane.
 *
 * A distance is a sum of parts, one for each number. Since a number has few
 * levels, its parts are a table.
 */
#ifndef GGKI_NEAR_LANES_H
#define GGKI_NEAR_LANES_H

#include "kern/grids.h"
#include "kern/lanes/search_lanes.h"

enum {
    NEAR_LEVELS = 8,             /* of a number, at most */
    NEAR_PARTS = 8 * NEAR_LEVELS /* of a group of at most 8 numbers */
};

/* The parts of a group, by the number and the level, and room for distances. */
struct near_lanes {
    alignas(64) float parts[NEAR_PARTS];
    alignas(64) float distances[GGKI_NEAR_MAX + LANES];
};

/* Of number `i` of the points. */
LANES_INLINE vfloat near_lookup(unsigned dims, const float *table, vint points,
                                unsigned i)
{
    if (dims == 8)
        return vf_lookup4(table, vi_shr(points, (int)(2 * i)));
    return vf_lookup8(table, vi_shr(points, (int)(3 * i)));
}

LANES_INLINE vfloat distances_of(unsigned dims, const float *parts,
                                 const uint16_t *list)
{
    vint points = vi_load_16(list);
    vfloat sum = near_lookup(dims, parts, points, 0);

    for (unsigned i = 1; i < dims; i++)
        sum = vf_add(
            sum, near_lookup(dims, parts + (size_t)i * NEAR_LEVELS, points, i));
    return sum;
}

/* The first of the least distance, of more than 16. */
static float nearest_of_many(struct near_lanes *near, unsigned dims,
                             const uint16_t *list, size_t n, uint16_t *point)
{
    vfloat infinite = vf_set(INFINITY);
    vfloat least = infinite;
    unsigned bits;

    for (size_t at = 0; at < n; at += LANES) {
        vfloat d = dims == 8 ? distances_of(8, near->parts, list + at)
                             : distances_of(4, near->parts, list + at);
        d = vf_select(vm_first((int)(n - at)), d, infinite);
        vf_store(near->distances + at, d);
        least = vf_min(d, least);
    }

    float value = vf_least(least);
    const float *at = near->distances;
    while ((bits = vm_bits(vf_equal(vf_load(at), vf_set(value)))) == 0)
        at += LANES;
    *point = list[(size_t)(at - near->distances) + lowest_bit(bits)];
    return value;
}

/* The first point of the least distance, which is returned: infinite if none
 * has one. */
LANES_INLINE float nearest_of(struct near_lanes *near, unsigned dims,
                              const uint16_t *list, uint16_t *point)
{
    size_t n = *list++;

    if (n > LANES)
        return nearest_of_many(near, dims, list, n, point);

    vfloat d =
        vf_select(vm_first((int)n), distances_of(dims, near->parts, list),
                  vf_set(INFINITY));
    float least = vf_least(d);
    *point = list[lowest_bit(vm_bits(vf_equal(d, vf_set(least))))];
    return least;
}

#endif
