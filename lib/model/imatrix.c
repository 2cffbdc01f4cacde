/* imatrix.c - importance matrices: entries by the names of tensors. */
#include "model/imatrix.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/model.h"

/* ------------------------------------------------------------------ filling */

ggk_status ggki_imatrix_reserve(ggk_imatrix *imatrix, uint64_t n,
                                ggk_error *err)
{
    if (n > SIZE_MAX / sizeof *imatrix->entries)
        return ggki_fail_memory(err);
    imatrix->entries =
        ggki_mem_zero(&imatrix->mem, (size_t)n * sizeof *imatrix->entries);
    if (imatrix->entries == NULL)
        return ggki_fail_memory(err);
    imatrix->room = (size_t)n;
    return GGK_OK;
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

/* Forget the entries from number `from` on. */
static void drop_entries(ggk_imatrix *imatrix, uint64_t from)
{
    for (uint64_t i = from; i < imatrix->info.n_entries; i++)
        release_entry(&imatrix->mem, &imatrix->entries[i]);
    imatrix->info.n_entries = from;
}

ggk_status ggki_imatrix_add(ggk_imatrix *imatrix, ggk_str name,
                            uint64_t n_values, uint64_t n_slices,
                            float **values, int64_t **counts, ggk_error *err)
{
    ggk_importances e = {.n_values = n_values, .n_slices = n_slices};

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

ggk_status ggki_imatrix_set_dataset(ggk_imatrix *imatrix, ggk_str name,
                                    ggk_error *err)
{
    char *copy = ggki_mem_string(&imatrix->mem, name.ptr, name.len);

    if (copy == NULL)
        return ggki_fail_memory(err);
    imatrix->info.dataset = (ggk_str){copy, name.len};
    return GGK_OK;
}

/* -------------------------------------------------------------------- names */

static bool name_of(const void *imatrix, uint64_t i, ggk_str *out)
{
    *out = ((const ggk_imatrix *)imatrix)->entries[i].name;
    return true;
}

static ggk_status map_names(ggk_imatrix *imatrix, ggk_error *err)
{
    uint64_t seed[2], n = imatrix->info.n_entries;

    ggki_namemap_random_seed(seed);
    if (n > GGKI_NAMEMAP_MAX ||
        ggki_namemap_build(&imatrix->names, &imatrix->mem, seed, n, name_of,
                           imatrix) != GGK_OK)
        return ggki_fail_memory(err);
    if (imatrix->names.n_repeats > 0)
        return ggki_fail(err, GGK_E_DUPLICATE,
                         "of one tensor there are importances more than once");
    return GGK_OK;
}

/* ------------------------------------------------------------------ opening */

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

ggk_status ggk_imatrix_open_source(ggk_source *source,
                                   const ggk_allocator *alloc,
                                   ggk_imatrix **out, ggk_error *err)
{
    ggk_allocator mem = ggki_mem_of(alloc);
    ggk_imatrix *imatrix;
    ggk_status status;

    *out = NULL;
    if (source == NULL)
        return ggki_fail(err, GGK_E_ARG, "no source");
    imatrix = ggki_mem_zero(&mem, sizeof *imatrix);
    if (imatrix == NULL) {
        ggk_source_close(source);
        return ggki_fail_memory(err);
    }
    imatrix->mem = mem;
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

ggk_status ggk_imatrix_open(const char *path, const ggk_allocator *alloc,
                            ggk_imatrix **out, ggk_error *err)
{
    ggk_source *source;
    ggk_status status = ggk_source_open_file(path, alloc, &source, err);

    *out = NULL;
    return status == GGK_OK ? ggk_imatrix_open_source(source, alloc, out, err)
                            : status;
}

void ggk_imatrix_close(ggk_imatrix *imatrix)
{
    ggk_allocator mem;

    if (imatrix == NULL)
        return;
    mem = imatrix->mem;
    drop_entries(imatrix, 0);
    ggki_mem_release(&mem, imatrix->entries,
                     imatrix->room * sizeof *imatrix->entries);
    if (imatrix->info.dataset.ptr != NULL)
        ggki_mem_release(&mem, ggki_mem_own(imatrix->info.dataset.ptr),
                         imatrix->info.dataset.len + 1);
    ggki_namemap_free(&imatrix->names, &mem);
    ggki_mem_release(&mem, imatrix, sizeof *imatrix);
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
    drop_entries(imatrix, n);
    ggki_namemap_free(&imatrix->names, &imatrix->mem);
    status = map_names(imatrix, err);
    if (status != GGK_OK)
        drop_entries(imatrix, 0);
    return status;
}

/* ------------------------------------------------------------------- asking */

void ggk_imatrix_about(const ggk_imatrix *imatrix, ggk_imatrix_info *out)
{
    *out = imatrix->info;
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
