/* new_file_commit.c - a new file takes its name, or is taken back. */
#include "io/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "io/os.h"

ggk_status ggki_new_file_fail_changed(const struct ggki_new_file *f,
                                      ggk_error *err)
{
    return ggki_fail_at(err, GGK_E_CHANGED, f->path,
                        "another process replaced the file after it was read");
}

ggk_status ggki_new_file_check_target(const struct ggki_new_file *f,
                                      ggk_error *err)
{
    struct stat st;
    bool exists = fstatat(f->folder, f->name, &st, 0) == 0;

    /* Where there is a link, it may lead to what cannot be looked at. */
    if (!exists && errno != ENOENT && (f->has_file || !f->exists))
        return ggki_fail_io_at(err, f->path, errno, "look at");
    if (exists == f->has_file &&
        (!exists || (st.st_dev == f->dev && st.st_ino == f->ino)))
        return GGK_OK;
    return ggki_new_file_fail_changed(f, err);
}

static ggk_status fail_lost(const struct ggki_new_file *f, ggk_error *err)
{
    return ggki_fail_at(err, GGK_E_LOCKED, f->path,
                        "another process took the place of the temporary that "
                        "was being written");
}

static ggk_status fail_exists(const struct ggki_new_file *f, ggk_error *err)
{
    return ggki_fail_at(err, GGK_E_EXISTS, f->path, "the file exists");
}

#define REPLACED \
    ESTALE /* it is another file now, as network file systems say */

/* Is that what had the target's name at first, and has that of the old now? */
static bool is_target(const struct ggki_new_file *f)
{
    return ggki_new_file_has_name(f, f->old, f->name_dev, f->name_ino);
}

/* What came out is not what was to be replaced: let it have its name again, or
 * what somebody put there since. Done when that comes out which went in. */
