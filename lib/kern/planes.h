/* planes.h - levels of less than a byte, as blocks hold them.
 *
 * A byte holds 8 / bits levels that are `stride` apart; so one plane of
 * `stride` bytes holds 8 / bits runs of as many levels, and the next plane what
 * follows. Wider levels are split over planes of several widths, by `shift`.
 */
#ifndef GGKI_PLANES_H
#define GGKI_PLANES_H

#include <stdint.h>

struct planes {
    int n;      /* levels, a multiple of 8 / bits * stride */
    int bits;   /* of a level in here: 1, 2 or 4 */
    int stride; /* between the levels of a byte */
    int shift;  /* of these bits in the level */
};

static inline void pack_planes(struct planes p, const uint8_t *levels,
                               uint8_t *bytes)
{
    int mask = (1 << p.bits) - 1;
    for (int at = 0; at < p.n; at += 8 / p.bits * p.stride)
        for (int i = 0; i < p.stride; i++) {
            int byte = 0;
            for (int k = 0; k < 8 / p.bits; k++)
                byte |= (levels[at + k * p.stride + i] >> p.shift & mask)
                        << p.bits * k;
            *bytes++ = (uint8_t)byte;
        }
}

/* Adds these bits to `levels`, which is zero where they go. */
static inline void unpack_planes(struct planes p, const uint8_t *bytes,
                                 uint8_t *levels)
{
    int mask = (1 << p.bits) - 1;
    for (int at = 0; at < p.n; at += 8 / p.bits * p.stride) {
        for (int k = 0; k < 8 / p.bits; k++)
            for (int i = 0; i < p.stride; i++)
                levels[at + k * p.stride + i] |=
                    (uint8_t)((bytes[i] >> p.bits * k & mask) << p.shift);
        bytes += p.stride;
    }
}

#endif
