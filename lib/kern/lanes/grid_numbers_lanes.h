/* grid_numbers_lanes.h - numbers of the blocks of IQ1_*, IQ2_* and IQ3_*: those
 * of grid_types.c and iq1.c, a number in each lane.
 */
#ifndef GGKI_GRID_NUMBERS_LANES_H
#define GGKI_GRID_NUMBERS_LANES_H

#include "kern/grid_types.h"
#include "kern/iq1.h"

/* By how much the levels of two points of 8 numbers are shifted, or of two
 * pairs of points of 4; and the number of each lane. */
static const uint8_t shifts_of_8[LANES] = {0, 2, 4, 6, 8, 10, 12, 14,
                                           0, 2, 4, 6, 8, 10, 12, 14};
static const uint8_t shifts_of_4[LANES] = {0, 3, 6, 9, 12, 15, 18, 21,
                                           0, 3, 6, 9, 12, 15, 18, 21};
static const uint8_t lane_numbers[LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                            8, 9, 10, 11, 12, 13, 14, 15};

/* From the block, all but d. */
typedef void grid_unpack(const uint8_t *block, struct ggki_grid_super *super);

/* The values of 16 numbers, of which two words have the levels. */
LANES_INLINE vfloat grid_values(const float *values, unsigned dims,
                                uint32_t first, uint32_t second)
{
    vint words = vi_halves((int32_t)first, (int32_t)second);

    if (dims == 8)
        return vf_lookup4(values, vi_shr_by(words, vi_load_u8(shifts_of_8)));
    return vf_lookup8(values, vi_shr_by(words, vi_load_u8(shifts_of_4)));
}

/* Where a bit of `signs` is set, its lane is negated: the highest bit of the
 * sum is turned. */
LANES_INLINE vfloat negate_lanes(vfloat x, unsigned signs)
{
    vint bits = vi_shr_by(vi_set((int32_t)signs), vi_load_u8(lane_numbers));
    return vi_as_float(vi_add(vf_bits(x), vi_shl(bits, 31)));
}

/* 16 numbers from number `at` on, of the values of levels. */
LANES_INLINE vfloat grid_numbers(const float *values, unsigned dims,
                                 const uint16_t *points,
                                 const struct ggki_grid_super *super, size_t at)
{
    const uint16_t *places = super->places + at / dims;
    uint32_t first = points[places[0]];
    uint32_t second = points[places[1]];

    if (dims == 4) {
        first |= second << 12;
        second = points[places[2]] | (uint32_t)points[places[3]] << 12;
    }
    return negate_lanes(grid_values(values, dims, first, second),
                        load_le16(super->signs + at / 8));
}

/* The unpacking of grid_types.c. */
LANES_INLINE void unpack_iq2_xs(const uint8_t *block,
                                struct ggki_grid_super *super)
{
    for (size_t i = 0; i < GGKI_SUPER / 8; i += LANES) {
        vint words = vi_load_u16(block + 2 + 2 * i);
        vint sevens = vi_shr(words, 9);
        vint odd = vi_xor(sevens, vi_shr(sevens, 4));

        odd = vi_xor(odd, vi_shr(odd, 2));
        odd = vi_xor(odd, vi_shr(odd, 1));
        vi_save_16(super->places + i, vi_and(words, vi_set(511)));
        vi_store_8(super->signs + i, vi_or(sevens, vi_shl(odd, 7)));
    }
    ggki_grid_unpack_scales(block + GGKI_IQ2_XS_SCALES, 8, super);
}

LANES_INLINE void unpack_iq3_s(const uint8_t *block,
                               struct ggki_grid_super *super)
{
    for (size_t i = 0; i < GGKI_SUPER / 4; i += LANES) {
        vint high = vi_spread(load_le16(block + GGKI_IQ3_S_HIGH + i / 8));

        vi_save_16(super->places + i,
                   vi_or(vi_load_u8(block + 2 + i), vi_shl(high, 8)));
    }
    memcpy(super->signs, block + GGKI_IQ3_S_SIGNS, sizeof super->signs);
    ggki_grid_unpack_scales(block + GGKI_IQ3_S_SCALES, 4, super);
}

