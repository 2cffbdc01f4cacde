/* model.c - the immutable model: opening, facts, key-values, tensors. */
#include "model/model.h"

#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "format/space.h"
#include "format/types.h"
#include "io/path.h"
#include "io/source.h"

#define DEFAULT_MAX_HEADER_BYTES (UINT64_C(1) << 30)

/* ----------------------------------------------------------------- opening */

static ggk_status open_by_pread(void *ctx, const char *path, ggk_source **out,
                                ggk_error *err)
{
    return ggk_source_open_file(path, ctx, out, err);
}

/* Every option as it is to be used: the caller's, or its default. */
static ggk_status complete_opts(const ggk_open_opts *opts, ggk_allocator *mem,
                                ggk_open_opts *out, ggk_error *err)
{
    ggk_status status = ggki_opts_take(out, sizeof *out, opts, err);

    if (status == GGK_OK)
        status = ggki_opts_check_flags(out->flags, GGK_OPEN_SINGLE, err);
    if (status == GGK_OK)
        status = ggki_opts_check_flags(out->reserved, 0, err);
    if (status != GGK_OK)
        return status;
    *mem = ggki_mem_of(out->allocator);
    out->allocator = mem;
    if (out->max_header_bytes == 0)
        out->max_header_bytes = DEFAULT_MAX_HEADER_BYTES;
    if (out->hash_seed[0] == 0 && out->hash_seed[1] == 0)
        ggki_namemap_random_seed(out->hash_seed);
    if (out->open_source == NULL) {
        out->open_source = open_by_pread;
        out->open_ctx = mem;
    }
    return GGK_OK;
}

static bool tensor_name(const void *owner, uint64_t i, ggk_str *out)
{
    const struct ggki_model_file *file = ggki_model_file_of(owner, i);

    return ggki_gguf_tensor_name(&file->gguf, i - file->first_tensor, out);
}

/* Number the tensors through all files and index their names. */
static ggk_status index_tensors(ggk_model *model, const uint64_t seed[2],
                                ggk_error *err)
{
    ggk_status status;

    for (uint32_t i = 0; i < model->n_files; i++) {
        model->files[i].first_tensor = model->n_tensors;
        model->n_tensors += model->files[i].gguf.n_tensors;
    }
    if (model->n_tensors > GGKI_NAMEMAP_MAX)
        return ggki_fail(err, GGK_E_LIMIT, "more than 2^31 tensors");
    status = ggki_namemap_build(&model->tensors, &model->mem, seed,
                                model->n_tensors, tensor_name, model);
    if (status == GGK_E_NOMEM)
        return ggki_fail_memory(err);
    return status == GGK_OK ? GGK_OK : ggki_fail_changed(err);
}

ggk_status ggki_model_open(const char *path, ggk_source *source,
                           const ggk_open_opts *opts, bool judging,
                           ggk_model **out, ggk_error *err)
{
    ggk_open_opts complete;
    ggk_allocator mem;
    ggk_model *model;
    ggk_status status = complete_opts(opts, &mem, &complete, err);

    *out = NULL;
    model = status == GGK_OK ? ggki_mem_zero(&mem, sizeof *model) : NULL;
    if (model == NULL) {
        ggk_source_close(source);
        return status == GGK_OK ? ggki_fail_memory(err) : status;
    }
    model->mem = mem;
    model->judging = judging;
    status = ggki_model_open_files(model, path, source, &complete, err);
    if (status == GGK_OK)
        status = index_tensors(model, complete.hash_seed, err);
    if (status != GGK_OK) {
        ggk_model_close(model);
        return status;
    }
    *out = model;
    return GGK_OK;
}

ggk_status ggk_model_open(const char *path, const ggk_open_opts *opts,
                          ggk_model **out, ggk_error *err)
{
    *out = NULL;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    return ggki_model_open(path, NULL, opts, false, out, err);
}

ggk_status ggk_model_open_source(ggk_source *source, const ggk_open_opts *opts,
                                 ggk_model **out, ggk_error *err)
{
    *out = NULL;
    if (source == NULL)
        return ggki_fail(err, GGK_E_ARG, "no source");
    return ggki_model_open(NULL, source, opts, false, out, err);
}

void ggk_model_close(ggk_model *model)
{
    ggk_allocator mem;

    if (model == NULL)
        return;
    mem = model->mem;
    ggki_namemap_free(&model->tensors, &mem);
    for (uint32_t i = 0; i < model->n_files; i++)
        ggki_model_file_free(&mem, &model->files[i]);
    ggki_mem_release(&mem, model->files,
                     model->file_capacity * sizeof *model->files);
    ggki_mem_release(&mem, model, sizeof *model);
}

/* ------------------------------------------------------------------- files */

