/* faultlib.c - a library to preload, which makes what the system does for a
 * program go wrong, at one call or from one on.
 *
 * It stands between a program and libc in all functions that deal with files
 * and memory. Calls that concern files below one folder are counted; to one of
 * them, or to an allocation, happens what the environment says:
 *
 *   GGK_FAULT_ROOT    the folder, without symbolic links
 *   GGK_FAULT_REPORT  a file of REPORT_BYTES, for what tests want to know
 *   GGK_FAULT_AT      the number of the call, from 1; 0: none
 *   GGK_FAULT_FROM    1: all calls from that one on
 *   GGK_FAULT_KIND    what happens:
 *       error:N       it fails with errno N
 *       short         it moves one byte only, if it is one that moves bytes
 *       memory        the allocation of that number fails, if it is one
 *       before, after the program ends at once, before or after the call
 *       signal:N      the program gets signal N before the call
 *       shrink:N      the file GGK_FAULT_FILE is cut to N bytes before the call
 *       scribble:N    byte N of that file is changed before the call
 *   GGK_FAULT_DENY    op:errno,... - these never work on this machine; "lease"
 *                     is fcntl(F_SETLEASE)
 *   GGK_FAULT_LOG     a file for a record of each call that changes something
 *   GGK_FAULT_SYNC    0: fsync does nothing, but is recorded; else a word out
 *                     of "file", "folder": these do nothing and leave no record
 *
 * The real work is done by system calls where that is simple, so that there is
 * no way back in here.
 */
#define _GNU_SOURCE /* RTLD_NEXT, renameat2, the names with 64 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "64-bit machines only");

enum {
    MAX_FDS = 1024,
    LOG_FD = 900,
    TRACE_BYTES = 1 << 16,
    REPORT_BYTES = 128 + TRACE_BYTES,
    EXIT_CUT = 86
};

/* What the test reads; fault.py knows where each number is. */
struct report {
    atomic_uint_fast64_t calls;  /* that concern files below the folder */
    atomic_uint_fast64_t allocs; /* asked for */
    atomic_uint_fast64_t hits;   /* calls that something happened to */
    atomic_int_fast64_t live;    /* blocks that are not freed */
    atomic_uint_fast64_t traced; /* bytes of `trace` */
    atomic_uint_fast64_t loaded; /* 1: this library was there */
    atomic_uint_fast64_t low;    /* opened as descriptor 0, 1 or 2 */
    char hit[72];                /* the first call that was hit */
    char trace[TRACE_BYTES];     /* all calls, one a line */
};

_Static_assert(sizeof(struct report) == REPORT_BYTES, "no gaps");

enum kind {
    KIND_NONE,
    KIND_ERROR,
    KIND_SHORT,
    KIND_MEMORY,
    KIND_BEFORE,
    KIND_AFTER,
    KIND_SIGNAL,
    KIND_SHRINK,
    KIND_SCRIBBLE
};

static struct report before_start;
static struct report *report = &before_start;
static enum kind kind;
static long kind_arg;
static uint64_t fault_at;
static bool fault_from, armed, cwd_below, syncs = true, drop_file, drop_folder;
static const char *root = "", *deny = "", *victim;
static size_t root_len;
static int log_fd = -1;
static atomic_bool below_root[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------- memory */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *ptr, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);
extern void __libc_free(void *ptr);

static bool is_hit(uint64_t n)
{
    return fault_at != 0 && (n == fault_at || (fault_from && n > fault_at));
}

static bool alloc_fails(void)
{
    uint64_t n;

    if (!armed)
        return false;
    n = atomic_fetch_add(&report->allocs, 1) + 1;
    if (kind != KIND_MEMORY || !is_hit(n))
        return false;
    atomic_fetch_add(&report->hits, 1);
    errno = ENOMEM;
    return true;
}

static void *alive(void *ptr)
{
    if (ptr != NULL)
        atomic_fetch_add(&report->live, 1);
    return ptr;
}

void *malloc(size_t bytes)
{
    return alloc_fails() ? NULL : alive(__libc_malloc(bytes));
}

void *calloc(size_t n, size_t bytes)
{
    return alloc_fails() ? NULL : alive(__libc_calloc(n, bytes));
}

