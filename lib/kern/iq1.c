/* iq1.c - IQ1_S and IQ1_M: three levels, of which 8 numbers have only some
 * combinations.
 *
 * IQ1_S: d in F16; low bytes of the points; for each run of 32 the three high
 * bits of its points, its scale, and its shift. IQ1_M: low bytes of the points;
 * for each group of 8 the three high bits and its shift; the scales of 16 runs,
 * with four bits of d above each four.
 */
#include "kern/iq1.h"

#include <math.h>
#include <string.h>

#include "kern/grids.h"
#include "kern/round.h"
#include "kern/search.h"

enum {
    GROUP = GGKI_IQ1_GROUP,
    S_RUN = GGKI_IQ1_S_RUN,
    M_RUN = GGKI_IQ1_M_RUN,
    S_LOW = GGKI_IQ1_S_LOW,
    S_HIGH = GGKI_IQ1_S_HIGH,
    M_HIGH = GGKI_IQ1_M_HIGH,
    M_SCALES = GGKI_IQ1_M_SCALES,
};

const float ggki_iq1_values[2][3] = {{-0.875f, 0.125f, 1.125f},
                                     {-1.125f, -0.125f, 0.875f}};

/* ------------------------------------------------------------------ blocks */

/* The scales of the `n` runs to integers below 8; false if all are 0. What they
 * are then multiplied with is `*d`. */
static bool set_scales(const float *scales, size_t n, uint8_t *out, float *d)
{
    float max = 0;

    for (size_t i = 0; i < n; i++)
        max = max_f32(max, scales[i]);
    *d = max / 15;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)clamp_int(
            nearest_int(0.5f * (1 / *d * scales[i] - 1)), 0, 7);
    return max != 0;
}

void ggki_iq1_s_put(const struct ggki_iq1_super *super, uint8_t *block)
{
    uint8_t scales[GGKI_SUPER / S_RUN];
    float d;
    bool any = set_scales(super->scales, GGKI_SUPER / S_RUN, scales, &d);

    store_f16(block, any ? d * 1.125f : 0);
    for (size_t run = 0; run < GGKI_SUPER / S_RUN; run++) {
        const uint16_t *places = super->places + run * S_RUN / GROUP;
        unsigned word = 0;

        for (size_t k = 0; k < S_RUN / GROUP; k++) {
            block[S_LOW + run * S_RUN / GROUP + k] = (uint8_t)places[k];
            word |= (unsigned)(places[k] >> 8) << 3 * k;
        }
        if (any)
            word |= (unsigned)scales[run] << 12 |
                    (super->down[run] != 0 ? 0x8000u : 0);
        store_u16(block + S_HIGH + 2 * run, (uint16_t)word, false);
    }
}

/* The best d for the points and the scales of all runs. */
static float fit_super(const struct ggki_iq1_super *super, const float *x,
                       const float *weights, const uint8_t *scales, float d)
{
    const struct ggki_grid *g = ggki_grid_points(GGKI_GRID_IQ1);
    float qx = 0;
    float q2 = 0;

    for (size_t i = 0; i < GGKI_SUPER; i++) {
        size_t run = i / M_RUN;
        unsigned down = super->down[run] >> i / GROUP % 2 & 1;
        unsigned point = g->points[super->places[i / GROUP]];
        unsigned level = point >> 2 * (i % GROUP) & 3;
        float q = ggki_iq1_values[down][level] * (float)(2 * scales[run] + 1);
        qx += weights[i] * q * x[i];
        q2 += weights[i] * q * q;
    }
    return q2 > 0 ? qx / q2 : d;
}

void ggki_iq1_m_put(const struct ggki_iq1_super *super, const float *x,
                    const float *weights, uint8_t *block)
{
    uint8_t scales[GGKI_RUNS];
    float d;
    bool any = set_scales(super->scales, GGKI_RUNS, scales, &d);
    unsigned bits = 0;

    for (size_t k = 0; k < GGKI_SUPER / GROUP; k += 2) {
        unsigned first = super->places[k];
        unsigned second = super->places[k + 1];
        unsigned down = any ? super->down[k / 2] : 0;

        block[k] = (uint8_t)first;
        block[k + 1] = (uint8_t)second;
        block[M_HIGH + k / 2] = (uint8_t)(first >> 8 | (down & 1) << 3 |
                                          second >> 8 << 4 | (down >> 1) << 7);
    }
    if (any)
        bits = f16_of_f32(fit_super(super, x, weights, scales, d) * 1.1125f);
    for (size_t i = 0; i < 4; i++) {
        unsigned word = (bits >> 4 * i & 15) << 12;

        for (size_t k = 0; k < 4 && any; k++)
            word |= (unsigned)scales[4 * i + k] << 3 * k;
        store_u16(block + M_SCALES + 2 * i, (uint16_t)word, false);
    }
}

