/* os.c - what the system offers beyond POSIX. */
#if defined(__linux__)
/* NOLINTNEXTLINE(*-reserved-identifier,cert-dcl*): it is the C library's own */
#    define _GNU_SOURCE /* copy_file_range, renameat2, SEEK_DATA, leases */
#endif

#include "io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if defined(__linux__)
#    include <linux/fiemap.h>
#    include <linux/fs.h>
#    include <sys/ioctl.h>
#    include <sys/mman.h>
#    include <sys/vfs.h>
#    include <sys/xattr.h>
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

#    define LARGE_BYTES ((size_t)1 << 20) /* in less there is no large page */

/* Of all pages that it touches, so that a block of its own stays one mapping,
 * which can grow. */
void ggki_os_will_fill(void *at, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)at % page;

    if (bytes >= LARGE_BYTES)
        (void)madvise((char *)at - before, bytes + before, MADV_HUGEPAGE);
}

/* The number of the file system's kind (statfs(2)); 0: not known. */
static unsigned long kind_of(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 ? (unsigned long)fs.f_type : 0;
}

#    define KIND_XFS 0x58465342UL

bool ggki_os_shares_blocks(int fd)
{
    switch (kind_of(fd)) {
    case 0x9123683eUL: /* btrfs */
    case KIND_XFS:
    case 0xca451a4eUL: /* bcachefs */
    case 0x2fc12fc1UL: /* zfs */ return true;
    default: return false;
    }
}

void ggki_os_start_reading(int fd, uint64_t off, uint64_t bytes)
{
    posix_fadvise(fd, (off_t)off, (off_t)bytes, POSIX_FADV_WILLNEED);
}

void ggki_os_start_writing(int fd, uint64_t off, uint64_t bytes)
{
    sync_file_range(fd, (off_t)off, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
}

#    define ACL       "system.posix_acl_access"
#    define ACL_BYTES 65536 /* no attribute can have more */

static bool means_no_acl(int failed)
{
    return failed == ENODATA || failed == EOPNOTSUPP || failed == ENOSYS;
}

/* A new file may have one, too: as its folder says. */
static int remove_acl(int fd)
{
    if (fremovexattr(fd, ACL) == 0 || means_no_acl(errno))
        return 0;
    return errno;
}

int ggki_os_copy_acl(const char *path, int fd)
{
    char acl[ACL_BYTES];
    ssize_t n;

    if (path == NULL)
        return remove_acl(fd);
    n = getxattr(path, ACL, acl, sizeof acl);
    if (n < 0)
        return means_no_acl(errno) ? remove_acl(fd) : errno;
    return fsetxattr(fd, ACL, acl, (size_t)n, 0) == 0 ? 0 : errno;
}

bool ggki_os_has_acl(int fd)
{
    return fgetxattr(fd, ACL, NULL, 0) >= 0 || !means_no_acl(errno);
}

static int rename_new(int folder, const char *from, const char *to)
{
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
        return 0;
    return means_unsupported(errno) ? EOPNOTSUPP : errno;
}

/* A lock of the open file, other than that of ggki_os_lock, which a new file
 * has for a while after it got its name. */
static int lock_all(int fd, short how)
{
    struct flock all = {.l_type = how, .l_whence = SEEK_SET};
    int failed;

    do {
        failed = fcntl(fd, F_OFD_SETLK, &all) == 0 ? 0 : errno;
    } while (failed == EINTR);
    return failed == EACCES ? EWOULDBLOCK : failed;
}

int ggki_os_lock_shared(int fd)
{
    return lock_all(fd, F_RDLCK);
}

int ggki_os_keep_alone(int fd)
{
    int failed;

    /* Who is told by SIGIO dies of it, unless it is caught; SIGURG is ignored
     * by all who do not ask for it. */
    if (fcntl(fd, F_SETSIG, SIGURG) != 0)
        return errno;
    if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
        return errno;
    failed = lock_all(fd, F_WRLCK);
    if (failed != 0)
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    return failed;
}

void ggki_os_share_again(int fd)
{
    (void)lock_all(fd, F_RDLCK);
    (void)fcntl(fd, F_SETLEASE, F_UNLCK);
}

bool ggki_os_is_alone(int fd)
{
    return fcntl(fd, F_GETLEASE) == F_WRLCK;
}

static int change_space(int fd, int mode, uint64_t off, uint64_t bytes)
{
    int failed;

    do {
        failed = fallocate(fd, mode, (off_t)off, (off_t)bytes) == 0 ? 0 : errno;
    } while (failed == EINTR);
    return failed;
}

int ggki_os_insert(int fd, uint64_t off, uint64_t bytes)
{
    return change_space(fd, FALLOC_FL_INSERT_RANGE, off, bytes);
}

int ggki_os_collapse(int fd, uint64_t off, uint64_t bytes)
{
    return change_space(fd, FALLOC_FL_COLLAPSE_RANGE, off, bytes);
}

int ggki_os_allocate(int fd, uint64_t bytes)
{
    int failed = change_space(fd, 0, 0, bytes);

    return failed == EOPNOTSUPP || failed == ENOSYS ? 0 : failed;
}

bool ggki_os_may_insert(int fd)
{
    switch (kind_of(fd)) {
    case KIND_XFS:
    case 0xef53UL: /* ext4 */ return true;
    default: return false;
    }
}

int ggki_os_birth(int fd, struct timespec *out)
{
    struct statx stx;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &stx) != 0)
        return means_unsupported(errno) ? EOPNOTSUPP : errno;
    if ((stx.stx_mask & STATX_BTIME) == 0)
        return EOPNOTSUPP;
    *out = (struct timespec){.tv_sec = (time_t)stx.stx_btime.tv_sec,
                             .tv_nsec = (long)stx.stx_btime.tv_nsec};
    return 0;
}

