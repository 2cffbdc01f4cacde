/* plan_tensors.c - fills plans: the tensors of their files. */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/str.h"
#include "format/types.h"
#include "io/path.h"
#include "io/source.h"
#include "model/model.h"
#include "ops/plan.h"
#include "ops/plan_fill.h"

/* Note that `bytes` more are taken from file `file` of a model, the plan's
 * source `*source`, once for each tensor: many that overlap must not make a
 * file that fills the disk. */
static ggk_status take_bytes(ggk_plan *plan, const ggk_model *model,
                             uint32_t file, uint64_t bytes, uint32_t *source,
                             ggk_error *err)
{
    const struct ggki_gguf *g = &model->files[file].gguf;
    size_t i = ggki_plan_source_number(plan, g->source, g);
    uint64_t taken;

    if (i >= GGKI_PLAN_OWN)
        return ggki_fail_memory(err);
    if (!ckd_add64(plan->sources[i].taken, bytes, &taken))
        taken = UINT64_MAX;
    if (taken > ggki_most_tensor_bytes(g->size))
        return ggki_fail_overlap(model, file, taken, err);
    plan->sources[i].taken = taken;
    plan->sources[i].path = model->files[file].path;
    *source = (uint32_t)i;
    return GGK_OK;
}

ggk_status ggki_plan_add_item(ggk_plan *plan, struct ggki_plan_file *file,
                              const struct ggki_plan_item *item, ggk_error *err)
{
    struct ggki_plan_item *items =
        ggki_plan_grow(&plan->mem, file->tensors, file->n_tensors,
                       &file->tensor_capacity, sizeof *items);

    if (items == NULL)
        return ggki_fail_memory(err);
    file->tensors = items;
    file->laid_out = false;
    items[file->n_tensors++] = *item;
    return GGK_OK;
}

/* Make a tensor the plan's own, of that name, which is copied. */
static ggk_status add_own(ggk_plan *plan, const struct ggki_plan_tensor *t,
                          ggk_str name, struct ggki_plan_item *out,
                          ggk_error *err)
{
    struct ggki_plan_tensor *own = ggki_plan_grow(
        &plan->mem, plan->own, plan->n_own, &plan->own_capacity, sizeof *own);
    ggk_str copy;

    if (own == NULL)
        return ggki_fail_memory(err);
    plan->own = own;
    if (plan->n_own == UINT32_MAX ||
        !ggki_plan_copy_str(&plan->mem, name, &copy))
        return ggki_fail_memory(err);
    own += plan->n_own;
    *own = *t;
    own->name = copy;
    *out = (struct ggki_plan_item){t->rel_off, GGKI_PLAN_OWN,
                                   (uint32_t)plan->n_own++};
    return GGK_OK;
}

/* Tensor `i` of a source. One without elements has no bytes, of whatever type.
 * False: it is not what it was, as it has more bytes than there are. */
static bool copied_tensor(const struct ggki_plan_source *source, uint64_t i,
                          struct ggki_plan_tensor *out)
{
    const struct ggki_gguf *g = source->gguf;
    struct ggki_info info;

    if (!ggki_gguf_info(g, i, &info) ||
        !ckd_add64(g->base_off + g->data_pos, info.offset, &out->off))
        return false;
    out->name = ggki_gguf_bytes(g, info.name_pos, info.name_len);
    out->source = source->source;
    out->path = source->path;
    out->bytes = info.bytes;
    if (info.opaque && info.n_elements > 0)
        out->bytes = ggki_gguf_opaque_bytes(g, info.offset);
    out->info = info.opaque ? NULL : ggki_type_find(g->types, info.type);
    out->type = info.type;
    out->n_dims = info.n_dims;
    memcpy(out->ne, info.ne, sizeof out->ne);
    out->big = g->big;
    out->from = NULL;
    out->from_bytes = 0;
    out->keeps_odd = false;
    out->importances = NULL;
    return out->bytes <= source->source->size;
}

bool ggki_plan_tensor_at(const struct ggki_plan_file *file, size_t i,
                         struct ggki_plan_tensor *out)
{
    const struct ggki_plan_item *item = &file->tensors[i];

