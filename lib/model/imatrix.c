/* imatrix.c - importance matrices: entries by the names of tensors. */
#include "model/imatrix.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "model/model.h"

/* ------------------------------------------------------------------ filling */

/* Make room for `n` items of so many bytes in a list that has room for `*room`.
 */
static ggk_status make_room(const ggk_allocator *mem, void **list, size_t *room,
                            uint64_t n, size_t bytes, ggk_error *err)
{
    void *grown;

    if (n <= *room)
        return GGK_OK;
    if (n > SIZE_MAX / bytes)
        return ggki_fail_memory(err);
    grown = ggki_mem_resize(mem, *list, *room * bytes, (size_t)n * bytes);
    if (grown == NULL)
        return ggki_fail_memory(err);
    *list = grown;
    *room = (size_t)n;
    return GGK_OK;
}

ggk_status ggki_imatrix_reserve(ggk_imatrix *imatrix, uint64_t n,
                                ggk_error *err)
{
    void *list = imatrix->entries;
    ggk_status status = make_room(&imatrix->mem, &list, &imatrix->room, n,
                                  sizeof *imatrix->entries, err);

    imatrix->entries = list;
    return status;
}

ggk_status ggki_imatrix_reserve_datasets(ggk_imatrix *imatrix, uint64_t n,
                                         ggk_error *err)
{
    void *list = imatrix->datasets;
    ggk_status status = make_room(&imatrix->mem, &list, &imatrix->dataset_room,
                                  n, sizeof *imatrix->datasets, err);

    imatrix->datasets = list;
    return status;
}

static void release_entry(const ggk_allocator *mem, const ggk_importances *e)
{
    if (e->name.ptr != NULL)
        ggki_mem_release(mem, ggki_mem_own(e->name.ptr), e->name.len + 1);
    if (e->values != NULL)
        ggki_mem_release(mem, ggki_mem_own(e->values),
                         (size_t)e->n_values * sizeof *e->values);
    if (e->counts != NULL)
        ggki_mem_release(mem, ggki_mem_own(e->counts),
                         (size_t)e->n_slices * sizeof *e->counts);
}

void ggki_imatrix_drop(ggk_imatrix *imatrix, uint64_t from)
{
    for (uint64_t i = from; i < imatrix->info.n_entries; i++)
        release_entry(&imatrix->mem, &imatrix->entries[i]);
    imatrix->info.n_entries = from;
}

ggk_status ggki_imatrix_add(ggk_imatrix *imatrix, ggk_str name,
                            uint64_t n_values, uint64_t n_slices,
                            float **values, int64_t **counts, ggk_error *err)
{
    ggk_importances e = {.n_values = n_values,
                         .n_slices = n_slices,
                         .values_off = GGK_NO_OFFSET,
                         .counts_off = GGK_NO_OFFSET,
                         .rounded = GGK_NONE};

    if (n_values > SIZE_MAX / sizeof **values ||
        n_slices > SIZE_MAX / sizeof **counts)
        return ggki_fail_memory(err);
    *values = ggki_mem_zero(&imatrix->mem, (size_t)n_values * sizeof **values);
    *counts = ggki_mem_zero(&imatrix->mem, (size_t)n_slices * sizeof **counts);
    e.name.ptr = ggki_mem_string(&imatrix->mem, name.ptr, name.len);
    e.name.len = name.len;
    e.values = *values;
    e.counts = *counts;
    if (e.values == NULL || e.counts == NULL || e.name.ptr == NULL) {
        release_entry(&imatrix->mem, &e);
        return ggki_fail_memory(err);
    }
    imatrix->entries[imatrix->info.n_entries++] = e;
    return GGK_OK;
}

ggk_status ggki_imatrix_add_dataset(ggk_imatrix *imatrix, ggk_str name,
                                    ggk_error *err)
{
    char *copy = ggki_mem_string(&imatrix->mem, name.ptr, name.len);

    if (copy == NULL)
        return ggki_fail_memory(err);
    imatrix->datasets[imatrix->info.n_datasets++] = (ggk_str){copy, name.len};
    imatrix->info.dataset = imatrix->datasets[0];
    return GGK_OK;
}

