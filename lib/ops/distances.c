/* distances.c - how far the numbers of tensors are from others: of two models,
 * whatever their types. */
#include "ops/distances.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/load.h"
#include "base/opts.h"
#include "base/type_ids.h"

/* ------------------------------------------------------------------ finding */

/* Is a pair with a NaN or an infinity? It is counted, and is to be zeros. */
static bool is_passed_over(struct ggki_found_distance *f, double a, double b)
{
    if (isfinite(a) && isfinite(b))
        return false;
    f->n_not_finite++;
    f->n_lost += !(a == b || (isnan(a) && isnan(b)));
    return true;
}

static double apart_i64(const uint8_t *a, const uint8_t *b)
{
    int64_t x = (int64_t)load_le64(a), y = (int64_t)load_le64(b);

    return (double)(x > y ? (uint64_t)x - (uint64_t)y
                          : (uint64_t)y - (uint64_t)x);
}

static bool are_i64(const struct ggki_values_item *it)
{
    return it->n_sides == 2 && it->sides[0].type->id == GGKI_I64 &&
           it->sides[1].type->id == GGKI_I64;
}

static void look_at_doubles(const struct ggki_chunk *chunk,
                            struct ggki_found_distance *f, size_t i, size_t n)
{
    bool integers = are_i64(chunk->item);
    double *a = chunk->doubles[0], *b = chunk->doubles[1],
           *apart = chunk->doubles[2];

    for (size_t k = 0; k < n; k++) {
        if (is_passed_over(f, a[k], b[k]))
            a[k] = b[k] = 0;
        apart[k] = integers ? apart_i64(chunk->blocks[0] + 8 * (i + k),
                                        chunk->blocks[1] + 8 * (i + k))
                            : fabs(a[k] - b[k]);
    }
    ggki_distance_add_doubles(&f->finite, a, b, apart, n, chunk->at + i);
}

static void look_at_floats(const struct ggki_chunk *chunk,
                           struct ggki_found_distance *f, size_t i, size_t n)
{
    float *a = chunk->numbers[0], *b = chunk->numbers[1];

    if (ggki_find_not_finite(a, n) < n || ggki_find_not_finite(b, n) < n)
        for (size_t k = 0; k < n; k++)
            if (is_passed_over(f, (double)a[k], (double)b[k]))
                a[k] = b[k] = 0;
    ggki_distance_add(&f->finite, chunk->loops, a, b, n, chunk->at + i);
}

void ggki_distance_look(const struct ggki_chunk *chunk,
                        struct ggki_found_distance *f, size_t i, size_t n)
{
    if (chunk->item->wide)
        look_at_doubles(chunk, f, i, n);
    else
        look_at_floats(chunk, f, i, n);
}

void ggki_distance_put_together(void *into, const void *part)
{
    struct ggki_found_distance *whole = into;
    const struct ggki_found_distance *f = part;

    ggki_distance_merge(&whole->finite, &f->finite);
    whole->n_not_finite += f->n_not_finite;
    whole->n_lost += f->n_lost;
}

/* -1 to 1. Nothing beside nothing is the same; beside something, it has
 * nothing in common with it. */
static double cosine_of(const struct ggki_distance *d)
{
    double sizes = sqrt(d->squares_a * d->squares_b);

    if (sizes == 0)
        return d->squares_a == d->squares_b ? 1 : 0;
    return fmax(fmin(d->products / sizes, 1), -1);
}

ggk_distance ggki_distance_told(const struct ggki_found_distance *f, uint64_t a,
                                uint64_t b, uint64_t n)
{
    const struct ggki_distance *d = &f->finite;
    ggk_distance out = {.a = a,
                        .b = b,
                        .n = n,
                        .n_differ = d->n_differ + f->n_lost,
                        .n_not_finite = f->n_not_finite,
                        .n_lost = f->n_lost,
                        .max = d->max,
                        .max_at = d->max_at,
                        .cosine = cosine_of(d)};

    if (n > f->n_not_finite) {
        double counted = (double)(n - f->n_not_finite);

        out.rmse = ldexp(sqrt(d->squares / counted), (int)d->exponent);
        out.size = ldexp(sqrt(d->squares_a / counted), (int)d->exponent_a);
    }
    if (d->squares > 0)
        out.relative = d->squares_a > 0
                           ? ldexp(sqrt(d->squares / d->squares_a),
                                   (int)(d->exponent - d->exponent_a))
                           : (double)INFINITY;
    return out;
}

/* --------------------------------------------------------------- two models */

struct comparing {
    const ggk_model *a, *b;
    const ggk_pair *pairs;
    ggk_on_distance *on_distance;
    void *ctx;
};

static ggk_status item_of(const void *ctx, uint64_t i,
                          struct ggki_values_item *out, ggk_error *err)
{
    const struct comparing *c = ctx;
    struct ggki_values *a = &out->sides[0], *b = &out->sides[1];
    ggk_status status = ggki_values_of(c->a, c->pairs[i].a, a, err);

    if (status == GGK_OK)
        status = ggki_values_of(c->b, c->pairs[i].b, b, err);
    if (status != GGK_OK)
        return status;
    out->n_sides = 2;
    if (memcmp(a->info.ne, b->info.ne, sizeof a->info.ne) != 0)
        return ggki_fail(err, GGK_E_ARG,
                         "tensors of different shapes are not compared");
    return GGK_OK;
}

static ggk_status look(const struct ggki_chunk *chunk, void *part,
                       ggk_error *err)
{
    size_t span = chunk->item->span;

    (void)err;
    for (size_t i = 0, n; i < chunk->n; i += n) {
        n = chunk->n - i < span ? chunk->n - i : span;
        for (unsigned k = 0; k < 2; k++)
            if (chunk->item->wide)
                (void)ggki_chunk_doubles(chunk, k, i, n);
            else
                (void)ggki_chunk_numbers(chunk, k, i, n);
        ggki_distance_look(chunk, part, i, n);
    }
    return GGK_OK;
}

static bool tell(void *ctx, const struct ggki_values_item *item,
                 const void *whole)
{
    const struct comparing *c = ctx;
    ggk_distance d =
        ggki_distance_told(whole, item->sides[0].tensor, item->sides[1].tensor,
                           item->sides[0].info.n_elements);

    return c->on_distance(c->ctx, &d);
}

ggk_status ggk_models_compare(const ggk_model *a, const ggk_model *b,
                              const ggk_pair *pairs, uint64_t n,
                              const ggk_values_opts *opts,
                              ggk_on_distance *on_distance, void *ctx,
                              ggk_error *err)
{
    struct comparing c = {a, b, pairs, on_distance, ctx};
    struct ggki_values_work work = {.mem = &a->mem,
                                    .n_items = n,
                                    .ctx = &c,
                                    .item = item_of,
                                    .part_bytes =
                                        sizeof(struct ggki_found_distance),
                                    .look = look,
                                    .merge = ggki_distance_put_together,
                                    .done = tell};
    ggk_status status = ggki_opts_take(&work.opts, sizeof work.opts, opts, err);

    return status == GGK_OK ? ggki_values_run(&work, err) : status;
}
