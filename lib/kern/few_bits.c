/* few_bits.c - Q1_0, Q2_0: a scale in F16, then levels, the first of a byte in
 * its lowest bits.
 *
 * Q1_0: 128 numbers, minus or plus the scale. Q2_0: 64 numbers, -1 to 2 times
 * it, of which quantizing makes -1, 0 and 1.
 */
#include "kern/few_bits.h"

#include <math.h>

#include "kern/kernels.h"
#include "kern/planes.h"
#include "kern/round.h"
#include "kern/search.h"

static const struct planes q1_0_planes = {GGKI_Q1_0_N, 1, 1, 0};
static const struct planes q2_0_planes = {GGKI_Q2_0_N, 2, 1, 0};

/* The scale is the mean magnitude. Of a NaN the bit is 0, as if it were below
 * zero. Importance changes nothing for these types. */
void ggki_quantize_q1_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_Q1_0_N) {
        uint8_t levels[GGKI_Q1_0_N];
        float sum = 0;

        for (size_t i = 0; i < GGKI_Q1_0_N; i++) {
            sum += fabsf(x[at + i]);
            levels[i] = x[at + i] >= 0;
        }
        store_f16(blocks, sum / GGKI_Q1_0_N);
        pack_planes(q1_0_planes, levels, blocks + GGKI_FEW_BITS_LEVELS);
        blocks += GGKI_Q1_0_BYTES;
    }
}

void ggki_dequantize_q1_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_Q1_0_N, blocks += GGKI_Q1_0_BYTES) {
        float scale = load_f16(blocks);
        uint8_t levels[GGKI_Q1_0_N] = {0};

        unpack_planes(q1_0_planes, blocks + GGKI_FEW_BITS_LEVELS, levels);
        for (size_t i = 0; i < GGKI_Q1_0_N; i++)
            x[at + i] = levels[i] != 0 ? scale : -scale;
    }
}

/* The scale is the largest magnitude; NaNs are passed over. */
void ggki_quantize_q2_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_Q2_0_N) {
        uint8_t levels[GGKI_Q2_0_N];
        float scale = fabsf(ggki_peak(x + at, GGKI_Q2_0_N));
        float inverse = inverse_or_0(scale);

        for (size_t i = 0; i < GGKI_Q2_0_N; i++)
            levels[i] =
                (uint8_t)clamp_int(round_int(x[at + i] * inverse) + 1, 0, 3);
        store_f16(blocks, scale);
        pack_planes(q2_0_planes, levels, blocks + GGKI_FEW_BITS_LEVELS);
        blocks += GGKI_Q2_0_BYTES;
    }
}

void ggki_dequantize_q2_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_Q2_0_N, blocks += GGKI_Q2_0_BYTES) {
        float scale = load_f16(blocks);
        uint8_t levels[GGKI_Q2_0_N] = {0};

        unpack_planes(q2_0_planes, blocks + GGKI_FEW_BITS_LEVELS, levels);
        for (size_t i = 0; i < GGKI_Q2_0_N; i++)
            x[at + i] = (float)(levels[i] - 1) * scale;
    }
}
