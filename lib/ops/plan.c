/* plan.c - a plan: its files, and what bytes are taken from. */
#include "ops/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/gguf_layout.h"
#include "io/source.h"
#include "ops/plan_fill.h"

ggk_status ggk_plan_new(const ggk_allocator *alloc, ggk_plan **out,
                        ggk_error *err)
{
    ggk_allocator mem = ggki_mem_of(alloc);

    *out = ggki_mem_zero(&mem, sizeof **out);
    if (*out == NULL)
        return ggki_fail_memory(err);
    (*out)->mem = mem;
    return GGK_OK;
}

static void release_file(ggk_plan *plan, struct ggki_plan_file *file)
{
    for (size_t i = 0; i < file->n_kv; i++)
        ggki_plan_release_kv(plan, &file->kvs[i]);
    ggki_mem_release(&plan->mem, file->kvs,
                     file->kv_capacity * sizeof *file->kvs);
    ggki_mem_release(&plan->mem, file->tensors,
                     file->tensor_capacity * sizeof *file->tensors);
    ggki_mem_release(&plan->mem, file->path, strlen(file->path) + 1);
    ggki_plan_forget(plan, &file->keys);
    ggki_plan_forget(plan, &file->names);
}

void ggk_plan_free(ggk_plan *plan)
{
    ggk_allocator mem;

    if (plan == NULL)
        return;
    for (uint32_t i = 0; i < plan->n_files; i++)
        release_file(plan, &plan->files[i]);
    mem = plan->mem;
    for (size_t i = 0; i < plan->n_own; i++)
        ggki_plan_release_str(&mem, true, plan->own[i].name);
    ggki_mem_release(&mem, plan->own, plan->own_capacity * sizeof *plan->own);
    for (size_t i = 0; i < plan->n_sources; i++)
        ggk_source_close(plan->sources[i].owned);
    ggki_mem_release(&mem, plan->sources,
                     plan->source_capacity * sizeof *plan->sources);
    ggki_mem_release(&mem, plan->guards,
                     plan->guard_capacity * sizeof *plan->guards);
    ggki_mem_release(&mem, plan->files,
                     plan->file_capacity * sizeof *plan->files);
    ggki_mem_release(&mem, plan, sizeof *plan);
}

/* The number of a source, which is noted if it was not; SIZE_MAX: no memory. */
size_t ggki_plan_source_number(ggk_plan *plan, const ggk_source *source,
                               const struct ggki_gguf *gguf)
{
    struct ggki_plan_source *sources;

    for (size_t i = plan->n_sources; i-- > 0;) { /* mostly it is the last */
        if (plan->sources[i].source != source)
            continue;
        if (gguf != NULL)
            plan->sources[i].gguf = gguf;
        return i;
    }
    sources = ggki_plan_grow(&plan->mem, plan->sources, plan->n_sources,
                             &plan->source_capacity, sizeof *sources);
    if (sources == NULL)
        return SIZE_MAX;
    plan->sources = sources;
    sources[plan->n_sources] =
        (struct ggki_plan_source){.source = source, .gguf = gguf};
    return plan->n_sources++;
}

ggk_status ggki_plan_note_source(ggk_plan *plan, const ggk_source *source,
                                 const struct ggki_gguf *gguf, ggk_error *err)
{
    return ggki_plan_source_number(plan, source, gguf) != SIZE_MAX
               ? GGK_OK
               : ggki_fail_memory(err);
}

ggk_status ggki_plan_own_source(ggk_plan *plan, ggk_source *source,
                                ggk_error *err)
{
    size_t i = ggki_plan_source_number(plan, source, NULL);

    if (i == SIZE_MAX) {
        ggk_source_close(source);
        return ggki_fail_memory(err);
    }
    plan->sources[i].owned = source;
    return GGK_OK;
}

ggk_status ggk_plan_guard_file(ggk_plan *plan, const char *path, ggk_error *err)
{
    struct ggki_plan_guard *guards;
    struct stat st;

    if (stat(path, &st) != 0) {
        ggki_fail_io(err, errno, "look at");
        ggki_err_set_file(err, path);
        return GGK_E_IO;
    }
    guards = ggki_plan_grow(&plan->mem, plan->guards, plan->n_guards,
                            &plan->guard_capacity, sizeof *guards);
    if (guards == NULL)
        return ggki_fail_memory(err);
    plan->guards = guards;
    guards[plan->n_guards++] =
        (struct ggki_plan_guard){st.st_dev, st.st_ino, st.st_mode, st.st_gid};
    return GGK_OK;
}