    if (item->source == GGKI_PLAN_OWN)
        *out = file->plan->own[item->i];
    else if (!copied_tensor(&file->plan->sources[item->source], item->i, out))
        return false;
    out->rel_off = item->rel_off;
    return true;
}

ggk_status ggki_plan_name_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                 size_t i, ggk_str name, ggk_error *err)
{
    struct ggki_plan_tensor t;

    file->laid_out = false;
    return ggki_plan_tensor_at(file, i, &t)
               ? add_own(plan, &t, name, &file->tensors[i], err)
               : ggki_fail_changed(err);
}

ggk_status ggki_plan_convert_tensor(ggk_plan *plan, struct ggki_plan_file *file,
                                    size_t i, const ggk_type_info *to,
                                    const float *importances, ggk_error *err)
{
    struct ggki_plan_tensor t;
    ggk_status status;

    if (!ggki_plan_tensor_at(file, i, &t))
        return ggki_fail_changed(err);
    t.from = t.info;
    t.from_bytes = t.bytes;
    t.importances = t.bytes > 0 ? importances : NULL;
    t.info = to;
    t.type = to->id;
    status = ggk_type_tensor_bytes(to, t.ne, t.n_dims, &t.bytes, err);
    if (status == GGK_OK)
        status = add_own(plan, &t, t.name, &file->tensors[i], err);
    file->laid_out = false;
    return status;
}

ggk_status ggki_plan_refuse_types(const struct ggki_plan_tensor *t,
                                  const ggk_type_info *to, ggk_error *err)
{
    int n = ggki_shown(t->name);

    if (!ggk_type_can_quantize(to))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: this version makes no blocks of type %s", n,
                         t->name.ptr, to->name);
    if (t->info == NULL || ggki_type_is_opaque(t->info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: the tensor type %lu is not known", n,
                         t->name.ptr, (unsigned long)t->type);
    if (!ggk_type_can_dequantize(t->info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "%.*s: this version reads no numbers of type %s", n,
                         t->name.ptr, t->info->name);
    return GGK_OK;
}

/* Its blocks are numbers, each by itself. */
static const ggk_type_info *number_type(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    return info != NULL && info->block == 1 ? info : NULL;
}

ggk_status ggk_plan_convert_tensor(ggk_plan *plan, uint32_t file, uint64_t i,
                                   uint32_t type, ggk_error *err)
{
    const ggk_type_info *to = number_type(type);
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);
    struct ggki_plan_tensor t;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    if (i >= f->n_tensors)
        return ggki_fail(err, GGK_E_RANGE, "there is no such tensor");
    if (to == NULL || !ggk_type_can_quantize(to))
        return ggki_fail(err, GGK_E_ARG, "a type of single numbers is needed");
    if (!ggki_plan_tensor_at(f, (size_t)i, &t))
        return ggki_fail_changed(err);
    if (t.from != NULL)
        return ggki_fail(err, GGK_E_ARG, "the tensor is converted already");
    if (t.info == to)
        return GGK_OK;
    status = ggki_plan_refuse_types(&t, to, err);
    if (status == GGK_OK)
        status = ggki_plan_convert_tensor(plan, f, (size_t)i, to, NULL, err);
    if (status == GGK_OK)
        plan->own[f->tensors[i].i].keeps_odd = true;
    return status;
}

ggk_status ggki_plan_blame(const struct ggki_plan_tensor *t, ggk_status status,
                           ggk_error *err)
{
    if (t->path != NULL)
        ggki_err_set_file(err, t->path);
    return status;
}

ggk_status ggki_plan_read(const struct ggki_plan_tensor *t, uint64_t off,
                          void *buffer, size_t bytes, ggk_error *err)
{
    ggk_status status = ggk_source_read(t->source, off, buffer, bytes, err);

    return status == GGK_OK ? GGK_OK : ggki_plan_blame(t, status, err);
}

/* Are all bytes of tensor `i` of a model there? One of unknown layout has all
 * up to the next, if it has elements; at the end of the file it lacks them. */
