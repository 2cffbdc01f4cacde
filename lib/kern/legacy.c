/* legacy.c - Q4_0, Q4_1, Q5_0, Q5_1, Q8_0: 32 numbers with one scale.
 *
 * A block is its scale in F16, for the types _1 its minimum in F16, and then
 * the levels (put_levels), or the numbers themselves (Q8_0). x is about
 * scale * (level - half) for the types _0, and scale * level + min for _1.
 */
#include "kern/kernels.h"

#include <float.h>
#include <math.h>

#include "kern/round.h"
#include "kern/search.h"

enum { N = 32 }; /* numbers in a block */

/* How a type differs from the others. */
struct layout {
    int bits; /* of a level: 4 or 5 */
    size_t bytes;
    size_t levels_pos; /* in the block */
};

static const struct layout q4_0 = {4, 18, 2};
static const struct layout q4_1 = {4, 20, 4};
static const struct layout q5_0 = {5, 22, 2};
static const struct layout q5_1 = {5, 24, 4};

/* Of 5-bit levels the highest bits come first, one after the other; of all the
 * lower four, those of the first half of the numbers in the low nibbles. */
static void put_levels(uint8_t *out, const uint8_t *levels, int bits)
{
    uint32_t fifth = 0;

    if (bits == 5) {
        for (int i = 0; i < N; i++)
            fifth |= (uint32_t)(levels[i] >> 4 & 1) << i;
        store_u32(out, fifth, false);
        out += 4;
    }
    for (int i = 0; i < N / 2; i++)
        out[i] = (uint8_t)((levels[i] & 15) | (levels[i + N / 2] & 15) << 4);
}

static void get_levels(const uint8_t *in, uint8_t *levels, int bits)
{
    uint32_t fifth = 0;

    if (bits == 5) {
        fifth = load_le32(in);
        in += 4;
    }
    for (int i = 0; i < N / 2; i++) {
        levels[i] = (uint8_t)((in[i] & 15) | (fifth >> i & 1) << 4);
        levels[i + N / 2] =
            (uint8_t)(in[i] >> 4 | (fifth >> (i + N / 2) & 1) << 4);
    }
}

/* Without importance: the peak has level 0. */
static void quantize_symmetric(const struct layout *type, const float *x,
                               uint8_t *block)
{
    int half = 1 << (type->bits - 1);
    float scale = ggki_peak(x, N) / -(float)half;
    float inverse = inverse_or_0(scale);
    uint8_t levels[N];

    store_f16(block, scale);
    for (int i = 0; i < N; i++) {
        int level = truncate_int(x[i] * inverse + ((float)half + 0.5f));
        levels[i] = (uint8_t)min_int(2 * half - 1, (int8_t)level);
    }
    put_levels(block + type->levels_pos, levels, type->bits);
}

/* Without importance: the least number has level 0, the largest the top one. */
static void quantize_offset(const struct layout *type, const float *x,
                            uint8_t *block)
{
    int top = (1 << type->bits) - 1;
    float min = FLT_MAX;
    float max = -FLT_MAX;
    uint8_t levels[N];

    for (int i = 0; i < N; i++) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
    }

    float scale = (max - min) / (float)top;
    float inverse = inverse_or_0(scale);

    store_f16(block, scale);
    store_f16(block + 2, min);
    for (int i = 0; i < N; i++) {
        int level = truncate_int((x[i] - min) * inverse + 0.5f);
        levels[i] = (uint8_t)min_int(top, (int8_t)level);
    }
    put_levels(block + type->levels_pos, levels, type->bits);
}

static void search_symmetric(const struct layout *type, const float *x,
                             const float *weights, uint8_t *block)
{
    uint8_t levels[N];
    float scale =
        ggki_search_symmetric(x, weights, N, 1 << (type->bits - 1), levels);

    store_f16(block, scale);
    put_levels(block + type->levels_pos, levels, type->bits);
}

static void search_offset(const struct layout *type, const float *x,
                          const float *weights, uint8_t *block)
{
    static const struct ggki_steps steps = {-0.9f, 0.05f, 36, false};
    uint8_t levels[N];
    float offset;
    float scale = ggki_search_offset(x, weights, N, (1 << type->bits) - 1,
                                     &steps, levels, &offset);

    store_f16(block, scale);
    store_f16(block + 2, -offset);
    put_levels(block + type->levels_pos, levels, type->bits);
}

