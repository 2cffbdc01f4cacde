/* plan_layout.c - where everything of a planned file will be. */
#include "base/ckd.h"
#include "base/err.h"
#include "base/load.h"
#include "format/block_swap.h"
#include "format/gguf_layout.h"
#include "format/transcode.h"
#include "format/types.h"
#include "ops/plan.h"

/* The value of an integer key-value, in whatever encoding it is. */
static uint64_t integer_of(const struct ggki_plan_kv *kv)
{
    const uint8_t *at = kv->value.bytes;
    bool big = kv->value.encoding.big;

    switch (kv->value.n_bytes) {
    case 1: return at[0];
    case 2: return load_u16(at, big);
    case 4: return load_u32(at, big);
    default: return load_u64(at, big);
    }
}

static bool is_negative(const struct ggki_plan_kv *kv, uint64_t value)
{
    return ggki_value_is_signed(kv->value.type) &&
           value >> (8 * kv->value.n_bytes - 1) != 0;
}

ggk_status ggki_plan_alignment(const struct ggki_plan_file *file, uint64_t *out,
                               ggk_error *err)
{
    bool found = false;

    *out = GGUF_DEFAULT_ALIGNMENT;
    for (size_t i = 0;
         ggki_plan_find_kv(file, ggk_cstr(GGUF_ALIGNMENT_KEY), &i); i++) {
        const struct ggki_plan_kv *kv = &file->kvs[i];
        uint64_t value;

        if (!ggki_value_is_integer(kv->value.type) ||
            kv->value.n_bytes != ggk_value_type_bytes(kv->value.type))
            return ggki_fail(err, GGK_E_ALIGN_TYPE,
                             "general.alignment is not an integer");
        value = integer_of(kv);
        if (value == 0 || is_negative(kv, value))
            return ggki_fail(err, GGK_E_ALIGN,
                             "general.alignment is 0 or negative");
        if (found && value != *out)
            return ggki_fail(err, GGK_E_ALIGN_DUP,
                             "two keys general.alignment differ");
        *out = value;
        found = true;
    }
    return GGK_OK;
}

ggk_status ggki_plan_kv_bytes(const struct ggki_plan_file *file,
                              struct ggki_plan_kv *kv, uint64_t *out,
                              ggk_error *err)
{
    struct ggki_encoding to = {file->version, file->big};
    ggk_status status =
        ggki_value_recoded_bytes(&kv->value, to, &kv->value_bytes, err);

    if (status != GGK_OK)
        return status;
    if (ckd_add64(8 + kv->key.len + 4, kv->value_bytes, out))
        return GGK_OK;
    return ggki_fail(err, GGK_E_OVERFLOW, "the value is too large");
}

uint64_t ggki_plan_info_bytes(const struct ggki_plan_tensor *t)
{
    return 8 + t->name.len + 4 + 8 * (uint64_t)t->n_dims + 4 + 8;
}

static ggk_status fail_size(ggk_error *err)
{
    return ggki_fail(err, GGK_E_OVERFLOW,
                     "the file would have 2^63 bytes or more");
}

static ggk_status measure_keys(struct ggki_plan_file *file, ggk_error *err)
{
    uint64_t end = GGKI_PLAN_HEAD_BYTES, bytes = 0;

    for (size_t i = 0; i < file->n_kv; i++) {
        ggk_status status =
            ggki_plan_kv_bytes(file, &file->kvs[i], &bytes, err);
        if (status != GGK_OK)
            return status;
        if (!ckd_add64(end, bytes, &end))
            return fail_size(err);
    }
    file->info_off = end;
    return GGK_OK;
}

ggk_status ggki_plan_add_size(uint64_t *sum, uint64_t bytes, ggk_error *err)
{
    if (ckd_add64(*sum, bytes, sum) && *sum <= INT64_MAX)
        return GGK_OK;
    return fail_size(err);
}

ggk_status ggki_plan_check_order(const struct ggki_plan_file *file,
                                 const struct ggki_plan_tensor *t,
                                 ggk_error *err)
{
    const ggk_type_info *info = t->info;
    bool swapped = t->big != file->big;

    if (t->from != NULL) { /* what is converted is little-endian in between */
        bool from = t->big && !ggki_can_swap(t->from);

        swapped = from || file->big;
        info = from ? t->from : t->info;
    }
    if (!swapped || t->bytes == 0 || ggki_can_swap(info))
        return GGK_OK;
    if (info == NULL)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "the bytes of a tensor of the unknown type %lu cannot "
                         "be swapped",
                         (unsigned long)t->type);
    return ggki_fail(err, GGK_E_UNSUPPORTED,
                     "the bytes of a tensor of type %s cannot be swapped",
                     info->name);
}

