/* ternary.c - TQ1_0, TQ2_0: 256 numbers with one scale, each -1, 0 or 1 times
 * it.
 *
 * TQ1_0: five levels in a byte, four in the last ones, then the scale in F16.
 * TQ2_0: four levels in a byte, then the scale.
 */
#include "kern/ternary.h"

#include <math.h>

#include "kern/kernels.h"
#include "kern/round.h"

/* The largest magnitude is the scale. After a NaN it begins anew, so numbers
 * may be beyond it: their levels are the low bytes of what they round to. */
static float find_levels(const float *x, uint8_t *levels)
{
    float size = 0;

    for (size_t i = 0; i < GGKI_SUPER; i++)
        size = max_f32(size, fabsf(x[i]));

    float inverse = inverse_or_0(size);

    for (size_t i = 0; i < GGKI_SUPER; i++)
        levels[i] = (uint8_t)(round_int(x[i] * inverse) + 1);
    return size;
}

static void get_numbers(const uint8_t *levels, float scale, float *x)
{
    for (size_t i = 0; i < GGKI_SUPER; i++)
        x[i] = (float)(levels[i] - 1) * scale;
}

/* Importance changes nothing for these types. */
void ggki_quantize_tq1_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_SUPER) {
        uint8_t levels[GGKI_SUPER];
        const uint8_t *from = levels;
        uint8_t *out = blocks;

        store_f16(blocks + GGKI_TQ1_SCALE, find_levels(x + at, levels));
        for (int i = 0; i < GGKI_TQ1_RUNS; i++) {
            struct ggki_trit_run run = ggki_tq1_runs[i];

            ggki_put_trits(run, from, out);
            from += run.stride * run.per_byte;
            out += run.stride;
        }
        blocks += GGKI_TQ1_BYTES;
    }
}

void ggki_dequantize_tq1_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_SUPER, blocks += GGKI_TQ1_BYTES) {
        uint8_t levels[GGKI_SUPER];
        const uint8_t *from = blocks;
        uint8_t *out = levels;

        for (int i = 0; i < GGKI_TQ1_RUNS; i++) {
            struct ggki_trit_run run = ggki_tq1_runs[i];

            ggki_get_trits(run, from, out);
            from += run.stride;
            out += run.stride * run.per_byte;
        }
        get_numbers(levels, load_f16(blocks + GGKI_TQ1_SCALE), x + at);
    }
}

void ggki_quantize_tq2_0_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    (void)importance;
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_SUPER) {
        uint8_t levels[GGKI_SUPER];

        store_f16(blocks + GGKI_TQ2_SCALE, find_levels(x + at, levels));
        pack_planes(ggki_tq2_planes, levels, blocks);
        blocks += GGKI_TQ2_BYTES;
    }
}

void ggki_dequantize_tq2_0_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t at = 0; at < n; at += GGKI_SUPER, blocks += GGKI_TQ2_BYTES) {
        uint8_t levels[GGKI_SUPER] = {0};

        unpack_planes(ggki_tq2_planes, blocks, levels);
        get_numbers(levels, load_f16(blocks + GGKI_TQ2_SCALE), x + at);
    }
}