void *realloc(void *ptr, size_t bytes)
{
    void *now;

    if (alloc_fails())
        return NULL;
    now = __libc_realloc(ptr, bytes);
    if (ptr == NULL)
        return alive(now);
    if (now == NULL && bytes == 0) /* freed */
        atomic_fetch_sub(&report->live, 1);
    return now;
}

void *reallocarray(void *ptr, size_t n, size_t bytes)
{
    if (bytes != 0 && n > SIZE_MAX / bytes) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(ptr, n * bytes);
}

void *memalign(size_t align, size_t bytes);

void *memalign(size_t align, size_t bytes)
{
    return alloc_fails() ? NULL : alive(__libc_memalign(align, bytes));
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return memalign(align, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
    void *ptr = memalign(align, bytes);

    if (ptr == NULL)
        return ENOMEM;
    *out = ptr;
    return 0;
}

void free(void *ptr)
{
    if (ptr != NULL)
        atomic_fetch_sub(&report->live, 1);
    __libc_free(ptr);
}

/* -------------------------------------------------------------------- start */

static void start_kind(const char *text)
{
    static const struct {
        const char *name;
        enum kind kind;
    } names[] = {
        {"error", KIND_ERROR},   {"short", KIND_SHORT},
        {"memory", KIND_MEMORY}, {"before", KIND_BEFORE},
        {"after", KIND_AFTER},   {"signal", KIND_SIGNAL},
        {"shrink", KIND_SHRINK}, {"scribble", KIND_SCRIBBLE},
    };
    size_t len = text == NULL ? 0 : strcspn(text, ":");

    for (size_t i = 0; i < sizeof names / sizeof names[0] && len > 0; i++)
        if (strlen(names[i].name) == len &&
            memcmp(text, names[i].name, len) == 0)
            kind = names[i].kind;
    if (len > 0 && text[len] == ':')
        kind_arg = strtol(text + len + 1, NULL, 10);
}

static bool is_below(const char *path)
{
    return root_len > 0 && strncmp(path, root, root_len) == 0 &&
           (path[root_len] == '/' || path[root_len] == '\0');
}

/* Is what a descriptor or a link of /proc leads to below the folder? */
static bool link_is_below(const char *link)
{
    char path[4096];
    long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);

    if (n < 0)
        return false;
    path[n] = '\0';
    return is_below(path);
}

