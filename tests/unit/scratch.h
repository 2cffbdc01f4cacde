/* scratch.h - for tests: a folder of their own, and files in it. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"

struct scratch {
    char dir[64];
    char path[512]; /* of the file named last */
};

static inline bool scratch_make_in(struct scratch *s, const char *folder)
{
    snprintf(s->dir, sizeof s->dir, "%s/ggk-unit-XXXXXX", folder);
    return mkdtemp(s->dir) != NULL;
}

/* In memory where that can be, since some tests make thousands of files. */
static inline void scratch_make(struct scratch *s)
{
    assert_true(scratch_make_in(s, "/dev/shm") || scratch_make_in(s, "/tmp"));
}

/* The path of file `name`, until the next call. */
static inline const char *scratch_path(struct scratch *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->dir, name);
    return s->path;
}

static inline const char *scratch_write(struct scratch *s, const char *name,
                                        const struct bytes *b)
{
    int fd = open(scratch_path(s, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t done = 0;

    assert_true(fd >= 0);
    while (done < b->n) {
        ssize_t n = write(fd, b->at + done, b->n - done);
        assert_true(n > 0);
        done += (size_t)n;
    }
    assert_int_equal(close(fd), 0);
    return s->path;
}

/* Remove all files, and then the folder. */
static inline void scratch_remove(struct scratch *s)
{
    DIR *dir = opendir(s->dir);
    const struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        const char *path = scratch_path(s, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0 && unlink(path) != 0)
            assert_int_equal(rmdir(path), 0);
    }
    closedir(dir);
    assert_int_equal(rmdir(s->dir), 0);
}

#endif