#    define EXTENTS_AT_ONCE 128

int ggki_os_extents(int fd, uint64_t from, bool shared, struct ggki_extent *out,
                    size_t n, size_t *got, bool *last)
{
    /* In no place, or in one with what is not of this extent. */
    const uint32_t odd = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |
                         FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_NOT_ALIGNED |
                         FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL |
                         (shared ? 0 : FIEMAP_EXTENT_SHARED);
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) +
                  EXTENTS_AT_ONCE * sizeof(struct fiemap_extent)];
    } u;
    const struct fiemap_extent *e = u.map.fm_extents;

    memset(&u, 0, sizeof u);
    *got = 0;
    u.map.fm_start = from;
    u.map.fm_length = FIEMAP_MAX_OFFSET - from;
    u.map.fm_flags = FIEMAP_FLAG_SYNC;
    u.map.fm_extent_count = n < EXTENTS_AT_ONCE ? (uint32_t)n : EXTENTS_AT_ONCE;
    if (ioctl(fd, FS_IOC_FIEMAP, &u.map) != 0)
        return means_unsupported(errno) ? EOPNOTSUPP : errno;
    *last = u.map.fm_mapped_extents == 0;
    for (; *got < u.map.fm_mapped_extents; ++*got, e++) {
        if ((e->fe_flags & odd) != 0)
            return EOPNOTSUPP;
        out[*got] =
            (struct ggki_extent){e->fe_logical, e->fe_physical, e->fe_length};
        *last = (e->fe_flags & FIEMAP_EXTENT_LAST) != 0;
    }
    return 0;
}

int ggki_os_exchange(int folder, const char *a, const char *b)
{
    if (renameat2(folder, a, folder, b, RENAME_EXCHANGE) == 0)
        return 0;
    return means_unsupported(errno) ? EOPNOTSUPP : errno;
}

#else
int ggki_os_copy_acl(const char *path, int fd)
{
    (void)path, (void)fd;
    return 0;
}

bool ggki_os_has_acl(int fd)
{
    (void)fd;
    return false;
}

void ggki_os_will_fill(void *at, size_t bytes)
{
    (void)at, (void)bytes;
}

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

void ggki_os_start_reading(int fd, uint64_t off, uint64_t bytes)
{
    (void)fd, (void)off, (void)bytes;
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

int ggki_os_lock_shared(int fd)
{
    (void)fd;
    return EOPNOTSUPP;
}

int ggki_os_keep_alone(int fd)
{
    (void)fd;
    return EOPNOTSUPP;
}

void ggki_os_share_again(int fd)
{
    (void)fd;
}

bool ggki_os_is_alone(int fd)
{
    (void)fd;
    return false;
}

int ggki_os_insert(int fd, uint64_t off, uint64_t bytes)
{
    (void)fd, (void)off, (void)bytes;
    return EOPNOTSUPP;
}

int ggki_os_collapse(int fd, uint64_t off, uint64_t bytes)
{
    return ggki_os_insert(fd, off, bytes);
}

int ggki_os_allocate(int fd, uint64_t bytes)
{
    (void)fd, (void)bytes;
    return 0;
}

bool ggki_os_may_insert(int fd)
{
    (void)fd;
    return false;
}

int ggki_os_birth(int fd, struct timespec *out)
{
    (void)fd, (void)out;
    return EOPNOTSUPP;
}

int ggki_os_extents(int fd, uint64_t from, bool shared, struct ggki_extent *out,
                    size_t n, size_t *got, bool *last)
{
    (void)fd, (void)from, (void)shared, (void)out, (void)n;
    *got = 0;
    *last = true;
    return EOPNOTSUPP;
}

int ggki_os_exchange(int folder, const char *a, const char *b)
{
    (void)folder, (void)a, (void)b;
    return EOPNOTSUPP;
}

#endif

const char *ggki_os_file_path(const char *path, char room[PATH_MAX])
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
                   realpath(path, room) != NULL
               ? room
               : path;
}

int ggki_os_read(int fd, uint64_t off, void *data, size_t bytes)
{
    char *to = data;

    while (bytes > 0) {
        ssize_t n = pread(fd, to, bytes, (off_t)off);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENODATA;
        to += n;
        off += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return 0;
}

int ggki_os_write(int fd, uint64_t off, const void *data, size_t bytes)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t n = pwrite(fd, from, bytes, (off_t)off);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        from += n;
        off += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return 0;
}

int ggki_os_open(int folder, const char *path, int flags, mode_t mode)
{
    int fd;

    do {
        fd = openat(folder, path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

int ggki_os_sync(int fd)
{
    int failed;

    do {
        failed = fsync(fd) == 0 ? 0 : errno;
    } while (failed == EINTR);
    return failed;
}

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