static int open_outside(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

static void start_report(const char *path)
{
    int fd = path == NULL ? -1 : open_outside(path, O_RDWR);
    struct report *shared;
    int64_t live = atomic_load(&before_start.live);

    if (fd < 0)
        return;
    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (shared == MAP_FAILED)
        return;
    atomic_store(&shared->loaded, 1);
    atomic_store(&shared->live, atomic_load(&before_start.live) - live);
    report = shared;
}

static void start_log(const char *path)
{
    int fd = path == NULL ? -1 : open_outside(path, O_WRONLY | O_APPEND);

    if (fd < 0)
        return;
    log_fd = (int)syscall(SYS_dup3, fd, LOG_FD, O_CLOEXEC);
    syscall(SYS_close, fd);
}

static void start_syncs(const char *text)
{
    if (text == NULL)
        return;
    syncs = false;
    drop_file = strcmp(text, "file") == 0;
    drop_folder = strcmp(text, "folder") == 0;
}

static const char *or_empty(const char *s)
{
    return s != NULL ? s : "";
}

__attribute__((constructor)) static void start(void)
{
    static const char *const links[] = {"/proc/self/fd/0", "/proc/self/fd/1",
                                        "/proc/self/fd/2"};

    root = or_empty(getenv("GGK_FAULT_ROOT"));
    root_len = strlen(root);
    deny = or_empty(getenv("GGK_FAULT_DENY"));
    victim = getenv("GGK_FAULT_FILE");
    fault_at = strtoull(or_empty(getenv("GGK_FAULT_AT")), NULL, 10);
    fault_from = strcmp(or_empty(getenv("GGK_FAULT_FROM")), "1") == 0;
    cwd_below = link_is_below("/proc/self/cwd");
    for (int fd = 0; fd < 3; fd++)
        atomic_store(&below_root[fd], link_is_below(links[fd]));
    start_kind(getenv("GGK_FAULT_KIND"));
    start_syncs(getenv("GGK_FAULT_SYNC"));
    start_log(getenv("GGK_FAULT_LOG"));
    start_report(getenv("GGK_FAULT_REPORT"));
    armed = true;
}

/* ------------------------------------------------------------------- counts */

static bool fd_below(int fd)
{
    return fd >= 0 && fd < MAX_FDS && atomic_load(&below_root[fd]);
}

static bool path_below(int folder, const char *path)
{
    if (path[0] == '/')
        return is_below(path);
    return folder == AT_FDCWD ? cwd_below : fd_below(folder);
}

static void note_fd(int fd, bool below)
{
    if (fd >= 0 && fd < MAX_FDS)
        atomic_store(&below_root[fd], below);
}

static void trace(const char *op, const char *name)
{
    char line[sizeof report->hit];
    int n = snprintf(line, sizeof line, "%s %.60s\n", op, name);
    uint64_t at = atomic_fetch_add(&report->traced, (uint64_t)n);

    if (at + (uint64_t)n <= TRACE_BYTES)
        memcpy(report->trace + at, line, (size_t)n);
}

static void hurt_victim(void)
{
    int fd = victim == NULL ? -1 : open_outside(victim, O_RDWR);
    char byte = 0;

    if (fd < 0)
        return;
    if (kind == KIND_SHRINK) {
        syscall(SYS_ftruncate, fd, kind_arg);
    } else {
        syscall(SYS_pread64, fd, &byte, 1, kind_arg);
        byte = (char)(byte ^ 0x55);
        syscall(SYS_pwrite64, fd, &byte, 1, kind_arg);
    }
    syscall(SYS_close, fd);
}

/* Whether this machine has no such operation: its errno, else 0. */
static int denied(const char *op)
{
    size_t len = strlen(op);

    for (const char *s = deny; *s != '\0'; s += strcspn(s, ",")) {
        s += *s == ',';
        if (strncmp(s, op, len) == 0 && s[len] == ':')
            return (int)strtol(s + len + 1, NULL, 10);
    }
    return 0;
}

/* One call that concerns our files. */
struct call {
    bool counted, hit;
    int failed; /* errno to fail with, or 0 */
};

/* Never interrupted, by what the manuals say. */
static bool is_interrupted(const char *op)
{
    static const char *const ops[] = {
        "open",      "openat",    "read",  "pread",           "write",
        "pwrite",    "ftruncate", "fsync", "copy_file_range", "flock",
        "fallocate", "fdatasync", "close", "opendir",
    };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(op, ops[i]) == 0)
            return true;
    return false;
}

static void happen(struct call *c, const char *op, const char *name)
{
    if (kind == KIND_ERROR && kind_arg == EINTR && !is_interrupted(op))
        return;
    c->hit = true;
    if (atomic_fetch_add(&report->hits, 1) == 0)
        snprintf(report->hit, sizeof report->hit, "%s %.60s", op, name);
    switch (kind) {
    case KIND_ERROR: c->failed = (int)kind_arg; break;
    case KIND_BEFORE: syscall(SYS_exit_group, EXIT_CUT); break;
    case KIND_SIGNAL: kill(getpid(), (int)kind_arg); break;
    case KIND_SHRINK:
    case KIND_SCRIBBLE: hurt_victim(); break;
    case KIND_SHORT:
    case KIND_AFTER:
    case KIND_MEMORY:
    case KIND_NONE: break;
    }
}

static struct call begin(bool counted, const char *op, const char *name)
{
    struct call c = {counted && armed, false, 0};
    uint64_t n;

    if (!c.counted)
        return c;
    trace(op, name);
    n = atomic_fetch_add(&report->calls, 1) + 1;
    c.failed = denied(op);
    if (kind != KIND_NONE && kind != KIND_MEMORY && is_hit(n))
        happen(&c, op, name);
    if (c.failed != 0 && c.hit && kind == KIND_AFTER)
        syscall(SYS_exit_group, EXIT_CUT);
    if (c.failed != 0)
        errno = c.failed;
    return c;
}

static void end(const struct call *c)
{
    if (c->hit && kind == KIND_AFTER)
        syscall(SYS_exit_group, EXIT_CUT);
}

static size_t part(const struct call *c, size_t bytes)
{
    return c->hit && kind == KIND_SHORT && bytes > 1 ? 1 : bytes;
}

/* --------------------------------------------------------------- the record */

/* Numbers, two names and data; fault.py reads it. */
struct record {
    char op[16];
    uint64_t ino, folder, to_folder, off, data_bytes;
    uint32_t name_bytes, to_name_bytes;
};

