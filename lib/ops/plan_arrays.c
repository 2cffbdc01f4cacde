/* plan_arrays.c - planned files that are no GGUF: where their tensors will be,
 * and their headers. */
#include "base/err.h"
#include "base/repeats.h"
#include "hf/array_files.h"
#include "ops/plan.h"

#define WIDEST 8 /* bytes of an element */

/* Tensor `i`, as it is and as it will look. */
static bool array_at(const struct ggki_plan_file *f, size_t i,
                     struct ggki_plan_tensor *t, struct ggki_array *out)
{
    if (!ggki_plan_tensor_at(f, i, t))
        return false;
    ggki_array_of(t->name, t->type, t->info, t->n_dims, t->ne, t->bytes, out);
    return true;
}

/* The same, for a header that is being written, where errors stick. */
static bool array_for(struct ggki_array_writer *w,
                      const struct ggki_plan_file *f, size_t i,
                      struct ggki_plan_tensor *t, struct ggki_array *out)
{
    bool found = array_at(f, i, t, out);

    if (!found && w->status == GGK_OK)
        w->status = ggki_fail_changed(w->err);
    return found;
}

/* ------------------------------------------------------------------ headers */

/* Tensors are told in the order of their data: wide elements first. As all data
 * of a width is a multiple of it, each tensor is aligned to its own. */
static void put_safetensors(struct ggki_array_writer *w,
                            const struct ggki_plan_file *f)
{
    struct ggki_plan_tensor t;
    struct ggki_array a;

    ggki_safetensors_begin(w, f->head_end - GGKI_SAFETENSORS_LENGTH_BYTES);
    for (size_t i = 0; i < f->n_tensors; i++)
        if (array_for(w, f, i, &t, &a) && a.type[0] != '\0')
            ggki_safetensors_type(w, &a);
    for (uint32_t width = WIDEST; width > 0; width /= 2)
        for (size_t i = 0; i < f->n_tensors; i++)
            if (array_for(w, f, i, &t, &a) && a.width == width)
                ggki_safetensors_tensor(w, &a, t.rel_off, t.rel_off + t.bytes);
    ggki_safetensors_end(w);
}

/* Its bytes into `*bytes`. */
static ggk_status put_any(const struct ggki_plan_file *f, ggki_write_to *put,
                          void *ctx, uint64_t *bytes, ggk_error *err)
{
    struct ggki_array_writer w;
    struct ggki_plan_tensor t;
    struct ggki_array a;

    ggki_array_start(&w, put, ctx, err);
    if (f->format == GGK_FORMAT_SAFETENSORS) {
        put_safetensors(&w, f);
    } else if (f->format == GGK_FORMAT_NPY) {
        if (array_for(&w, f, 0, &t, &a))
            ggki_npy_header(&w, &a);
    }
    *bytes = w.pos;
    return ggki_array_finish(&w);
}

ggk_status ggki_plan_put_array_header(const struct ggki_plan_file *f,
                                      ggki_write_to *put, void *ctx,
                                      ggk_error *err)
{
    uint64_t bytes;
    ggk_status status = put_any(f, put, ctx, &bytes, err);

    if (status != GGK_OK || bytes == f->head_end)
        return status;
    return ggki_fail(err, GGK_E_BUG, "the header takes %llu bytes, not %llu",
                     (unsigned long long)bytes,
                     (unsigned long long)f->head_end);
}

/* ------------------------------------------------------------------- layout */

static ggk_status measure_header(struct ggki_plan_file *f, ggk_error *err)
{
    ggk_status status;
    uint64_t most = GGKI_SAFETENSORS_LENGTH_BYTES + GGKI_SAFETENSORS_MOST;

    f->head_end = 0; /* what the header says of it does not change its length */
    status = put_any(f, NULL, NULL, &f->head_end, err);
    if (status != GGK_OK || f->format != GGK_FORMAT_SAFETENSORS ||
        f->head_end <= most)
        return status;
    ggki_fail(err, GGK_E_UNSUPPORTED,
              "the header would have %llu bytes, and readers of safetensors "
              "take %d",
              (unsigned long long)(f->head_end - GGKI_SAFETENSORS_LENGTH_BYTES),
              GGKI_SAFETENSORS_MOST);
    ggki_err_set_need(err, f->head_end, most);
    return GGK_E_UNSUPPORTED;
}

static ggk_status place_tensors_of(struct ggki_plan_file *f, uint32_t width,
                                   uint64_t *end, ggk_error *err)
{
    struct ggki_array a;
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < f->n_tensors && status == GGK_OK; i++) {
        struct ggki_plan_tensor t;

        if (!array_at(f, i, &t, &a))
            return ggki_fail_changed(err);
        if (a.width != width)
            continue;
        f->tensors[i].rel_off = *end;
        status = ggki_plan_check_order(f, &t, err);
        if (status == GGK_OK)
            status = ggki_plan_add_size(end, t.bytes, err);
    }
    return status;
}

static ggk_status check_repeats(const ggk_allocator *mem,
                                const struct ggki_plan_file *f, ggk_error *err)
{
    uint64_t i;
    ggk_str name;
    ggk_status status =
        ggki_names_find_repeat(mem, f->n_tensors, ggki_plan_tensor_name, f, &i);

    if (status == GGK_E_CHANGED)
        return ggki_fail_changed(err);
    if (status != GGK_OK)
        return ggki_fail_memory(err);
    if (i == GGK_NONE)
        return GGK_OK;
    (void)ggki_plan_tensor_name(f, i, &name);
    return ggki_fail(err, GGK_E_DUPLICATE, "two tensors have the name \"%.*s\"",
                     (int)(name.len < 100 ? name.len : 100), name.ptr);
}

static ggk_status check_names(const ggk_allocator *mem,
                              const struct ggki_plan_file *f, ggk_error *err)
{
    ggk_str name;

    if (f->format != GGK_FORMAT_SAFETENSORS)
        return GGK_OK;
    for (size_t i = 0; i < f->n_tensors; i++)
        if (!ggki_plan_tensor_name(f, i, &name) ||
            !ggki_safetensors_name_ok(name))
            return ggki_fail(err, GGK_E_UNSUPPORTED,
                             "the name of tensor %llu is not UTF-8, or is "
                             "\"__metadata__\": safetensors has no such names",
                             (unsigned long long)i);
    return check_repeats(mem, f, err);
}

ggk_status ggki_plan_lay_out_arrays(const ggk_allocator *mem,
                                    struct ggki_plan_file *f, ggk_error *err)
{
    struct ggki_plan_tensor first;
    uint64_t end = 0;
    ggk_status status;

    if (f->format != GGK_FORMAT_SAFETENSORS && f->n_tensors != 1)
        return ggki_fail(err, GGK_E_ARG, "the file is for one tensor, not %llu",
                         (unsigned long long)f->n_tensors);
    if (f->format == GGK_FORMAT_RAW && ggki_plan_tensor_at(f, 0, &first))
        f->big = first.big;
    f->alignment = 1;
    status = check_names(mem, f, err);
    for (uint32_t width = WIDEST; width > 0 && status == GGK_OK; width /= 2)
        status = place_tensors_of(f, width, &end, err);
    if (status == GGK_OK)
        status = measure_header(f, err);
    if (status != GGK_OK)
        return status;
    f->read_bytes = end;
    f->data_off = f->size = f->head_end;
    return ggki_plan_add_size(&f->size, end, err);
}
