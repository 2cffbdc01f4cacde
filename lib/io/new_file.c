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

/* ------------------------------------------------------------------- names */

static ggk_status fail_edited(const struct ggki_new_file *f, ggk_error *err)
{
    return ggki_fail_at(err, GGK_E_LOCKED, f->path,
                        "another process is editing this file right now; "
                        "try again when it is done");
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
    ggki_mem_release_string(&f->mem, folder);
    return status;
}

ggk_status ggki_new_file_look(struct ggki_new_file *f, ggk_error *err)
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
        return ggki_fail_at(err, GGK_E_IO, f->path,
                            "cannot write: not a regular file");
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
    return status == GGK_OK ? ggki_new_file_look(f, err) : status;
}

/* ---------------------------------------------------------- the temporary */

bool ggki_new_file_has_name(const struct ggki_new_file *f, const char *name,
                            dev_t dev, ino_t ino)
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
    if (ggki_new_file_has_name(f, f->temp, st.st_dev, st.st_ino) &&
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
    return f->alone && f->has_file &&
           ggki_new_file_has_name(f, f->temp, f->dev, f->ino);
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
    for (int i = 0; i < GGKI_NEW_FILE_TRIES; i++) {
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
        return ggki_fail_at(
            err, GGK_E_LOCKED, f->path,
            "another process is writing to this file right now; try again "
            "when it is done");
    if (failed == ENOLCK) {
        return ggki_fail_at(
            err, GGK_E_LOCKED, f->path,
            "\"%.200s\" is in the way: if no process is writing to this "
            "file, remove it",
            f->temp);
    }
    if (failed != 0)
        return ggki_fail_io_at(err, f->path, failed,
                               "make a temporary beside it");
    /* Where there are no locks, two writers are not told of each other. */
    if (ggki_os_lock(f->fd) == EWOULDBLOCK) {
        ggki_new_file_seal(f);
        return ggki_fail_at(
            err, GGK_E_LOCKED, f->path,
            "another process took it over; try again when it is "
            "done");
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

bool ggki_new_file_is_ours(const struct ggki_new_file *f)
{
    return ggki_new_file_has_name(f, f->temp, f->temp_dev, f->temp_ino);
}

void ggki_new_file_free(struct ggki_new_file *f)
{
    if (f->mem.resize == NULL) /* never aimed */
        return;
    if (f->made && ggki_new_file_is_ours(f))
        (void)unlinkat(f->folder, f->temp, 0);
    if (!f->committed)
        ggki_new_file_undo_backup(f);
    ggki_new_file_seal(f);
    if (f->folder >= 0 && !f->borrowed)
        close(f->folder);
    ggki_mem_release_string(&f->mem, f->path);
    ggki_mem_release_string(&f->mem, f->name);
    ggki_mem_release_string(&f->mem, f->temp);
    ggki_mem_release_string(&f->mem, f->old);
    ggki_mem_release_string(&f->mem, f->backup);
    ggki_mem_release_string(&f->mem, f->earlier);
    memset(f, 0, sizeof *f);
    f->folder = f->fd = -1;
}
