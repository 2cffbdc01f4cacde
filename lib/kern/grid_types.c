/* grid_types.c - IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S: their blocks, and the
 * numbers of these.
 */
#include "kern/grid_types.h"

#include <string.h>

#include "kern/round.h"

#define IQ2_VALUES \
    {              \
        8, 25, 43  \
    }
#define IQ3_XXS_VALUES                \
    {                                 \
        4, 12, 20, 28, 36, 44, 52, 62 \
    }
#define IQ3_S_VALUES              \
    {                             \
        1, 3, 5, 7, 9, 11, 13, 15 \
    }

/* --------------------------------------------------------------- unpacking */

/* d; for each run of 32 a byte for each point, and a word. */
enum { IQ2_XXS_BYTES = 66 };

/* d; low bytes of the points, signs, high bits of the points, the scales. */
enum {
    IQ2_S_SIGNS = 34,
    IQ2_S_HIGH = 66,
    IQ2_S_SCALES = 74,
    IQ2_S_BYTES = 82,
};

/* d; a byte for each point; a word for each run of 32. */
enum { IQ3_XXS_WORDS = 66, IQ3_XXS_BYTES = 98 };

void ggki_grid_unpack_scales(const uint8_t *in, size_t n,
                             struct ggki_grid_super *super)
{
    for (size_t i = 0; i < n; i++) {
        super->scales[2 * i] = in[i] & 15;
        super->scales[2 * i + 1] = in[i] >> 4;
    }
}

/* Eight octets of signs, of each of which 7 are there: the last one makes their
 * number even. */
static void unpack_signs(uint64_t sevens, uint8_t *signs)
{
    uint64_t odd = sevens ^ sevens >> 4;

    odd ^= odd >> 2;
    odd ^= odd >> 1;
    store_u64(signs, sevens | (odd & 0x0101010101010101) << 7, false);
}

/* Of run `i` and the next, the signs and the scales: of two words. */
static void unpack_words(uint64_t words, size_t i,
                         struct ggki_grid_super *super)
{
    uint64_t sevens = 0;

    for (int k = 0; k < 4; k++)
        sevens |= (words & (uint64_t)0x7f0000007f << 7 * k) << k;
    unpack_signs(sevens, super->signs + 4 * i);
    super->scales[i] = words >> 28 & 15;
    super->scales[i + 1] = (uint8_t)(words >> 60);
}

static void unpack_iq2_xxs(const uint8_t *block, struct ggki_grid_super *super)
{
    const uint8_t *in = block + 2;

    for (size_t i = 0; i < 8; i += 2, in += 16) {
        uint64_t second = load_le32(in + 12);

        for (size_t k = 0; k < 4; k++) {
            super->places[4 * i + k] = in[k];
            super->places[4 * i + 4 + k] = in[8 + k];
        }
        unpack_words(load_le32(in + 4) | second << 32, i, super);
    }
}

static void unpack_iq2_xs(const uint8_t *block, struct ggki_grid_super *super)
{
    for (size_t i = 0; i < 32; i += 8) {
        uint64_t sevens = 0;

        for (size_t k = 0; k < 8; k++) {
            unsigned word = load_le16(block + 2 + 2 * (i + k));

            super->places[i + k] = word & 511;
            sevens |= (uint64_t)(word >> 9) << 8 * k;
        }
        unpack_signs(sevens, super->signs + i);
    }
    ggki_grid_unpack_scales(block + GGKI_IQ2_XS_SCALES, 8, super);
}

static void unpack_iq2_s(const uint8_t *block, struct ggki_grid_super *super)
{
    for (size_t i = 0; i < 32; i += 4) {
        unsigned high = block[IQ2_S_HIGH + i / 4];

        for (size_t k = 0; k < 4; k++)
            super->places[i + k] =
                (uint16_t)(block[2 + i + k] | (high >> 2 * k & 3) << 8);
    }
    memcpy(super->signs, block + IQ2_S_SIGNS, 32);
    ggki_grid_unpack_scales(block + IQ2_S_SCALES, 8, super);
}

static void unpack_iq3_xxs(const uint8_t *block, struct ggki_grid_super *super)
{
    for (size_t i = 0; i < 64; i++)
        super->places[i] = block[2 + i];
    for (size_t i = 0; i < 8; i += 2)
        unpack_words(load_le64(block + IQ3_XXS_WORDS + 4 * i), i, super);
}

static void unpack_iq3_s(const uint8_t *block, struct ggki_grid_super *super)
{
    for (size_t i = 0; i < 64; i += 8) {
        unsigned high = block[GGKI_IQ3_S_HIGH + i / 8];

        for (size_t k = 0; k < 8; k++)
            super->places[i + k] =
                (uint16_t)(block[2 + i + k] | (high << (8 - k) & 256));
    }
    memcpy(super->signs, block + GGKI_IQ3_S_SIGNS, 32);
    ggki_grid_unpack_scales(block + GGKI_IQ3_S_SCALES, 4, super);
}