static ggk_status check_data(const ggk_model *model, uint64_t i, ggk_tensor *t,
                             ggk_error *err)
{
    const struct ggki_model_file *file = &model->files[t->file];
    uint64_t size = file->gguf.source->size, left;

    if (t->n_elements == 0) {
        t->bytes = 0;
        return GGK_OK;
    }
    if (t->bytes == GGK_SIZE_UNKNOWN || size == GGK_SIZE_UNKNOWN)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "where the file ends is not known, so its tensors "
                         "cannot be copied");
    left = t->data_off < size ? size - t->data_off : 0;
    if (t->bytes > 0 && t->bytes <= left)
        return GGK_OK;
    ggki_fail(err, GGK_E_DATA_MISSING,
              "the file ends before the data of tensor \"%.*s\" does",
              t->name.len < 200 ? (int)t->name.len : 200, t->name.ptr);
    ggki_err_set_need(err, t->bytes, left);
    if (model->n_files > 1)
        ggki_err_set_file(err, ggki_base_name(file->path));
    if (err != NULL) {
        err->offset = t->info_off;
        snprintf(err->where, sizeof err->where, "tensor[%llu]",
                 (unsigned long long)(i - file->first_tensor));
    }
    return GGK_E_DATA_MISSING;
}

ggk_status ggki_plan_copy_tensor(ggk_plan *plan, struct ggki_plan_file *f,
                                 const ggk_model *model, uint64_t i,
                                 uint64_t back, ggk_error *err)
{
    const struct ggki_model_file *file;
    struct ggki_plan_item item = {0};
    ggk_tensor from;
    ggk_status status = ggk_model_tensor(model, i, &from, err);

    if (status != GGK_OK)
        return status;
    from.data_off -= back;
    file = &model->files[from.file];
    status = check_data(model, i, &from, err);
    if (status == GGK_OK)
        status =
            take_bytes(plan, model, from.file, from.bytes, &item.source, err);
    item.i = (uint32_t)(i - file->first_tensor);
    if (status == GGK_OK && back > 0) {
        struct ggki_plan_tensor t = {.rel_off = 0};

        if (!copied_tensor(&plan->sources[item.source], item.i, &t))
            return ggki_fail_changed(err);
        t.off -= back;
        status = add_own(plan, &t, t.name, &item, err);
    }
    if (status != GGK_OK)
        return status;
    if (file->gguf.types != NULL)
        plan->types = file->gguf.types;
    return ggki_plan_add_item(plan, f, &item, err);
}

ggk_status ggk_plan_copy_tensor(ggk_plan *plan, uint32_t file,
                                const ggk_model *model, uint64_t i,
                                ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);

    return f == NULL ? GGK_E_RANGE
                     : ggki_plan_copy_tensor(plan, f, model, i, 0, err);
}

ggk_status ggk_plan_copy_file(ggk_plan *plan, uint32_t file,
                              const ggk_model *model, uint32_t from,
                              ggk_error *err)
{
    ggk_status status = ggk_plan_copy_keys(plan, file, model, from, err);
    uint64_t first, n;

    if (status != GGK_OK)
        return status;
    first = model->files[from].first_tensor;
    n = model->files[from].gguf.n_tensors;
    for (uint64_t i = first; i < first + n && status == GGK_OK; i++)
        status = ggk_plan_copy_tensor(plan, file, model, i, err);
    return ggki_plan_filled(plan, status);
}

/* What a new tensor takes, and whether its source has it. */
static ggk_status measure(const ggk_new_tensor *from, const ggk_type_info *info,
                          uint64_t *bytes, ggk_error *err)
{
    uint64_t size = ggk_source_size(from->source);
    ggk_status status;

    if (ggki_type_is_opaque(info))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the tensor type %lu is not known",
                         (unsigned long)from->type);
    status = ggk_type_tensor_bytes(info, from->ne, from->n_dims, bytes, err);
    if (status != GGK_OK || size == GGK_SIZE_UNKNOWN || *bytes == 0 ||
        (from->off <= size && *bytes <= size - from->off))
        return status;
    ggki_fail(err, GGK_E_DATA_MISSING,
              "there are not as many bytes as the tensor has");
    ggki_err_set_need(err, *bytes, from->off < size ? size - from->off : 0);
    return GGK_E_DATA_MISSING;
}

