/* beside.c - what is in the folder of the files that a plan writes. */
#include "ops/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/path.h"
#include "io/source.h"

/* ------------------------------------------------------------------- inputs */

/* Must the file stay that has this name beside the target? Not if it is the
 * target itself, by a second name that an ended run gave it. */
static ggk_status look_beside(const ggk_plan *plan,
                              const struct ggki_new_file *out, const char *name,
                              bool *guarded, ggk_error *err)
{
    struct stat st;
    ggk_status status = ggki_new_file_beside(out, name, &st, err);
    bool itself =
        out->has_file && st.st_dev == out->dev && st.st_ino == out->ino;

    *guarded = !itself && ggki_plan_is_guarded(plan, st.st_dev, st.st_ino);
    return status;
}

ggk_status ggki_beside_check_names(const struct ggki_beside *b,
                                   const struct ggki_new_file *out,
                                   ggk_error *err)
{
    const char *const names[] = {out->temp, out->old, out->backup,
                                 out->earlier};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool guarded = false;
        ggk_status status =
            names[i] == NULL
                ? GGK_OK
                : look_beside(b->plan, out, names[i], &guarded, err);

        if (status != GGK_OK)
            return status;
        if (!guarded)
            continue;
        ggki_fail(err, GGK_E_SAME_FILE,
                  "an input has the name \"%.200s\", which would be "
                  "overwritten: rename it, or write elsewhere",
                  names[i]);
        ggki_err_set_file(err, out->path);
        return GGK_E_SAME_FILE;
    }
    return GGK_OK;
}

/* ------------------------------------------------- other shards of the prefix
 */

#define BACKUP_BYTES 1024 /* more than a name can have */

/* The failure concerns this name beside the first target. */
static ggk_status set_place(const struct ggki_beside *b, const char *name,
                            ggk_status status, ggk_error *err)
{
    const struct ggki_new_file *first = &b->outs[0];

    if (err != NULL)
        snprintf(err->file, sizeof err->file, "%.*s%s",
                 (int)(strlen(first->path) - strlen(first->name)), first->path,
                 name);
    return status;
}

static ggk_status fail_other(const struct ggki_beside *b, const char *name,
                             ggk_status status, const char *what,
                             ggk_error *err)
{
    return set_place(b, name, ggki_fail(err, status, "%s", what), err);
}

bool ggki_beside_is_set(const ggk_plan *plan)
{
    struct ggki_shard_name name;

    return ggki_shard_name_parse(ggki_base_name(plan->files[0].path), &name) &&
           name.count == plan->n_files;
}

static bool is_planned(const struct ggki_beside *b, const char *name,
                       const struct ggki_shard_name *parsed)
{
    if (parsed->count == b->plan->n_files &&
        strcmp(b->outs[parsed->number - 1].name, name) == 0)
        return true;
    for (uint32_t i = 0; i < b->plan->n_files; i++)
        if (strcmp(b->outs[i].name, name) == 0)
            return true;
    return false;
}

static bool add_other(struct ggki_beside *b, const char *name)
{
    const ggk_allocator *mem = &b->plan->mem;
    char *copy;

    if (b->n_others == b->capacity) {
        size_t capacity = b->capacity * 2 + 8;
        char **names =
            ggki_mem_resize(mem, b->others, b->capacity * sizeof *names,
                            capacity * sizeof *names);
        if (names == NULL)
            return false;
        b->others = names;
        b->capacity = capacity;
    }
    copy = ggki_mem_string(mem, name, strlen(name));
    if (copy != NULL)
        b->others[b->n_others++] = copy;
    return copy != NULL;
}

/* The name of the backup of `name`, if there are backups. */
static bool backup_of(const struct ggki_beside *b, const char *name, char *out)
{
    if (b->opts->backup != NULL)
        snprintf(out, BACKUP_BYTES, "%s%s", name, b->opts->backup);
    return b->opts->backup != NULL;
}

/* Is `name` a shard of the set that is written, by its prefix, but none that is
 * written? */
