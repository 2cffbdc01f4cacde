/* run.c - does what a plan says: writes its files, all of them or none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pool.h"
#include "io/new_file.h"
#include "io/os.h"
#include "io/source.h"
#include "model/model.h"
#include "ops/copy.h"
#include "ops/plan.h"

struct run {
    ggk_plan *plan;
    ggk_run_opts opts;
    struct ggki_copying copying;
    struct ggki_new_file *outs; /* one for each file of the plan */
    char **in_the_way; /* names of other shards, to be removed in the end */
    size_t n_in_the_way, way_capacity;
};

/* ------------------------------------------------------------------- inputs */

/* Are bytes taken from this file? */
static bool is_input(const ggk_plan *plan, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < plan->n_sources; i++) {
        const ggk_source *source = plan->sources[i];

        if (source->fd >= 0 && source->dev == dev && source->ino == ino)
            return true;
    }
    return false;
}

static ggk_status check_unchanged(const ggk_plan *plan, ggk_error *err)
{
    for (size_t i = 0; i < plan->n_sources; i++)
        if (ggki_source_changed(plan->sources[i]))
            return ggki_fail_changed(err);
    return GGK_OK;
}

/* ------------------------------------------------------------------ targets */

static ggk_status fail_target(ggk_error *err, ggk_status status,
                              const char *path, const char *what)
{
    ggki_fail(err, status, "%s", what);
    ggki_err_set_file(err, path);
    return status;
}

static ggk_status fail_replaced(const struct ggki_new_file *out, ggk_error *err)
{
    return fail_target(err, GGK_E_CHANGED, out->path,
                       "another process replaced the file after it was read");
}

/* May what is there under the target's name be replaced? */
static ggk_status check_target(const struct run *r,
                               const struct ggki_new_file *out, ggk_error *err)
{
    bool force = (r->opts.flags & GGK_RUN_FORCE) != 0;
    bool replace = (r->opts.flags & GGK_RUN_REPLACE) != 0;
    bool input;

    if (!out->exists)
        return GGK_OK;
    input = out->has_file && is_input(r->plan, out->dev, out->ino);
    if (input && !replace)
        return fail_target(err, GGK_E_SAME_FILE, out->path,
                           "this is the input: it would be replaced while it "
                           "is read");
    if (replace && !input) /* it has the name of what was read, no more */
        return fail_replaced(out, err);
    if (input || force)
        return GGK_OK;
    return fail_target(err, GGK_E_EXISTS, out->path, "the file exists");
}

/* After the lock: is it the file that was read, and no other editor's? */
static ggk_status check_target_again(const struct ggki_new_file *out,
                                     ggk_error *err)
{
    struct stat st;
    bool exists = fstatat(out->folder, out->name, &st, 0) == 0;

    /* Where there is a link, it may lead to what cannot be looked at. */
    if (!exists && errno != ENOENT && (out->has_file || !out->exists)) {
        ggki_fail_io(err, errno, "look at");
        ggki_err_set_file(err, out->path);
        return GGK_E_IO;
    }
    if (exists == out->has_file &&
        (!exists || (st.st_dev == out->dev && st.st_ino == out->ino)))
        return GGK_OK;
    return fail_replaced(out, err);
}

/* A set of several files that was being replaced when the run was ended: its
 * first file was set aside. Bring back what it was, that file last. */
static ggk_status recover_set(struct run *r, ggk_error *err)
{
    ggk_status status = ggki_new_file_lock(&r->outs[0], err);

    for (uint32_t i = r->plan->n_files; i-- > 0 && status == GGK_OK;)
        status = ggki_new_file_recover(&r->outs[i], err);
    return status;
}

static ggk_status aim_at_targets(struct run *r, ggk_error *err)
{
    ggk_plan *plan = r->plan;
    bool dry = (r->opts.flags & GGK_RUN_DRY) != 0, aside = false;
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++)
        status = ggki_new_file_aim(&r->outs[i], plan->files[i].path,
                                   i > 0 ? &r->outs[0] : NULL, &plan->mem, err);
    if (status == GGK_OK && !dry && plan->n_files > 1)
        status = ggki_new_file_is_aside(&r->outs[0], &aside, err);
    if (status == GGK_OK && aside)
        status = recover_set(r, err);
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++)
        status = check_target(r, &r->outs[i], err);
    return status;
}

/* ------------------------------------------------- other shards of the prefix
 */

