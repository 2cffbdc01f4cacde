/* run.c - does what a plan says: writes its files, all of them or none. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/pool.h"
#include "base/repeats.h"
#include "io/hidden.h"
#include "io/new_file.h"
#include "io/new_folder.h"
#include "io/os.h"
#include "io/path.h"
#include "io/source.h"
#include "model/model.h"
#include "ops/beside.h"
#include "ops/copy.h"
#include "ops/plan.h"
#include "ops/verify.h"

struct run {
    ggk_plan *plan;
    ggk_run_opts opts;
    struct ggki_copying copying;
    struct ggki_new_folder folder; /* that the first file is in */
    struct ggki_new_file *outs;    /* one for each file of the plan */
    struct ggki_beside beside;
};

/* ------------------------------------------------------------------- inputs */

/* What others may do with a new file: no more than with those it is made of. */
struct rights {
    mode_t mode;
    bool of_inputs; /* there are such, and */
    gid_t gid;      /* the group's rights are for this one */
};

static void restrict_to(struct rights *rights, mode_t mode, gid_t gid)
{
    rights->mode &= 0600 | mode;
    if (rights->of_inputs && gid != rights->gid)
        rights->mode = ggki_new_file_cut_group(rights->mode);
    rights->of_inputs = true;
    rights->gid = gid;
}

static struct rights rights_of_inputs(const ggk_plan *plan)
{
    struct rights rights = {.mode = 0666};

    for (size_t i = 0; i < plan->n_sources; i++) {
        const ggk_source *source = plan->sources[i].source;

        if (source->fd >= 0)
            restrict_to(&rights, ggki_source_mode(source), source->gid);
    }
    for (size_t i = 0; i < plan->n_guards; i++)
        if (S_ISREG(plan->guards[i].mode))
            restrict_to(&rights, plan->guards[i].mode, plan->guards[i].gid);
    return rights;
}

static ggk_status check_unchanged(const ggk_plan *plan, ggk_error *err)
{
    for (size_t i = 0; i < plan->n_sources; i++)
        if (ggki_source_changed(plan->sources[i].source))
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

/* The input that was to be replaced may have another name by now, even one of
 * ours. */
static ggk_status check_still_input(const struct run *r,
                                    const struct ggki_new_file *out,
                                    ggk_error *err)
{
    if ((r->opts.flags & GGK_RUN_REPLACE) == 0 || !out->exists ||
        (out->has_file && ggki_plan_is_input(r->plan, out->dev, out->ino)))
        return GGK_OK;
    return ggki_new_file_fail_changed(out, err);
}

/* May what is there under the target's name be replaced? */
static ggk_status check_target(const struct run *r,
                               const struct ggki_new_file *out, ggk_error *err)
{
    bool force = (r->opts.flags & GGK_RUN_FORCE) != 0;
    bool replace = (r->opts.flags & GGK_RUN_REPLACE) != 0;
    bool input, guarded, has_backup;

    if (!out->exists)
        return GGK_OK;
    input = out->has_file && ggki_plan_is_input(r->plan, out->dev, out->ino);
    guarded =
        out->has_file && ggki_plan_is_guarded(r->plan, out->dev, out->ino);
    if (guarded && !(input && replace))
        return fail_target(err, GGK_E_SAME_FILE, out->path,
                           "this is the input: it would be replaced while it "
                           "is read");
    if (!input && !force)
        return fail_target(err, GGK_E_EXISTS, out->path, "the file exists");
    return out->backup == NULL
               ? GGK_OK
               : ggki_new_file_check_backup(out, force, &has_backup, err);
}

/* Could a set be made of some old files and some new? */
static bool can_be_mixed(const struct run *r)
{
    return r->plan->n_files > 1 && ggki_beside_is_set(r->plan);
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

/* What has the name of a temporary goes when its owner is written. */
static ggk_status check_name(const char *path, ggk_error *err)
{
    return ggki_is_hidden_name(ggki_base_name(path))
               ? fail_target(err, GGK_E_SAME_FILE, path,
                             "temporaries have such names, and are removed: "
                             "choose another")
               : GGK_OK;
}

/* The folder of the first file, if it is to be made where there is none. */
static ggk_status provide_folder(struct run *r, ggk_error *err)
{
    ggk_status status;

    if ((r->opts.flags & GGK_RUN_MAKE_FOLDER) == 0)
        return GGK_OK;
    status = ggki_new_folder_aim(&r->folder, r->plan->files[0].path,
                                 &r->plan->mem, err);
    if (status == GGK_OK && (r->opts.flags & GGK_RUN_DRY) == 0)
        status = ggki_new_folder_make(&r->folder, err);
    return status;
}

/* Is there no folder yet, since nothing is to be written now? */
static bool is_to_come(const struct run *r)
{
    return r->folder.missing && (r->opts.flags & GGK_RUN_DRY) != 0;
}

static ggk_status aim_at_targets(struct run *r, ggk_error *err)
{
    ggk_plan *plan = r->plan;
    bool dry = (r->opts.flags & GGK_RUN_DRY) != 0, aside = false;
    const struct rights rights = rights_of_inputs(plan);
    ggk_status status = provide_folder(r, err);

    if (status == GGK_OK && is_to_come(r))
        return GGK_OK;
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++)
        status = check_name(plan->files[i].path, err);
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++) {
        status = ggki_new_file_aim(&r->outs[i], plan->files[i].path,
                                   r->opts.backup, rights.mode,
                                   i > 0 ? &r->outs[0] : NULL, &plan->mem, err);
        r->outs[i].of_inputs = rights.of_inputs;
        r->outs[i].input_gid = rights.gid;
    }
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++) {
        status = check_still_input(r, &r->outs[i], err);
        if (status == GGK_OK)
            status = ggki_beside_check_names(&r->beside, &r->outs[i], err);
    }
    if (status == GGK_OK && !dry && can_be_mixed(r))
        status = ggki_new_file_is_aside(&r->outs[0], &aside, err);
    if (status == GGK_OK && aside)
        status = recover_set(r, err);
    for (uint32_t i = 0; i < plan->n_files && status == GGK_OK; i++)
        status = check_target(r, &r->outs[i], err);
    return status;
}

