/* recover.c - undoes an edit in place that was interrupted. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/opts.h"
#include "io/hidden.h"
#include "io/in_place.h"
#include "io/new_file.h"
#include "io/os.h"
#include "io/path.h"
#include "io/source.h"

struct recovery {
    struct ggki_new_file out; /* for its folder, its lock, and what it knows of
                                 the file */
    char name[GGKI_HIDDEN_BYTES];
    int file, journal; /* descriptors */
    struct ggki_journal old;
};

/* The file itself, if `path` is a link. */
static ggk_status aim(struct recovery *r, const char *path,
                      const ggk_allocator *mem, ggk_error *err)
{
    char room[PATH_MAX];
    ggk_status status = ggki_new_file_aim(
        &r->out, ggki_os_file_path(path, room), NULL, 0600, NULL, mem, err);

    if (status == GGK_OK && !r->out.has_file)
        status = ggki_fail_io_at(err, r->out.path, ENOENT, "open");
    return status;
}

/* If it is another user's, he did not leave it for us to read. */
static ggk_status fail_open_journal(const struct recovery *r, int failed,
                                    ggk_error *err)
{
    char why[GGKI_HINDRANCE_BYTES];
    struct stat st;

    if (failed != EACCES ||
        fstatat(r->out.folder, r->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        st.st_uid == r->out.uid)
        return ggki_fail_io_at(err, r->out.path, failed, "open the journal of");
    ggki_journal_hindrance(&st, r->out.uid, why, sizeof why);
    return ggki_fail_at(err, GGK_E_IO, r->out.path, "nothing was undone: %s",
                        why);
}

/* Is there a journal that one of us, of the same user, can have made? */
static ggk_status open_journal(struct recovery *r, ggk_recovery *out,
                               ggk_error *err)
{
    struct stat st;

    r->journal = ggki_os_open(r->out.folder, r->name,
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (r->journal < 0 && errno == ENOENT)
        return GGK_OK;
    *out = GGK_RECOVERY_FOREIGN;
    if (r->journal < 0 && errno == ELOOP)
        return GGK_OK;
    if (r->journal < 0)
        return fail_open_journal(r, errno, err);
    if (fstat(r->journal, &st) != 0)
        return ggki_fail_io_at(err, r->out.path, errno,
                               "look at the journal of");
    if (ggki_journal_may_be(&st, r->out.uid))
        *out = GGK_RECOVERY_UNDONE;
    return GGK_OK;
}

static ggk_status fail_in_use(const struct recovery *r, ggk_error *err)
{
    return ggki_fail_at(
        err, GGK_E_LOCKED, r->out.path,
        "another process has the file open; once it has not, try again");
}

/* Open the file, for us alone. */
static ggk_status open_file(struct recovery *r, struct stat *st, ggk_error *err)
{
    int failed;

    r->file = ggki_os_open(r->out.folder, r->out.name,
                           O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
    if (r->file < 0)
        return errno == EWOULDBLOCK
                   ? fail_in_use(r, err)
                   : ggki_fail_io_at(err, r->out.path, errno, "open");
    failed = ggki_os_keep_alone(r->file);
    if (failed == EWOULDBLOCK)
        return fail_in_use(r, err);
    if (failed != 0)
        return ggki_fail_io_at(err, r->out.path, failed, "have for us alone");
    return fstat(r->file, st) == 0
               ? GGK_OK
               : ggki_fail_io_at(err, r->out.path, errno, "look at");
}

/* -------------------------------------------------------------- discarding */

/* A search for the file that a journal is of. */
struct search {
    const struct recovery *r;
    const struct ggki_journal *j;
    char name[NAME_MAX + 1]; /* found: it */
};

/* Is the file of that name the journal's? Ours, if it was opened, is not. */
static bool is_owner(const struct search *s, const char *name)
{
    bool ours = s->r->file >= 0 && s->j->file.ino == (uint64_t)s->r->out.ino;

    return !ours && ggki_journal_is_of_name(s->j, s->r->out.folder, name);
}

static ggk_status look_at_name(void *ctx, const char *name, ggk_error *err)
{
    struct search *s = ctx;

    (void)err;
    if (s->name[0] == '\0' && is_owner(s, name))
        snprintf(s->name, sizeof s->name, "%s", name);
    return GGK_OK;
}

/* Can the journal be of use to a file in this folder? */
static ggk_status check_useless(struct recovery *r, ggk_error *err)
{
    struct ggki_journal j;
    struct search s = {r, &j, ""};
    char hidden[GGKI_HIDDEN_BYTES], why[GGKI_HINDRANCE_BYTES], *folder;
    struct stat st;
    ggk_status status;

    if (r->journal < 0 || fstat(r->journal, &st) != 0 || !S_ISREG(st.st_mode) ||
        !ggki_journal_head(&j, r->journal))
        return GGK_OK;
    folder = ggki_folder_name(&r->out.mem, r->out.path);
    if (folder == NULL)
        return ggki_fail_memory(err);
    status = look_at_name(&s, r->out.name, err);
    if (status == GGK_OK)
        status = ggki_folder_each(folder, look_at_name, &s, err);
    ggki_mem_release_string(&r->out.mem, folder);
    if (status != GGK_OK || s.name[0] == '\0')
        return status;
    ggki_hidden_name(hidden, s.name, GGKI_JOURNAL);
    if (strcmp(hidden, r->name) != 0)
        return ggki_fail_at(
            err, GGK_E_EXISTS, r->out.path,
            "the journal beside it is of \"%.150s\", and undoes its edit once "
            "it is renamed \"%.180s\"",
            s.name, hidden);
    ggki_journal_hindrance(&st, r->out.uid, why, sizeof why);
    return ggki_fail_at(err, GGK_E_EXISTS, r->out.path,
                        "nothing was undone: %s", why);
}

/* Has what was opened, or the link that was not, its name no more? */
static bool has_gone(const struct recovery *r)
{
    struct stat st;

    if (r->journal >= 0)
        return fstat(r->journal, &st) == 0 &&
               ggki_new_file_has_gone(&r->out, r->name, st.st_dev, st.st_ino);
    return fstatat(r->out.folder, r->name, &st, AT_SYMLINK_NOFOLLOW) == 0
               ? !S_ISLNK(st.st_mode)
               : errno == ENOENT;
}

/* What has taken its name meanwhile is left alone. */
static ggk_status remove_journal(struct recovery *r, ggk_error *err)
{
    if (!has_gone(r) && unlinkat(r->out.folder, r->name, 0) != 0)
        return ggki_fail_io_at(err, r->out.path, errno,
                               "remove the journal of");
    return ggki_new_file_sync_folder(&r->out, err);
}

/* Who has the file alone makes no journal, nor does anybody else meanwhile. */
static ggk_status discard(struct recovery *r, uint32_t flags, ggk_recovery *out,
                          ggk_error *err)
{
    struct stat st;
    ggk_status status = check_useless(r, err);

    if (status == GGK_OK && r->file < 0)
        status = open_file(r, &st, err);
    if (status != GGK_OK)
        return status;
    *out = GGK_RECOVERY_DISCARDED;
    if ((flags & GGK_RECOVER_DRY) != 0)
        return GGK_OK;
    if (!has_gone(r))
        return remove_journal(r, err);
    *out = GGK_RECOVERY_NONE;
    return GGK_OK;
}

/* ------------------------------------------------------------------ undoing */

static ggk_status undo(struct recovery *r, ggk_error *err)
{
    ggk_status status;

    r->out.alone = true;
    status = ggki_new_file_lock(&r->out, err);
    if (status == GGK_OK)
        status = ggki_in_place_undo(&r->old, r->file, false, &r->out.mem, err);
    return status == GGK_OK ? remove_journal(r, err) : status;
}

/* Until the file was ours alone, another process may have finished with it. */
static bool still_waits(const struct recovery *r, const struct stat *file)
{
    struct stat st;

    return fstat(r->journal, &st) == 0 &&
           ggki_journal_may_be(&st, file->st_uid);
}

/* Who cuts off what was appended must not cut a byte of the model: so the
 * largest that the edit can have left counts. */
static ggk_status fail_size(const struct recovery *r, uint64_t size,
                            ggk_error *err)
{
    static const char since[] =
        "an edit of this file was interrupted, and the file was changed since";
    uint64_t before = r->old.size, after = before + r->old.inserted;

    if (size > after)
        return ggki_fail_at(err, GGK_E_INTERRUPTED, r->out.path,
                            "%s: it has %llu bytes, %llu more than the edit "
                            "can have left, %llu",
                            since, (unsigned long long)size,
                            (unsigned long long)(size - after),
                            (unsigned long long)after);
    return ggki_fail_at(err, GGK_E_INTERRUPTED, r->out.path,
                        "%s: it has %llu bytes, and the edit left %llu or %llu",
                        since, (unsigned long long)size,
                        (unsigned long long)before, (unsigned long long)after);
}

/* What is foreign is told, no more. */
static ggk_status recover(struct recovery *r, uint32_t flags, ggk_recovery *out,
                          ggk_error *err)
{
    struct ggki_identity is;
    struct stat st = {0};
    ggk_status status = open_journal(r, out, err);

    if (status != GGK_OK || *out != GGK_RECOVERY_UNDONE)
        return status;
    status = open_file(r, &st, err);
    if (status == GGK_OK && !still_waits(r, &st)) {
        *out = GGK_RECOVERY_NONE;
        return GGK_OK;
    }
    if (status == GGK_OK)
        status = ggki_journal_read(&r->old, r->journal, &r->out.mem, err);
    if (status != GGK_OK)
        return status;
    is = ggki_identity_of(r->file, &st);
    if (!ggki_journal_is_of(&r->old, &is, (uint64_t)st.st_size))
        *out = GGK_RECOVERY_FOREIGN;
    else if (!ggki_journal_fits(&r->old, (uint64_t)st.st_size))
        status = fail_size(r, (uint64_t)st.st_size, err);
    else if ((flags & GGK_RECOVER_DRY) != 0)
        status = ggki_in_place_undo(&r->old, r->file, true, &r->out.mem, err);
    else
        status = undo(r, err);
    return status;
}

ggk_status ggk_recover(const char *path, uint32_t flags,
                       const ggk_allocator *alloc, ggk_recovery *out,
                       ggk_error *err)
{
    const ggk_allocator mem = ggki_mem_of(alloc);
    struct recovery r = {.file = -1, .journal = -1};
    ggk_status status;

    *out = GGK_RECOVERY_NONE;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    status = ggki_opts_check_flags(flags, GGK_RECOVER_DRY | GGK_RECOVER_DISCARD,
                                   err);
    if (status != GGK_OK)
        return status;
    status = aim(&r, path, &mem, err);
    if (status == GGK_OK) {
        ggki_hidden_name(r.name, r.out.name, GGKI_JOURNAL);
        status = recover(&r, flags, out, err);
        if (status == GGK_OK && *out == GGK_RECOVERY_FOREIGN &&
            (flags & GGK_RECOVER_DISCARD) != 0)
            status = discard(&r, flags, out, err);
    }
    ggki_journal_free(&r.old, &mem);
    if (r.journal >= 0)
        close(r.journal);
    if (r.file >= 0)
        close(r.file);
    ggki_new_file_free(&r.out);
    if (status != GGK_OK)
        *out = GGK_RECOVERY_NONE;
    return status;
}
