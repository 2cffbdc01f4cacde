/* new_file.c - a file that appears under its name whole, or not at all. */
#include "io/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/hidden.h"
#include "io/journal.h"
#include "io/os.h"
#include "io/path.h"
#include "io/source.h"

#define MADE_TRIES 16

/* ------------------------------------------------------------------- names */

static ggk_status fail_locked(const struct ggki_new_file *f, ggk_error *err,
                              const char *what)
{
    ggki_fail(err, GGK_E_LOCKED, "%s", what);
    ggki_err_set_file(err, f->path);
    return GGK_E_LOCKED;
}

static ggk_status fail_edited(const struct ggki_new_file *f, ggk_error *err)
{
    return fail_locked(f, err,
                       "another process is editing this file right now");
}

static char *hidden_name(const ggk_allocator *mem, const char *name,
                         const char *suffix)
{
    char hidden[GGKI_HIDDEN_BYTES];

    ggki_hidden_name(hidden, name, suffix);
    return ggki_mem_string(mem, hidden, strlen(hidden));
}

static bool is_beside(const struct ggki_new_file *f,
                      const struct ggki_new_file *other)
{
    size_t n = strlen(f->path) - strlen(f->name);

    return n == strlen(other->path) - strlen(other->name) &&
           memcmp(f->path, other->path, n) == 0;
}

static ggk_status open_folder_of(struct ggki_new_file *f, ggk_error *err)
{
    char *folder = ggki_folder_name(&f->mem, f->path);
    ggk_status status = GGK_OK;

    if (folder == NULL)
        return ggki_fail_memory(err);
    f->folder = ggki_os_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, 0);
    if (f->folder < 0)
        status = ggki_fail_io_at(err, folder, errno, "open the folder");
    ggki_mem_release(&f->mem, folder, strlen(folder) + 1);
    return status;
}

