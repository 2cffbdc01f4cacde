/* os.c - what the system offers beyond POSIX. */
#if defined(__linux__)
/* NOLINTNEXTLINE(*-reserved-identifier,cert-dcl*): it is the C library's own */
#    define _GNU_SOURCE /* copy_file_range, renameat2, SEEK_DATA */
#endif

#include "io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if defined(__linux__)
#    include <sys/vfs.h>
#endif

/* Is it an errno that says "not here" rather than "it went wrong"? */
static bool means_unsupported(int failed)
{
    return failed == ENOSYS || failed == EOPNOTSUPP || failed == EXDEV ||
           failed == EINVAL || failed == ENOTTY || failed == EPERM ||
           failed == EBADF;
}

#if defined(__linux__)
int ggki_os_copy_range(int in, uint64_t in_off, int out, uint64_t out_off,
                       uint64_t bytes, uint64_t *done)
{
    const uint64_t most = UINT64_C(1) << 30;
    off_t from = (off_t)in_off, to = (off_t)out_off;
    ssize_t n;

    *done = 0;
    do {
        n = copy_file_range(in, &from, out, &to,
                            (size_t)(bytes < most ? bytes : most), 0);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return means_unsupported(errno) ? EOPNOTSUPP : errno;
    *done = (uint64_t)n;
    return 0;
}

void ggki_os_next_data(int fd, uint64_t off, uint64_t end, uint64_t *from,
                       uint64_t *to)
{
    off_t data = lseek(fd, (off_t)off, SEEK_DATA), hole;

    *from = off;
    *to = end;
    if (data < 0) {
        if (errno == ENXIO) /* nothing but a hole up to the end */
            *from = end;
        return;
    }
    *from = (uint64_t)data < end ? (uint64_t)data : end;
    hole = lseek(fd, data, SEEK_HOLE);
    if (hole > data && (uint64_t)hole < end)
        *to = (uint64_t)hole;
}

bool ggki_os_shares_blocks(int fd)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) != 0)
        return false;
    switch ((unsigned long)fs.f_type) {
    case 0x9123683eUL: /* btrfs */
    case 0x58465342UL: /* xfs */
    case 0xca451a4eUL: /* bcachefs */
    case 0x2fc12fc1UL: /* zfs */ return true;
    default: return false;
    }
}

void ggki_os_start_writing(int fd, uint64_t off, uint64_t bytes)
{
    sync_file_range(fd, (off_t)off, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
}

static int rename_new(int folder, const char *from, const char *to)
{
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
        return 0;
    return means_unsupported(errno) ? EOPNOTSUPP : errno;
}

int ggki_os_exchange(int folder, const char *a, const char *b)
{
    if (renameat2(folder, a, folder, b, RENAME_EXCHANGE) == 0)
        return 0;
    return means_unsupported(errno) ? EOPNOTSUPP : errno;
}

#else
int ggki_os_copy_range(int in, uint64_t in_off, int out, uint64_t out_off,
                       uint64_t bytes, uint64_t *done)
{
    (void)in, (void)in_off, (void)out, (void)out_off, (void)bytes;
    *done = 0;
    return EOPNOTSUPP;
}

void ggki_os_next_data(int fd, uint64_t off, uint64_t end, uint64_t *from,
                       uint64_t *to)
{
    (void)fd;
    *from = off;
    *to = end;
}

bool ggki_os_shares_blocks(int fd)
{
    (void)fd;
    return false;
}

void ggki_os_start_writing(int fd, uint64_t off, uint64_t bytes)
{
    (void)fd, (void)off, (void)bytes;
}

static int rename_new(int folder, const char *from, const char *to)
{
    (void)folder, (void)from, (void)to;
    return EOPNOTSUPP;
}

int ggki_os_exchange(int folder, const char *a, const char *b)
{
    (void)folder, (void)a, (void)b;
    return EOPNOTSUPP;
}

#endif

int ggki_os_link(int folder, const char *from, const char *to)
{
    if (linkat(folder, from, folder, to, 0) == 0)
        return 0;
    return errno == EMLINK || means_unsupported(errno) ? EOPNOTSUPP : errno;
}

int ggki_os_free_bytes(int fd, uint64_t *out)
{
    struct statvfs fs;

    if (fstatvfs(fd, &fs) != 0)
        return errno;
    *out = (uint64_t)(geteuid() == 0 ? fs.f_bfree : fs.f_bavail) * fs.f_frsize;
    return 0;
}

/* Where there is no renameat2: a second name, and then without the first; where
 * there are no second names either, look first. */
int ggki_os_rename_new(int folder, const char *from, const char *to)
{
    int failed = rename_new(folder, from, to);
    struct stat st;

    if (failed != EOPNOTSUPP)
        return failed;
    failed = ggki_os_link(folder, from, to);
    if (failed == 0) {
        if (unlinkat(folder, from, 0) == 0)
            return 0;
        failed = errno;
        (void)unlinkat(folder, to, 0);
    }
    if (failed != EOPNOTSUPP)
        return failed;
    if (fstatat(folder, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return EEXIST;
    if (errno != ENOENT)
        return errno;
    return renameat(folder, from, folder, to) == 0 ? 0 : errno;
}

int ggki_os_lock(int fd)
{
    int failed;

    do {
        failed = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    } while (failed == EINTR);
    return failed;
}
