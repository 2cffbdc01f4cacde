/* plan_header.c - the header of a planned file, byte by byte. */
#include "base/err.h"
#include "base/mem.h"
#include "ops/plan.h"

static ggk_status put_value(void *ctx, const void *data, size_t bytes)
{
    struct ggki_writer *w = ctx;

    ggki_writer_bytes(w, data, bytes);
    return w->status;
}

static ggk_status put_kv(struct ggki_writer *w, const struct ggki_plan_kv *kv)
{
    ggki_writer_string(w, kv->key);
    ggki_writer_u32(w, kv->value.type);
    return ggki_value_recode(&kv->value,
                             (struct ggki_encoding){w->version, w->big},
                             kv->value_bytes, put_value, w, w->err);
}

static void put_info(struct ggki_writer *w, const struct ggki_plan_tensor *t)
{
    ggki_writer_string(w, t->name);
    ggki_writer_u32(w, t->n_dims);
    for (uint32_t d = 0; d < t->n_dims; d++)
        ggki_writer_u64(w, t->ne[d]);
    ggki_writer_u32(w, t->type);
    ggki_writer_u64(w, t->rel_off);
}

static ggk_status put_gguf_header(const ggk_allocator *mem,
                                  const struct ggki_plan_file *f,
                                  ggki_write_to *put, void *ctx, ggk_error *err)
{
    struct ggki_writer *w = ggki_mem_zero(mem, sizeof *w);
    ggk_status status = GGK_OK;

    if (w == NULL)
        return ggki_fail_memory(err);
    ggki_writer_start(w, put, ctx, f->version, f->big, err);
    ggki_writer_head(w, f->n_tensors, f->n_kv);
    for (size_t i = 0; i < f->n_kv && status == GGK_OK; i++)
        status = put_kv(w, &f->kvs[i]);
    for (size_t i = 0; i < f->n_tensors && status == GGK_OK; i++) {
        struct ggki_plan_tensor t;

        if (ggki_plan_tensor_at(f, i, &t))
            put_info(w, &t);
        else
            status = ggki_fail_changed(err);
    }
    if (status == GGK_OK)
        status = ggki_writer_finish(w);
    if (status == GGK_OK && w->pos != f->head_end)
        status = ggki_fail(
            err, GGK_E_BUG, "the header takes %llu bytes, not %llu",
            (unsigned long long)w->pos, (unsigned long long)f->head_end);
    ggki_mem_release(mem, w, sizeof *w);
    return status;
}

ggk_status ggki_plan_put_header(const ggk_allocator *mem,
                                const struct ggki_plan_file *f,
                                ggki_write_to *put, void *ctx, ggk_error *err)
{
    return f->format == GGK_FORMAT_GGUF
               ? put_gguf_header(mem, f, put, ctx, err)
               : ggki_plan_put_array_header(f, put, ctx, err);
}