/* What is there under the target's name? */
static ggk_status look_at_target(struct ggki_new_file *f, ggk_error *err)
{
    struct stat st;

    if (fstatat(f->folder, f->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT
                   ? GGK_OK
                   : ggki_fail_io_at(err, f->path, errno, "look at");
    f->exists = true;
    f->name_dev = st.st_dev;
    f->name_ino = st.st_ino;
    if (S_ISLNK(st.st_mode) && fstatat(f->folder, f->name, &st, 0) != 0)
        return GGK_OK; /* a link that leads nowhere */
    if (S_ISDIR(st.st_mode))
        return ggki_fail_io_at(err, f->path, EISDIR, "write");
    if (!S_ISREG(st.st_mode)) {
        ggki_fail(err, GGK_E_IO, "cannot write: not a regular file");
        ggki_err_set_file(err, f->path);
        return GGK_E_IO;
    }
    f->has_file = true;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    f->mode = st.st_mode & 07777;
    f->uid = st.st_uid;
    f->gid = st.st_gid;
    return GGK_OK;
}

mode_t ggki_new_file_cut_group(mode_t mode)
{
    return mode & (0707 | (mode & 0007) << 3);
}

ggk_status ggki_new_file_beside(const struct ggki_new_file *f, const char *name,
                                struct stat *st, ggk_error *err)
{
    int failed = fstatat(f->folder, name, st, 0) == 0 ? 0 : errno;

    if (failed != 0)
        *st = (struct stat){0};
    /* Of a link, it may be what it leads to that cannot be looked at. */
    if (failed == ENOENT || failed == ELOOP || failed == EACCES)
        failed = 0;
    return failed == 0 ? GGK_OK
                       : ggki_fail_io_at(err, f->path, failed, "look beside");
}

/* NAME.bak, and what waits there meanwhile if there is one. */
static bool name_backup(struct ggki_new_file *f, const char *suffix)
{
    size_t bytes = strlen(f->name) + strlen(suffix) + 1;

    f->backup = ggki_mem_resize(&f->mem, NULL, 0, bytes);
    if (f->backup == NULL)
        return false;
    snprintf(f->backup, bytes, "%s%s", f->name, suffix);
    f->earlier = hidden_name(&f->mem, f->backup, GGKI_OLD);
    return f->earlier != NULL;
}

ggk_status ggki_new_file_aim(struct ggki_new_file *f, const char *path,
                             const char *backup, mode_t mode,
                             const struct ggki_new_file *beside,
                             const ggk_allocator *mem, ggk_error *err)
{
    const char *name = ggki_base_name(path);
    ggk_status status = GGK_OK;

    memset(f, 0, sizeof *f);
    f->mem = *mem;
    f->folder = f->fd = -1;
    f->mode = mode;
    f->path = ggki_mem_string(mem, path, strlen(path));
    f->name = ggki_mem_string(mem, name, strlen(name));
    f->temp = hidden_name(mem, name, GGKI_TEMPORARY);
    f->old = hidden_name(mem, name, GGKI_OLD);
    if (f->path == NULL || f->name == NULL || f->temp == NULL ||
        f->old == NULL || (backup != NULL && !name_backup(f, backup)))
        return ggki_fail_memory(err);
    if (*name == '\0')
        return ggki_fail_io_at(err, f->path, path[0] == '\0' ? ENOENT : EISDIR,
                               "write");
    f->borrowed = beside != NULL && is_beside(f, beside);
    if (f->borrowed)
        f->folder = beside->folder;
    else
        status = open_folder_of(f, err);
    return status == GGK_OK ? look_at_target(f, err) : status;
}

/* ---------------------------------------------------------- the temporary */

/* Is it this file that has the name? */
static bool name_is(const struct ggki_new_file *f, const char *name, dev_t dev,
                    ino_t ino)
{
    struct stat st;

    return fstatat(f->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_dev == dev && st.st_ino == ino;
}

bool ggki_new_file_has_gone(const struct ggki_new_file *f, const char *name,
                            dev_t dev, ino_t ino)
{
    struct stat st;

    if (fstatat(f->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return st.st_dev != dev || st.st_ino != ino;
}

/* As remove_left_behind, of the temporary that is open as `fd`. */
static int remove_open(const struct ggki_new_file *f, int fd)
{
    struct stat st;
    int failed;

    if (fstat(fd, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EEXIST;
    failed = ggki_os_lock(fd);
    if (failed != 0) /* where there are no locks, somebody may have it */
        return failed == EWOULDBLOCK ? EBUSY : ENOLCK;
    /* Whoever had the lock may have renamed it, or begun anew, meanwhile. */
    if (name_is(f, f->temp, st.st_dev, st.st_ino) &&
        unlinkat(f->folder, f->temp, 0) != 0)
        return errno;
    return 0;
}

/* To lock it. It has the mode of what it was to replace, perhaps: then one of
 * the ways to open it will do. */
static int open_left_behind(const struct ggki_new_file *f)
{
    static const int ways[] = {O_RDWR, O_RDONLY, O_WRONLY};
    int fd = -1;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        fd = ggki_os_open(f->folder, f->temp,
                          ways[i] | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
        if (fd >= 0 || errno != EACCES)
            break;
    }
    return fd;
}

/* Is the temporary a second name of the target, as after an exchange? Who has
 * that alone cannot open it once more. Nor has anybody else, with its lock. */
static bool is_target_of_ours(const struct ggki_new_file *f)
{
    return f->alone && f->has_file && name_is(f, f->temp, f->dev, f->ino);
}

/* The temporary's name is taken: 0 if it was left behind and is gone now, EBUSY
 * if it is being written, ENOLCK if nobody knows. */
static int remove_left_behind(const struct ggki_new_file *f)
{
    int failed, fd;

    if (is_target_of_ours(f))
        return unlinkat(f->folder, f->temp, 0) == 0 ? 0 : errno;
    fd = open_left_behind(f);
    if (fd < 0 && errno == EWOULDBLOCK) /* somebody has it alone */
        return EBUSY;
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    failed = remove_open(f, fd);
    close(fd);
    return failed;
}

static int create_with(struct ggki_new_file *f, mode_t mode)
{
    f->fd = ggki_os_open(f->folder, f->temp,
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    return f->fd >= 0 ? 0 : errno;
}

/* Has it the inputs' group, and no list of the folder's that gives the group's
 * rights to more? */
static bool is_for_their_group(const struct ggki_new_file *f)
{
    struct stat st;

    return fstat(f->fd, &st) == 0 && st.st_gid == f->input_gid &&
           !ggki_os_has_acl(f->fd);
}

/* Nobody may read what will be private, not even while it is written. Which
 * group a file gets, and whether a list, shows when it is there; the umask has
 * its say only when it is made: then it is made once more. */
static int create_temp(struct ggki_new_file *f)
{
    mode_t wide = f->has_file ? 0600 : f->mode;
    mode_t mode = f->of_inputs ? ggki_new_file_cut_group(wide) : wide;
    int failed = create_with(f, mode);

    if (failed != 0 || mode == wide || !is_for_their_group(f) ||
        remove_open(f, f->fd) != 0)
        return failed;
    ggki_new_file_seal(f);
    return create_with(f, wide);
}

static int open_temp(struct ggki_new_file *f)
{
    for (int i = 0; i < MADE_TRIES; i++) {
        int failed = create_temp(f);

        if (failed == 0)
            return 0;
        if (failed == EEXIST)
            failed = remove_left_behind(f);
        if (failed != 0)
            return failed;
    }
    return EBUSY; /* others come first each time */
}

/* Is the target being edited in place? Who does that has locked the temporary,
 * and then renamed it: it is the journal, which the lock is of still. One that
 * this user may not open, or that is no file, cannot be told. */
static ggk_status check_edited(const struct ggki_new_file *f, ggk_error *err)
{
    char journal[GGKI_HIDDEN_BYTES];
    int fd, locked;

    ggki_hidden_name(journal, f->name, GGKI_JOURNAL);
    fd = ggki_os_open(f->folder, journal,
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return errno == ENOENT || errno == EACCES || errno == EPERM ||
                       errno == ELOOP || errno == ENXIO
                   ? GGK_OK
                   : ggki_fail_io_at(err, f->path, errno,
                                     "look for a journal of");
    locked = ggki_os_lock(fd);
    close(fd);
    return locked == EWOULDBLOCK ? fail_edited(f, err) : GGK_OK;
}

ggk_status ggki_new_file_lock(struct ggki_new_file *f, ggk_error *err)
{
    struct stat st;
    int failed;

    if (f->made)
        return GGK_OK;
    failed = open_temp(f);
    if (failed == EBUSY)
        return fail_locked(f, err,
                           "another process is writing to this file right now");
    if (failed == ENOLCK) {
        ggki_fail(err, GGK_E_LOCKED,
                  "\"%.200s\" is in the way: if no process is writing to this "
                  "file, remove it",
                  f->temp);
        ggki_err_set_file(err, f->path);
        return GGK_E_LOCKED;
    }
    if (failed != 0)
        return ggki_fail_io_at(err, f->path, failed,
                               "make a temporary beside it");
    /* Where there are no locks, two writers are not told of each other. */
    if (ggki_os_lock(f->fd) == EWOULDBLOCK) {
        ggki_new_file_seal(f);
        return fail_locked(f, err, "another process took it over");
    }
    f->made = true;
    if (fstat(f->fd, &st) != 0) {
        failed = errno;
        (void)unlinkat(f->folder, f->temp, 0); /* locked, so it is ours */
        f->made = false;
        return ggki_fail_io_at(err, f->path, failed, "look at");
    }
    f->temp_dev = st.st_dev;
    f->temp_ino = st.st_ino;
    f->temp_uid = st.st_uid;
    f->temp_gid = st.st_gid;
    return check_edited(f, err);
}

ggk_status ggki_new_file_make(struct ggki_new_file *f, uint64_t bytes,
                              ggk_error *err)
{
    ggk_status status = ggki_new_file_lock(f, err);
    int failed;

    if (status != GGK_OK)
        return status;
    if (bytes > INT64_MAX)
        return ggki_fail_io_at(err, f->path, EFBIG, "make");
    do {
        failed = ftruncate(f->fd, (off_t)bytes) == 0 ? 0 : errno;
    } while (failed == EINTR);
    return failed == 0 ? GGK_OK : ggki_fail_io_at(err, f->path, failed, "make");
}

ggk_status ggki_new_file_write(const struct ggki_new_file *f, uint64_t off,
                               const void *data, size_t bytes, ggk_error *err)
{
    int failed = ggki_os_write(f->fd, off, data, bytes);

    return failed == 0 ? GGK_OK
                       : ggki_fail_io_at(err, f->path, failed, "write");
}

/* The mode and the access control list that the target has. Its owner too, if
 * that can be; else whoever may be somebody else gets no more rights than
 * before. */
static int take_owner_and_mode(const struct ggki_new_file *f)
{
    int failed = ggki_os_copy_acl(f->unlisted ? NULL : f->path, f->fd);
    mode_t mode = f->mode;

    if (failed != 0)
        return failed;
    if ((f->uid != f->temp_uid || f->gid != f->temp_gid) &&
        fchown(f->fd, f->uid, f->gid) != 0) {
        mode &= 0777;
        if (fchown(f->fd, (uid_t)-1, f->gid) != 0)
            mode = ggki_new_file_cut_group(mode);
    }
    return fchmod(f->fd, mode) == 0 ? 0 : errno;
}

ggk_status ggki_new_file_sync(struct ggki_new_file *f, ggk_error *err)
{
    int failed = f->has_file ? take_owner_and_mode(f) : 0;

    if (failed != 0)
        return ggki_fail_io_at(err, f->path, failed, "set the mode of");
    failed = ggki_os_sync(f->fd);
    return failed == 0
               ? GGK_OK
               : ggki_fail_io_at(err, f->path, failed, "write to the disk");
}

void ggki_new_file_seal(struct ggki_new_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

/* ------------------------------------------------------------------ commit */

ggk_status ggki_new_file_fail_changed(const struct ggki_new_file *f,
                                      ggk_error *err)
{
    ggki_fail(err, GGK_E_CHANGED,
              "another process replaced the file after it was read");
    ggki_err_set_file(err, f->path);
    return GGK_E_CHANGED;
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

/* Is the temporary still the one that was written? */
static bool still_ours(const struct ggki_new_file *f)
{
    return name_is(f, f->temp, f->temp_dev, f->temp_ino);
}

static ggk_status fail_lost(const struct ggki_new_file *f, ggk_error *err)
{
    return fail_locked(f, err,
                       "another process took the place of the temporary that "
                       "was being written");
}

static ggk_status fail_exists(const struct ggki_new_file *f, ggk_error *err)
{
    ggki_fail(err, GGK_E_EXISTS, "the file exists");
    ggki_err_set_file(err, f->path);
    return GGK_E_EXISTS;
}

#define REPLACED \
    ESTALE /* it is another file now, as network file systems say */

/* Is that what had the target's name at first, and has that of the old now? */
static bool is_target(const struct ggki_new_file *f)
{
    return name_is(f, f->old, f->name_dev, f->name_ino);
}

/* What came out is not what was to be replaced: let it have its name again, or
 * what somebody put there since. Done when that comes out which went in. */
static int exchange_back(const struct ggki_new_file *f)
{
    dev_t dev = f->temp_dev;
    ino_t ino = f->temp_ino;
    int failed = 0;

    for (int i = 0; i < MADE_TRIES && failed == 0; i++) {
        struct stat st;

        if (fstatat(f->folder, f->old, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return errno;
        failed = ggki_os_exchange(f->folder, f->old, f->name);
        if (failed == 0 && name_is(f, f->old, dev, ino))
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
        return still_ours(f);
    f->fd = ggki_os_open(f->folder, f->temp,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    return (f->fd < 0 || ggki_os_lock(f->fd) != EWOULDBLOCK) && still_ours(f);
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

    if (!still_ours(f))
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
               ? look_at_target(f, err)
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
    if (f->made && (f->fd >= 0 || still_ours(f)) &&
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

/* ------------------------------------------------------------------ backups */

static int copy_all(int in, int out)
{
    char buffer[65536];
    struct stat st;
    uint64_t size, at = 0;
    int failed = fstat(in, &st) == 0 ? 0 : errno;

    size = failed == 0 ? (uint64_t)st.st_size : 0;
    while (failed == 0 && at < size) {
        size_t part =
            size - at < sizeof buffer ? (size_t)(size - at) : sizeof buffer;

        failed = ggki_os_read(in, at, buffer, part);
        if (failed == 0)
            failed = ggki_os_write(out, at, buffer, part);
        at += part;
    }
    return failed;
}

/* Copy the target to a new file of this name. */
static int copy_target(const struct ggki_new_file *f, const char *name)
{
    int in = ggki_os_open(f->folder, f->name, O_RDONLY | O_NONBLOCK, 0);
    int out, failed;

    if (in < 0)
        return errno;
    out = ggki_os_open(f->folder, name,
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    failed = out < 0 ? errno : copy_all(in, out);
    if (failed == 0 && fchmod(out, f->mode & 0777) != 0)
        failed = errno;
    if (failed == 0)
        failed = ggki_os_sync(out);
    if (out >= 0)
        close(out);
    close(in);
    return failed;
}

/* Give the target a second name, that of the backup; where files have but one,
 * copy it. */
static int make_backup(const struct ggki_new_file *f)
{
    int failed = ggki_os_link(f->folder, f->name, f->backup);

    if (failed != EOPNOTSUPP)
        return failed;
    /* Under a temporary's name until it is whole. */
    if (unlinkat(f->folder, f->old, 0) != 0 && errno != ENOENT)
        return errno;
    failed = copy_target(f, f->old);
    if (failed == 0 && renameat(f->folder, f->old, f->folder, f->backup) != 0)
        failed = errno;
    if (failed != 0)
        (void)unlinkat(f->folder, f->old, 0);
    return failed;
}

/* What is half edited is no backup: without the journal nobody would know. */
static ggk_status check_is_whole(const struct ggki_new_file *f, ggk_error *err)
{
    ggk_error why = {.status = GGK_OK};
    struct stat st;
    ggk_status status;
    int fd;

    if (!f->has_file)
        return GGK_OK;
    status = ggki_open_regular(f->path, O_RDONLY, &fd, &st, &why);
    if (status == GGK_OK) {
        close(fd);
        return GGK_OK;
    }
    if (why.sys_errno == EACCES && !ggki_journal_is_there(f->path))
        return GGK_OK;
    ggki_fail_copy(err, &why);
    ggki_err_set_file(err, f->path);
    return status;
}

ggk_status ggki_new_file_check_backup(const struct ggki_new_file *f,
                                      bool replace, bool *there, ggk_error *err)
{
    ggk_status status = check_is_whole(f, err);
    struct stat st;

    *there = false;
    if (status != GGK_OK)
        return status;
    *there = fstatat(f->folder, f->backup, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*there)
        return errno == ENOENT
                   ? GGK_OK
                   : ggki_fail_io_at(err, f->path, errno, "look at");
    if (S_ISDIR(st.st_mode))
        status =
            ggki_fail(err, GGK_E_IO,
                      "\"%.200s\", which is to be the backup, is a folder: "
                      "move it away",
                      f->backup);
    else if (replace)
        return GGK_OK;
    else
        status = ggki_fail(err, GGK_E_EXISTS, "a backup exists, \"%.200s\"",
                           f->backup);
    ggki_err_set_file(err, f->path);
    return status;
}

/* An earlier backup waits under another name until all is done. */
static ggk_status put_earlier_aside(struct ggki_new_file *f, bool replace,
                                    ggk_error *err)
{
    bool there;
    ggk_status status = ggki_new_file_check_backup(f, replace, &there, err);

    if (status != GGK_OK || !there)
        return status;
    if (renameat(f->folder, f->backup, f->folder, f->earlier) != 0)
        return ggki_fail_io_at(err, f->path, errno, "put aside the backup of");
    f->replaced_backup = true;
    return GGK_OK;
}

ggk_status ggki_new_file_backup(struct ggki_new_file *f, bool replace,
                                ggk_error *err)
{
    ggk_status status = put_earlier_aside(f, replace, err);
    int failed;

    if (status != GGK_OK)
        return status;
    failed = make_backup(f);
    f->made_backup = failed == 0;
    return failed == 0
               ? GGK_OK
               : ggki_fail_io_at(err, f->path, failed, "keep a backup of");
}

/* Nothing was committed: the backups are as they were. */
static void undo_backup(struct ggki_new_file *f)
{
    if (f->made_backup)
        (void)unlinkat(f->folder, f->backup, 0);
    if (f->replaced_backup)
        (void)renameat(f->folder, f->earlier, f->folder, f->backup);
    f->made_backup = f->replaced_backup = false;
}

static void release_string(const ggk_allocator *mem, char *s)
{
    if (s != NULL)
        ggki_mem_release(mem, s, strlen(s) + 1);
}

void ggki_new_file_free(struct ggki_new_file *f)
{
    if (f->mem.resize == NULL) /* never aimed */
        return;
    if (f->made && still_ours(f))
        (void)unlinkat(f->folder, f->temp, 0);
    if (!f->committed)
        undo_backup(f);
    ggki_new_file_seal(f);
    if (f->folder >= 0 && !f->borrowed)
        close(f->folder);
    release_string(&f->mem, f->path);
    release_string(&f->mem, f->name);
    release_string(&f->mem, f->temp);
    release_string(&f->mem, f->old);
    release_string(&f->mem, f->backup);
    release_string(&f->mem, f->earlier);
    memset(f, 0, sizeof *f);
    f->folder = f->fd = -1;
}