static bool is_planned(const struct run *r, const char *name,
                       const struct ggki_shard_name *parsed)
{
    if (parsed->count == r->plan->n_files &&
        strcmp(r->outs[parsed->number - 1].name, name) == 0)
        return true;
    for (uint32_t i = 0; i < r->plan->n_files; i++)
        if (strcmp(r->outs[i].name, name) == 0)
            return true;
    return false;
}

static bool add_in_the_way(struct run *r, const char *name)
{
    const ggk_allocator *mem = &r->plan->mem;
    char *copy;

    if (r->n_in_the_way == r->way_capacity) {
        size_t capacity = r->way_capacity * 2 + 8;
        char **names =
            ggki_mem_resize(mem, r->in_the_way, r->way_capacity * sizeof *names,
                            capacity * sizeof *names);
        if (names == NULL)
            return false;
        r->in_the_way = names;
        r->way_capacity = capacity;
    }
    copy = ggki_mem_string(mem, name, strlen(name));
    if (copy != NULL)
        r->in_the_way[r->n_in_the_way++] = copy;
    return copy != NULL;
}

/* Whether `name` is a shard of the set that is written, by its prefix, but none
 * that is written. */
static ggk_status look_at_name(void *ctx, const char *name, ggk_error *err)
{
    struct run *r = ctx;
    const struct ggki_new_file *first = &r->outs[0];
    struct ggki_shard_name ours, other;
    struct stat st;

    if (!ggki_shard_name_parse(first->name, &ours) ||
        !ggki_shard_name_parse(name, &other) ||
        other.prefix_len != ours.prefix_len ||
        memcmp(name, first->name, ours.prefix_len) != 0 ||
        is_planned(r, name, &other))
        return GGK_OK;
    if (fstatat(first->folder, name, &st, 0) == 0 &&
        is_input(r->plan, st.st_dev, st.st_ino))
        return fail_target(err, GGK_E_SAME_FILE, name,
                           "this input has the name of a shard of the output: "
                           "choose another prefix");
    if ((r->opts.flags & GGK_RUN_FORCE) == 0)
        return fail_target(err, GGK_E_EXISTS, name,
                           "a shard of another set of this prefix exists");
    return add_in_the_way(r, name) ? GGK_OK : ggki_fail_memory(err);
}

static ggk_status look_for_other_shards(struct run *r, ggk_error *err)
{
    const char *path = r->outs[0].path, *slash = strrchr(path, '/');
    struct ggki_shard_name name;
    const ggk_allocator *mem = &r->plan->mem;
    char *folder;
    ggk_status status;

    /* An edit in its place is in nobody's way. */
    if ((r->opts.flags & GGK_RUN_REPLACE) != 0 ||
        !ggki_shard_name_parse(r->outs[0].name, &name) ||
        name.count != r->plan->n_files)
        return GGK_OK;
    folder = slash == NULL
                 ? ggki_mem_string(mem, ".", 1)
                 : ggki_mem_string(mem, path,
                                   slash > path ? (size_t)(slash - path) : 1);
    if (folder == NULL)
        return ggki_fail_memory(err);
    status = ggki_folder_each(folder, look_at_name, r, err);
    if (status == GGK_E_IO && err != NULL && err->file[0] == '\0')
        ggki_err_set_file(err, folder);
    ggki_mem_release(mem, folder, strlen(folder) + 1);
    return status;
}

/* -------------------------------------------------------------------- space */

/* Is there room for all of it? Blocks that may be shared need none. */
static ggk_status check_space(const struct run *r, ggk_error *err)
{
    const struct ggki_new_file *first = &r->outs[0];
    uint64_t need = 0, have;

    if (ggki_os_shares_blocks(first->folder) ||
        ggki_os_free_bytes(first->folder, &have) != 0)
        return GGK_OK;
    for (uint32_t i = 0; i < r->plan->n_files; i++) {
        const struct ggki_plan_file *f = &r->plan->files[i];

        need += f->head_end + ggki_copy_data_bytes(f);
    }
    if (need <= have)
        return GGK_OK;
    ggki_fail(err, GGK_E_IO,
              "not enough room: it takes %llu bytes, and %llu are free",
              (unsigned long long)need, (unsigned long long)have);
    if (err != NULL)
        err->sys_errno = ENOSPC;
    ggki_err_set_need(err, need, have);
    ggki_err_set_file(err, first->path);
    return GGK_E_IO;
}

/* ------------------------------------------------------------------- header */

