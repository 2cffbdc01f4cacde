/* recover.c - undoes an edit in place that was interrupted. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/hidden.h"
#include "io/in_place.h"
#include "io/new_file.h"
#include "io/os.h"

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

/* Is there a journal that one of us, of the same user, can have made? */
static ggk_status open_journal(struct recovery *r, ggk_recovery *out,
                               ggk_error *err)
{
    struct stat st;

    r->journal = openat(r->out.folder, r->name,
                        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (r->journal < 0 && errno == ENOENT)
        return GGK_OK;
    *out = GGK_RECOVERY_FOREIGN;
    if (r->journal < 0 && errno == ELOOP)
        return GGK_OK;
    if (r->journal < 0)
        return ggki_fail_io_at(err, r->out.path, errno, "open the journal of");
    if (fstat(r->journal, &st) != 0)
        return ggki_fail_io_at(err, r->out.path, errno,
                               "look at the journal of");
    if (ggki_journal_may_be(&st, r->out.uid))
        *out = GGK_RECOVERY_UNDONE;
    return GGK_OK;
}

static ggk_status fail_in_use(const struct recovery *r, ggk_error *err)
{
    ggki_fail(err, GGK_E_LOCKED,
              "another process has the file open; once it has not, try again");
    ggki_err_set_file(err, r->out.path);
    return GGK_E_LOCKED;
}

/* Open the file, for us alone. */
static ggk_status open_file(struct recovery *r, struct stat *st, ggk_error *err)
{
    int failed;

    do {
        r->file = openat(r->out.folder, r->out.name,
                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    } while (r->file < 0 && errno == EINTR);
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

static ggk_status undo(struct recovery *r, ggk_error *err)
{
    ggk_status status = ggki_new_file_lock(&r->out, err);

    if (status == GGK_OK)
        status = ggki_in_place_undo(&r->old, r->file, &r->out.mem, err);
    if (status == GGK_OK && unlinkat(r->out.folder, r->name, 0) != 0)
        status =
            ggki_fail_io_at(err, r->out.path, errno, "remove the journal of");
    if (status == GGK_OK)
        status = ggki_new_file_sync_folder(&r->out, err);
    return status;
}

/* Until the file was ours alone, another process may have finished with it. */
static bool still_waits(const struct recovery *r, const struct stat *file)
{
    struct stat st;

    return fstat(r->journal, &st) == 0 &&
           ggki_journal_may_be(&st, file->st_uid);
}

static ggk_status recover(struct recovery *r, uint32_t flags, ggk_recovery *out,
                          ggk_error *err)
{
    struct ggki_identity is;
    struct stat st;
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
    else if ((flags & GGK_RECOVER_DRY) == 0)
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
    status = aim(&r, path, &mem, err);
    if (status == GGK_OK) {
        ggki_hidden_name(r.name, r.out.name, GGKI_JOURNAL);
        status = recover(&r, flags, out, err);
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