static void quantize(const struct layout *type, const float *x, uint8_t *blocks,
                     size_t n)
{
    bool has_min = type->levels_pos == 4;

    for (size_t i = 0; i < n; i += N, blocks += type->bytes)
        if (has_min)
            quantize_offset(type, x + i, blocks);
        else
            quantize_symmetric(type, x + i, blocks);
}

/* With importance. What is weighed is compared with the mean of the row. */
static void search_row(const struct layout *type, const float *x,
                       uint8_t *blocks, size_t n, const float *importance)
{
    bool has_min = type->levels_pos == 4;
    float mean_square = ggki_sum_squares(x, n) / (float)n;

    for (size_t i = 0; i < n; i += N, blocks += type->bytes) {
        float weights[N];

        ggki_weigh(x + i, importance + i, N, mean_square, weights);
        if (has_min)
            search_offset(type, x + i, weights, blocks);
        else
            search_symmetric(type, x + i, weights, blocks);
    }
}

static void quantize_rows(const struct layout *type, const float *x,
                          uint8_t *blocks, size_t n_rows, size_t row_n,
                          const float *importance)
{
    size_t row_bytes = row_n / N * type->bytes;

    for (size_t row = 0; row < n_rows; row++)
        if (importance != NULL)
            search_row(type, x + row * row_n, blocks + row * row_bytes, row_n,
                       importance);
        else
            quantize(type, x + row * row_n, blocks + row * row_bytes, row_n);
}

static void dequantize_symmetric(const struct layout *type,
                                 const uint8_t *blocks, float *x, size_t n)
{
    int half = 1 << (type->bits - 1);

    for (size_t i = 0; i < n; i += N, blocks += type->bytes) {
        float scale = load_f16(blocks);
        uint8_t levels[N];

        get_levels(blocks + type->levels_pos, levels, type->bits);
        for (int k = 0; k < N; k++)
            x[i + (size_t)k] = (float)(levels[k] - half) * scale;
    }
}

static void dequantize_offset(const struct layout *type, const uint8_t *blocks,
                              float *x, size_t n)
{
    for (size_t i = 0; i < n; i += N, blocks += type->bytes) {
        float scale = load_f16(blocks);
        float min = load_f16(blocks + 2);
        uint8_t levels[N];

        get_levels(blocks + type->levels_pos, levels, type->bits);
        for (int k = 0; k < N; k++)
            x[i + (size_t)k] = (float)levels[k] * scale + min;
    }
}

void ggki_quantize_q4_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    quantize_rows(&q4_0, x, blocks, n_rows, row_n, importance);
}

void ggki_dequantize_q4_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_symmetric(&q4_0, blocks, x, n);
}

void ggki_quantize_q4_1_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    quantize_rows(&q4_1, x, blocks, n_rows, row_n, importance);
}

void ggki_dequantize_q4_1_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_offset(&q4_1, blocks, x, n);
}

void ggki_quantize_q5_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    quantize_rows(&q5_0, x, blocks, n_rows, row_n, importance);
}

void ggki_dequantize_q5_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_symmetric(&q5_0, blocks, x, n);
}

void ggki_quantize_q5_1_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    quantize_rows(&q5_1, x, blocks, n_rows, row_n, importance);
}

void ggki_dequantize_q5_1_generic(const uint8_t *blocks, float *x, size_t n)
{
    dequantize_offset(&q5_1, blocks, x, n);
}

enum { Q8_0_BYTES = 2 + N };

/* Importance changes nothing here. After a NaN the maximum begins anew: max_f32
 * takes the second of two where one is a NaN. */
void ggki_quantize_q8_0_generic(const float *restrict x,
                                uint8_t *restrict blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t i = 0; i < n_rows * row_n; i += N, blocks += Q8_0_BYTES) {
        float max = 0;

        for (size_t k = 0; k < N; k++)
            max = max_f32(max, fabsf(x[i + k]));

        float scale = max / 127.0f;
        float inverse = inverse_or_0(scale);

        store_f16(blocks, scale);
        for (size_t k = 0; k < N; k++)
            blocks[2 + k] = (uint8_t)round_int(x[i + k] * inverse);
    }
}

void ggki_dequantize_q8_0_generic(const uint8_t *restrict blocks,
                                  float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i += N, blocks += Q8_0_BYTES) {
        float scale = load_f16(blocks);

        for (size_t k = 0; k < N; k++)
            x[i + k] = (float)(int8_t)blocks[2 + k] * scale;
    }
}