/* Where the next bytes of a header go. */
struct header_out {
    const struct ggki_new_file *out;
    uint64_t pos;
};

static ggk_status put_header(void *ctx, const void *data, size_t bytes,
                             ggk_error *err)
{
    struct header_out *h = ctx;
    ggk_status status = ggki_new_file_write(h->out, h->pos, data, bytes, err);

    h->pos += bytes;
    return status;
}

static ggk_status write_header(const struct run *r,
                               const struct ggki_plan_file *f,
                               const struct ggki_new_file *out, ggk_error *err)
{
    struct header_out to = {out, 0};

    return ggki_plan_put_header(&r->plan->mem, f, put_header, &to, err);
}

/* ------------------------------------------------------------------- verify */

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

/* Read the header that was written, as anybody would. */
static ggk_status verify(const struct run *r, const struct ggki_plan_file *f,
                         const struct ggki_new_file *out, ggk_error *err)
{
    ggk_open_opts opts = {.struct_bytes = sizeof opts,
                          .flags = GGK_OPEN_SINGLE,
                          .types = r->plan->types,
                          .allocator = &r->plan->mem};
    ggk_error why = {0};
    ggk_source *source;
    ggk_model *model = NULL;
    ggk_status status =
        ggki_source_open_fd(out->fd, &r->plan->mem, &source, &why);

    if (status == GGK_OK)
        status = ggk_model_open_source(source, &opts, &model, &why);
    if (status == GGK_OK && !is_as_planned(f, model))
        status = ggki_fail(&why, GGK_E_BUG, "it is not as it was planned");
    ggk_model_close(model);
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

/* -------------------------------------------------------------------- write */

/* Files that are open at once: they are waited for together, so that the disk
 * has work meanwhile, and the file system one commit. */
#define MOST_OPEN 64

static ggk_status write_file(struct run *r, uint32_t i, ggk_error *err)
{
    const struct ggki_plan_file *f = &r->plan->files[i];
    struct ggki_new_file *out = &r->outs[i];
    ggk_status status = ggki_new_file_make(out, f->size, err);

    if (status == GGK_OK)
        status = check_target_again(out, err);
    if (status == GGK_OK)
        status = write_header(r, f, out, err);
    if (status == GGK_OK)
        status = ggki_copy_tensors(&r->copying, f, out, err);
    if (status == GGK_OK)
        ggki_os_start_writing(out->fd, 0, f->size);
    return status == GGK_OK ? ggki_copying_tell(&r->copying, err) : status;
}

/* Wait until it is on the disk, and look at it. */
static ggk_status finish_file(struct run *r, uint32_t i, ggk_error *err)
{
    const struct ggki_plan_file *f = &r->plan->files[i];
    struct ggki_new_file *out = &r->outs[i];
    ggk_status status = ggki_new_file_sync(out, err);

    if (status == GGK_OK)
        status = verify(r, f, out, err);
    if (i > 0) /* the first one's lock is that of all */
        ggki_new_file_seal(out);
    return status == GGK_OK ? ggki_copying_tell(&r->copying, err) : status;
}

static ggk_status write_files(struct run *r, ggk_error *err)
{
    uint32_t n = r->plan->n_files, finished = 0;
    ggk_status status = ggki_copying_start(&r->copying, err);

    for (uint32_t i = 0; i < n && status == GGK_OK; i++) {
        status = write_file(r, i, err);
        if (i + 1 < n && i + 1 - finished < MOST_OPEN)
            continue;
        for (; finished <= i && status == GGK_OK; finished++)
            status = finish_file(r, finished, err);
    }
    return status;
}

static ggk_status make_backups(struct run *r, ggk_error *err)
{
    bool replace = (r->opts.flags & GGK_RUN_FORCE) != 0;
    ggk_status status = GGK_OK;

    if (r->opts.backup == NULL)
        return GGK_OK;
    for (uint32_t i = 0; i < r->plan->n_files && status == GGK_OK; i++)
        if (r->outs[i].exists)
            status =
                ggki_new_file_backup(&r->outs[i], r->opts.backup, replace, err);
    return status;
}

/* Of a set the first file goes first and comes last: a set without it is none,
 * so that nobody takes old shards and new ones for a whole. */
static ggk_status commit_files(struct run *r, ggk_error *err)
{
    uint32_t n = r->plan->n_files;
    bool replace = (r->opts.flags & (GGK_RUN_FORCE | GGK_RUN_REPLACE)) != 0;
    ggk_status status = make_backups(r, err);

    if (status == GGK_OK && n > 1)
        status = ggki_new_file_set_aside(&r->outs[0], err);
    for (uint32_t i = n; i-- > 0 && status == GGK_OK;)
        status = ggki_new_file_commit(&r->outs[i], replace && r->outs[i].exists,
                                      n > 1, err);
    if (status != GGK_OK)
        for (uint32_t i = n; i-- > 0;)
            ggki_new_file_undo(&r->outs[i]);
    return status;
}

/* What is left to do once the new files are in place. */
static ggk_status settle_files(struct run *r, ggk_error *err)
{
    ggk_status status = GGK_OK, other;

    for (size_t i = 0; i < r->n_in_the_way; i++)
        if (unlinkat(r->outs[0].folder, r->in_the_way[i], 0) != 0 &&
            errno != ENOENT) {
            status = ggki_fail_io(err, errno, "remove");
            ggki_err_set_file(err, r->in_the_way[i]);
        }
    for (uint32_t i = r->plan->n_files; i-- > 0;) {
        other = ggki_new_file_settle(&r->outs[i], r->plan->n_files > 1,
                                     status == GGK_OK ? err : NULL);
        if (status == GGK_OK)
            status = other;
    }
    return status;
}

static void tell_removed(const struct run *r)
{
    if (r->opts.on_removed == NULL)
        return;
    for (size_t i = 0; i < r->n_in_the_way; i++)
        r->opts.on_removed(r->opts.removed_ctx, r->in_the_way[i]);
}

static ggk_status run(struct run *r, ggk_error *err)
{
    ggk_status status = aim_at_targets(r, err);

    if (status == GGK_OK)
        status = look_for_other_shards(r, err);
    if (status == GGK_OK)
        status = check_space(r, err);
    if (status != GGK_OK || (r->opts.flags & GGK_RUN_DRY) != 0)
        return status;
    status = write_files(r, err);
    if (status == GGK_OK)
        status = check_unchanged(r->plan, err);
    if (status == GGK_OK)
        status = commit_files(r, err);
    return status == GGK_OK ? settle_files(r, err) : status;
}

static void end(struct run *r)
{
    const ggk_allocator *mem = &r->plan->mem;

    for (uint32_t i = r->plan->n_files; i-- > 0;)
        ggki_new_file_free(&r->outs[i]);
    for (size_t i = 0; i < r->n_in_the_way; i++)
        ggki_mem_release(mem, r->in_the_way[i], strlen(r->in_the_way[i]) + 1);
    ggki_mem_release(mem, r->in_the_way,
                     r->way_capacity * sizeof *r->in_the_way);
    ggki_mem_release(mem, r->outs, r->plan->n_files * sizeof *r->outs);
    ggki_copying_end(&r->copying);
}

static ggk_status lay_out_all(ggk_plan *plan, uint64_t *total, ggk_error *err)
{
    *total = 0;
    for (uint32_t i = 0; i < plan->n_files; i++) {
        struct ggki_plan_file *f = &plan->files[i];
        ggk_status status = ggki_plan_lay_out(f, err);

        if (status != GGK_OK) {
            ggki_err_set_file(err, f->path);
            return status;
        }
        for (size_t k = 0; k < f->n_tensors; k++)
            *total += f->tensors[k].bytes;
    }
    return GGK_OK;
}

ggk_status ggk_plan_run(ggk_plan *plan, const ggk_run_opts *opts,
                        ggk_error *err)
{
    struct run r = {.plan = plan};
    ggk_status status;

    if (!ggki_take_opts(&r.opts, sizeof r.opts, opts))
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "ggk_run_opts asks for more than this version knows");
    if (plan->n_files == 0)
        return ggki_fail(err, GGK_E_ARG, "the plan has no files");
    status = lay_out_all(plan, &r.copying.total, err);
    if (status != GGK_OK)
        return status;
    r.copying.mem = &plan->mem;
    r.copying.n_threads = ggki_pool_threads(r.opts.n_threads);
    r.copying.on_progress = r.opts.on_progress;
    r.copying.progress_ctx = r.opts.progress_ctx;
    r.outs = ggki_mem_zero(&plan->mem, plan->n_files * sizeof *r.outs);
    if (r.outs == NULL)
        return ggki_fail_memory(err);
    status = run(&r, err);
    if (status == GGK_OK)
        tell_removed(&r);
    end(&r);
    return status;
}
