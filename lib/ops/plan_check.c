/* plan_check.c - judges planned files: each is a source whose header is in
 * memory, and whose data, of which no judge sees more than padding, is zeros.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "io/source.h"
#include "ops/plan.h"

/* A planned file, open to be read. */
struct planned_file {
    ggk_source source;
    const struct ggki_plan_file *file;
    uint8_t *head; /* head_end bytes */
    size_t n_head; /* of which so many are there */
};

static ggk_status keep_head(void *ctx, const void *data, size_t bytes,
                            ggk_error *err)
{
    struct planned_file *p = ctx;

    if (bytes > p->file->head_end - p->n_head)
        return ggki_fail(err, GGK_E_BUG, "the header is longer than planned");
    memcpy(p->head + p->n_head, data, bytes);
    p->n_head += bytes;
    return GGK_OK;
}

static int read_planned(const ggk_source *source, uint64_t off, void *buf,
                        size_t bytes, size_t *got)
{
    const struct planned_file *p = (const struct planned_file *)source;
    const struct ggki_plan_file *f = p->file;
    bool head = off < f->head_end;
    uint64_t end = head ? f->head_end : f->size;

    *got = 0;
    if (off >= f->size)
        return 0;
    if (bytes > end - off)
        bytes = (size_t)(end - off);
    if (head)
        memcpy(buf, p->head + off, bytes);
    else
        memset(buf, 0, bytes);
    *got = bytes;
    return 0;
}

static void close_planned(ggk_source *source)
{
    struct planned_file *p = (struct planned_file *)source;

    ggki_mem_release(&source->mem, p->head, (size_t)p->file->head_end);
    ggki_source_delete(source, sizeof *p);
}

static ggk_status source_of(const ggk_plan *plan,
                            const struct ggki_plan_file *f, ggk_source **out,
                            ggk_error *err)
{
    static const struct ggki_source_ops ops = {read_planned, close_planned};
    ggk_source *source =
        ggki_source_new(sizeof(struct planned_file), &ops, &plan->mem);
    struct planned_file *p = (struct planned_file *)source;
    ggk_status status;

    if (p == NULL)
        return ggki_fail_memory(err);
    p->file = f;
    p->head = ggki_mem_resize(&plan->mem, NULL, 0, (size_t)f->head_end);
    status = p->head != NULL
                 ? ggki_plan_put_header(&plan->mem, f, keep_head, p, err)
                 : ggki_fail_memory(err);
    source->view = p->head;
    source->view_bytes = f->head_end;
    source->size = f->size;
    if (status == GGK_OK)
        *out = source;
    else
        close_planned(source);
    return status;
}

/* Of the files that there will be, that one. */
static ggk_status open_planned(void *ctx, const char *path, ggk_source **out,
                               ggk_error *err)
{
    const ggk_plan *plan = ctx;

    *out = NULL;
    for (uint32_t i = 0; i < plan->n_files; i++)
        if (strcmp(plan->files[i].path, path) == 0)
            return source_of(plan, &plan->files[i], out, err);
    return ggki_fail_io(err, ENOENT, "open");
}

ggk_status ggk_plan_check(ggk_plan *plan, const ggk_check_opts *opts,
                          ggk_on_finding *on_finding, void *ctx,
                          ggk_verdict *out, ggk_error *err)
{
    ggk_check_opts judge;
    ggk_open_opts open;
    ggk_status status = ggki_opts_take(&judge, sizeof judge, opts, err);

    *out = (ggk_verdict){0};
    if (status == GGK_OK)
        status = ggki_opts_take(&open, sizeof open, judge.open, err);
    if (status != GGK_OK)
        return status;
    if (plan->n_files == 0)
        return ggki_fail(err, GGK_E_ARG, "the plan has no files");
    status = ggki_plan_is_gguf(plan, err);
    if (status != GGK_OK)
        return status;
    for (uint32_t i = 0; i < plan->n_files; i++) {
        status = ggki_plan_lay_out(&plan->mem, &plan->files[i], err);
        if (status != GGK_OK) {
            ggki_err_set_file(err, plan->files[i].path);
            return status;
        }
    }
    judge.struct_bytes = sizeof judge;
    open.struct_bytes = sizeof open;
    open.base_off = 0;
    open.allocator = &plan->mem;
    open.open_source = open_planned;
    open.open_ctx = plan;
    judge.open = &open;
    return ggk_check(plan->files[0].path, &judge, on_finding, ctx, out, err);
}