static int exchange_back(const struct ggki_new_file *f)
{
    dev_t dev = f->temp_dev;
    ino_t ino = f->temp_ino;
    int failed = 0;

    for (int i = 0; i < GGKI_NEW_FILE_TRIES && failed == 0; i++) {
        struct stat st;

        if (fstatat(f->folder, f->old, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return errno;
        failed = ggki_os_exchange(f->folder, f->old, f->name);
        if (failed == 0 && ggki_new_file_has_name(f, f->old, dev, ino))
            return unlinkat(f->folder, f->old, 0) == 0 ? REPLACED : errno;
        dev = st.st_dev;
        ino = st.st_ino;
    }
    if (failed == ENOENT) /* nobody has the name any more */
        failed = ggki_os_rename_new(f->folder, f->old, f->name);
    return failed != 0 ? failed : REPLACED;
}

/* Exchange the new file and what has the target's name, which is then looked
 * at: between a look and a rename, somebody could put another file there. The
 * temporary is a second name of the new file until the end, so that its lock
 * is seen. */
static int exchange(struct ggki_new_file *f)
{
    int failed;

    if (unlinkat(f->folder, f->old, 0) != 0 && errno != ENOENT)
        return errno;
    failed = ggki_os_link(f->folder, f->temp, f->old);
    if (failed != 0)
        return failed;
    failed = ggki_os_exchange(f->folder, f->old, f->name);
    if (failed != 0) {
        (void)unlinkat(f->folder, f->old, 0);
        return failed == ENOENT ? REPLACED : failed;
    }
    if (!is_target(f))
        return exchange_back(f);
    f->kept = true;
    return 0;
}

/* Give what has the target's name a second one, where files can have two; else
 * another. */
static int keep(struct ggki_new_file *f)
{
    int failed;

    if (unlinkat(f->folder, f->old, 0) != 0 && errno != ENOENT)
        return errno;
    failed = ggki_os_link(f->folder, f->name, f->old);
    if (failed == EOPNOTSUPP)
        failed =
            renameat(f->folder, f->name, f->folder, f->old) == 0 ? 0 : errno;
    f->kept = failed == 0;
    return failed;
}

ggk_status ggki_new_file_set_aside(struct ggki_new_file *f, ggk_error *err)
{
    if (!f->exists)
        return GGK_OK;
    if (renameat(f->folder, f->name, f->folder, f->old) != 0)
        return ggki_fail_io_at(err, f->path, errno, "set aside");
    f->kept = true;
    f->exists = false;
    return is_target(f) ? GGK_OK : ggki_new_file_fail_changed(f, err);
}

static int take_name(struct ggki_new_file *f, bool replace, bool keep_old)
{
    int failed = EOPNOTSUPP;

    if (replace && f->exists) {
        failed = exchange(f);
        if (failed != EOPNOTSUPP)
            return failed;
        failed = keep_old ? keep(f) : 0;
        if (failed == 0 &&
            renameat(f->folder, f->temp, f->folder, f->name) != 0)
            failed = errno;
    } else {
        failed = ggki_os_rename_new(f->folder, f->temp, f->name);
    }
    f->made = failed != 0;
    return failed;
}

/* Lock the temporary once more, if it was sealed; whether it is the one that
 * was written. Who may not open it, may not take it over either. */
static bool lock_again(struct ggki_new_file *f)
{
    if (f->fd >= 0)
        return ggki_new_file_is_ours(f);
    f->fd = ggki_os_open(f->folder, f->temp,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    return (f->fd < 0 || ggki_os_lock(f->fd) != EWOULDBLOCK) &&
           ggki_new_file_is_ours(f);
}

ggk_status ggki_new_file_commit(struct ggki_new_file *f, bool replace,
                                bool keep_old, ggk_error *err)
{
    bool sealed = f->fd < 0;
    int failed;

    if (!lock_again(f))
        return fail_lost(f, err);
    failed = take_name(f, replace, keep_old);
    if (sealed)
        ggki_new_file_seal(f);
    if (failed == EEXIST)
        return fail_exists(f, err);
    if (failed == REPLACED)
        return ggki_new_file_fail_changed(f, err);
    if (failed != 0)
        return ggki_fail_io_at(err, f->path, failed, "rename to its name");
    f->committed = true;
    return GGK_OK;
}

ggk_status ggki_new_file_become(struct ggki_new_file *f, const char *name,
                                ggk_error *err)
{
    int failed;

    if (!ggki_new_file_is_ours(f))
        return fail_lost(f, err);
    failed = ggki_os_rename_new(f->folder, f->temp, name);
    if (failed != 0)
        return ggki_fail_io_at(err, f->path, failed,
                               "rename what was written beside");
    f->made = false;
    return GGK_OK;
}

/* Let the file have its old name again, and no other. */
static int bring_back(const struct ggki_new_file *f)
{
    if (renameat(f->folder, f->old, f->folder, f->name) != 0)
        return errno;
    /* If both were names of one file, a rename has left both. */
    return unlinkat(f->folder, f->old, 0) == 0 || errno == ENOENT ? 0 : errno;
}

/* What another process has put there meanwhile stays, and then what was
 * replaced has its other name still. */
void ggki_new_file_undo(struct ggki_new_file *f)
{
    struct stat now, old;
    bool there = fstatat(f->folder, f->name, &now, AT_SYMLINK_NOFOLLOW) == 0;
    bool ours = f->committed && there && now.st_dev == f->temp_dev &&
                now.st_ino == f->temp_ino;
    bool is_old = there &&
                  fstatat(f->folder, f->old, &old, AT_SYMLINK_NOFOLLOW) == 0 &&
                  now.st_dev == old.st_dev && now.st_ino == old.st_ino;

    if (f->kept && !there)
        (void)ggki_os_rename_new(f->folder, f->old, f->name);
    else if (f->kept && (ours || is_old))
        (void)bring_back(f);
    else if (ours)
        (void)unlinkat(f->folder, f->name, 0);
    f->kept = false;
    f->committed = false;
}

/* Is there something of this name? */
static ggk_status look_for(const struct ggki_new_file *f, const char *name,
                           bool *there, ggk_error *err)
{
    struct stat st;

    *there = fstatat(f->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    return *there || errno == ENOENT
               ? GGK_OK
               : ggki_fail_io_at(err, f->path, errno, "look at");
}

ggk_status ggki_new_file_is_aside(const struct ggki_new_file *f, bool *aside,
                                  ggk_error *err)
{
    ggk_status status = GGK_OK;

    *aside = false;
    if (!f->exists)
        status = look_for(f, f->temp, aside, err);
    return *aside ? look_for(f, f->old, aside, err) : status;
}

/* Is what has the name of the old file the new one still, since a run was ended
 * before it exchanged them? */
static ggk_status is_still_new(const struct ggki_new_file *f, bool *is,
                               ggk_error *err)
{
    struct stat temp, old;

    *is = false;
    if (fstatat(f->folder, f->temp, &temp, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT
                   ? GGK_OK
                   : ggki_fail_io_at(err, f->path, errno, "look at");
    if (fstatat(f->folder, f->old, &old, AT_SYMLINK_NOFOLLOW) != 0)
        return ggki_fail_io_at(err, f->path, errno, "look at");
    *is = temp.st_dev == old.st_dev && temp.st_ino == old.st_ino;
    return GGK_OK;
}

ggk_status ggki_new_file_recover(struct ggki_new_file *f, ggk_error *err)
{
    bool kept, is_new = false;
    ggk_status status = look_for(f, f->old, &kept, err);
    int failed = 0;

    if (status == GGK_OK && kept)
        status = is_still_new(f, &is_new, err);
    if (status != GGK_OK || !kept)
        return status;
    if (!is_new)
        failed = bring_back(f);
    else if (unlinkat(f->folder, f->old, 0) != 0)
        failed = errno;
    if (failed == 0 && f->fd >= 0 && fchmod(f->fd, 0600) != 0)
        failed = errno; /* it will be as private as what is replaced */
    return failed == 0
               ? ggki_new_file_look(f, err)
               : ggki_fail_io_at(err, f->path, failed,
                                 "bring back what an ended run replaced of");
}

ggk_status ggki_new_file_sync_folder(const struct ggki_new_file *f,
                                     ggk_error *err)
{
    int failed = ggki_os_sync(f->folder);

    /* Some file systems do not synchronize folders; there it is done. */
    return failed == 0 || failed == EINVAL
               ? GGK_OK
               : ggki_fail_io_at(err, f->path, failed,
                                 "write the folder to the disk");
}

ggk_status ggki_new_file_settle(struct ggki_new_file *f, ggk_error *err)
{
    ggk_status status = GGK_OK;
    int left = 0;

    /* After an exchange, a second name of the new file. */
    if (f->made && (f->fd >= 0 || ggki_new_file_is_ours(f)) &&
        unlinkat(f->folder, f->temp, 0) != 0)
        left = errno;
    f->made = left != 0;
    if (f->replaced_backup && unlinkat(f->folder, f->earlier, 0) != 0)
        left = errno;
    f->replaced_backup = false;
    if (unlinkat(f->folder, f->old, 0) != 0 && errno != ENOENT)
        left = errno;
    f->kept = false;
    if (!f->borrowed) /* else whose it is, does it */
        status = ggki_new_file_sync_folder(f, err);
    return status != GGK_OK || left == 0
               ? status
               : ggki_fail_io_at(err, f->path, left,
                                 "put away what was replaced of");
}
