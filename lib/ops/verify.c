/* verify.c - looks at what was written, before it takes its name.
 *
 * The header is read twice, for two kinds of faults. Compared with what it
 * should be, it shows what another process did to it. Opened, it shows what is
 * wrong with what it should be, which the writer would only repeat. That takes
 * 2 ms where there are 150000 tokens: less than to wait for the disk, and the
 * last look before somebody's file is replaced.
 */
#include "ops/verify.h"

#include <string.h>

#include "base/err.h"
#include "format/reader.h"
#include "io/source.h"

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
    char is[65536];
    ggk_status status = GGK_OK;

    while (bytes > 0 && status == GGK_OK) {
        size_t part = bytes < sizeof is ? bytes : sizeof is;

        status = ggk_source_read(r->source, r->pos, is, part, err);
        if (status == GGK_OK && memcmp(is, should, part) != 0)
            status = ggki_fail(err, GGK_E_CHANGED, "its header is another");
        should += part;
        r->pos += part;
        bytes -= part;
    }
    return status;
}

static ggk_status verify_bytes(const ggk_plan *plan,
                               const struct ggki_plan_file *f,
                               const ggk_source *source, ggk_error *why)
{
    struct rereading r = {source, 0};
    ggk_status status = ggki_plan_put_header(&plan->mem, f, compare, &r, why);

    if (status == GGK_OK && ggk_source_size(source) != f->size)
        status = ggki_fail(why, GGK_E_CHANGED, "it has another size");
    return status;
}

/* Does it open, with its data in the planned place? `source` is taken over. No
 * table of the tensors' names is made: they may repeat as planned. */
static ggk_status verify_gguf(const ggk_plan *plan,
                              const struct ggki_plan_file *f,
                              ggk_source *source, ggk_error *why)
{
    ggk_open_opts opts = {.types = plan->types,
                          .allocator = &plan->mem,
                          .max_header_bytes = f->head_end};
    struct ggki_gguf is;
    ggk_status status;

    ggki_namemap_random_seed(opts.hash_seed);
    status = ggki_gguf_open(&is, source, NULL, &opts, why);
    if (status == GGK_OK && (is.n_tensors != f->n_tensors ||
                             is.info_pos.at[is.n_tensors] != f->head_end ||
                             (f->n_tensors > 0 && is.data_pos != f->data_off)))
        status = ggki_fail(why, GGK_E_BUG, "it is not as it was planned");
    ggki_gguf_close(&is);
    return status;
}

static ggk_status verify(const ggk_plan *plan, const struct ggki_plan_file *f,
                         int fd, ggk_error *why)
{
    ggk_source *source;
    ggk_status status = ggki_source_open_fd(fd, &plan->mem, &source, why);

    if (status != GGK_OK)
        return status;
    status = verify_bytes(plan, f, source, why);
    if (status == GGK_OK && f->format == GGK_FORMAT_GGUF)
        return verify_gguf(plan, f, source, why);
    ggk_source_close(source);
    return status;
}

static ggk_status tell(const struct ggki_plan_file *f, ggk_status status,
                       const ggk_error *why, ggk_error *err)
{
    if (status == GGK_OK)
        return GGK_OK;
    if (status == GGK_E_NOMEM || status == GGK_E_IO)
        return ggki_fail_copy(err, why);
    if (status != GGK_E_CHANGED)
        status = GGK_E_BUG;
    ggki_fail(err, status, "what was written cannot be read: %.300s",
              why->what);
    ggki_err_set_file(err, f->path);
    return status;
}

ggk_status ggki_verify(const ggk_plan *plan, const struct ggki_plan_file *f,
                       int fd, ggk_error *err)
{
    ggk_error why = {0};

    return tell(f, verify(plan, f, fd, &why), &why, err);
}

ggk_status ggki_verify_header(const ggk_plan *plan,
                              const struct ggki_plan_file *f, ggk_str head,
                              ggk_error *err)
{
    ggk_error why = {0};
    ggk_source *source;
    ggk_status status =
        ggk_source_from_memory(head.ptr, head.len, &plan->mem, &source, &why);

    if (status == GGK_OK)
        status = verify_gguf(plan, f, source, &why);
    return tell(f, status, &why, err);
}
