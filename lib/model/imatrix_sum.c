/* imatrix_sum.c - adds importances up: in the order, and with the roundings, in
 * which llama-imatrix does it for its --in-file.
 */
#include "base/err.h"
#include "base/finite.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/imatrix.h"

/* What is added to what. */
struct adding {
    ggk_imatrix *to;
    const ggk_imatrix *from;
    int64_t factor; /* of a .dat: tokens in a chunk; else 1 */
};

/* ------------------------------------------------------------------ entries */

static ggk_status fail_shape(ggk_str name, const char *noun, uint64_t n,
                             uint64_t n_more, ggk_error *err)
{
    ggki_fail(err, GGK_E_RANGE,
              "\"%.*s\" has %llu %s%s, and what it is added to %llu: these are "
              "not of one model",
              ggki_shown(name), name.ptr, (unsigned long long)n_more, noun,
              ggki_plural(n_more), (unsigned long long)n);
    ggki_err_set_need(err, n_more, n);
    return GGK_E_RANGE;
}

/* One count for all becomes one for each of `n`. */
static ggk_status spread_count(ggk_imatrix *imatrix, ggk_importances *e,
                               uint64_t n, ggk_error *err)
{
    size_t bytes = sizeof *e->counts;
    int64_t *counts;

    if (n > SIZE_MAX / bytes)
        return ggki_fail_memory(err);
    counts = ggki_mem_resize(&imatrix->mem, ggki_mem_own(e->counts),
                             (size_t)e->n_slices * bytes, (size_t)n * bytes);
    if (counts == NULL)
        return ggki_fail_memory(err);
    for (uint64_t i = e->n_slices; i < n; i++)
        counts[i] = counts[0];
    e->counts = counts;
    e->n_slices = n;
    return GGK_OK;
}

/* Give both the same shape, if they can have it. */
static ggk_status match(const struct adding *a, ggk_importances *e,
                        const ggk_importances *more, ggk_error *err)
{
    if (e->n_values != more->n_values)
        return fail_shape(e->name, "value", e->n_values, more->n_values, err);
    if (a->from->info.legacy || e->n_slices == more->n_slices)
        return GGK_OK;
    if (e->n_slices == 1)
        return spread_count(a->to, e, more->n_slices, err);
    return fail_shape(e->name, "count", e->n_slices, more->n_slices, err);
}

static bool add_count(int64_t *to, int64_t n)
{
    if (n > 0 ? *to > INT64_MAX - n : *to < INT64_MIN - n)
        return false;
    *to += n;
    return true;
}

/* A .dat's one count is that of each. */
static ggk_status add_counts(const struct adding *a, const ggk_importances *e,
                             const ggk_importances *more, ggk_error *err)
{
    int64_t *to = ggki_mem_own(e->counts);

    for (uint64_t i = 0; i < e->n_slices; i++) {
        int64_t n = more->counts[more->n_slices == 1 ? 0 : i];

        if (!add_count(&to[i], n * a->factor))
            return ggki_fail(err, GGK_E_OVERFLOW,
                             "\"%.*s\": a count would be past 2^63",
                             ggki_shown(e->name), e->name.ptr);
    }
    return GGK_OK;
}

static ggk_status add_values(const struct adding *a, const ggk_importances *e,
                             const ggk_importances *more, ggk_error *err)
{
    float *to = ggki_mem_own(e->values);
    float factor = (float)a->factor;
    size_t n = (size_t)e->n_values, bad;

    for (size_t i = 0; i < n; i++)
        to[i] += more->values[i] * factor;
    bad = ggki_find_not_finite(to, n);
    if (bad == n)
        return GGK_OK;
    ggki_fail(err, GGK_E_VALUE, "\"%.*s\": sum %llu would be %g",
              ggki_shown(e->name), e->name.ptr, (unsigned long long)bad,
              (double)to[bad]);
    return GGK_E_VALUE;
}

/* The number of the entry of that name, which is new if there was none. */
static ggk_status find_entry(ggk_imatrix *to, const ggk_importances *more,
                             uint64_t *i, ggk_error *err)
{
    uint64_t n = to->info.n_entries;
    float *values;
    int64_t *counts;
    ggk_status status = GGK_OK;

    *i = ggk_imatrix_find(to, more->name);
    if (*i != GGK_NONE)
        return GGK_OK;
    *i = n;
    if (n == to->room)
        status = ggki_imatrix_reserve(to, n + n / 2 + 8, err);
    if (status == GGK_OK)
        status = ggki_imatrix_add(to, more->name, more->n_values,
                                  more->n_slices, &values, &counts, err);
    if (status == GGK_OK &&
        ggki_namemap_add(&to->names, &to->mem, n, to) != GGK_OK)
        status = ggki_fail_memory(err);
    return status;
}

