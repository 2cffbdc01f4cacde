/* legacy_lanes.h - Q4_0, Q4_1, Q5_0, Q5_1, Q8_0: the kernels of legacy.c, a
 * number in each lane; to search with importance, a block in each.
 */
#ifndef GGKI_LEGACY_LANES_H
#define GGKI_LEGACY_LANES_H

#include <float.h>
#include <math.h>

#include "kern/kernels.h"
#include "kern/lanes/search_lanes.h"

enum { LEGACY_N = 2 * LANES }; /* numbers in a block */

/* How a type differs from the others. */
struct legacy {
    int bits; /* of a level: 4 or 5 */
    size_t bytes;
    size_t levels_pos; /* in the block */
    ggki_quantize *scalar;
    ggki_dequantize *scalar_back;
};

static const struct legacy legacy_q4_0 = {4, 18, 2, ggki_quantize_q4_0_generic,
                                          ggki_dequantize_q4_0_generic};
static const struct legacy legacy_q4_1 = {4, 20, 4, ggki_quantize_q4_1_generic,
                                          ggki_dequantize_q4_1_generic};
static const struct legacy legacy_q5_0 = {5, 22, 2, ggki_quantize_q5_0_generic,
                                          ggki_dequantize_q5_0_generic};
static const struct legacy legacy_q5_1 = {5, 24, 4, ggki_quantize_q5_1_generic,
                                          ggki_dequantize_q5_1_generic};

LANES_INLINE uint32_t fifth_bits(vint levels)
{
    return vm_bits(vi_equal(vi_shr(levels, 4), vi_set(1)));
}

/* The levels of the first half, and of the second. */
LANES_INLINE void put_legacy_levels(uint8_t *out, vint first, vint second,
                                    int bits)
{
    if (bits == 5) {
        store_u32(out, fifth_bits(first) | fifth_bits(second) << LANES, false);
        out += 4;
    }
    first = vi_and(first, vi_set(15));
    vi_store_8(out, vi_or(first, vi_shl(vi_and(second, vi_set(15)), 4)));
}

/* ----------------------------------------------------- without importance */

/* The number of the first of a block's numbers that is `value`. */
LANES_INLINE unsigned first_equal(vfloat first, vfloat second, float value)
{
    vfloat all = vf_set(value);
    return lowest_bit(vm_bits(vf_equal(first, all)) |
                      vm_bits(vf_equal(second, all)) << LANES);
}

LANES_INLINE bool has_nan(vfloat first, vfloat second)
{
    vmask numbers = vm_and(vf_equal(first, first), vf_equal(second, second));
    return vm_bits(numbers) != LANES_ALL;
}

/* None is that of a NaN, which is INT32_MIN. */
LANES_INLINE bool are_levels(vint first, vint second)
{
    return vi_signs(vi_or(first, second)) == 0;
}

/* Whether all levels are what they should be, and so fit into a byte. */
LANES_INLINE bool is_usual(float scale, float inverse)
{
    return fabsf(scale) <= FLT_MAX && fabsf(inverse) <= FLT_MAX;
}

/* The peak has level 0. False if the scalar kernel has to do the block. */
LANES_INLINE bool quantize_symmetric(const struct legacy *type, const float *x,
                                     uint8_t *block)
{
    int half = 1 << (type->bits - 1);
    vfloat first = vf_load(x);
    vfloat second = vf_load(x + LANES);
    vfloat a = vf_abs(first);
    vfloat b = vf_abs(second);
    float size = vf_largest(vf_max(a, b));
    float peak = size > 0 ? x[first_equal(a, b, size)] : 0;
    float scale = peak / -(float)half;
    float inverse = inverse_or_0(scale);
    vfloat factor = vf_set(inverse);
    vfloat middle = vf_set((float)half + 0.5f);
    vint low = vf_truncate(vf_add(vf_mul(first, factor), middle));
    vint high = vf_truncate(vf_add(vf_mul(second, factor), middle));
    vint top = vi_set(2 * half - 1);

    store_f16(block, scale);
    put_legacy_levels(block + type->levels_pos, vi_min(low, top),
                      vi_min(high, top), type->bits);
    return is_usual(scale, inverse) && are_levels(low, high);
}

/* The least number has level 0, the largest the top one. Of several zeros the
 * first one's sign is stored. */