/* -------------------------------------------------------------------- space */

#define SIZE_BYTES 48

/* "1.50 GiB (1610612736 bytes)". */
static void write_size(char out[SIZE_BYTES], uint64_t n)
{
    static const char units[] = "KMGTPE";
    double shown = (double)n / 1024;
    size_t unit = 0;

    for (; shown >= 1023.995; unit++) /* it would be written as 1024.00 */
        shown /= 1024;
    if (n < 1024)
        snprintf(out, SIZE_BYTES, "%llu byte%s", (unsigned long long)n,
                 ggki_plural(n));
    else
        snprintf(out, SIZE_BYTES, "%.2f %ciB (%llu bytes)", shown, units[unit],
                 (unsigned long long)n);
}

static ggk_status fail_room(const ggk_plan *plan, uint64_t need, uint64_t have,
                            ggk_error *err)
{
    char needed[SIZE_BYTES], there[SIZE_BYTES];

    write_size(needed, need);
    write_size(there, have);
    ggki_fail(err, GGK_E_IO, "not enough room: it takes %s, and %s are free",
              needed, there);
    if (err != NULL)
        err->sys_errno = ENOSPC;
    ggki_err_set_need(err, need, have);
    ggki_err_set_file(err, plan->files[0].path);
    return GGK_E_IO;
}