const struct ggki_model_file *ggki_model_file_of(const ggk_model *model,
                                                 uint64_t i)
{
    uint32_t low = 0, high = model->n_files;

    while (high - low > 1) { /* the last file that begins at or before i */
        uint32_t mid = low + (high - low) / 2;
        if (model->files[mid].first_tensor <= i)
            low = mid;
        else
            high = mid;
    }
    return &model->files[low];
}

uint32_t ggk_model_n_files(const ggk_model *model)
{
    return model->n_files;
}

/* Bytes after the data and the padding that belongs to it. */
static uint64_t trailing_bytes(const struct ggki_gguf *g)
{
    uint64_t end;

    if (g->size == GGK_SIZE_UNKNOWN ||
        !ckd_align64(g->data_end, g->alignment, &end) || g->size <= end)
        return 0;
    return g->size - end;
}

ggk_status ggk_model_file(const ggk_model *model, uint32_t i, ggk_file *out,
                          ggk_error *err)
{
    const struct ggki_model_file *file;
    const struct ggki_gguf *g;

    *out = (ggk_file){0};
    if (i >= model->n_files)
        return ggki_fail_index(err, "file", i, model->n_files);
    file = &model->files[i];
    g = &file->gguf;
    *out = (ggk_file){
        .path = file->path,
        .version = g->version,
        .big_endian = g->big,
        .swapped_magic = g->swapped_magic,
        .alignment = g->alignment,
        .n_kv = g->n_kv,
        .n_tensors = g->n_tensors,
        .base_off = g->base_off,
        .kv_off = g->base_off + g->kv_pos.at[0],
        .info_off = g->base_off + g->info_pos.at[0],
        .head_end = g->base_off + g->info_pos.at[g->n_tensors],
        .data_off = g->base_off + g->data_pos,
        .data_end = g->base_off + g->data_end,
        .size = g->size == GGK_SIZE_UNKNOWN ? GGK_SIZE_UNKNOWN
                                            : g->base_off + g->size,
        .trailing = trailing_bytes(g),
        .first_missing = g->first_missing == GGK_NONE
                             ? GGK_NONE
                             : g->first_missing + file->first_tensor,
        .looks_cut = file->path != NULL && ggki_is_cut_name(file->path),
        .first_tensor = file->first_tensor,
    };
    return GGK_OK;
}

const ggk_type_info *ggk_model_type(const ggk_model *model, uint32_t id)
{
    return ggki_type_find(model->files[0].gguf.types, id);
}

uint64_t ggk_model_n_dup_kv(const ggk_model *model)
{
    return model->files[0].gguf.keys.n_repeats;
}

uint64_t ggk_model_n_dup_tensors(const ggk_model *model)
{
    return model->tensors.n_repeats;
}

/* -------------------------------------------------------------- key-values */

uint64_t ggk_model_n_kv(const ggk_model *model)
{
    return model->files[0].gguf.n_kv;
}

ggk_status ggk_model_kv(const ggk_model *model, uint64_t i, ggk_kv *out,
                        ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[0].gguf;
    struct ggki_kv kv;

    *out = (ggk_kv){0};
    if (i >= g->n_kv)
        return ggki_fail_index(err, "key-value", i, g->n_kv);
    if (!ggki_gguf_kv(g, i, &kv))
        return ggki_fail_changed(err);
    *out = (ggk_kv){
        .key = ggki_gguf_bytes(g, kv.key_pos, kv.key_len),
        .type = kv.type,
        .elem_type = kv.elem_type,
        .n = kv.n,
        .off = g->base_off + g->kv_pos.at[i],
        .value_off = g->base_off + kv.value_pos,
        .end_off = g->base_off + g->kv_pos.at[i + 1],
    };
    return GGK_OK;
}

/* What a name map found, as a result. */
static ggk_status found(uint64_t i, bool repeats, const char *noun,
                        ggk_error *err)
{
    if (i == GGK_NONE)
        return ggki_fail(err, GGK_E_NOT_FOUND, "no %s of this name", noun);
    if (repeats)
        return ggki_fail(err, GGK_E_DUPLICATE, "more than one %s has this name",
                         noun);
    return GGK_OK;
}

ggk_status ggk_model_find_kv(const ggk_model *model, ggk_str key, uint64_t *out,
                             ggk_error *err)
{
    bool repeats;

    *out = ggki_gguf_find(&model->files[0].gguf, key, &repeats);
    return found(*out, repeats, "key", err);
}

bool ggk_model_kv_is_space(const ggk_model *model, uint64_t i)
{
    return i < model->files[0].gguf.n_kv &&
           ggki_gguf_is_space(&model->files[0].gguf, i);
}

uint64_t ggk_model_space(const ggk_model *model, uint32_t i)
{
    uint64_t bytes = 0;

    if (i < model->n_files)
        (void)ggki_gguf_space(&model->files[i].gguf, &bytes);
    return bytes;
}