static ggk_status add_entry(const struct adding *a, const ggk_importances *more,
                            ggk_error *err)
{
    ggk_importances *e;
    uint64_t i;
    ggk_status status = find_entry(a->to, more, &i, err);

    if (status != GGK_OK)
        return status;
    e = &a->to->entries[i];
    status = match(a, e, more, err);
    if (status == GGK_OK)
        status = add_counts(a, e, more, err);
    return status == GGK_OK ? add_values(a, e, more, err) : status;
}

/* ----------------------------------------------------------- what they say */

static bool dataset_at(const void *owner, uint64_t i, ggk_str *out)
{
    const ggk_imatrix *imatrix = owner;

    *out = imatrix->datasets[i];
    return true;
}

/* Those that are listed already are not once more. */
static ggk_status add_datasets(ggk_imatrix *to, const ggk_imatrix *from,
                               ggk_error *err)
{
    uint64_t n = from->info.n_datasets, had = to->info.n_datasets;
    struct ggki_namemap listed;
    ggk_status status = ggki_imatrix_reserve_datasets(to, had + n, err);
    bool repeats;

    if (status != GGK_OK)
        return status;
    if (had > GGKI_NAMEMAP_MAX ||
        ggki_namemap_build(&listed, &to->mem, to->names.seed, had, dataset_at,
                           to) != GGK_OK)
        return ggki_fail_memory(err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++)
        if (ggki_namemap_find(&listed, to, from->datasets[i], &repeats) ==
            GGK_NONE)
            status = ggki_imatrix_add_dataset(to, from->datasets[i], err);
    ggki_namemap_free(&listed, &to->mem);
    return status;
}

static uint64_t largest_count(const ggk_imatrix *imatrix)
{
    int64_t most = 0;

    for (uint64_t i = 0; i < imatrix->info.n_entries; i++) {
        const ggk_importances *e = &imatrix->entries[i];

        for (uint64_t s = 0; s < e->n_slices; s++)
            most = e->counts[s] > most ? e->counts[s] : most;
    }
    return (uint64_t)most;
}

static void count_chunks(ggk_imatrix *to, const ggk_imatrix *from,
                         uint64_t size)
{
    const ggk_imatrix_info *more = &from->info;
    bool same_size = more->legacy || more->chunk_size == size;

    if (to->n_added == 1 && more->n_chunks > 0 && same_size)
        to->info.n_chunks = more->n_chunks;
    else
        to->info.n_chunks = largest_count(to) / size;
}

/* Tokens in a chunk: what was asked for, or said first. */
static uint64_t chunk_size_of(const ggk_imatrix *to, const ggk_imatrix *from)
{
    if (to->info.chunk_size > 0)
        return to->info.chunk_size;
    return from->info.chunk_size > 0 ? from->info.chunk_size
                                     : GGK_IMATRIX_CHUNK;
}

ggk_status ggk_imatrix_add(ggk_imatrix *imatrix, const ggk_imatrix *more,
                           ggk_error *err)
{
    const ggk_imatrix_info *info = &more->info;
    uint64_t size = chunk_size_of(imatrix, more);
    struct adding a = {imatrix, more, info->legacy ? (int64_t)size : 1};
    ggk_status status;

    if (!imatrix->info.sums || !info->sums)
        return ggki_fail(err, GGK_E_ARG,
                         "importances are added that were divided");
    if (size > GGK_IMATRIX_CHUNK_MOST)
        return ggki_fail(err, GGK_E_RANGE,
                         "a chunk of %llu tokens is too large",
                         (unsigned long long)size);
    imatrix->info.chunk_size = size;
    status = add_datasets(imatrix, more, err);
    for (uint64_t i = 0; i < info->n_entries && status == GGK_OK; i++)
        status = add_entry(&a, &more->entries[i], err);
    imatrix->n_added++;
    if (status == GGK_OK)
        count_chunks(imatrix, more, size);
    return status;
}