ggk_status ggki_imatrix_fault(const ggk_imatrix *imatrix, enum ggki_fault fault,
                              ggk_status status, const ggk_error *why)
{
    if (imatrix->how.on_fault == NULL || fault == GGKI_FAULT_NONE)
        return status;
    imatrix->how.on_fault(imatrix->how.ctx, fault, why);
    return GGK_OK;
}

/* -------------------------------------------------------------------- names */

bool ggki_imatrix_name_of(const void *imatrix, uint64_t i, ggk_str *out)
{
    *out = ((const ggk_imatrix *)imatrix)->entries[i].name;
    return true;
}

/* Entries whose name an earlier one has. */
static ggk_status find_repeats(const ggk_imatrix *imatrix, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i < imatrix->info.n_entries && status == GGK_OK; i++) {
        if (ggk_imatrix_find(imatrix, imatrix->entries[i].name) == i)
            continue;
        ggki_fail(err, GGK_E_DUPLICATE,
                  "of one tensor there are importances more than once");
        if (err != NULL) {
            err->offset = imatrix->entries[i].values_off;
            snprintf(err->where, sizeof err->where, "entry[%llu]",
                     (unsigned long long)i);
        }
        status =
            ggki_imatrix_fault(imatrix, GGKI_FAULT_TWICE, GGK_E_DUPLICATE, err);
    }
    return status;
}

static ggk_status map_names(ggk_imatrix *imatrix, ggk_error *err)
{
    uint64_t seed[2], n = imatrix->info.n_entries;

    ggki_namemap_random_seed(seed);
    if (n > GGKI_NAMEMAP_MAX ||
        ggki_namemap_build(&imatrix->names, &imatrix->mem, seed, n,
                           ggki_imatrix_name_of, imatrix) != GGK_OK)
        return ggki_fail_memory(err);
    return imatrix->names.n_repeats > 0 ? find_repeats(imatrix, err) : GGK_OK;
}

/* ------------------------------------------------------------------ opening */

/* Of nothing. */
static ggk_imatrix *make(const struct ggki_imatrix_how *how,
                         const ggk_allocator *alloc)
{
    ggk_allocator mem = ggki_mem_of(alloc);
    ggk_imatrix *imatrix = ggki_mem_zero(&mem, sizeof *imatrix);

    if (imatrix == NULL)
        return NULL;
    imatrix->mem = mem;
    imatrix->how = *how;
    imatrix->info.sums = (how->flags & GGK_IMATRIX_SUMS) != 0;
    return imatrix;
}

static ggk_status read_source(ggk_imatrix *imatrix, ggk_source *source,
                              ggk_error *err)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE,
                          .allocator = &imatrix->mem};
    char magic[4] = "";
    ggk_model *model;
    ggk_status status;

    if (ggk_source_size(source) == GGK_SIZE_UNKNOWN)
        status = ggki_fail(err, GGK_E_UNSUPPORTED,
                           "importances are not read from a stream");
    else
        status = ggk_source_read(source, 0, magic, sizeof magic, err);
    if (status != GGK_OK || memcmp(magic, "GGUF", sizeof magic) != 0) {
        if (status == GGK_OK)
            status = ggki_imatrix_read_legacy(imatrix, source, err);
        ggk_source_close(source);
        return status;
    }
    status = ggk_model_open_source(source, &opts, &model, err);
    if (status != GGK_OK)
        return status;
    status = ggki_imatrix_read_gguf(imatrix, model, err);
    ggk_model_close(model);
    return status;
}

ggk_status ggki_imatrix_read(ggk_source *source,
                             const struct ggki_imatrix_how *how,
                             const ggk_allocator *alloc, ggk_imatrix **out,
                             ggk_error *err)
{
    ggk_imatrix *imatrix;
    ggk_status status;

    *out = NULL;
    if (source == NULL)
        return ggki_fail(err, GGK_E_ARG, "no source");
    imatrix = make(how, alloc);
    if (imatrix == NULL) {
        ggk_source_close(source);
        return ggki_fail_memory(err);
    }
    status = read_source(imatrix, source, err);
    if (status == GGK_OK)
        status = map_names(imatrix, err);
    if (status != GGK_OK) {
        ggk_imatrix_close(imatrix);
        return status;
    }
    *out = imatrix;
    return GGK_OK;
}