bool ggki_plan_is_input(const ggk_plan *plan, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < plan->n_sources; i++) {
        const ggk_source *source = plan->sources[i].source;

        if (source->fd >= 0 && source->dev == dev && source->ino == ino)
            return true;
    }
    return false;
}

bool ggki_plan_is_guarded(const ggk_plan *plan, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < plan->n_guards; i++)
        if (plan->guards[i].dev == dev && plan->guards[i].ino == ino)
            return true;
    return ggki_plan_is_input(plan, dev, ino);
}

struct ggki_plan_file *ggki_plan_add_file(ggk_plan *plan, const char *path)
{
    struct ggki_plan_file *files =
        ggki_plan_grow(&plan->mem, plan->files, plan->n_files,
                       &plan->file_capacity, sizeof *files);
    char *copy;

    if (files == NULL)
        return NULL;
    plan->files = files;
    copy = ggki_mem_string(&plan->mem, path, strlen(path));
    if (copy == NULL)
        return NULL;
    files += plan->n_files++;
    memset(files, 0, sizeof *files);
    files->plan = plan;
    files->path = copy;
    files->version = GGUF_VERSION_MAX;
    return files;
}

/* File number `i`, whose layout is about to change; NULL is GGK_E_RANGE. */
struct ggki_plan_file *ggki_plan_file_at(ggk_plan *plan, uint32_t i,
                                         ggk_error *err)
{
    struct ggki_plan_file *file;

    if (i >= plan->n_files) {
        ggki_fail_index(err, "file", i, plan->n_files);
        return NULL;
    }
    file = &plan->files[i];
    file->laid_out = false;
    return file;
}

ggk_status ggk_plan_add_file(ggk_plan *plan, const char *path, uint32_t *file,
                             ggk_error *err)
{
    *file = 0;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    if (ggki_plan_add_file(plan, path) == NULL)
        return ggki_fail_memory(err);
    *file = plan->n_files - 1;
    return GGK_OK;
}

ggk_status ggk_plan_add_array_file(ggk_plan *plan, const char *path,
                                   ggk_file_format format, uint32_t *file,
                                   ggk_error *err)
{
    ggk_status status;

    *file = 0;
    if (format != GGK_FORMAT_SAFETENSORS && format != GGK_FORMAT_NPY &&
        format != GGK_FORMAT_RAW)
        return ggki_fail(err, GGK_E_ARG, "no format of arrays");
    status = ggk_plan_add_file(plan, path, file, err);
    if (status == GGK_OK) {
        plan->files[*file].format = format;
        plan->files[*file].version = 0;
    }
    return status;
}

ggk_status ggki_plan_fail_not_gguf(ggk_error *err)
{
    return ggki_fail(err, GGK_E_ARG,
                     "a file of arrays has nothing but tensors");
}

ggk_status ggki_plan_is_gguf(const ggk_plan *plan, ggk_error *err)
{
    for (uint32_t i = 0; i < plan->n_files; i++)
        if (plan->files[i].format != GGK_FORMAT_GGUF)
            return ggki_plan_fail_not_gguf(err);
    return GGK_OK;
}

ggk_status ggk_plan_set_format(ggk_plan *plan, uint32_t file, uint32_t version,
                               bool big_endian, ggk_error *err)
{
    struct ggki_plan_file *f = ggki_plan_file_at(plan, file, err);

    if (f == NULL)
        return GGK_E_RANGE;
    if (f->format != GGK_FORMAT_GGUF)
        return ggki_plan_fail_not_gguf(err);
    if (version != 2 && version != 3)
        return ggki_fail(err, GGK_E_ARG, "version %lu is not written",
                         (unsigned long)version);
    if (version < 3 && big_endian)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "big-endian files are written as version 3 only");
    f->version = version;
    f->big = big_endian;
    f->has_encoding = true;
    return GGK_OK;
}