ggk_status ggk_model_kv_bytes(const ggk_model *model, uint64_t i, ggk_str *out,
                              ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[0].gguf;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(model, i, &kv, err);

    *out = (ggk_str){0};
    if (status == GGK_OK)
        *out = ggki_gguf_bytes(g, kv.value_off - g->base_off,
                               kv.end_off - kv.value_off);
    return status;
}

/* ----------------------------------------------------------------- tensors */

uint64_t ggk_model_n_tensors(const ggk_model *model)
{
    return model->n_tensors;
}

ggk_status ggk_model_tensor(const ggk_model *model, uint64_t i, ggk_tensor *out,
                            ggk_error *err)
{
    const struct ggki_model_file *file;
    const struct ggki_gguf *g;
    struct ggki_info info;
    uint64_t local, data_off;

    *out = (ggk_tensor){0};
    if (i >= model->n_tensors)
        return ggki_fail_index(err, "tensor", i, model->n_tensors);
    file = ggki_model_file_of(model, i);
    g = &file->gguf;
    local = i - file->first_tensor;
    if (!ggki_gguf_info(g, local, &info) ||
        !ckd_add64(g->base_off + g->data_pos, info.offset, &data_off))
        return ggki_fail_changed(err);
    *out = (ggk_tensor){
        .name = ggki_gguf_bytes(g, info.name_pos, info.name_len),
        .type = info.type,
        .n_dims = info.n_dims,
        .n_elements = info.n_elements,
        .bytes =
            info.opaque ? ggki_gguf_opaque_bytes(g, info.offset) : info.bytes,
        .rel_off = info.offset,
        .data_off = data_off,
        .info_off = g->base_off + g->info_pos.at[local],
        .info_end = g->base_off + g->info_pos.at[local + 1],
        .file = (uint32_t)(file - model->files),
        .opaque = info.opaque,
    };
    memcpy(out->ne, info.ne, sizeof out->ne);
    return GGK_OK;
}

ggk_status ggk_model_find_tensor(const ggk_model *model, ggk_str name,
                                 uint64_t *out, ggk_error *err)
{
    bool repeats;

    *out = ggki_namemap_find(&model->tensors, model, name, &repeats);
    return found(*out, repeats, "tensor", err);
}

/* Fail to read `bytes` bytes from byte `off` of a file of `size` bytes. */
static ggk_status fail_missing_data(ggk_error *err, uint64_t off, size_t bytes,
                                    uint64_t size)
{
    uint64_t have = off < size ? size - off : 0;

    ggki_fail(err, GGK_E_DATA_MISSING,
              "the file ends before the tensor's data does: %llu bytes needed, "
              "%llu there",
              (unsigned long long)bytes, (unsigned long long)have);
    ggki_err_set_need(err, bytes, have);
    if (err != NULL)
        err->offset = off;
    return GGK_E_DATA_MISSING;
}

ggk_status ggki_fail_missing(const ggk_model *model, const ggk_tensor *t,
                             ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[t->file].gguf;
    uint64_t size = g->base_off + g->size;
    uint64_t have = t->data_off < size ? size - t->data_off : 0;

    ggki_fail(err, GGK_E_DATA_MISSING,
              "the file is cut short: of the %llu bytes of tensor \"%.*s\" "
              "%llu are there",
              (unsigned long long)t->bytes,
              t->name.len < 200 ? (int)t->name.len : 200, t->name.ptr,
              (unsigned long long)have);
    ggki_err_set_need(err, t->bytes, have);
    if (err != NULL)
        err->offset = t->data_off;
    return GGK_E_DATA_MISSING;
}

ggk_status ggk_model_read_tensor(const ggk_model *model, uint64_t i,
                                 uint64_t off, void *buf, size_t bytes,
                                 ggk_error *err)
{
    const struct ggki_gguf *g;
    ggk_tensor t;
    uint64_t end;
    ggk_status status = ggk_model_tensor(model, i, &t, err);

    if (status != GGK_OK)
        return status;
    if (off > t.bytes || bytes > t.bytes - off) {
        ggki_fail(err, GGK_E_RANGE, "the tensor has only %llu bytes",
                  (unsigned long long)t.bytes);
        ggki_err_set_need(err, bytes, off < t.bytes ? t.bytes - off : 0);
        return GGK_E_RANGE;
    }
    if (bytes == 0) /* wherever that is */
        return GGK_OK;
    g = &model->files[t.file].gguf;
    /* A file that was written to since may give any offset. */
    if (!ckd_add64(t.data_off, off, &off) || !ckd_add64(off, bytes, &end))
        status = ggki_fail_changed(err);
    else if (g->size != GGK_SIZE_UNKNOWN && end > g->base_off + g->size)
        status = fail_missing_data(err, off, bytes, g->base_off + g->size);
    else
        status = ggk_source_read(g->source, off, buf, bytes, err);
    if (status != GGK_OK && t.file != model->asked)
        ggki_err_set_file(err, ggki_base_name(model->files[t.file].path));
    return status;
}
