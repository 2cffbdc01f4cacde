/* iq4.c - IQ4_NL, IQ4_XS: 4-bit levels that stand for uneven values.
 *
 * IQ4_NL: 32 numbers; a scale in F16, the levels. IQ4_XS: 8 times 32 numbers
 * with a scale of 6 bits each; what those are scaled by in F16, the upper two
 * bits of each, the lower four, the levels.
 */
#include "kern/iq4.h"

#include <math.h>

#include "kern/kernels.h"
#include "kern/round.h"
#include "kern/search.h"

enum {
    N = GGKI_IQ4_N,
    SUB = GGKI_IQ4_SUB,
    XS_HIGH = 2, /* where the bits of the scales begin */
    XS_LOW = 4,
};

const int8_t ggki_iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                    1,    13,   25,  38,  53,  69,  89,  113};

const float ggki_iq4_midpoints[15] = {-115.5f, -93.5f, -74.0f, -57.0f, -42.0f,
                                      -28.5f,  -16.0f, -4.5f,  7.0f,   19.0f,
                                      31.5f,   45.5f,  61.0f,  79.0f,  101.0f};

/* The number of midpoints that x is not below: of a NaN all. */
static unsigned nearest_level(float x)
{
    unsigned level = 0;

    for (unsigned step = 8; step > 0; step /= 2)
        level += step * !(x < ggki_iq4_midpoints[level + step - 1]);
    return level;
}

/* The square of the error is least for scale = vx / v2. */
struct fit {
    float vx; /* sum of weight * value * x */
    float v2; /* sum of weight * value * value */
};

static struct fit fit_values(const float *x, const float *weights,
                             float inverse)
{
    struct fit fit = {0, 0};

    for (int i = 0; i < N; i++) {
        float value = (float)ggki_iq4_values[nearest_level(inverse * x[i])];
        float weighted = weights[i] * value;
        fit.vx += weighted * x[i];
        fit.v2 += weighted * value;
    }
    return fit;
}

static float search_scale(const float *x, const float *weights)
{
    float peak = ggki_peak(x, N);

    if (fabsf(peak) < 1e-15f)
        return 0;

    float lowest = (float)ggki_iq4_values[0];
    struct fit fit = fit_values(x, weights, 1 / (-peak / lowest));
    float scale = fit.v2 > 0 ? fit.vx / fit.v2 : 0;
    float best = scale * fit.vx;

    for (int step = -7; step <= 7; step++) {
        fit = fit_values(x, weights, ((float)step + lowest) / peak);
        if (fit.v2 > 0 && fit.vx * fit.vx > best * fit.v2) {
            scale = fit.vx / fit.v2;
            best = scale * fit.vx;
        }
    }
    return scale;
}

/* The scales of the `n` numbers of a block. `importance` may be NULL. */
static void search_scales(const float *x, size_t n, const float *importance,
                          float *scales)
{
    float mean_square = ggki_sum_squares(x, n) * (2.0f / (float)n);

    for (size_t i = 0; i < n; i += N) {
        float weights[N];

        if (importance != NULL)
            ggki_weigh(x + i, importance + i, N, mean_square, weights);
        else
            for (size_t k = 0; k < N; k++)
                weights[k] = x[i + k] * x[i + k];
        scales[i / N] = search_scale(x + i, weights);
    }
}

static void put_levels(const float *x, float inverse, uint8_t *out)
{
    for (int i = 0; i < N / 2; i++)
        out[i] = (uint8_t)(nearest_level(inverse * x[i]) |
                           nearest_level(inverse * x[i + N / 2]) << 4);
}

static void get_numbers(const uint8_t *levels, float scale, float *x)
{
    for (int i = 0; i < N / 2; i++) {
        x[i] = scale * (float)ggki_iq4_values[levels[i] & 15];
        x[i + N / 2] = scale * (float)ggki_iq4_values[levels[i] >> 4];
    }
}

void ggki_iq4_xs_put_scales(const float *scales, uint8_t *block,
                            float *inverses)
{
    float scale = -ggki_peak(scales, SUB) / 32;
    float inverse = inverse_or_0(scale);
    unsigned high = 0;

    store_f16(block, scale);
    for (size_t i = 0; i < SUB; i++) {
        int code = clamp_int(nearest_int(inverse * scales[i]), -32, 31);
        unsigned bits = (unsigned)(code + 32);
        uint8_t *low = block + XS_LOW + i / 2;

        *low = (uint8_t)(i % 2 == 0 ? bits & 15 : *low | (bits & 15) << 4);
        high |= bits >> 4 << 2 * i;
        inverses[i] = inverse_or_0(scale * (float)code);
    }
    store_u16(block + XS_HIGH, (uint16_t)high, false);
}

static void quantize_xs_block(const float *x, const float *importance,
                              uint8_t *block)
{
    float scales[SUB];
    float inverses[SUB];

    search_scales(x, (size_t)SUB * N, importance, scales);
    ggki_iq4_xs_put_scales(scales, block, inverses);
    for (size_t i = 0; i < SUB; i++)
        put_levels(x + i * N, inverses[i],
                   block + GGKI_IQ4_XS_LEVELS + i * N / 2);
}

void ggki_quantize_iq4_nl_generic(const float *x, uint8_t *blocks,
                                  size_t n_rows, size_t row_n,
                                  const float *importance)
{
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n;
             i += N, x += N, blocks += GGKI_IQ4_NL_BYTES) {
            float scale;

            search_scales(x, N, importance != NULL ? importance + i : NULL,
                          &scale);
            store_f16(blocks, scale);
            put_levels(x, inverse_or_0(scale), blocks + 2);
        }
}

void ggki_dequantize_iq4_nl_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n; i += N, blocks += GGKI_IQ4_NL_BYTES)
        get_numbers(blocks + 2, load_f16(blocks), x + i);
}

void ggki_quantize_iq4_xs_generic(const float *x, uint8_t *blocks,
                                  size_t n_rows, size_t row_n,
                                  const float *importance)
{
    const size_t block_n = (size_t)SUB * N;

    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < row_n;
             i += block_n, x += block_n, blocks += GGKI_IQ4_XS_BYTES)
            quantize_xs_block(x, importance != NULL ? importance + i : NULL,
                              blocks);
}

float ggki_iq4_xs_scale(const uint8_t *block, size_t sub)
{
    int low = block[XS_LOW + sub / 2] >> 4 * (sub % 2) & 15;
    int high = load_le16(block + XS_HIGH) >> 2 * sub & 3;

    return load_f16(block) * (float)((low | high << 4) - 32);
}

void ggki_dequantize_iq4_xs_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (; n > 0; n -= (size_t)SUB * N, blocks += GGKI_IQ4_XS_BYTES)
        for (size_t i = 0; i < SUB; i++, x += N)
            get_numbers(blocks + GGKI_IQ4_XS_LEVELS + i * N / 2,
                        ggki_iq4_xs_scale(blocks, i), x);
}
