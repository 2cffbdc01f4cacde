/* gap_bytes.c - what lies between the tensors of a file. */
#if defined(__linux__)
/* NOLINTNEXTLINE(*-reserved-identifier,cert-dcl*): it is the C library's own */
#    define _GNU_SOURCE /* SEEK_DATA */
#endif

#include "gap_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show.h"

#define BLOCK_BYTES 65536
#define HOLE_BYTES  1048576 /* a gap of so many bytes may well be a hole */

/* The data of one tensor: bytes [start, end) of the file. */
struct data_extent {
    uint64_t start, end;
};

static int compare_starts(const void *a, const void *b)
{
    const struct data_extent *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* The extents of the tensors of a file, by their place; NULL: an error. */
static struct data_extent *take_extents(const ggk_model *model,
                                        const ggk_file *f, ggk_error *err)
{
    struct data_extent *at = calloc((size_t)f->n_tensors + 1, sizeof *at);

    if (at == NULL) {
        (void)show_no_memory(err);
        return NULL;
    }
    for (uint64_t i = 0; i < f->n_tensors; i++) {
        ggk_tensor t;

        if (ggk_model_tensor(model, f->first_tensor + i, &t, err) != GGK_OK) {
            free(at);
            return NULL;
        }
        at[i].start = t.data_off < f->size ? t.data_off : f->size;
        at[i].end =
            t.bytes < f->size - at[i].start ? at[i].start + t.bytes : f->size;
    }
    qsort(at, (size_t)f->n_tensors, sizeof *at, compare_starts);
    return at;
}

/* Where the next data is, from `from` on: holes are zeros. */
static uint64_t pass_hole(int fd, uint64_t from, uint64_t end)
{
#ifdef SEEK_DATA
    off_t data;

    if (end - from < HOLE_BYTES)
        return from;
    data = lseek(fd, (off_t)from, SEEK_DATA);
    if (data >= 0)
        return (uint64_t)data < end ? (uint64_t)data : end;
    return errno == ENXIO ? end : from;
#else
    (void)fd;
    (void)end;
    return from;
#endif
}

static ggk_status fail_padding(ggk_error *err, int number, uint64_t at)
{
    *err = (ggk_error){.status = number == 0 ? GGK_E_CHANGED : GGK_E_IO,
                       .sys_errno = number,
                       .offset = at};
    snprintf(err->what, sizeof err->what, "%s",
             number == 0 ? "the file was changed while it was read"
                         : "the padding cannot be read");
    return err->status;
}

/* The first byte of [from, end) that is not zero. */
static ggk_status look_for_byte(int fd, uint64_t from, uint64_t end,
                                uint64_t *out, ggk_error *err)
{
    char block[BLOCK_BYTES];

    for (from = pass_hole(fd, from, end); from < end;) {
        size_t n =
            end - from < sizeof block ? (size_t)(end - from) : sizeof block;
        ssize_t got = pread(fd, block, n, (off_t)from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_padding(err, got < 0 ? errno : 0, from);
        for (ssize_t i = 0; i < got; i++)
            if (block[i] != 0) {
                *out = from + (uint64_t)i;
                return GGK_OK;
            }
        from = pass_hole(fd, from + (uint64_t)got, end);
    }
    return GGK_OK;
}

static ggk_status look_between(int fd, const ggk_file *f,
                               const struct data_extent *at, uint64_t *out,
                               ggk_error *err)
{
    uint64_t passed = f->head_end < f->size ? f->head_end : f->size;
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i <= f->n_tensors; i++) {
        bool last = i == f->n_tensors;
        uint64_t next = last ? f->size - f->trailing : at[i].start;

        if (next > passed)
            status = look_for_byte(fd, passed, next, out, err);
        if (status != GGK_OK || *out != GGK_NO_OFFSET)
            return status;
        if (!last && at[i].end > passed)
            passed = at[i].end;
    }
    return status;
}

ggk_status gap_bytes_find(const struct input *in, uint32_t file, uint64_t *out,
                          ggk_error *err)
{
    struct data_extent *at;
    ggk_file f;
    int fd;
    ggk_status status = ggk_model_file(in->model, file, &f, err);

    *out = GGK_NO_OFFSET;
    if (status != GGK_OK || f.path == NULL || f.size == GGK_SIZE_UNKNOWN)
        return status;
    at = take_extents(in->model, &f, err);
    if (at == NULL)
        return err->status;
    do
        fd = open(f.path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        status = fail_padding(err, errno, 0);
    } else {
        status = look_between(fd, &f, at, out, err);
        (void)close(fd);
    }
    free(at);
    return status;
}
