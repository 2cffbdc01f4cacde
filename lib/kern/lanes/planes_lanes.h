/* planes_lanes.h - levels of less than a byte, as blocks hold them: planes.h,
 * 16 levels at once.
 */
#ifndef GGKI_PLANES_LANES_H
#define GGKI_PLANES_LANES_H

#include <stddef.h>

#include "kern/planes.h"

/* The bits of one plane, in their place, of the levels from number `at` on, a
 * multiple of 16. */
LANES_INLINE vint plane_levels(struct planes p, const uint8_t *bytes, int at)
{
    int per_plane = 8 / p.bits * p.stride;
    int plane = at / per_plane;
    int run = at % per_plane / p.stride;
    size_t byte = (size_t)(plane * p.stride + at % p.stride);
    vint held = vi_load_u8(bytes + byte);
    vint bits = vi_and(vi_shr(held, p.bits * run), vi_set((1 << p.bits) - 1));
    return vi_shl(bits, p.shift);
}

LANES_INLINE void pack_planes_lanes(struct planes p, const uint8_t *levels,
                                    uint8_t *bytes)
{
    vint mask = vi_set((1 << p.bits) - 1);

    for (int at = 0; at < p.n; at += 8 / p.bits * p.stride)
        for (int i = 0; i < p.stride; i += LANES) {
            vint byte = vi_set(0);
            for (int k = 0; k < 8 / p.bits; k++) {
                size_t number = (size_t)(at + k * p.stride + i);
                vint level = vi_load_u8(levels + number);
                vint bits = vi_and(vi_shr(level, p.shift), mask);
                byte = vi_or(byte, vi_shl(bits, p.bits * k));
            }
            vi_store_8(bytes, byte);
            bytes += LANES;
        }
}

#endif
