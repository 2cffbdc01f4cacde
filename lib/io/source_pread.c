/* source_pread.c - a source that reads a regular file by pread: no page of it
 * is mapped, so no other process can raise a signal here. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "io/journal.h"
#include "io/os.h"
#include "io/source.h"

_Static_assert(sizeof(off_t) == 8, "build with _FILE_OFFSET_BITS=64");

/* How long to wait for another process that edits the file in place. */
#define OPEN_TRIES   25
#define PAUSE_MILLIS 20

/* O_NONBLOCK: a FIFO must be refused, not waited for; nor may we wait for a
 * minute for whoever edits the file (F_SETLEASE). */
static int open_patiently(const char *path, int how)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MILLIS * 1000000L};

    for (int tries = 1;; tries++) {
        int fd = open(path, how | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

        if (fd >= 0 || (errno != EINTR && errno != EWOULDBLOCK) ||
            tries == OPEN_TRIES)
            return fd;
        if (errno == EWOULDBLOCK)
            (void)nanosleep(&pause, NULL);
    }
}

static ggk_status fail_edited(ggk_error *err)
{
    return ggki_fail(err, GGK_E_LOCKED,
                     "another process is editing this file right now; "
                     "try again when it is done");
}

/* Is what was opened a file that may be read? */
static ggk_status check_opened(const char *path, int fd, struct stat *st,
                               ggk_error *err)
{
    if (fstat(fd, st) != 0)
        return ggki_fail_io(err, errno, "open");
    if (S_ISDIR(st->st_mode))
        return ggki_fail_io(err, EISDIR, "open");
    if (!S_ISREG(st->st_mode)) {
        ggki_fail(err, GGK_E_IO, "cannot open: not a regular file");
        if (err != NULL)
            err->sys_errno = ESPIPE;
        return GGK_E_IO;
    }
    /* Where there are no locks, nobody edits in place. */
    if (ggki_os_lock_shared(fd) == EWOULDBLOCK)
        return fail_edited(err);
    return ggki_journal_check(path, fd, st, err);
}

ggk_status ggki_open_regular(const char *path, int how, int *fd,
                             struct stat *st, ggk_error *err)
{
    ggk_status status;

    *st = (struct stat){0};
    *fd = open_patiently(path, how);
    if (*fd < 0)
        return errno == EWOULDBLOCK ? fail_edited(err)
                                    : ggki_fail_io(err, errno, "open");
    status = check_opened(path, *fd, st, err);
    if (status != GGK_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

static int pread_read(const ggk_source *source, uint64_t off, void *buf,
                      size_t bytes, size_t *got)
{
    const size_t most = (size_t)1 << 30; /* Linux moves at most 2 GiB a call */
    ssize_t n;

    *got = 0;
    if (off > INT64_MAX - most) /* no file reaches so far */
        return 0;
    do {
        n = pread(source->fd, buf, bytes < most ? bytes : most, (off_t)off);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    *got = (size_t)n;
    return 0;
}

static void pread_close(ggk_source *source)
{
    close(source->fd);
    ggki_source_delete(source, sizeof *source);
}

void ggki_source_set_file(ggk_source *source, int fd, const struct stat *st)
{
    source->fd = fd;
    source->written = st->st_mtim;
    source->dev = st->st_dev;
    source->ino = st->st_ino;
    source->mode = st->st_mode;
    source->gid = st->st_gid;
    source->size = (uint64_t)st->st_size;
    source->may_have_holes = (uint64_t)st->st_blocks * 512 < source->size;
}

mode_t ggki_source_mode(const ggk_source *source)
{
    mode_t mode = source->mode;

    /* With a list, these bits are the most that anybody in it may. */
    if (ggki_os_has_acl(source->fd))
        mode &= (mode & 0007) << 3 | 0707;
    return mode;
}

/* Takes `fd` over. */
static ggk_status open_fd(int fd, const struct stat *st, int edit_failed,
                          const ggk_allocator *alloc, ggk_source **out,
                          ggk_error *err)
{
    static const struct ggki_source_ops ops = {pread_read, pread_close};
    ggk_source *source = ggki_source_new(sizeof *source, &ops, alloc);

    if (source == NULL) {
        close(fd);
        return ggki_fail_memory(err);
    }
    ggki_source_set_file(source, fd, st);
    source->edit_failed = edit_failed;
    *out = source;
    return GGK_OK;
}

ggk_status ggki_source_open_fd(int fd, const ggk_allocator *alloc,
                               ggk_source **out, ggk_error *err)
{
    struct stat st;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    *out = NULL;
    if (copy < 0 || fstat(copy, &st) != 0) {
        int failed = errno;
        if (copy >= 0)
            close(copy);
        return ggki_fail_io(err, failed, "open");
    }
    return open_fd(copy, &st, EBADF, alloc, out, err);
}

bool ggki_source_changed(const ggk_source *source)
{
    struct stat st;

    return source->fd >= 0 && (fstat(source->fd, &st) != 0 ||
                               (uint64_t)st.st_size != source->size ||
                               st.st_mtim.tv_sec != source->written.tv_sec ||
                               st.st_mtim.tv_nsec != source->written.tv_nsec);
}

ggk_status ggk_source_open_file(const char *path, const ggk_allocator *alloc,
                                ggk_source **out, ggk_error *err)
{
    struct stat st;
    ggk_status status;
    int fd;

    *out = NULL;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    status = ggki_open_regular(path, O_RDONLY, &fd, &st, err);
    return status == GGK_OK ? open_fd(fd, &st, EBADF, alloc, out, err) : status;
}

ggk_status ggk_source_open_edit(const char *path, const ggk_allocator *alloc,
                                ggk_source **out, ggk_error *err)
{
    ggk_error why = {.status = GGK_OK};
    struct stat st;
    ggk_status status;
    int fd, failed;

    *out = NULL;
    if (path == NULL)
        return ggki_fail(err, GGK_E_ARG, "no path");
    status = ggki_open_regular(path, O_RDWR, &fd, &st, &why);
    failed = why.sys_errno;
    /* Whom another process keeps from writing, it may let read. */
    if (status == GGK_E_LOCKED)
        failed = EWOULDBLOCK;
    if (status != GGK_OK &&
        (failed == EACCES || failed == EPERM || failed == EROFS ||
         failed == ETXTBSY || failed == EWOULDBLOCK))
        status = ggki_open_regular(path, O_RDONLY, &fd, &st, err);
    else if (status != GGK_OK)
        ggki_fail_copy(err, &why);
    return status == GGK_OK ? open_fd(fd, &st, failed, alloc, out, err)
                            : status;
}
