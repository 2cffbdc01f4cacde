/* float_types.c - F32, F16, BF16 and F64: each number by itself. */
#include "kern/kernels.h"

#include <string.h>

#include "kern/round.h"

void ggki_quantize_f32_generic(const float *x, uint8_t *blocks, size_t n_rows,
                               size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t i = 0; i < n_rows * row_n; i++)
        store_u32(blocks + 4 * i, f32_bits(x[i]), false);
}

void ggki_dequantize_f32_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = load_f32(blocks + 4 * i, false);
}

void ggki_quantize_f16_generic(const float *x, uint8_t *blocks, size_t n_rows,
                               size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t i = 0; i < n_rows * row_n; i++)
        store_f16(blocks + 2 * i, x[i]);
}

void ggki_dequantize_f16_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = load_f16(blocks + 2 * i);
}

void ggki_quantize_bf16_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t i = 0; i < n_rows * row_n; i++)
        store_u16(blocks + 2 * i, bf16_of_f32(x[i]), false);
}

void ggki_dequantize_bf16_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = f32_of_bf16(load_le16(blocks + 2 * i));
}

/* The reference has no F64: every float is a double, and a double becomes the
 * nearest float, which may be infinite. */
void ggki_quantize_f64_generic(const float *x, uint8_t *blocks, size_t n_rows,
                               size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t i = 0; i < n_rows * row_n; i++) {
        double value = (double)x[i];
        uint64_t bits;

        memcpy(&bits, &value, sizeof bits);
        store_u64(blocks + 8 * i, bits, false);
    }
}

void ggki_dequantize_f64_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)load_f64(blocks + 8 * i, false);
}