static ggk_status place_tensors(struct ggki_plan_file *file, ggk_error *err)
{
    uint64_t rel = 0, head_end = file->info_off, bytes = 0;

    for (size_t i = 0; i < file->n_tensors; i++) {
        struct ggki_plan_tensor t;
        ggk_status status;

        if (!ggki_plan_tensor_at(file, i, &t))
            return ggki_fail_changed(err);
        status = ggki_plan_check_order(file, &t, err);
        if (status != GGK_OK)
            return status;
        file->tensors[i].rel_off = rel;
        if (!ckd_add64(rel, t.bytes, &rel) ||
            !ckd_align64(rel, file->alignment, &rel) ||
            !ckd_add64(head_end, ggki_plan_info_bytes(&t), &head_end))
            return fail_size(err);
        bytes = sat_add64(bytes, ggki_plan_read_bytes(&t));
    }
    file->read_bytes = bytes;
    file->data_off = file->head_end = head_end;
    if (file->n_tensors > 0 &&
        !ckd_align64(file->head_end, file->alignment, &file->data_off))
        return fail_size(err);
    if (!ckd_add64(file->data_off, rel, &file->size) || file->size > INT64_MAX)
        return fail_size(err);
    return GGK_OK;
}

static ggk_status lay_out_gguf(struct ggki_plan_file *file, ggk_error *err)
{
    ggk_status status = ggki_plan_alignment(file, &file->alignment, err);

    if (status == GGK_OK)
        status = measure_keys(file, err);
    return status == GGK_OK ? place_tensors(file, err) : status;
}

ggk_status ggki_plan_filled(ggk_plan *plan, ggk_status status)
{
    plan->half_done |= status != GGK_OK;
    return status;
}

ggk_status ggki_plan_lay_out(const ggk_allocator *mem,
                             struct ggki_plan_file *file, ggk_error *err)
{
    ggk_status status;

    if (file->plan->half_done)
        return ggki_fail(err, GGK_E_ARG,
                         "the plan is half done: what was to fill it failed");
    if (file->laid_out)
        return GGK_OK;
    status = file->format == GGK_FORMAT_GGUF
                 ? lay_out_gguf(file, err)
                 : ggki_plan_lay_out_arrays(mem, file, err);
    file->laid_out = status == GGK_OK;
    return status;
}

uint32_t ggk_plan_n_files(const ggk_plan *plan)
{
    return plan->n_files;
}

/* Lay file number `i` out. */
static ggk_status lay_out_at(ggk_plan *plan, uint32_t i, ggk_error *err)
{
    ggk_status status;

    if (i >= plan->n_files)
        return ggki_fail_index(err, "file", i, plan->n_files);
    status = ggki_plan_lay_out(&plan->mem, &plan->files[i], err);
    if (status != GGK_OK)
        ggki_err_set_file(err, plan->files[i].path);
    return status;
}

ggk_status ggk_plan_file(ggk_plan *plan, uint32_t file, ggk_planned_file *out,
                         ggk_error *err)
{
    const struct ggki_plan_file *f;
    ggk_status status = lay_out_at(plan, file, err);

    *out = (ggk_planned_file){0};
    if (status != GGK_OK)
        return status;
    f = &plan->files[file];
    out->path = f->path;
    out->version = f->version;
    out->big_endian = f->big;
    out->alignment = f->alignment;
    out->n_kv = f->n_kv;
    out->n_tensors = f->n_tensors;
    out->head_end = f->head_end;
    out->data_off = f->data_off;
    out->size = f->size;
    out->format = f->format;
    return GGK_OK;
}

ggk_status ggk_plan_tensor(ggk_plan *plan, uint32_t file, uint64_t i,
                           ggk_planned_tensor *out, ggk_error *err)
{
    const struct ggki_plan_file *f;
    struct ggki_plan_tensor t;
    ggk_status status = lay_out_at(plan, file, err);

    *out = (ggk_planned_tensor){0};
    if (status != GGK_OK)
        return status;
    f = &plan->files[file];
    if (i >= f->n_tensors)
        return ggki_fail_index(err, "tensor", i, f->n_tensors);
    if (!ggki_plan_tensor_at(f, i, &t))
        return ggki_fail_changed(err);
    out->name = t.name;
    out->type = t.type;
    out->n_dims = t.n_dims;
    for (uint32_t d = 0; d < GGK_MAX_DIMS; d++)
        out->ne[d] = t.ne[d];
    out->bytes = t.bytes;
    out->data_off = ggki_plan_data_off(f, i);
    return GGK_OK;
}
