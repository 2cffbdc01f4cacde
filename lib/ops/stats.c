/* stats.c - what the numbers of tensors are like. */
#include <math.h>
#include <string.h>

#include "base/opts.h"
#include "kern/measure.h"
#include "ops/values.h"

struct asked {
    const ggk_model *model;
    const uint64_t *tensors;
    ggk_on_stats *on_stats;
    void *ctx;
};

/* What was found in a chunk, and in a tensor. */
struct found {
    struct ggki_moments moments;
    uint64_t n_nan, n_infinite;
    struct ggki_histogram histogram;
};

static ggk_status item_of(const void *ctx, uint64_t i,
                          struct ggki_values_item *out, ggk_error *err)
{
    const struct asked *asked = ctx;

    return ggki_values_of(asked->model, asked->tensors[i], &out->sides[0], err);
}

_Static_assert(GGK_STATS_BINS == GGKI_BINS, "bins are told as they are");

/* Is it? If not, it is counted. */
static bool is_finite(struct found *f, double x)
{
    f->n_nan += isnan(x) != 0;
    f->n_infinite += isinf(x) != 0;
    return isfinite(x);
}

/* Move the finite ones to the front; how many they are. */
static size_t keep_finite(struct found *f, float *x, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_finite(f, (double)x[i]))
            x[kept++] = x[i];
    return kept;
}

static void look_at_span(const struct ggki_chunk *chunk, struct found *f,
                         size_t n)
{
    struct ggki_moments span = {0};
    float *x = chunk->numbers[0];

    if (!ggki_moments_add(&span, chunk->loops, x, n)) {
        n = keep_finite(f, x, n);
        (void)ggki_moments_add(&span, chunk->loops, x, n);
    }
    ggki_histogram_add(&f->histogram, chunk->loops, x, n,
                       (float)fmax(-span.min, span.max));
    ggki_moments_merge(&f->moments, &span);
}

static void look_at_doubles(struct found *f, double *x, size_t n)
{
    struct ggki_moments span = {0};
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_finite(f, x[i]))
            x[kept++] = x[i];
    ggki_moments_add_doubles(&span, x, kept);
    ggki_histogram_add_doubles(&f->histogram, x, kept,
                               fmax(-span.min, span.max));
    ggki_moments_merge(&f->moments, &span);
}

static ggk_status look(const struct ggki_chunk *chunk, void *part,
                       ggk_error *err)
{
    struct found *f = part;
    size_t span = chunk->item->span;

    (void)err;
    for (size_t i = 0, n; i < chunk->n; i += n) {
        n = chunk->n - i < span ? chunk->n - i : span;
        if (chunk->item->wide) {
            (void)ggki_chunk_doubles(chunk, 0, i, n);
            look_at_doubles(f, chunk->doubles[0], n);
        } else {
            (void)ggki_chunk_numbers(chunk, 0, i, n);
            look_at_span(chunk, f, n);
        }
    }
    return GGK_OK;
}

static void merge(void *into, const void *part)
{
    struct found *whole = into;
    const struct found *f = part;

    whole->n_nan += f->n_nan;
    whole->n_infinite += f->n_infinite;
    ggki_moments_merge(&whole->moments, &f->moments);
    ggki_histogram_merge(&whole->histogram, &f->histogram);
}

static bool tell(void *ctx, const struct ggki_values_item *item,
                 const void *whole)
{
    const struct asked *asked = ctx;
    const struct found *f = whole;
    const struct ggki_moments *m = &f->moments;
    ggk_stats out = {.tensor = item->sides[0].tensor,
                     .n = item->sides[0].info.n_elements,
                     .n_zero = m->n_zero,
                     .n_nan = f->n_nan,
                     .n_infinite = f->n_infinite,
                     .min = m->min,
                     .max = m->max,
                     .mean = ldexp(m->mean, (int)m->exponent)};

    if (m->n > 0) {
        out.deviation =
            ldexp(sqrt(m->squares / (double)m->n), (int)m->exponent);
        out.bin_width = ldexp(1, GGKI_LEAST_EXPONENT + f->histogram.steps);
        memcpy(out.bins, f->histogram.bins, sizeof out.bins);
    }
    return asked->on_stats(asked->ctx, &out);
}

ggk_status ggk_model_stats(const ggk_model *model, const uint64_t *tensors,
                           uint64_t n, const ggk_values_opts *opts,
                           ggk_on_stats *on_stats, void *ctx, ggk_error *err)
{
    struct asked asked = {model, tensors, on_stats, ctx};
    struct ggki_values_work work = {.mem = &model->mem,
                                    .n_items = n,
                                    .ctx = &asked,
                                    .item = item_of,
                                    .part_bytes = sizeof(struct found),
                                    .look = look,
                                    .merge = merge,
                                    .done = tell};
    ggk_status status = ggki_opts_take(&work.opts, sizeof work.opts, opts, err);

    return status == GGK_OK ? ggki_values_run(&work, err) : status;
}
