/* source.h - what every kind of source provides to the library. */
#ifndef GGKI_SOURCE_H
#define GGKI_SOURCE_H

#include <sys/stat.h>
#include <time.h>

#include "ggk.h"

/* The first member of every kind's own struct. `size`, `view` and `view_bytes`
 * are set when it is made and never change. */
struct ggk_source {
    const struct ggki_source_ops *ops;
    ggk_allocator mem;
    const uint8_t *view;     /* the file in memory, or NULL: all of it, or, */
    uint64_t view_bytes;     /* if it can also be read, its first bytes */
    uint64_t size;           /* or GGK_SIZE_UNKNOWN */
    int fd;                  /* of the file, if it is one, else -1; */
    struct timespec written; /* when it was last written to, */
    dev_t dev;               /* and which file it is */
    ino_t ino;
    mode_t mode;
    gid_t gid;
    bool may_have_holes;
    int edit_failed; /* why it cannot be edited in place (errno), or 0 */
};

struct ggki_source_ops {
    /* Read up to `bytes` bytes, their number into `*got`; 0 at the end.
     * Returns 0 or an errno. NULL for sources with a view of all. */
    int (*read)(const ggk_source *source, uint64_t off, void *buf, size_t bytes,
                size_t *got);
    void (*close)(ggk_source *source);
};

/* Make a source of `bytes` bytes (its kind's struct); NULL: no memory. */
ggk_source *ggki_source_new(size_t bytes, const struct ggki_source_ops *ops,
                            const ggk_allocator *alloc);
void ggki_source_delete(ggk_source *source, size_t bytes);

/* Like ggk_source_read, but stops at the end of the file: `*got` says where. */
ggk_status ggki_source_read_some(const ggk_source *source, uint64_t off,
                                 void *buf, size_t bytes, size_t *got,
                                 ggk_error *err);

/* Open a regular file for reading, or with O_RDWR; `*st` is what it is. While
 * it is open it is not edited in place by another process. Errors: GGK_E_IO,
 * GGK_E_LOCKED, GGK_E_INTERRUPTED. */
ggk_status ggki_open_regular(const char *path, int how, int *fd,
                             struct stat *st, ggk_error *err);

/* The file that a source reads: open as `fd`, which it takes over. */
void ggki_source_set_file(ggk_source *source, int fd, const struct stat *st);

/* What others may do with the file that a source reads, as a mode. */
mode_t ggki_source_mode(const ggk_source *source);

/* A source that reads the open file `fd`, of which it takes a copy. */
ggk_status ggki_source_open_fd(int fd, const ggk_allocator *alloc,
                               ggk_source **out, ggk_error *err);

/* May the file have been written to since it was opened? No, of a source that
 * has no `fd`. */
bool ggki_source_changed(const ggk_source *source);

/* Call `each` with every name in a folder, "." and ".." too, until it returns
 * other than GGK_OK. */
typedef ggk_status ggki_on_name(void *ctx, const char *name, ggk_error *err);
ggk_status ggki_folder_each(const char *path, ggki_on_name *each, void *ctx,
                            ggk_error *err);

/* The path of a name in a folder, to be released as ggki_mem_string's; NULL: no
 * memory. */
char *ggki_folder_join(const ggk_allocator *mem, const char *folder,
                       const char *name);

/* The path of the one file among those in folder `path` that `accept` takes,
 * to be released as ggki_mem_string's; how many it took into `*n`. */
ggk_status ggki_folder_find(const char *path, const ggk_allocator *mem,
                            bool (*accept)(const char *name), char **out,
                            uint64_t *n, ggk_error *err);

#endif