LANES_INLINE bool quantize_offset(const struct legacy *type, const float *x,
                                  uint8_t *block)
{
    int top = (1 << type->bits) - 1;
    vfloat first = vf_load(x);
    vfloat second = vf_load(x + LANES);
    float min = vf_least(vf_min(first, second));
    float max = vf_largest(vf_max(first, second));
    float scale = (max - min + 0.0f) / (float)top; /* + 0: not -0 */
    float inverse = inverse_or_0(scale);
    vfloat factor = vf_set(inverse);
    vfloat base = vf_set(min);
    vfloat half = vf_set(0.5f);
    vint low = vf_truncate(vf_add(vf_mul(vf_sub(first, base), factor), half));
    vint high = vf_truncate(vf_add(vf_mul(vf_sub(second, base), factor), half));

    if (min == 0)
        min = x[first_equal(first, second, min)];
    store_f16(block, scale);
    store_f16(block + 2, min);
    put_legacy_levels(block + type->levels_pos, vi_min(low, vi_set(top)),
                      vi_min(high, vi_set(top)), type->bits);
    return is_usual(scale, inverse) && are_levels(low, high);
}

LANES_INLINE void quantize_plain(const struct legacy *type, bool has_min,
                                 const float *x, uint8_t *blocks, size_t n)
{
    for (size_t i = 0; i < n; i += LEGACY_N, blocks += type->bytes) {
        bool done = has_min ? quantize_offset(type, x + i, blocks)
                            : quantize_symmetric(type, x + i, blocks);
        if (!done)
            type->scalar(x + i, blocks, 1, LEGACY_N, NULL);
    }
}

/* -------------------------------------------------------- with importance */

/* Rows that are worked on together. A row where a lane may not be trusted is
 * for the scalar kernel. */
struct legacy_rows {
    const float *x;
    const float *importance;
    uint8_t *blocks;
    size_t n; /* rows, 1 to LANES */
    size_t row_n;
    vrow mean_squares;
    bool trusted[LANES];
};

/* The sum of a row is one long chain: a row in each lane. */
static void set_mean_squares(struct legacy_rows *rows)
{
    alignas(64) vrow numbers[LEGACY_N];
    vfloat sum = vf_set(0);

    for (size_t at = 0; at < rows->row_n; at += LEGACY_N) {
        const float *from[LANES];

        for (size_t lane = 0; lane < LANES; lane++)
            from[lane] =
                rows->x + (lane < rows->n ? lane * rows->row_n : 0) + at;
        lanes_gather(from, LEGACY_N, numbers);
        for (size_t i = 0; i < LEGACY_N; i++) {
            vfloat x = vf_load(numbers[i]);
            sum = vf_add(sum, vf_mul(x, x));
        }
    }
    vf_store(rows->mean_squares, vf_div(sum, vf_set((float)rows->row_n)));
}

/* Blocks from number `first` on, one in each lane; those that are left over
 * have the last. */
LANES_INLINE void gather_blocks(const struct legacy_rows *rows, size_t first,
                                vrow *x, vrow *weights)
{
    size_t last = rows->n * rows->row_n / LEGACY_N - 1;
    const float *from[LANES];
    const float *importance[LANES];
    vrow mean_squares;

    for (size_t lane = 0; lane < LANES; lane++) {
        size_t block = first + lane < last ? first + lane : last;
        size_t at = block * LEGACY_N;
        from[lane] = rows->x + at;
        importance[lane] = rows->importance + at % rows->row_n;
        mean_squares[lane] = rows->mean_squares[at / rows->row_n];
    }
    lanes_gather(from, LEGACY_N, x);
    lanes_gather(importance, LEGACY_N, weights);
    weigh_lanes(x, LEGACY_N, vf_load(mean_squares), weights);
}

LANES_INLINE vint symmetric_level(const float *x, float inverse, int half)
{
    vint level = v_nearest(vf_mul(vf_set(inverse), vf_load(x)));
    level = vi_add(v_clamp(level, -half, half - 1), vi_set(half));
    return inverse == 0 ? vi_set(0) : level;
}

/* The blocks whose searches are in the lanes. */
static unsigned search_symmetric_blocks(const struct legacy *type,
                                        const struct legacy_rows *rows,
                                        size_t first, size_t n,
                                        struct searched *in)
{
    int half = 1 << (type->bits - 1);
    struct symmetric_found found;