static uint64_t ino_of(int fd)
{
    struct stat st;

    return syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 ? st.st_ino
                                                                    : 0;
}

static uint64_t ino_at(int folder, const char *name)
{
    struct stat st;

    return syscall(SYS_newfstatat, folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0
               ? st.st_ino
               : 0;
}

static bool records(void)
{
    return log_fd >= 0;
}

static void record_lock(void)
{
    if (records())
        pthread_mutex_lock(&lock);
}

static void record_unlock(void)
{
    if (records())
        pthread_mutex_unlock(&lock);
}

static void put(const void *data, size_t bytes)
{
    if (syscall(SYS_write, log_fd, data, bytes) != (long)bytes)
        syscall(SYS_exit_group, EXIT_CUT + 1);
}

static void put_record(const char *op, uint64_t ino, uint64_t off,
                       const void *data, size_t bytes)
{
    struct record r = {.ino = ino, .off = off, .data_bytes = bytes};

    strncpy(r.op, op, sizeof r.op - 1);
    put(&r, sizeof r);
    put(data, bytes);
}

/* The folder that a path names something in, and the last part of the path. */
static uint64_t folder_of(int folder, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    char parent[4096];

    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL)
        return folder == AT_FDCWD ? ino_at(folder, ".") : ino_of(folder);
    snprintf(parent, sizeof parent, "%.*s/.", (int)(slash - path), path);
    return ino_at(folder, parent);
}

static void put_names(const char *op, uint64_t ino, int folder,
                      const char *path, int to_folder, const char *to_path)
{
    struct record r = {.ino = ino};
    const char *name, *to_name = "";

    strncpy(r.op, op, sizeof r.op - 1);
    r.folder = folder_of(folder, path, &name);
    if (to_path != NULL)
        r.to_folder = folder_of(to_folder, to_path, &to_name);
    r.name_bytes = (uint32_t)strlen(name);
    r.to_name_bytes = (uint32_t)strlen(to_name);
    put(&r, sizeof r);
    put(name, r.name_bytes);
    put(to_name, r.to_name_bytes);
}

/* The bytes that a call put there by itself. */
static void put_copied(int fd, uint64_t off, size_t bytes)
{
    char buffer[65536];

    while (bytes > 0) {
        long n = syscall(SYS_pread64, fd, buffer,
                         bytes < sizeof buffer ? bytes : sizeof buffer, off);
        if (n <= 0)
            syscall(SYS_exit_group, EXIT_CUT + 1);
        put_record("write", ino_of(fd), off, buffer, (size_t)n);
        off += (uint64_t)n;
        bytes -= (size_t)n;
    }
}

/* -------------------------------------------------------------------- opens */

static int do_open(const char *op, int folder, const char *path, int flags,
                   mode_t mode)
{
    bool below = path_below(folder, path), was_there;
    struct call c = begin(below, op, path);
    int fd;

    if (c.failed != 0)
        return -1;
    record_lock();
    was_there = !c.counted || !records() || ino_at(folder, path) != 0;
    fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    note_fd(fd, below);
    if (c.counted && fd >= 0 && fd <= 2)
        atomic_fetch_add(&report->low, 1);
    if (c.counted && records() && fd >= 0 && !was_there)
        put_names("create", ino_of(fd), folder, path, 0, NULL);
    if (c.counted && records() && fd >= 0 && was_there && (flags & O_TRUNC))
        put_record("truncate", ino_of(fd), 0, NULL, 0);
    record_unlock();
    end(&c);
    return fd;
}

#define OPEN_MODE                          \
    mode_t mode = 0;                       \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
        va_list args;                      \
        va_start(args, flags);             \
        mode = va_arg(args, mode_t);       \
        va_end(args);                      \
    }

