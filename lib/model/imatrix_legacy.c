/* imatrix_legacy.c - "imatrix.dat", as llama-imatrix wrote it before August
 * 2025.
 *
 * All is little-endian, nothing is padded:
 *
 *     i32 n_entries          at least 1
 *     n_entries times:
 *         i32 len; u8 name[len]
 *         i32 n_calls        by which the values are to be divided; 0: they are
 *         i32 n_values       not. At least 1
 *         f32 values[n_values]
 *     i32 n_chunks           this and what follows may be missing
 *     i32 len; u8 dataset[len]
 */
#include <stdio.h>

#include "base/err.h"
#include "base/finite.h"
#include "base/load.h"
#include "base/mem.h"
#include "model/imatrix.h"

#define ENTRY_BYTES 16u   /* at least: a name of none, and one value */
#define STEP        1024u /* values that are read at once */

/* The way through a file of known size. */
struct dat {
    const ggk_source *source;
    uint64_t pos, size;
    uint64_t entry; /* of which a field is read; GGK_NONE: outside of any */
    ggk_error *err;
};

/* Put the field at `off` into an error. */
static ggk_status blame(const struct dat *d, ggk_status status, uint64_t off,
                        const char *field)
{
    if (d->err == NULL)
        return status;
    d->err->offset = off;
    if (d->entry == GGK_NONE)
        snprintf(d->err->where, sizeof d->err->where, "%s", field);
    else
        snprintf(d->err->where, sizeof d->err->where, "entry[%llu].%s",
                 (unsigned long long)d->entry, field);
    return status;
}

/* Are there `n` bytes more? */
static ggk_status need(const struct dat *d, uint64_t n, const char *field)
{
    uint64_t left = d->size - d->pos;

    if (n <= left)
        return GGK_OK;
    ggki_fail(d->err, GGK_E_TRUNCATED,
              "the file ends within the importance matrix");
    ggki_err_set_need(d->err, n, left);
    return blame(d, GGK_E_TRUNCATED, d->pos, field);
}

static ggk_status read_bytes(struct dat *d, void *out, size_t n)
{
    ggk_status status = ggk_source_read(d->source, d->pos, out, n, d->err);

    if (status == GGK_OK)
        d->pos += n;
    return status;
}

static int32_t signed_of(uint32_t n)
{
    return n <= INT32_MAX ? (int32_t)n : -(int32_t)(UINT32_MAX - n) - 1;
}

static ggk_status read_i32(struct dat *d, const char *field, int32_t *out)
{
    uint8_t bytes[4];
    ggk_status status = need(d, sizeof bytes, field);

    *out = 0;
    if (status == GGK_OK)
        status = read_bytes(d, bytes, sizeof bytes);
    if (status == GGK_OK)
        *out = signed_of(load_u32(bytes, false));
    return status;
}

/* A number of things, not below `least`, of which each takes `bytes` bytes. */
static ggk_status read_count(struct dat *d, const char *field, int32_t least,
                             uint64_t bytes, uint64_t *out)
{
    int32_t n;
    ggk_status status = read_i32(d, field, &n);
    uint64_t left = d->size - d->pos;

    *out = 0;
    if (status != GGK_OK)
        return status;
    if (n < least || (uint64_t)n > left / bytes) {
        ggki_fail(d->err, GGK_E_COUNT,
                  "%s is %ld, which is no number of them that can be in the "
                  "%llu bytes left of an importance matrix",
                  field, (long)n, (unsigned long long)left);
        ggki_err_set_need(d->err, n < 0 ? 0 : (uint64_t)n, left / bytes);
        return blame(d, GGK_E_COUNT, d->pos - 4, field);
    }
    *out = (uint64_t)n;
    return GGK_OK;
}

/* A name: to be released as one of ggki_mem_string. */
static ggk_status read_name(struct dat *d, const ggk_allocator *mem,
                            const char *field, ggk_str *out)
{
    uint64_t len;
    char *name;
    ggk_status status = read_count(d, field, 0, 1, &len);

    *out = (ggk_str){NULL, 0};
    if (status != GGK_OK)
        return status;
    name = ggki_mem_zero(mem, (size_t)len + 1);
    if (name == NULL)
        return ggki_fail_memory(d->err);
    status = read_bytes(d, name, (size_t)len);
    if (status != GGK_OK) {
        ggki_mem_release(mem, name, (size_t)len + 1);
        return status;
    }
    *out = (ggk_str){name, (size_t)len};
    return GGK_OK;
}

