/* fp4.c - MXFP4, NVFP4: 4-bit levels that stand for the values of E2M1.
 *
 * MXFP4: 32 numbers; a scale that is a power of two (E8M0), the levels. NVFP4:
 * 4 times 16 numbers; their scales, floats of 8 bits without a sign (UE4M3),
 * the levels. Those of the first half of the numbers that share a scale are in
 * the low nibbles.
 */
#include "kern/fp4.h"

#include <math.h>

#include "kern/kernels.h"
#include "kern/round.h"
#include "kern/search.h"

const float ggki_fp4_values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                   0, -1, -2, -3, -4, -6, -8, -12};

/* The first of those that are nearest; of a NaN the first of all. */
static unsigned nearest_level(float x, float scale)
{
    unsigned level = 0;
    float least = fabsf(ggki_fp4_values[0] * scale - x);

    for (unsigned i = 1; i < 16; i++) {
        float error = fabsf(ggki_fp4_values[i] * scale - x);

        if (error < least) {
            level = i;
            least = error;
        }
    }
    return level;
}

/* `n` numbers that share a scale, and their levels: n / 2 bytes. */
static void put_levels(const float *x, int n, float scale, uint8_t *out)
{
    for (int i = 0; i < n / 2; i++)
        out[i] = (uint8_t)(nearest_level(x[i], scale) |
                           nearest_level(x[i + n / 2], scale) << 4);
}

static void get_numbers(const uint8_t *levels, int n, float scale, float *x)
{
    for (int i = 0; i < n / 2; i++) {
        x[i] = ggki_fp4_values[levels[i] & 15] * scale;
        x[i + n / 2] = ggki_fp4_values[levels[i] >> 4] * scale;
    }
}

/* ------------------------------------------------------------------- MXFP4 */

/* floorf(log2f(x)) of a positive x. The logarithm is rounded to a float, and
 * so, just below a power of two, to a whole number; there its slope is 1 /
 * ln 2. */
static int floor_log2(float x)
{
    int next; /* x is below 2^next, and at least half of it */
    double below = 1 - (double)frexpf(x, &next);
    float log = (float)(next - below * 1.4426950408889634);

    return log < (float)next ? next - 1 : next;
}

/* The largest value, 12, is for what is largest, 8 to 16 times the scale. */
uint8_t ggki_mxfp4_code(float size)
{
    if (!(size > 0) || isinf(size))
        return 0;
    return (uint8_t)(floor_log2(size) - 2 + 127);
}

float ggki_mxfp4_scale(uint8_t code)
{
    if (code < 2) /* subnormal */
        return f32_of_bits(UINT32_C(0x00200000) << code);
    return f32_of_bits((uint32_t)(code - 1) << 23);
}

/* Importance changes nothing for these types. */
void ggki_quantize_mxfp4_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_MXFP4_N) {
        float size = fabsf(ggki_peak(x + at, GGKI_MXFP4_N));

        blocks[0] = ggki_mxfp4_code(size);
        put_levels(x + at, GGKI_MXFP4_N, ggki_mxfp4_scale(blocks[0]),
                   blocks + GGKI_MXFP4_LEVELS);
        blocks += GGKI_MXFP4_BYTES;
    }
}

void ggki_dequantize_mxfp4_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_MXFP4_N, blocks += GGKI_MXFP4_BYTES)
        get_numbers(blocks + GGKI_MXFP4_LEVELS, GGKI_MXFP4_N,
                    ggki_mxfp4_scale(blocks[0]), x + at);
}

/* ------------------------------------------------------------------- NVFP4 */

/* The largest value, 6, is for what is largest. Scales have 3 bits of fraction;
 * the bit after them rounds up. What would be 2^8 is 448, as is what is more.
 */
uint8_t ggki_nvfp4_code(float size)
{
    float scale = size / 6;
    uint32_t code;

    if (scale < 0x1p-6f) /* subnormal: multiples of 2^-9 */
        return (uint8_t)min_int(7, truncate_int(scale * 512 + 0.5f));
    code = ((f32_bits(scale) >> 19) + 1) / 2 - (120 << 3);
    return (uint8_t)(code < 15 << 3 ? code : 0x7e);
}

float ggki_nvfp4_scale(uint8_t code)
{
    unsigned bits = code & 127;

    if (code == 127)
        return 0;
    if (bits < 8)
        return (float)bits * 0x1p-10f;
    return f32_of_bits((bits << 20) + (119u << 23));
}

void ggki_quantize_nvfp4_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; blocks += GGKI_NVFP4_BYTES)
        for (size_t i = 0; i < 4; i++, at += GGKI_NVFP4_SUB) {
            float size = fabsf(ggki_peak(x + at, GGKI_NVFP4_SUB));

            blocks[i] = ggki_nvfp4_code(size);
            put_levels(x + at, GGKI_NVFP4_SUB, ggki_nvfp4_scale(blocks[i]),
                       blocks + GGKI_NVFP4_LEVELS + i * GGKI_NVFP4_SUB / 2);
        }
}

void ggki_dequantize_nvfp4_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; blocks += GGKI_NVFP4_BYTES)
        for (size_t i = 0; i < 4; i++, at += GGKI_NVFP4_SUB)
            get_numbers(blocks + GGKI_NVFP4_LEVELS + i * GGKI_NVFP4_SUB / 2,
                        GGKI_NVFP4_SUB, ggki_nvfp4_scale(blocks[i]), x + at);
}
