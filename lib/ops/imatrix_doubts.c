/* imatrix_doubts.c - importances that spoil what is quantized by them.
 *
 * Kernels sum up importances times squares of numbers, and multiply such sums
 * by each other, in floats: these overflow, or vanish. Blocks without any
 * weight become zero.
 */
#include "ops/imatrix_doubts.h"

#include <math.h>
#include <string.h>

static void note(struct ggki_doubts *d, enum ggki_doubt doubt, uint64_t i)
{
    if (d->n[doubt]++ == 0)
        d->first[doubt] = i;
}

float ggki_mean_of(const ggk_importances *e, bool sums, uint64_t i)
{
    int64_t count = e->counts[i / (e->n_values / e->n_slices)];

    return sums && count > 0 ? e->values[i] / (float)count : e->values[i];
}

/* The values [from, to), of one slice; returns the largest, whatever its sign.
 * What is no number is no doubt but an error. */
static float look_at_run(const ggk_importances *e, bool sums, uint64_t from,
                         uint64_t to, struct ggki_doubts *out)
{
    float most = 0;

    for (uint64_t i = from; i < to; i++) {
        float x = ggki_mean_of(e, sums, i);

        if (x < 0)
            note(out, GGKI_DOUBT_NEGATIVE, i);
        else if (x > GGKI_MEAN_MOST && isfinite(x))
            note(out, GGKI_DOUBT_LARGE, i);
        if (!(fabsf(x) <= most))
            most = isnan(x) ? INFINITY : fabsf(x);
    }
    return most;
}

static void look_at_slice(const ggk_importances *e, bool sums, uint64_t from,
                          uint64_t to, struct ggki_doubts *out)
{
    struct ggki_doubts before = *out;
    float most = 0;

    for (uint64_t i = from; i < to; i += GGKI_MEAN_RUN) {
        uint64_t end = to - i < GGKI_MEAN_RUN ? to : i + GGKI_MEAN_RUN;
        float of_run = look_at_run(e, sums, i, end, out);

        if (of_run < GGKI_MEAN_LEAST)
            note(out, GGKI_DOUBT_SMALL, i);
        if (of_run > most)
            most = of_run;
    }
    if (most > 0)
        return;
    out->n[GGKI_DOUBT_SMALL] = before.n[GGKI_DOUBT_SMALL];
    out->first[GGKI_DOUBT_SMALL] = before.first[GGKI_DOUBT_SMALL];
    note(out, GGKI_DOUBT_ZERO, from);
}

void ggki_doubts_of(const ggk_importances *e, bool sums,
                    struct ggki_doubts *out)
{
    uint64_t n = e->n_values / e->n_slices;

    memset(out, 0, sizeof *out);
    for (uint64_t s = 0; s < e->n_slices; s++)
        if (!sums || e->counts[s] > 0)
            look_at_slice(e, sums, s * n, (s + 1) * n, out);
}
