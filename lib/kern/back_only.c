/* back_only.c - types that are only made numbers: I8, I16, I32 and I64; Q8_1
 * and Q8_K, which are made of the numbers of a computation, and for it.
 *
 * Q8_1: 32 numbers; a scale in F16, the same times the sum of the levels, the
 * levels. Q8_K: 256 numbers; a scale in F32, the levels, the sum of each 16.
 */
#include "kern/k_quants.h"
#include "kern/kernels.h"
#include "kern/round.h"

enum {
    Q8_1_N = 32,
    Q8_1_BYTES = 36,
    Q8_1_LEVELS = 4, /* where they begin in the block */
    Q8_K_BYTES = 292,
    Q8_K_LEVELS = 4,
};

void ggki_dequantize_i8_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(int8_t)blocks[i];
}

void ggki_dequantize_i16_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(int16_t)load_le16(blocks + 2 * i);
}

/* The nearest float, of two the even one. */
void ggki_dequantize_i32_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(int32_t)load_le32(blocks + 4 * i);
}

void ggki_dequantize_i64_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(int64_t)load_le64(blocks + 8 * i);
}

static void get_numbers(const uint8_t *levels, size_t n, float scale, float *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = scale * (float)(int8_t)levels[i];
}

void ggki_dequantize_q8_1_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += Q8_1_N, blocks += Q8_1_BYTES)
        get_numbers(blocks + Q8_1_LEVELS, Q8_1_N, load_f16(blocks), x + at);
}

void ggki_dequantize_q8_k_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_SUPER, blocks += Q8_K_BYTES)
        get_numbers(blocks + Q8_K_LEVELS, GGKI_SUPER, load_f32(blocks, false),
                    x + at);
}