    gather_blocks(rows, first, in->x, in->weights);
    search_symmetric_lanes(in, LEGACY_N, half, &found);
    for (size_t k = 0; k < n; k++) {
        const float *x = rows->x + (first + k) * LEGACY_N;
        uint8_t *block = rows->blocks + (first + k) * type->bytes;

        store_f16(block, found.scale[k]);
        put_legacy_levels(block + type->levels_pos,
                          symmetric_level(x, found.inverse[k], half),
                          symmetric_level(x + LANES, found.inverse[k], half),
                          type->bits);
    }
    return found.trusted;
}

LANES_INLINE vint offset_level(const float *x, float inverse, float base,
                               int top)
{
    vfloat steps = vf_mul(vf_set(inverse), vf_sub(vf_load(x), vf_set(base)));
    return v_clamp(v_nearest(steps), 0, top);
}

static unsigned search_offset_blocks(const struct legacy *type,
                                     const struct legacy_rows *rows,
                                     size_t first, size_t n,
                                     struct searched *in)
{
    static const struct ggki_steps steps = {-0.9f, 0.05f, 36, false};
    int top = (1 << type->bits) - 1;
    struct offset_found found;

    gather_blocks(rows, first, in->x, in->weights);
    search_offset_lanes(in, top, &steps, &found);
    for (size_t k = 0; k < n; k++) {
        const float *x = rows->x + (first + k) * LEGACY_N;
        uint8_t *block = rows->blocks + (first + k) * type->bytes;
        float inverse = found.inverse[k];
        float base = found.base[k];

        store_f16(block, found.scale[k]);
        store_f16(block + 2, found.min[k]);
        put_legacy_levels(
            block + type->levels_pos, offset_level(x, inverse, base, top),
            offset_level(x + LANES, inverse, base, top), type->bits);
    }
    return found.trusted;
}

static void search_rows(const struct legacy *type, struct legacy_rows *rows)
{
    size_t row_blocks = rows->row_n / LEGACY_N;
    size_t row_bytes = row_blocks * type->bytes;
    size_t n_blocks = rows->n * row_blocks;
    struct searched in;

    set_mean_squares(rows);
    for (size_t row = 0; row < rows->n; row++)
        rows->trusted[row] = true;
    for (size_t first = 0; first < n_blocks; first += LANES) {
        size_t n = n_blocks - first < LANES ? n_blocks - first : LANES;
        unsigned trusted =
            type->levels_pos == 4
                ? search_offset_blocks(type, rows, first, n, &in)
                : search_symmetric_blocks(type, rows, first, n, &in);
        for (size_t k = 0; k < n && trusted != LANES_ALL; k++)
            if ((trusted >> k & 1) == 0)
                rows->trusted[(first + k) / row_blocks] = false;
    }
    for (size_t row = 0; row < rows->n; row++)
        if (!rows->trusted[row])
            type->scalar(rows->x + row * rows->row_n,
                         rows->blocks + row * row_bytes, 1, rows->row_n,
                         rows->importance);
}

static void quantize_weighted(const struct legacy *type, const float *x,
                              uint8_t *blocks, size_t n_rows, size_t row_n,
                              const float *importance)
{
    size_t row_bytes = row_n / LEGACY_N * type->bytes;
    struct legacy_rows rows = {.importance = importance, .row_n = row_n};

    for (size_t row = 0; row < n_rows; row += rows.n) {
        rows.n = n_rows - row < LANES ? n_rows - row : LANES;
        rows.x = x + row * row_n;
        rows.blocks = blocks + row * row_bytes;
        search_rows(type, &rows);
    }
}

/* ----------------------------------------------------------------- kernels */

static void quantize_q4_0(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    if (importance != NULL)
        quantize_weighted(&legacy_q4_0, x, blocks, n_rows, row_n, importance);
    else
        quantize_plain(&legacy_q4_0, false, x, blocks, n_rows * row_n);
}

static void quantize_q4_1(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    if (importance != NULL)
        quantize_weighted(&legacy_q4_1, x, blocks, n_rows, row_n, importance);
    else
        quantize_plain(&legacy_q4_1, true, x, blocks, n_rows * row_n);
}