static ggk_status read_values(struct dat *d, float *values, uint64_t n,
                              int32_t n_calls, uint32_t flags)
{
    uint8_t bytes[STEP * 4];
    uint64_t first = d->pos, bad;

    for (uint64_t done = 0; done < n;) {
        size_t step = n - done < STEP ? (size_t)(n - done) : STEP;
        ggk_status status = read_bytes(d, bytes, step * 4);

        if (status != GGK_OK)
            return status;
        for (size_t i = 0; i < step; i++)
            values[done + i] = load_f32(bytes + i * 4, false);
        done += step;
    }
    bad = (flags & GGK_IMATRIX_ANY) != 0
              ? n
              : ggki_find_not_finite(values, (size_t)n);
    if (bad < n) {
        char field[48];

        ggki_fail(d->err, GGK_E_RANGE, "the value is %g", (double)values[bad]);
        snprintf(field, sizeof field, "values[%llu]", (unsigned long long)bad);
        return blame(d, GGK_E_RANGE, first + bad * 4, field);
    }
    if ((flags & GGK_IMATRIX_SUMS) != 0 || n_calls <= 0)
        return GGK_OK;
    for (uint64_t i = 0; i < n; i++)
        values[i] /= (float)n_calls;
    return GGK_OK;
}

static ggk_status read_entry(ggk_imatrix *imatrix, struct dat *d)
{
    int32_t n_calls;
    uint64_t n = 0;
    float *values = NULL;
    int64_t *counts = NULL;
    ggk_importances *e = &imatrix->entries[imatrix->info.n_entries];
    ggk_str name;
    ggk_status status = read_name(d, &imatrix->mem, "name.len", &name);

    if (status != GGK_OK)
        return status;
    status = read_i32(d, "n_calls", &n_calls);
    if (status == GGK_OK)
        status = read_count(d, "n_values", 1, 4, &n);
    if (status == GGK_OK)
        status =
            ggki_imatrix_add(imatrix, name, n, 1, &values, &counts, d->err);
    ggki_mem_release(&imatrix->mem, ggki_mem_own(name.ptr), name.len + 1);
    if (status != GGK_OK)
        return status;
    counts[0] = n_calls;
    e->values_off = d->pos;
    e->counts_off = d->pos - 8;
    return read_values(d, values, n, n_calls, imatrix->how.flags);
}

/* What may follow the entries. */
static ggk_status read_end(ggk_imatrix *imatrix, struct dat *d)
{
    int32_t n_chunks;
    ggk_str dataset;
    ggk_status status;

    d->entry = GGK_NONE;
    if (d->pos == d->size)
        return GGK_OK;
    status = read_i32(d, "n_chunks", &n_chunks);
    if (status != GGK_OK)
        return status;
    imatrix->info.n_chunks = n_chunks > 0 ? (uint64_t)n_chunks : 0;
    if (d->pos == d->size)
        return GGK_OK;
    status = read_name(d, &imatrix->mem, "dataset.len", &dataset);
    if (status != GGK_OK)
        return status;
    if (dataset.len > 0)
        status = ggki_imatrix_reserve_datasets(imatrix, 1, d->err);
    if (status == GGK_OK && dataset.len > 0)
        status = ggki_imatrix_add_dataset(imatrix, dataset, d->err);
    ggki_mem_release(&imatrix->mem, ggki_mem_own(dataset.ptr), dataset.len + 1);
    if (status != GGK_OK || d->pos == d->size)
        return status;
    ggki_fail(d->err, GGK_E_COUNT,
              "%llu bytes follow the end of the importance matrix",
              (unsigned long long)(d->size - d->pos));
    ggki_err_set_need(d->err, 0, d->size - d->pos);
    return blame(d, GGK_E_COUNT, d->pos, "end");
}

/* How many entries there are, which comes first: no model has so many as other
 * files would, JSON for one, if their first bytes were this number. */
static ggk_status read_n_entries(struct dat *d, uint64_t *out)
{
    const uint32_t most = (uint32_t)1 << 24;
    int32_t n;
    ggk_status status = read_i32(d, "n_entries", &n);

    *out = 0;
    if (status != GGK_OK)
        return status;
    d->pos = 0;
    if ((uint32_t)n <= most)
        return read_count(d, "n_entries", 1, ENTRY_BYTES, out);
    ggki_fail(d->err, GGK_E_MAGIC,
              "this is no importance matrix: neither a GGUF, nor of the older "
              "kind, imatrix.dat");
    return blame(d, GGK_E_MAGIC, 0, "n_entries");
}

ggk_status ggki_imatrix_read_legacy(ggk_imatrix *imatrix,
                                    const ggk_source *source, ggk_error *err)
{
    struct dat d = {source, 0, ggk_source_size(source), GGK_NONE, err};
    uint64_t n;
    ggk_status status = read_n_entries(&d, &n);

    imatrix->info.legacy = true;
    if (status == GGK_OK)
        status = ggki_imatrix_reserve(imatrix, n, err);
    for (uint64_t i = 0; i < n && status == GGK_OK; i++) {
        d.entry = i;
        status = read_entry(imatrix, &d);
    }
    return status == GGK_OK ? read_end(imatrix, &d) : status;
}