int open(const char *path, int flags, ...)
{
    OPEN_MODE
    return do_open("open", AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    OPEN_MODE
    return do_open("open", AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    OPEN_MODE
    return do_open("openat", folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    OPEN_MODE
    return do_open("openat", folder, path, flags, mode);
}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return do_open("open", AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return do_open("open", AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags)
{
    return do_open("openat", folder, path, flags, 0);
}

int __openat64_2(int folder, const char *path, int flags)
{
    return do_open("openat", folder, path, flags, 0);
}

int creat(const char *path, mode_t mode)
{
    return do_open("open", AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Closed it is, whatever is said of it. */
int close(int fd)
{
    struct call c = begin(fd_below(fd), "close", "");
    int result;

    note_fd(fd, false);
    result = (int)syscall(SYS_close, fd);
    end(&c);
    if (c.failed == 0)
        return result;
    errno = c.failed;
    return -1;
}

int dup(int fd)
{
    struct call c = begin(fd_below(fd), "dup", "");
    int copy;

    if (c.failed != 0)
        return -1;
    copy = (int)syscall(SYS_dup, fd);
    note_fd(copy, fd_below(fd));
    end(&c);
    return copy;
}

static int do_fcntl(int fd, int command, void *arg)
{
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    struct call c = begin(fd_below(fd) && command != F_GETFD, "fcntl", "");
    int result;

    if (c.failed == 0 && c.counted && command == F_SETLEASE)
        c.failed = denied("lease");
    if (c.failed != 0) {
        errno = c.failed;
        return -1;
    }
    result = (int)syscall(SYS_fcntl, fd, command, arg);
    if (copies)
        note_fd(result, fd_below(fd));
    end(&c);
    return result;
}

int fcntl(int fd, int command, ...)
{
    va_list args;
    void *arg;

    va_start(args, command);
    arg = va_arg(args, void *);
    va_end(args);
    return do_fcntl(fd, command, arg);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    void *arg;

    va_start(args, command);
    arg = va_arg(args, void *);
    va_end(args);
    return do_fcntl(fd, command, arg);
}

/* ---------------------------------------------------------------- transfers */

static ssize_t do_read(const char *op, int fd, void *buf, size_t bytes,
                       off_t off)
{
    struct call c = begin(fd_below(fd), op, "");
    ssize_t n;

    if (c.failed != 0)
        return -1;
    bytes = part(&c, bytes);
    n = off < 0 ? syscall(SYS_read, fd, buf, bytes)
                : syscall(SYS_pread64, fd, buf, bytes, off);
    end(&c);
    return n;
}

ssize_t read(int fd, void *buf, size_t bytes)
{
    return do_read("read", fd, buf, bytes, -1);
}

ssize_t pread(int fd, void *buf, size_t bytes, off_t off)
{
    return do_read("pread", fd, buf, bytes, off);
}

ssize_t pread64(int fd, void *buf, size_t bytes, off_t off)
{
    return do_read("pread", fd, buf, bytes, off);
}

ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off_t off, size_t room);

ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room)
{
    return do_read("read", fd, buf, bytes < room ? bytes : room, -1);
}

ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t off, size_t room)
{
    return do_read("pread", fd, buf, bytes < room ? bytes : room, off);
}

ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off_t off, size_t room)
{
    return do_read("pread", fd, buf, bytes < room ? bytes : room, off);
}

static ssize_t do_write(const char *op, int fd, const void *buf, size_t bytes,
                        off_t off)
{
    struct call c = begin(fd_below(fd), op, "");
    ssize_t n;

    if (c.failed != 0)
        return -1;
    bytes = part(&c, bytes);
    record_lock();
    if (c.counted && records() && off < 0)
        off = (off_t)syscall(SYS_lseek, fd, (off_t)0, SEEK_CUR);
    n = off < 0 ? syscall(SYS_write, fd, buf, bytes)
                : syscall(SYS_pwrite64, fd, buf, bytes, off);
    if (c.counted && records() && n > 0)
        put_record("write", ino_of(fd), (uint64_t)off, buf, (size_t)n);
    record_unlock();
    end(&c);
    return n;
}

ssize_t write(int fd, const void *buf, size_t bytes)
{
    return do_write("write", fd, buf, bytes, -1);
}

ssize_t pwrite(int fd, const void *buf, size_t bytes, off_t off)
{
    return do_write("pwrite", fd, buf, bytes, off);
}

ssize_t pwrite64(int fd, const void *buf, size_t bytes, off_t off)
{
    return do_write("pwrite", fd, buf, bytes, off);
}

ssize_t copy_file_range(int in, off_t *in_off, int out, off_t *out_off,
                        size_t bytes, unsigned flags)
{
    struct call c = begin(fd_below(in) || fd_below(out), "copy_file_range", "");
    off_t at = out_off != NULL ? *out_off : 0;
    ssize_t n;

    if (c.failed != 0)
        return -1;
    bytes = part(&c, bytes);
    record_lock();
    n = syscall(SYS_copy_file_range, in, in_off, out, out_off, bytes, flags);
    if (c.counted && records() && n > 0)
        put_copied(out, (uint64_t)at, (size_t)n);
    record_unlock();
    end(&c);
    return n;
}

static off_t do_lseek(int fd, off_t off, int whence)
{
    struct call c = begin(fd_below(fd), "lseek", "");
    off_t at;

    if (c.failed != 0)
        return -1;
    at = (off_t)syscall(SYS_lseek, fd, off, whence);
    end(&c);
    return at;
}

off_t lseek(int fd, off_t off, int whence)
{
    return do_lseek(fd, off, whence);
}

off_t lseek64(int fd, off_t off, int whence)
{
    return do_lseek(fd, off, whence);
}

static void *do_mmap(void *at, size_t bytes, int prot, int flags, int fd,
                     off_t off)
{
    struct call c = begin(fd_below(fd), "mmap", "");
    void *map;

    if (c.failed != 0)
        return MAP_FAILED;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) what the system answers */
    map = (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, off);
    end(&c);
    return map;
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
    return do_mmap(at, bytes, prot, flags, fd, off);
}

void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
    return do_mmap(at, bytes, prot, flags, fd, off);
}