static void quantize_q5_0(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    if (importance != NULL)
        quantize_weighted(&legacy_q5_0, x, blocks, n_rows, row_n, importance);
    else
        quantize_plain(&legacy_q5_0, false, x, blocks, n_rows * row_n);
}

static void quantize_q5_1(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    if (importance != NULL)
        quantize_weighted(&legacy_q5_1, x, blocks, n_rows, row_n, importance);
    else
        quantize_plain(&legacy_q5_1, true, x, blocks, n_rows * row_n);
}

/* -------------------------------------------------------------------- Q8_0 */

enum { Q8_0_BYTES = 2 + LEGACY_N };

/* round_int. */
LANES_INLINE vint v_round(vfloat x)
{
    vint sign = vi_and(vf_bits(x), vi_set(INT32_MIN));
    vint below_half = vf_bits(vf_set(0x1.fffffep-2f));
    return vf_truncate(vf_add(x, vi_as_float(vi_or(sign, below_half))));
}

static void quantize_q8_0(const float *x, uint8_t *blocks, size_t n_rows,
                          size_t row_n, const float *importance)
{
    for (size_t i = 0; i < n_rows * row_n; i += LEGACY_N) {
        vfloat first = vf_load(x + i);
        vfloat second = vf_load(x + i + LANES);
        float max = vf_largest(vf_max(vf_abs(first), vf_abs(second)));
        float scale = max / 127.0f;
        float inverse = inverse_or_0(scale);
        vfloat factor = vf_set(inverse);

        store_f16(blocks, scale);
        vi_store_8(blocks + 2, v_round(vf_mul(first, factor)));
        vi_store_8(blocks + 2 + LANES, v_round(vf_mul(second, factor)));
        if (has_nan(first, second) || !is_usual(scale, inverse))
            ggki_quantize_q8_0_generic(x + i, blocks, 1, LEGACY_N, importance);
        blocks += Q8_0_BYTES;
    }
}

/* ------------------------------------------------------------- and back */

/* Of the first half of the numbers, or the second. */
LANES_INLINE vint get_legacy_levels(const uint8_t *in, int bits, bool second)
{
    const uint8_t *nibbles = bits == 5 ? in + 4 : in;
    vint bytes = vi_load_u8(nibbles);
    vint levels = second ? vi_shr(bytes, 4) : vi_and(bytes, vi_set(15));

    if (bits == 4)
        return levels;
    uint32_t fifth = load_le32(in) >> (second ? LANES : 0);
    return vi_or(levels, vi_shl(vi_spread(fifth), 4));
}

LANES_INLINE void dequantize_legacy(const struct legacy *type,
                                    const uint8_t *blocks, float *x, size_t n)
{
    bool has_min = type->levels_pos == 4;
    vint half = vi_set(has_min ? 0 : 1 << (type->bits - 1));

    for (size_t i = 0; i < n; i += LEGACY_N, blocks += type->bytes) {
        float scale = load_half(blocks);
        float min = has_min ? load_half(blocks + 2) : 0;

        /* Which of two NaNs a sum is depends on the compiler. */
        if (min != min) {
            type->scalar_back(blocks, x + i, LEGACY_N);
            continue;
        }
        for (int second = 0; second < 2; second++) {
            vint levels = get_legacy_levels(blocks + type->levels_pos,
                                            type->bits, second != 0);
            vfloat level = vi_to_float(vi_sub(levels, half));
            vfloat y = vf_mul(level, vf_set(scale));
            if (has_min)
                y = vf_add(y, vf_set(min));
            vf_store(x + i + (size_t)second * LANES, y);
        }
    }
}

static void dequantize_q4_0(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_legacy(&legacy_q4_0, blocks, x, n);
}

static void dequantize_q4_1(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_legacy(&legacy_q4_1, blocks, x, n);
}

static void dequantize_q5_0(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_legacy(&legacy_q5_0, blocks, x, n);
}

static void dequantize_q5_1(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_legacy(&legacy_q5_1, blocks, x, n);
}

static void dequantize_q8_0(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LEGACY_N, blocks += Q8_0_BYTES) {
        const int8_t *levels = (const int8_t *)blocks + 2;
        vfloat scale = vf_set(load_half(blocks));

        for (size_t k = 0; k < LEGACY_N; k += LANES)
            vf_store(x + i + k,
                     vf_mul(vi_to_float(vi_load_i8(levels + k)), scale));
    }
}

#endif