static bool is_other_shard(const struct ggki_beside *b, const char *name)
{
    struct ggki_shard_name other;

    return ggki_shard_name_parse(name, &other) &&
           other.prefix_len == b->ours.prefix_len &&
           memcmp(name, b->outs[0].name, other.prefix_len) == 0 &&
           !is_planned(b, name, &other);
}

/* Neither is an input, which `name` and that of its backup would make go. */
static ggk_status check_is_no_input(const struct ggki_beside *b,
                                    const char *name, ggk_error *err)
{
    char backup[BACKUP_BYTES];
    bool guarded;
    ggk_status status = look_beside(b->plan, &b->outs[0], name, &guarded, err);

    if (status == GGK_OK && guarded)
        return fail_other(b, name, GGK_E_SAME_FILE,
                          "this input has the name of a shard of the output: "
                          "choose another prefix",
                          err);
    if (status != GGK_OK || !backup_of(b, name, backup))
        return status;
    status = look_beside(b->plan, &b->outs[0], backup, &guarded, err);
    if (status == GGK_OK && guarded)
        return fail_other(b, backup, GGK_E_SAME_FILE,
                          "this input has the name of a backup: rename it",
                          err);
    return status;
}

/* Of all names in the folder, those of other shards. */
static ggk_status look_at_name(void *ctx, const char *name, ggk_error *err)
{
    struct ggki_beside *b = ctx;
    struct stat st;
    ggk_status status;

    if (!is_other_shard(b, name))
        return GGK_OK;
    status = check_is_no_input(b, name, err);
    if (status != GGK_OK)
        return status;
    if ((b->opts->flags & GGK_RUN_FORCE) == 0)
        return fail_other(b, name, GGK_E_EXISTS,
                          "a shard of another set of this prefix exists", err);
    if (fstatat(b->outs[0].folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return set_place(b, name, ggki_fail_io(err, errno, "look at"), err);
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return fail_other(b, name, GGK_E_IO,
                          "it has the name of a shard of another set of this "
                          "prefix, and is no regular file: move it away",
                          err);
    return add_other(b, name) ? GGK_OK : ggki_fail_memory(err);
}

ggk_status ggki_beside_find_others(struct ggki_beside *b, ggk_error *err)
{
    const ggk_allocator *mem = &b->plan->mem;
    char *folder;
    ggk_status status;

    if (!ggki_shard_name_parse(b->outs[0].name, &b->ours))
        return GGK_OK;
    folder = ggki_folder_name(mem, b->outs[0].path);
    if (folder == NULL)
        return ggki_fail_memory(err);
    status = ggki_folder_each(folder, look_at_name, b, err);
    if (status == GGK_E_IO && err != NULL && err->file[0] == '\0')
        ggki_err_set_file(err, folder);
    ggki_mem_release(mem, folder, strlen(folder) + 1);
    return status;
}

static int put_away(const struct ggki_beside *b, const char *name)
{
    int folder = b->outs[0].folder, failed;
    char backup[BACKUP_BYTES];

    if (backup_of(b, name, backup))
        failed = renameat(folder, name, folder, backup) == 0 ? 0 : errno;
    else
        failed = unlinkat(folder, name, 0) == 0 ? 0 : errno;
    return failed == ENOENT ? 0 : failed;
}

ggk_status ggki_beside_put_away(const struct ggki_beside *b, ggk_error *err)
{
    ggk_status status = GGK_OK;

    for (size_t i = 0; i < b->n_others; i++) {
        int failed = put_away(b, b->others[i]);

        if (failed != 0)
            status = set_place(b, b->others[i],
                               ggki_fail_io(err, failed, "put away"), err);
    }
    return status;
}

void ggki_beside_tell(const struct ggki_beside *b)
{
    if (b->opts->on_removed == NULL)
        return;
    for (size_t i = 0; i < b->n_others; i++)
        b->opts->on_removed(b->opts->removed_ctx, b->others[i]);
}

void ggki_beside_free(struct ggki_beside *b)
{
    const ggk_allocator *mem = &b->plan->mem;

    for (size_t i = 0; i < b->n_others; i++)
        ggki_mem_release(mem, b->others[i], strlen(b->others[i]) + 1);
    ggki_mem_release(mem, b->others, b->capacity * sizeof *b->others);
}