/* ------------------------------------------------------------------ scales */

void ggki_grid_put(const struct ggki_grid_type *type, const float *scales,
                   struct ggki_grid_super *super, uint8_t *block)
{
    float max = 0;

    for (size_t i = 0; i < GGKI_RUNS; i++)
        max = max_f32(max, scales[i]);
    memset(super->scales, 0, sizeof super->scales);
    if (max == 0 && !type->keeps)
        *super = (struct ggki_grid_super){.empty = super->empty};

    float d = max / 31;
    super->d = d * type->stretch;
    for (size_t i = 0; i < GGKI_RUNS && max != 0; i++)
        super->scales[i] = (uint8_t)clamp_int(
            nearest_int(0.5f * (1 / d * scales[i] - 1)), 0, 15);
    store_f16(block, super->d);
    type->pack(super, block);
}

/* Four bits each. */
static void pack_scales(const struct ggki_grid_super *super, size_t n,
                        uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] =
            (uint8_t)(super->scales[2 * i] | super->scales[2 * i + 1] << 4);
}

/* Seven signs of each of four octets, and the scale: of run `i`, in an u32. */
static uint32_t pack_word(const struct ggki_grid_super *super, size_t i)
{
    uint32_t word = (uint32_t)super->scales[i] << 28;

    for (size_t k = 0; k < 4; k++)
        word |= (uint32_t)(super->signs[4 * i + k] & 127) << 7 * k;
    return word;
}

/* ----------------------------------------------------------------- IQ2_XXS */

static void pack_iq2_xxs(const struct ggki_grid_super *super, uint8_t *block)
{
    uint8_t *out = block + 2;

    for (size_t i = 0; i < 8; i++, out += 8) {
        for (size_t k = 0; k < 4; k++)
            out[k] = (uint8_t)super->places[4 * i + k];
        store_u32(out + 4, pack_word(super, i), false);
    }
}

const struct ggki_grid_type ggki_grid_iq2_xxs = {
    .grid = GGKI_GRID_IQ2_XXS,
    .bytes = IQ2_XXS_BYTES,
    .run = 32,
    .values = IQ2_VALUES,
    .unit = 0.125f,
    .parity = true,
    .least = 1e-15f,
    .spread = 1,
    .sweep = true,
    .steps = 6,
    .step = 0.1f,
    .again = GGKI_AGAIN_ALL,
    .stretch = 1,
    .pack = pack_iq2_xxs,
    .unpack = unpack_iq2_xxs,
};

/* ------------------------------------------------------------------ IQ2_XS */

static void pack_iq2_xs(const struct ggki_grid_super *super, uint8_t *block)
{
    for (size_t i = 0; i < 32; i++)
        store_u16(block + 2 + 2 * i,
                  (uint16_t)(super->places[i] | super->signs[i] << 9), false);
    pack_scales(super, 8, block + GGKI_IQ2_XS_SCALES);
}

const struct ggki_grid_type ggki_grid_iq2_xs = {
    .grid = GGKI_GRID_IQ2_XS,
    .bytes = GGKI_IQ2_XS_BYTES,
    .run = 16,
    .values = IQ2_VALUES,
    .unit = 0.125f,
    .parity = true,
    .least = 1e-15f,
    .spread = 1,
    .steps = 9,
    .step = 0.1f,
    .again = GGKI_AGAIN_OFF,
    .stretch = 1,
    .pack = pack_iq2_xs,
    .unpack = unpack_iq2_xs,
};

/* ------------------------------------------------------------------- IQ2_S */

static void pack_iq2_s(const struct ggki_grid_super *super, uint8_t *block)
{
    memset(block + IQ2_S_HIGH, 0, IQ2_S_SCALES - IQ2_S_HIGH);
    for (size_t i = 0; i < 32; i++) {
        block[2 + i] = (uint8_t)super->places[i];
        block[IQ2_S_HIGH + i / 4] |=
            (uint8_t)(super->places[i] >> 8 << i % 4 * 2);
    }
    memcpy(block + IQ2_S_SIGNS, super->signs, 32);
    pack_scales(super, 8, block + IQ2_S_SCALES);
}

const struct ggki_grid_type ggki_grid_iq2_s = {
    .grid = GGKI_GRID_IQ2_S,
    .bytes = IQ2_S_BYTES,
    .run = 16,
    .values = IQ2_VALUES,
    .unit = 0.125f,
    .least = 1e-8f,
    .spread = 2,
    .base = 0.25f,
    .steps = 9,
    .step = 0.1f,
    .again = GGKI_AGAIN_OFF,
    .keeps = true,
    .stretch = 0.9875f,
    .pack = pack_iq2_s,
    .unpack = unpack_iq2_s,
};

/* ----------------------------------------------------------------- IQ3_XXS */