ggk_status ggk_plan_add_tensor(ggk_plan *plan, uint32_t file,
                               const ggk_new_tensor *from, ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);
    struct ggki_plan_tensor t = {.source = from->source,
                                 .off = from->off,
                                 .info =
                                     ggki_type_find(from->types, from->type),
                                 .type = from->type,
                                 .n_dims = from->n_dims,
                                 .big = from->big_endian};
    struct ggki_plan_item item;
    ggk_status status;

    if (f == NULL)
        return GGK_E_RANGE;
    status = measure(from, t.info, &t.bytes, err);
    if (status == GGK_OK)
        status = ggki_plan_note_source(plan, from->source, NULL, err);
    if (status != GGK_OK)
        return status;
    for (uint32_t d = 0; d < GGK_MAX_DIMS; d++)
        t.ne[d] = d < from->n_dims ? from->ne[d] : 1;
    if (from->types != NULL)
        plan->types = from->types;
    status = add_own(plan, &t, from->name, &item, err);
    return status == GGK_OK ? ggki_plan_add_item(plan, f, &item, err) : status;
}

/* Where a tensor is in a plan. */
struct place {
    uint32_t file;
    uint64_t i; /* GGK_NONE: nowhere */
};

static ggk_status find_tensor(ggk_plan *plan, ggk_str name, struct place *at,
                              bool *repeats, ggk_error *err)
{
    *at = (struct place){0, GGK_NONE};
    *repeats = false;
    for (uint32_t k = 0; k < plan->n_files && !*repeats; k++) {
        uint64_t i = GGK_NONE;
        ggk_status status = ggki_plan_find_name(plan, &plan->files[k], true,
                                                name, &i, repeats, err);

        if (status != GGK_OK)
            return status;
        if (i == GGK_NONE)
            continue;
        *repeats = *repeats || at->i != GGK_NONE;
        if (at->i == GGK_NONE)
            *at = (struct place){k, i};
    }
    return GGK_OK;
}

static ggk_status find_one_tensor(ggk_plan *plan, ggk_str name,
                                  struct place *at, ggk_error *err)
{
    bool repeats;
    ggk_status status = find_tensor(plan, name, at, &repeats, err);

    if (status != GGK_OK)
        return status;
    if (at->i == GGK_NONE)
        return ggki_fail(err, GGK_E_NOT_FOUND, "there is no such tensor");
    return repeats ? ggki_fail(err, GGK_E_DUPLICATE,
                               "the tensor is there more than once")
                   : GGK_OK;
}

/* Take all tensors of that name out of a file; whether there were any. */
static bool remove_from(ggk_plan *plan, struct ggki_plan_file *f, ggk_str name)
{
    size_t kept = 0, n = f->n_tensors;

    for (size_t i = 0; i < n; i++) {
        ggk_str other;

        if (!ggki_plan_tensor_name(f, i, &other) ||
            !ggki_names_equal(other, name))
            f->tensors[kept++] = f->tensors[i];
    }
    f->n_tensors = kept;
    if (kept == n)
        return false;
    ggki_plan_forget(plan, &f->names);
    f->laid_out = false;
    return true;
}

ggk_status ggk_plan_remove_tensor(ggk_plan *plan, ggk_str name, uint32_t *file,
                                  ggk_error *err)
{
    bool found = false;

    *file = 0;
    for (uint32_t i = plan->n_files; i-- > 0;) {
        if (!remove_from(plan, &plan->files[i], name))
            continue;
        found = true;
        *file = i;
    }
    return found ? GGK_OK
                 : ggki_fail(err, GGK_E_NOT_FOUND, "there is no such tensor");
}

ggk_status ggk_plan_rename_tensor(ggk_plan *plan, ggk_str from, ggk_str to,
                                  uint32_t *file, ggk_error *err)
{
    struct place at, other;
    struct ggki_plan_file *f;
    bool repeats;
    ggk_status status = find_one_tensor(plan, from, &at, err);

    *file = at.file;
    if (status != GGK_OK)
        return status;
    status = find_tensor(plan, to, &other, &repeats, err);
    if (status != GGK_OK)
        return status;
    if (other.i != GGK_NONE)
        return ggki_fail(err, GGK_E_EXISTS, "the new name is there already");
    f = &plan->files[at.file];
    status = ggki_plan_name_tensor(plan, f, at.i, to, err);
    if (status == GGK_OK)
        ggki_plan_note_renamed(plan, &f->names, at.i, f);
    return status;
}
