/* verify.c - looks at what was written, before it takes its name. */
#include "ops/verify.h"

#include <string.h>

#include "base/err.h"
#include "io/source.h"
#include "model/model.h"

/* --------------------------------------------------------------------- GGUF */

static bool same_tensors(const struct ggki_plan_file *f, const ggk_model *model)
{
    for (size_t i = 0; i < f->n_tensors; i++) {
        const struct ggki_plan_tensor *t = &f->tensors[i];
        ggk_tensor is;

        if (ggk_model_tensor(model, i, &is, NULL) != GGK_OK ||
            is.type != t->type || is.n_dims != t->n_dims ||
            is.rel_off != t->rel_off || (!is.opaque && is.bytes != t->bytes))
            return false;
    }
    return true;
}

static bool is_as_planned(const struct ggki_plan_file *f,
                          const ggk_model *model)
{
    ggk_file is;

    return ggk_model_file(model, 0, &is, NULL) == GGK_OK &&
           is.version == f->version && is.big_endian == f->big &&
           is.alignment == f->alignment && is.n_kv == f->n_kv &&
           is.n_tensors == f->n_tensors && is.head_end == f->head_end &&
           is.size == f->size && same_tensors(f, model) &&
           (f->n_tensors == 0 || is.data_off == f->data_off);
}

/* `source` is taken over. */
static ggk_status verify_gguf(const ggk_plan *plan,
                              const struct ggki_plan_file *f,
                              ggk_source *source, ggk_error *why)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE,
                          .types = plan->types,
                          .allocator = &plan->mem};
    ggk_model *model = NULL;
    ggk_status status = ggk_model_open_source(source, &opts, &model, why);

    if (status == GGK_OK && !is_as_planned(f, model))
        status = ggki_fail(why, GGK_E_BUG, "it is not as it was planned");
    ggk_model_close(model);
    return status;
}

/* ------------------------------------------------------------------- arrays */

/* A header that is read again. */
struct rereading {
    const ggk_source *source;
    uint64_t pos;
};

static ggk_status compare(void *ctx, const void *data, size_t bytes,
                          ggk_error *err)
{
    struct rereading *r = ctx;
    const char *should = data;
    char is[512];
    ggk_status status = GGK_OK;

    while (bytes > 0 && status == GGK_OK) {
        size_t part = bytes < sizeof is ? bytes : sizeof is;

        status = ggk_source_read(r->source, r->pos, is, part, err);
        if (status == GGK_OK && memcmp(is, should, part) != 0)
            status = ggki_fail(err, GGK_E_BUG, "its header is another");
        should += part;
        r->pos += part;
        bytes -= part;
    }
    return status;
}

static ggk_status verify_arrays(const ggk_plan *plan,
                                const struct ggki_plan_file *f,
                                ggk_source *source, ggk_error *why)
{
    struct rereading r = {source, 0};
    ggk_status status = ggki_plan_put_header(&plan->mem, f, compare, &r, why);

    if (status == GGK_OK && ggk_source_size(source) != f->size)
        status = ggki_fail(why, GGK_E_BUG, "it has another size");
    ggk_source_close(source);
    return status;
}

ggk_status ggki_verify(const ggk_plan *plan, const struct ggki_plan_file *f,
                       const struct ggki_new_file *out, ggk_error *err)
{
    ggk_error why = {0};
    ggk_source *source;
    ggk_status status = ggki_source_open_fd(out->fd, &plan->mem, &source, &why);

    if (status == GGK_OK)
        status = f->format == GGK_FORMAT_GGUF
                     ? verify_gguf(plan, f, source, &why)
                     : verify_arrays(plan, f, source, &why);
    if (status == GGK_OK || status == GGK_E_NOMEM || status == GGK_E_IO) {
        if (status != GGK_OK)
            ggki_fail_copy(err, &why);
        return status;
    }
    ggki_fail(err, GGK_E_BUG, "what was written cannot be read: %.300s",
              why.what);
    ggki_err_set_file(err, out->path);
    return GGK_E_BUG;
}