static void pack_iq3_xxs(const struct ggki_grid_super *super, uint8_t *block)
{
    for (size_t i = 0; i < 64; i++)
        block[2 + i] = (uint8_t)super->places[i];
    for (size_t i = 0; i < 8; i++)
        store_u32(block + IQ3_XXS_WORDS + 4 * i, pack_word(super, i), false);
}

const struct ggki_grid_type ggki_grid_iq3_xxs = {
    .grid = GGKI_GRID_IQ3_XXS,
    .bytes = IQ3_XXS_BYTES,
    .run = 32,
    .values = IQ3_XXS_VALUES,
    .unit = 0.25f,
    .parity = true,
    .least = 1e-8f,
    .spread = 2,
    .steps = 15,
    .step = 0.2f,
    .again = GGKI_AGAIN_OFF,
    .stretch = 1.0125f,
    .pack = pack_iq3_xxs,
    .unpack = unpack_iq3_xxs,
};

/* ------------------------------------------------------------------- IQ3_S */

/* After a run that is taken for 0, the low bytes and the signs of the others
 * move up, as in the reference. Their high bits do not. */
static void pack_iq3_s(const struct ggki_grid_super *super, uint8_t *block)
{
    uint8_t *low = block + 2;
    uint8_t *signs = block + GGKI_IQ3_S_SIGNS;

    memset(low, 0, GGKI_IQ3_S_SCALES - 2);
    for (size_t run = 0; run < 8; run++) {
        const uint16_t *places = super->places + 8 * run;

        if ((super->empty >> run & 1) != 0)
            continue;
        for (size_t i = 0; i < 8; i++) {
            *low++ = (uint8_t)places[i];
            block[GGKI_IQ3_S_HIGH + run] |= (uint8_t)(places[i] >> 8 << i);
        }
        memcpy(signs, super->signs + 4 * run, 4);
        signs += 4;
    }
    pack_scales(super, 4, block + GGKI_IQ3_S_SCALES);
}

const struct ggki_grid_type ggki_grid_iq3_s = {
    .grid = GGKI_GRID_IQ3_S,
    .bytes = GGKI_IQ3_S_BYTES,
    .run = 32,
    .values = IQ3_S_VALUES,
    .unit = 1,
    .least = 0x1p-149f, /* the least there is */
    .spread = 2,
    .steps = 9,
    .step = 0.2f,
    .again = GGKI_AGAIN_IF_OFF,
    .keeps = true,
    .stretch = 1.033f,
    .pack = pack_iq3_s,
    .unpack = unpack_iq3_s,
};

/* -------------------------------------------------------------- dequantize */

/* The numbers of a point: `values` are those of its levels, then their
 * opposites. */
static inline void put_point(const float *values, unsigned dims, unsigned bits,
                             unsigned point, unsigned signs, float *x)
{
    for (unsigned i = 0; i < dims; i++) {
        unsigned level = point >> bits * i & ((1u << bits) - 1);
        x[i] = values[level | (signs >> i & 1) << bits];
    }
}

static inline void put_numbers(const struct ggki_grid_type *type, unsigned dims,
                               unsigned bits,
                               const struct ggki_grid_super *super, float *x)
{
    const uint16_t *points = ggki_grid_points(type->grid)->points;
    const uint16_t *places = super->places;
    float values[2 * 8];

    for (size_t run = 0; run < GGKI_SUPER / type->run; run++) {
        float scale = ggki_grid_scale(type, super->d, super->scales[run]);
        const uint8_t *signs = super->signs + run * type->run / 8;

        for (unsigned k = 0; k < 1u << bits; k++) {
            values[k] = scale * type->values[k];
            values[k | 1u << bits] = -values[k];
        }
        for (size_t i = 0; i < type->run; i += 8, x += 8, places += 8 / dims) {
            put_point(values, dims, bits, points[places[0]], *signs, x);
            if (dims == 4)
                put_point(values, dims, bits, points[places[1]], *signs >> 4,
                          x + 4);
            signs++;
        }
    }
}

static void dequantize(const struct ggki_grid_type *type, const uint8_t *blocks,
                       float *x, size_t n)
{
    bool eight = ggki_grid_points(type->grid)->dims == 8;
    struct ggki_grid_super super;

    for (; n > 0; n -= GGKI_SUPER, x += GGKI_SUPER, blocks += type->bytes) {
        super.d = load_f16(blocks);
        type->unpack(blocks, &super);
        if (eight)
            put_numbers(type, 8, 2, &super, x);
        else
            put_numbers(type, 4, 3, &super, x);
    }
}

void ggki_dequantize_iq2_xxs_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_grid_iq2_xxs, blocks, x, n);
}

void ggki_dequantize_iq2_xs_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_grid_iq2_xs, blocks, x, n);
}

void ggki_dequantize_iq2_s_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_grid_iq2_s, blocks, x, n);
}

void ggki_dequantize_iq3_xxs_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_grid_iq3_xxs, blocks, x, n);
}

void ggki_dequantize_iq3_s_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize(&ggki_grid_iq3_s, blocks, x, n);
}