LANES_INLINE void dequantize_grid(const struct ggki_grid_type *type,
                                  unsigned dims, size_t run,
                                  grid_unpack *unpack, const uint8_t *blocks,
                                  float *x, size_t n)
{
    const uint16_t *points = ggki_grid_points(type->grid)->points;
    struct ggki_grid_super super;
    vrow values;

    for (; n > 0; n -= GGKI_SUPER, blocks += type->bytes) {
        super.d = load_half(blocks);
        unpack(blocks, &super);
        for (size_t i = 0; i < GGKI_SUPER / run; i++) {
            float scale = ggki_grid_scale(type, super.d, super.scales[i]);

            vf_store(values, vf_mul(vf_set(scale), vf_load(type->values)));
            for (size_t at = i * run; at < (i + 1) * run; at += LANES)
                vf_store(x + at,
                         grid_numbers(values, dims, points, &super, at));
        }
        x += GGKI_SUPER;
    }
}

static void dequantize_iq2_xxs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_xxs, 8, 32, ggki_grid_iq2_xxs.unpack, blocks,
                    x, n);
}

static void dequantize_iq2_xs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_xs, 8, 16, unpack_iq2_xs, blocks, x, n);
}

static void dequantize_iq2_s(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_s, 8, 16, ggki_grid_iq2_s.unpack, blocks, x,
                    n);
}

static void dequantize_iq3_xxs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq3_xxs, 4, 32, ggki_grid_iq3_xxs.unpack, blocks,
                    x, n);
}

static void dequantize_iq3_s(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq3_s, 4, 32, unpack_iq3_s, blocks, x, n);
}

/* ---------------------------------------------------------- IQ1_S and IQ1_M */

static const float iq1_levels[4] = {-1, 0, 1, 0};
static const float iq1_shifts[2] = {0.125f, -0.125f}; /* up and down */

/* Two points and their shifts. */
LANES_INLINE void put_iq1_numbers(unsigned first, unsigned second,
                                  vfloat shifts, float scale, float *x)
{
    vfloat levels = grid_values(iq1_levels, 8, ggki_points_iq1[first],
                                ggki_points_iq1[second]);

    vf_store(x, vf_mul(vf_set(scale), vf_add(levels, shifts)));
}

static void dequantize_iq1_s(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER, blocks += GGKI_IQ1_S_BYTES) {
        const uint8_t *low = blocks + GGKI_IQ1_S_LOW;
        const uint8_t *high = blocks + GGKI_IQ1_S_HIGH;
        float d = load_half(blocks);

        for (size_t i = 0; i < 8; i++, low += 4, high += 2, x += 32) {
            unsigned word = load_le16(high);
            float scale = d * (float)(2 * (word >> 12 & 7) + 1);
            vfloat shifts = vf_set(iq1_shifts[word >> 15]);

            put_iq1_numbers(low[0] | (word & 7) << 8,
                            low[1] | (word >> 3 & 7) << 8, shifts, scale, x);
            put_iq1_numbers(low[2] | (word >> 6 & 7) << 8,
                            low[3] | (word >> 9 & 7) << 8, shifts, scale,
                            x + 16);
        }
    }
}

static void dequantize_iq1_m(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= GGKI_SUPER, blocks += GGKI_IQ1_M_BYTES) {
        const uint8_t *high = blocks + GGKI_IQ1_M_HIGH;
        const uint8_t *scales = blocks + GGKI_IQ1_M_SCALES;
        float d = ggki_iq1_m_d(blocks);

        for (size_t i = 0; i < 16; i++, x += 16) {
            unsigned bits = high[i];
            unsigned word = load_le16(scales + i / 4 * 2);
            unsigned scale = word >> i % 4 * 3 & 7;
            vfloat shifts =
                vf_halves(iq1_shifts[bits >> 3 & 1], iq1_shifts[bits >> 7]);

            put_iq1_numbers(blocks[2 * i] | (bits & 7) << 8,
                            blocks[2 * i + 1] | (bits >> 4 & 7) << 8, shifts,
                            d * (float)(2 * scale + 1), x);
        }
    }
}

#endif