/* --------------------------------------------------- what a file is, its size
 */

static int do_ftruncate(int fd, off_t bytes)
{
    struct call c = begin(fd_below(fd), "ftruncate", "");
    int result;

    if (c.failed != 0)
        return -1;
    record_lock();
    result = (int)syscall(SYS_ftruncate, fd, bytes);
    if (c.counted && records() && result == 0)
        put_record("truncate", ino_of(fd), (uint64_t)bytes, NULL, 0);
    record_unlock();
    end(&c);
    return result;
}

int ftruncate(int fd, off_t bytes)
{
    return do_ftruncate(fd, bytes);
}

int ftruncate64(int fd, off_t bytes)
{
    return do_ftruncate(fd, bytes);
}

static int do_fallocate(int fd, int mode, off_t off, off_t bytes)
{
    struct call c = begin(fd_below(fd), "fallocate", "");
    int result;

    if (c.failed != 0)
        return -1;
    record_lock();
    result = (int)syscall(SYS_fallocate, fd, mode, off, bytes);
    if (c.counted && records() && result == 0 && mode != 0)
        put_record(mode == FALLOC_FL_INSERT_RANGE ? "insert" : "fallocate",
                   ino_of(fd), (uint64_t)bytes, NULL, 0);
    record_unlock();
    end(&c);
    return result;
}

int fallocate(int fd, int mode, off_t off, off_t bytes)
{
    return do_fallocate(fd, mode, off, bytes);
}

int fallocate64(int fd, int mode, off_t off, off_t bytes)
{
    return do_fallocate(fd, mode, off, bytes);
}

int posix_fallocate(int fd, off_t off, off_t bytes)
{
    return do_fallocate(fd, 0, off, bytes) == 0 ? 0 : errno;
}

static bool is_folder(int fd)
{
    struct stat st;

    return syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 &&
           S_ISDIR(st.st_mode);
}

static int do_sync(const char *op, long number, int fd)
{
    struct call c = begin(fd_below(fd), op, is_folder(fd) ? "folder" : "file");
    int result = 0;

    if (c.failed != 0)
        return -1;
    record_lock();
    if (!c.counted || syncs)
        result = (int)syscall(number, fd);
    if (c.counted && records() && result == 0 &&
        !(is_folder(fd) ? drop_folder : drop_file))
        put_record("sync", ino_of(fd), 0, NULL, 0);
    record_unlock();
    end(&c);
    return result;
}