/* Is there room for all of it? Blocks that may be shared need none. */
static ggk_status check_space(const struct run *r, ggk_error *err)
{
    int folder = is_to_come(r) ? r->folder.parent : r->outs[0].folder;
    uint64_t need = 0, have;

    if (ggki_os_shares_blocks(folder) || ggki_os_free_bytes(folder, &have) != 0)
        return GGK_OK;
    for (uint32_t i = 0; i < r->plan->n_files; i++) {
        const struct ggki_plan_file *f = &r->plan->files[i];

        need += f->head_end + ggki_copy_data_bytes(f);
    }
    return need <= have ? GGK_OK : fail_room(r->plan, need, have, err);
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

/* -------------------------------------------------------------------- write */

/* Files that are open at once: they are waited for together, so that the disk
 * has work meanwhile, and the file system one commit. */
#define MOST_OPEN 32

/* Files that stay open, and with that locked, until they have their names. Of
 * more a process may not have the descriptors; then the first one's lock is
 * that of all shards of a set, and who writes to another of these files alone
 * makes this run fail when it comes to that. */
#define MOST_LOCKED 32

static ggk_status write_file(struct run *r, uint32_t i, ggk_error *err)
{
    const struct ggki_plan_file *f = &r->plan->files[i];
    struct ggki_new_file *out = &r->outs[i];
    ggk_status status = ggki_new_file_make(out, f->size, err);

    if (status == GGK_OK)
        status = ggki_new_file_check_target(out, err);
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
        status = ggki_verify(r->plan, f, out->fd, err);
    if (i >= MOST_LOCKED)
        ggki_new_file_seal(out);
    return status == GGK_OK ? ggki_copying_tell(&r->copying, err) : status;
}

static ggk_status write_files(struct run *r, ggk_error *err)
{
    uint32_t n = r->plan->n_files, finished = 0;
    ggk_status status = ggki_copying_start(&r->copying, r->plan, err);

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
            status = ggki_new_file_backup(&r->outs[i], replace, err);
    return status;
}

/* Of a set the first file goes first and comes last: a set without it is none,
 * so that nobody takes old shards and new ones for a whole. */
static ggk_status commit_files(struct run *r, ggk_error *err)
{
    uint32_t n = r->plan->n_files;
    bool replace = (r->opts.flags & (GGK_RUN_FORCE | GGK_RUN_REPLACE)) != 0;
    ggk_status status = GGK_OK;

    for (uint32_t i = 0; i < n && status == GGK_OK; i++)
        status = ggki_new_file_check_target(&r->outs[i], err);
    if (status == GGK_OK)
        status = make_backups(r, err);
    if (status == GGK_OK && can_be_mixed(r))
        status = ggki_new_file_set_aside(&r->outs[0], err);
    for (uint32_t i = n; i-- > 0 && status == GGK_OK;)
        status = ggki_new_file_commit(&r->outs[i], replace, n > 1, err);
    if (status != GGK_OK)
        for (uint32_t i = n; i-- > 0;)
            ggki_new_file_undo(&r->outs[i]);
    return status;
}

/* What is left to do once the new files are in place. */
static ggk_status settle_files(struct run *r, ggk_error *err)
{
    ggk_status status = ggki_beside_put_away(&r->beside, err), other;

    for (uint32_t i = r->plan->n_files; i-- > 0;) {
        other =
            ggki_new_file_settle(&r->outs[i], status == GGK_OK ? err : NULL);
        if (status == GGK_OK)
            status = other;
    }
    other = ggki_new_folder_keep(&r->folder, status == GGK_OK ? err : NULL);
    return status == GGK_OK ? other : status;
}

/* An edit in its place is in nobody's way. */
static ggk_status find_others(struct run *r, ggk_error *err)
{
    if ((r->opts.flags & GGK_RUN_REPLACE) != 0 || is_to_come(r) ||
        !ggki_beside_is_set(r->plan))
        return GGK_OK;
    return ggki_beside_find_others(&r->beside, err);
}

static ggk_status run(struct run *r, ggk_error *err)
{
    ggk_status status = aim_at_targets(r, err);

    if (status == GGK_OK)
        status = find_others(r, err);
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
    ggki_new_folder_free(&r->folder);
    ggki_beside_free(&r->beside);
    ggki_mem_release(mem, r->outs, r->plan->n_files * sizeof *r->outs);
    ggki_copying_end(&r->copying);
}

static ggk_status lay_out_all(ggk_plan *plan, uint64_t *total, ggk_error *err)
{
    *total = 0;
    for (uint32_t i = 0; i < plan->n_files; i++) {
        struct ggki_plan_file *f = &plan->files[i];
        ggk_status status = ggki_plan_lay_out(&plan->mem, f, err);

        if (status != GGK_OK) {
            ggki_err_set_file(err, f->path);
            return status;
        }
        *total = sat_add64(*total, f->read_bytes);
    }
    return GGK_OK;
}

static bool path_at(const void *owner, uint64_t i, ggk_str *out)
{
    const ggk_plan *plan = owner;

    *out = ggk_cstr(plan->files[i].path);
    return true;
}

/* Has each file a path of its own? */
static ggk_status check_paths(const ggk_plan *plan, ggk_error *err)
{
    uint64_t i;

    if (ggki_names_find_repeat(&plan->mem, plan->n_files, path_at, plan, &i) !=
        GGK_OK)
        return ggki_fail_memory(err);
    if (i == GGK_NONE)
        return GGK_OK;
    return fail_target(err, GGK_E_DUPLICATE, plan->files[i].path,
                       "two files would have this name");
}

ggk_status ggk_plan_run(ggk_plan *plan, const ggk_run_opts *opts,
                        ggk_error *err)
{
    const uint32_t known =
        GGK_RUN_FORCE | GGK_RUN_REPLACE | GGK_RUN_DRY | GGK_RUN_MAKE_FOLDER;
    struct run r = {.plan = plan};
    ggk_status status = ggki_opts_take(&r.opts, sizeof r.opts, opts, err);

    if (status == GGK_OK)
        status = ggki_opts_check_flags(r.opts.flags, known, err);
    if (status != GGK_OK)
        return status;
    if (plan->n_files == 0)
        return ggki_fail(err, GGK_E_ARG, "the plan has no files");
    status = lay_out_all(plan, &r.copying.total, err);
    if (status == GGK_OK && plan->n_files > 1)
        status = check_paths(plan, err);
    if (status != GGK_OK)
        return status;
    r.copying.mem = &plan->mem;
    r.copying.n_threads = ggki_pool_threads(r.opts.n_threads);
    r.copying.on_progress = r.opts.on_progress;
    r.copying.progress_ctx = r.opts.progress_ctx;
    r.outs = ggki_mem_zero(&plan->mem, plan->n_files * sizeof *r.outs);
    if (r.outs == NULL)
        return ggki_fail_memory(err);
    r.beside =
        (struct ggki_beside){.plan = plan, .opts = &r.opts, .outs = r.outs};
    status = run(&r, err);
    if (status == GGK_OK)
        ggki_beside_tell(&r.beside);
    end(&r);
    return status;
}