ggk_status ggk_imatrix_open_source(ggk_source *source, uint32_t flags,
                                   const ggk_allocator *alloc,
                                   ggk_imatrix **out, ggk_error *err)
{
    const struct ggki_imatrix_how how = {.flags = flags};
    ggk_status status =
        ggki_opts_check_flags(flags, GGK_IMATRIX_SUMS | GGK_IMATRIX_ANY, err);

    if (status == GGK_OK)
        return ggki_imatrix_read(source, &how, alloc, out, err);
    *out = NULL;
    ggk_source_close(source);
    return status;
}

ggk_status ggk_imatrix_open(const char *path, uint32_t flags,
                            const ggk_allocator *alloc, ggk_imatrix **out,
                            ggk_error *err)
{
    ggk_source *source;
    ggk_status status = ggk_source_open_file(path, alloc, &source, err);

    *out = NULL;
    return status == GGK_OK
               ? ggk_imatrix_open_source(source, flags, alloc, out, err)
               : status;
}

void ggk_imatrix_close(ggk_imatrix *imatrix)
{
    ggk_allocator mem;

    if (imatrix == NULL)
        return;
    mem = imatrix->mem;
    ggki_imatrix_drop(imatrix, 0);
    ggki_mem_release(&mem, imatrix->entries,
                     imatrix->room * sizeof *imatrix->entries);
    for (uint64_t i = 0; i < imatrix->info.n_datasets; i++)
        ggki_mem_release(&mem, ggki_mem_own(imatrix->datasets[i].ptr),
                         imatrix->datasets[i].len + 1);
    ggki_mem_release(&mem, imatrix->datasets,
                     imatrix->dataset_room * sizeof *imatrix->datasets);
    ggki_namemap_free(&imatrix->names, &mem);
    ggki_mem_release(&mem, imatrix, sizeof *imatrix);
}

ggk_status ggk_imatrix_new(uint64_t chunk_size, const ggk_allocator *alloc,
                           ggk_imatrix **out, ggk_error *err)
{
    const struct ggki_imatrix_how how = {.flags = GGK_IMATRIX_SUMS};
    ggk_status status;

    *out = NULL;
    if (chunk_size > GGK_IMATRIX_CHUNK_MOST)
        return ggki_fail(err, GGK_E_ARG, "a chunk of %llu tokens is too large",
                         (unsigned long long)chunk_size);
    *out = make(&how, alloc);
    if (*out == NULL)
        return ggki_fail_memory(err);
    (*out)->info.chunk_size = chunk_size;
    status = map_names(*out, err);
    if (status != GGK_OK) {
        ggk_imatrix_close(*out);
        *out = NULL;
    }
    return status;
}

ggk_status ggk_imatrix_keep(ggk_imatrix *imatrix, ggk_is_wanted *is_wanted,
                            void *ctx, ggk_error *err)
{
    uint64_t n = 0;
    ggk_status status;

    for (uint64_t i = 0; i < imatrix->info.n_entries; i++) {
        ggk_importances e = imatrix->entries[i];

        if (!is_wanted(ctx, e.name))
            continue;
        imatrix->entries[i] = imatrix->entries[n];
        imatrix->entries[n++] = e;
    }
    ggki_imatrix_drop(imatrix, n);
    ggki_namemap_free(&imatrix->names, &imatrix->mem);
    status = map_names(imatrix, err);
    if (status != GGK_OK)
        ggki_imatrix_drop(imatrix, 0);
    return status;
}

/* ------------------------------------------------------------------- asking */

void ggk_imatrix_about(const ggk_imatrix *imatrix, ggk_imatrix_info *out)
{
    *out = imatrix->info;
}

ggk_str ggk_imatrix_dataset(const ggk_imatrix *imatrix, uint64_t i)
{
    return i < imatrix->info.n_datasets ? imatrix->datasets[i]
                                        : (ggk_str){NULL, 0};
}

ggk_status ggk_imatrix_entry(const ggk_imatrix *imatrix, uint64_t i,
                             ggk_importances *out, ggk_error *err)
{
    memset(out, 0, sizeof *out);
    if (i >= imatrix->info.n_entries)
        return ggki_fail_index(err, "entry", i, imatrix->info.n_entries);
    *out = imatrix->entries[i];
    return GGK_OK;
}

uint64_t ggk_imatrix_find(const ggk_imatrix *imatrix, ggk_str name)
{
    bool repeats;

    return ggki_namemap_find(&imatrix->names, imatrix, name, &repeats);
}