int fsync(int fd)
{
    return do_sync("fsync", SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return do_sync("fdatasync", SYS_fdatasync, fd);
}

int sync_file_range(int fd, off_t off, off_t bytes, unsigned flags)
{
    struct call c = begin(fd_below(fd), "sync_file_range", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_sync_file_range, fd, off, bytes, flags);
    end(&c);
    return result;
}

int ioctl(int fd, unsigned long request, ...)
{
    struct call c = begin(fd_below(fd), "ioctl", "");
    va_list args;
    void *arg;
    int result;

    if (c.failed != 0)
        return -1;
    va_start(args, request);
    arg = va_arg(args, void *);
    va_end(args);
    result = (int)syscall(SYS_ioctl, fd, request, arg);
    end(&c);
    return result;
}

int flock(int fd, int operation)
{
    struct call c = begin(fd_below(fd), "flock", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_flock, fd, operation);
    end(&c);
    return result;
}

static int do_stat(const char *op, bool below, int folder, const char *path,
                   void *out, int flags)
{
    struct call c = begin(below, op, path);
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_newfstatat, folder, path, out, flags);
    end(&c);
    return result;
}

int fstat(int fd, struct stat *out)
{
    return do_stat("fstat", fd_below(fd), fd, "", out, AT_EMPTY_PATH);
}

int fstat64(int fd, struct stat64 *out)
{
    return do_stat("fstat", fd_below(fd), fd, "", out, AT_EMPTY_PATH);
}

int stat(const char *path, struct stat *out)
{
    return do_stat("stat", path_below(AT_FDCWD, path), AT_FDCWD, path, out, 0);
}

int stat64(const char *path, struct stat64 *out)
{
    return do_stat("stat", path_below(AT_FDCWD, path), AT_FDCWD, path, out, 0);
}

int lstat(const char *path, struct stat *out)
{
    return do_stat("stat", path_below(AT_FDCWD, path), AT_FDCWD, path, out,
                   AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *out)
{
    return do_stat("stat", path_below(AT_FDCWD, path), AT_FDCWD, path, out,
                   AT_SYMLINK_NOFOLLOW);
}

int fstatat(int folder, const char *path, struct stat *out, int flags)
{
    return do_stat("fstatat", path_below(folder, path), folder, path, out,
                   flags);
}

int fstatat64(int folder, const char *path, struct stat64 *out, int flags)
{
    return do_stat("fstatat", path_below(folder, path), folder, path, out,
                   flags);
}

int statx(int folder, const char *path, int flags, unsigned mask,
          struct statx *out)
{
    struct call c =
        begin(*path == '\0' ? fd_below(folder) : path_below(folder, path),
              "statx", path);
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_statx, folder, path, flags, mask, out);
    end(&c);
    return result;
}

int fchmod(int fd, mode_t mode)
{
    struct call c = begin(fd_below(fd), "fchmod", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_fchmod, fd, mode);
    end(&c);
    return result;
}

int fchown(int fd, uid_t uid, gid_t gid)
{
    struct call c = begin(fd_below(fd), "fchown", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_fchown, fd, uid, gid);
    end(&c);
    return result;
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    struct call c = begin(path_below(AT_FDCWD, path), "getxattr", "");
    ssize_t result;

    if (c.failed != 0)
        return -1;
    result = syscall(SYS_getxattr, path, name, value, size);
    end(&c);
    return result;
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
    struct call c = begin(fd_below(fd), "fgetxattr", "");
    ssize_t result;

    if (c.failed != 0)
        return -1;
    result = syscall(SYS_fgetxattr, fd, name, value, size);
    end(&c);
    return result;
}

int fsetxattr(int fd, const char *name, const void *value, size_t size,
              int flags)
{
    struct call c = begin(fd_below(fd), "fsetxattr", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_fsetxattr, fd, name, value, size, flags);
    end(&c);
    return result;
}

int fremovexattr(int fd, const char *name)
{
    struct call c = begin(fd_below(fd), "fremovexattr", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_fremovexattr, fd, name);
    end(&c);
    return result;
}

/* What libc alone can do: its own function of this name. */
union next {
    void *symbol;
    int (*fstatvfs)(int, void *);
    int (*fstatfs)(int, void *);
    DIR *(*opendir)(const char *);
    struct dirent *(*readdir)(DIR *);
    int (*closedir)(DIR *);
};

static union next find_next(const char *name)
{
    union next next = {dlsym(RTLD_NEXT, name)};

    if (next.symbol == NULL)
        syscall(SYS_exit_group, EXIT_CUT + 2);
    return next;
}