static void weigh(const float *x, const float *importance, float *weights)
{
    float mean_square = 2 * ggki_sum_squares(x, GGKI_SUPER) / GGKI_SUPER;

    if (importance != NULL)
        ggki_weigh(x, importance, GGKI_SUPER, mean_square, weights);
    else
        for (size_t i = 0; i < GGKI_SUPER; i++)
            weights[i] = x[i] * x[i];
}

/* Runs of `n` numbers; false where the reference gives up. */
static bool search(const float *x, const float *weights, size_t n, float least,
                   struct ggki_iq1_super *super)
{
    for (size_t i = 0; i < GGKI_SUPER / n; i++) {
        const struct ggki_iq1_run r = {x + i * n, weights + i * n, n};

        if (!ggki_iq1_search(&r, least, super->places + i * n / GROUP,
                             &super->scales[i], &super->down[i]))
            return false;
    }
    return true;
}

/* Where the reference gives up, d is infinite. */
static void quantize_s_super(const float *x, const float *importance,
                             uint8_t *block)
{
    float weights[GGKI_SUPER];
    struct ggki_iq1_super super;

    weigh(x, importance, weights);
    if (search(x, weights, S_RUN, GGKI_IQ1_S_LEAST, &super)) {
        ggki_iq1_s_put(&super, block);
        return;
    }
    memset(block, 0, GGKI_IQ1_S_BYTES);
    store_f16(block, INFINITY);
}

static void quantize_m_super(const float *x, const float *importance,
                             uint8_t *block)
{
    float weights[GGKI_SUPER];
    struct ggki_iq1_super super;

    weigh(x, importance, weights);
    if (search(x, weights, M_RUN, GGKI_IQ1_M_LEAST, &super)) {
        ggki_iq1_m_put(&super, x, weights, block);
        return;
    }
    memset(block, 0, GGKI_IQ1_M_BYTES);
    block[M_SCALES + 5] = 0xc0; /* 0x7c00, its last four bits first */
    block[M_SCALES + 7] = 0x70;
}

void ggki_quantize_iq1_s_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_SUPER) {
        quantize_s_super(x + at, importance ? importance + at % row_n : NULL,
                         blocks);
        blocks += GGKI_IQ1_S_BYTES;
    }
}

void ggki_quantize_iq1_m_generic(const float *x, uint8_t *blocks, size_t n_rows,
                                 size_t row_n, const float *importance)
{
    for (size_t at = 0; at < n_rows * row_n; at += GGKI_SUPER) {
        quantize_m_super(x + at, importance ? importance + at % row_n : NULL,
                         blocks);
        blocks += GGKI_IQ1_M_BYTES;
    }
}

/* -------------------------------------------------------------- dequantize */

static void put_group(unsigned place, unsigned down, float scale, float *x)
{
    const struct ggki_grid *g = ggki_grid_points(GGKI_GRID_IQ1);

    for (unsigned i = 0; i < GROUP; i++)
        x[i] =
            scale * ggki_iq1_values[down][grid_level(g, g->points[place], i)];
}

void ggki_dequantize_iq1_s_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n / S_RUN; i++) {
        const uint8_t *block = blocks + i / 8 * GGKI_IQ1_S_BYTES;
        const uint8_t *low = block + S_LOW + i % 8 * S_RUN / GROUP;
        unsigned word = load_le16(block + S_HIGH + i % 8 * 2);
        float scale = load_f16(block) * (float)(2 * (word >> 12 & 7) + 1);

        for (unsigned k = 0; k < S_RUN / GROUP; k++, x += GROUP)
            put_group(low[k] | (word >> 3 * k & 7) << 8, word >> 15, scale, x);
    }
}

float ggki_iq1_m_d(const uint8_t *block)
{
    unsigned bits = 0;

    for (size_t i = 0; i < 4; i++)
        bits |= (unsigned)(load_le16(block + M_SCALES + 2 * i) >> 12) << 4 * i;
    return f32_of_f16((uint16_t)bits);
}

void ggki_dequantize_iq1_m_generic(const uint8_t *blocks, float *x, size_t n)
{
    for (size_t i = 0; i < n / GROUP; i++, x += GROUP) {
        const uint8_t *block = blocks + i / 32 * GGKI_IQ1_M_BYTES;
        size_t k = i % 32;
        unsigned high = block[M_HIGH + k / 2] >> 4 * (k % 2) & 15;
        unsigned word = load_le16(block + M_SCALES + k / 8 * 2);
        unsigned scale = word >> 3 * (k / 2 % 4) & 7;

        put_group(block[k] | (high & 7) << 8, high >> 3,
                  ggki_iq1_m_d(block) * (float)(2 * scale + 1), x);
    }
}
