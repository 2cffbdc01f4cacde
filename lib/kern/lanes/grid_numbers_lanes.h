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

/* 16 numbers from number `at` on. */
LANES_INLINE vfloat grid_numbers(const struct ggki_grid_type *type,
                                 const uint16_t *points, unsigned dims,
                                 const struct ggki_grid_super *super,
                                 const float *values, size_t at)
{
    const uint16_t *places = super->places + at / dims;
    const uint8_t *signs = super->signs + at / 8;
    float scale =
        ggki_grid_scale(type, super->d, super->scales[at / type->run]);
    uint32_t first = points[places[0]];
    uint32_t second = points[places[1]];

    if (dims == 4) {
        first |= second << 12;
        second = points[places[2]] | (uint32_t)points[places[3]] << 12;
    }
    return negate_lanes(
        vf_mul(vf_set(scale), grid_values(values, dims, first, second)),
        signs[0] | (unsigned)signs[1] << 8);
}

LANES_INLINE void dequantize_grid(const struct ggki_grid_type *type,
                                  unsigned dims, const uint8_t *blocks,
                                  float *x, size_t n)
{
    const uint16_t *points = ggki_grid_points(type->grid)->points;
    struct ggki_grid_super super;

    for (; n > 0; n -= GGKI_SUPER, blocks += type->bytes) {
        super.d = load_half(blocks);
        type->unpack(blocks, &super);
        for (size_t at = 0; at < GGKI_SUPER; at += LANES, x += LANES)
            vf_store(
                x, grid_numbers(type, points, dims, &super, type->values, at));
    }
}

static void dequantize_iq2_xxs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_xxs, 8, blocks, x, n);
}

static void dequantize_iq2_xs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_xs, 8, blocks, x, n);
}

static void dequantize_iq2_s(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq2_s, 8, blocks, x, n);
}

static void dequantize_iq3_xxs(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq3_xxs, 4, blocks, x, n);
}

static void dequantize_iq3_s(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_grid(&ggki_grid_iq3_s, 4, blocks, x, n);
}

/* ---------------------------------------------------------- IQ1_S and IQ1_M */

/* The values of both shifts, at 0 and 4: bit 2 of an index is the shift. */
static const float iq1_values[8] = {-0.875f, 0.125f,  1.125f, 0,
                                    -1.125f, -0.125f, 0.875f, 0};

/* Two points; bit 0 of `downs` is the shift of the first, bit 1 of the second.
 */
LANES_INLINE void put_iq1_numbers(const uint16_t *points, unsigned first,
                                  unsigned second, vint downs, float scale,
                                  float *x)
{
    vint words = vi_halves(points[first], points[second]);
    vint levels = vi_and(vi_shr_by(words, vi_load_u8(shifts_of_8)), vi_set(3));

    vf_store(
        x, vf_mul(vf_set(scale), vf_lookup8(iq1_values, vi_or(levels, downs))));
}

static void dequantize_iq1_s(const uint8_t *blocks, float *x, size_t n)
{
    const uint16_t *points = ggki_points_iq1;

    for (; n > 0; n -= GGKI_SUPER, blocks += GGKI_IQ1_S_BYTES) {
        const uint8_t *low = blocks + GGKI_IQ1_S_LOW;
        const uint8_t *high = blocks + GGKI_IQ1_S_HIGH;
        float d = load_half(blocks);

        for (size_t i = 0; i < 8; i++, low += 4, high += 2, x += 32) {
            unsigned word = load_le16(high);
            float scale = d * (float)(2 * (word >> 12 & 7) + 1);
            vint downs = vi_set((int32_t)(word >> 15 << 2));

            put_iq1_numbers(points, low[0] | (word & 7) << 8,
                            low[1] | (word >> 3 & 7) << 8, downs, scale, x);
            put_iq1_numbers(points, low[2] | (word >> 6 & 7) << 8,
                            low[3] | (word >> 9 & 7) << 8, downs, scale,
                            x + 16);
        }
    }
}

static void dequantize_iq1_m(const uint8_t *blocks, float *x, size_t n)
{
    const uint16_t *points = ggki_points_iq1;

    for (; n > 0; n -= GGKI_SUPER, blocks += GGKI_IQ1_M_BYTES) {
        const uint8_t *high = blocks + GGKI_IQ1_M_HIGH;
        const uint8_t *scales = blocks + GGKI_IQ1_M_SCALES;
        float d = ggki_iq1_m_d(blocks);

        for (size_t i = 0; i < 16; i++, x += 16) {
            unsigned bits = high[i];
            unsigned word = load_le16(scales + i / 4 * 2);
            unsigned scale = word >> i % 4 * 3 & 7;
            vint downs =
                vi_halves((int32_t)(bits >> 1 & 4), (int32_t)(bits >> 5 & 4));

            put_iq1_numbers(points, blocks[2 * i] | (bits & 7) << 8,
                            blocks[2 * i + 1] | (bits >> 4 & 7) << 8, downs,
                            d * (float)(2 * scale + 1), x);
        }
    }
}

#endif