static int do_statvfs(int fd, void *out)
{
    struct call c = begin(fd_below(fd), "fstatvfs", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = find_next("fstatvfs64").fstatvfs(fd, out);
    end(&c);
    return result;
}

int fstatvfs(int fd, struct statvfs *out)
{
    return do_statvfs(fd, out);
}

int fstatvfs64(int fd, struct statvfs64 *out)
{
    return do_statvfs(fd, out);
}

static int do_statfs(int fd, void *out)
{
    struct call c = begin(fd_below(fd), "fstatfs", "");
    int result;

    if (c.failed != 0)
        return -1;
    result = find_next("fstatfs64").fstatfs(fd, out);
    end(&c);
    return result;
}

int fstatfs(int fd, struct statfs *out)
{
    return do_statfs(fd, out);
}

int fstatfs64(int fd, struct statfs64 *out)
{
    return do_statfs(fd, out);
}

/* ------------------------------------------------------------------- names */

static int do_rename(const char *op, int folder, const char *path,
                     int to_folder, const char *to_path, unsigned flags)
{
    bool below = path_below(folder, path) || path_below(to_folder, to_path);
    struct call c = begin(below, op, to_path);
    int result;

    if (c.failed != 0)
        return -1;
    record_lock();
    result =
        (int)syscall(SYS_renameat2, folder, path, to_folder, to_path, flags);
    if (c.counted && records() && result == 0)
        put_names(flags & RENAME_EXCHANGE ? "exchange" : "rename",
                  ino_at(to_folder, to_path), folder, path, to_folder, to_path);
    record_unlock();
    end(&c);
    return result;
}

int rename(const char *path, const char *to_path)
{
    return do_rename("rename", AT_FDCWD, path, AT_FDCWD, to_path, 0);
}

int renameat(int folder, const char *path, int to_folder, const char *to_path)
{
    return do_rename("renameat", folder, path, to_folder, to_path, 0);
}

int renameat2(int folder, const char *path, int to_folder, const char *to_path,
              unsigned flags)
{
    return do_rename("renameat2", folder, path, to_folder, to_path, flags);
}

int linkat(int folder, const char *path, int to_folder, const char *to_path,
           int flags)
{
    bool below = path_below(folder, path) || path_below(to_folder, to_path);
    struct call c = begin(below, "linkat", to_path);
    int result;

    if (c.failed != 0)
        return -1;
    record_lock();
    result = (int)syscall(SYS_linkat, folder, path, to_folder, to_path, flags);
    if (c.counted && records() && result == 0)
        put_names("link", ino_at(to_folder, to_path), folder, path, to_folder,
                  to_path);
    record_unlock();
    end(&c);
    return result;
}

int link(const char *path, const char *to_path)
{
    return linkat(AT_FDCWD, path, AT_FDCWD, to_path, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    struct call c = begin(path_below(folder, path), "unlinkat", path);
    uint64_t ino = c.counted && records() ? ino_at(folder, path) : 0;
    int result;

    if (c.failed != 0)
        return -1;
    record_lock();
    result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (c.counted && records() && result == 0)
        put_names("unlink", ino, folder, path, 0, NULL);
    record_unlock();
    end(&c);
    return result;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    struct call c = begin(path_below(folder, path), "mkdirat", path);
    int result;

    if (c.failed != 0)
        return -1;
    result = (int)syscall(SYS_mkdirat, folder, path, mode);
    end(&c);
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

DIR *opendir(const char *path)
{
    struct call c = begin(path_below(AT_FDCWD, path), "opendir", path);
    DIR *dir;

    if (c.failed != 0)
        return NULL;
    dir = find_next("opendir").opendir(path);
    if (dir != NULL)
        note_fd(dirfd(dir), c.counted);
    end(&c);
    return dir;
}

static void *do_readdir(DIR *dir, const char *name)
{
    struct call c = begin(fd_below(dirfd(dir)), "readdir", "");
    void *entry;

    if (c.failed != 0)
        return NULL;
    entry = find_next(name).readdir(dir);
    end(&c);
    return entry;
}

struct dirent *readdir(DIR *dir)
{
    return do_readdir(dir, "readdir");
}

struct dirent64 *readdir64(DIR *dir)
{
    return do_readdir(dir, "readdir64");
}

int closedir(DIR *dir)
{
    struct call c = begin(fd_below(dirfd(dir)), "closedir", "");
    int result;

    note_fd(dirfd(dir), false);
    result = find_next("closedir").closedir(dir);
    end(&c);
    if (c.failed == 0)
        return result;
    errno = c.failed;
    return -1;
}
