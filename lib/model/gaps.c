/* gaps.c - what lies between the tensors of a file or after them, and is no
 * part of the model. */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/os.h"
#include "io/source.h"
#include "model/model.h"

#define BLOCK_BYTES 16384
#define HOLE_BYTES  1048576 /* a gap of so many bytes may well be a hole */

/* The data of one tensor: bytes [start, end) of the source. */
struct data_extent {
    uint64_t start, end;
};

static int compare_starts(const void *a, const void *b)
{
    const struct data_extent *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* The extents of the tensors of a file, by their place. */
static ggk_status take_extents(const ggk_model *model, const ggk_file *f,
                               struct data_extent *at, ggk_error *err)
{
    uint64_t end = f->size;

    for (uint64_t i = 0; i < f->n_tensors; i++) {
        ggk_tensor t;
        ggk_status status =
            ggk_model_tensor(model, f->first_tensor + i, &t, err);

        if (status != GGK_OK)
            return status;
        at[i].start = t.data_off < end ? t.data_off : end;
        at[i].end = t.bytes < end - at[i].start ? at[i].start + t.bytes : end;
    }
    qsort(at, (size_t)f->n_tensors, sizeof *at, compare_starts);
    return GGK_OK;
}

/* Where the next data is, from `from` on: holes are zeros. */
static uint64_t pass_hole(const ggk_source *source, uint64_t from, uint64_t end)
{
    uint64_t data, hole;

    if (source->fd < 0 || end - from < HOLE_BYTES)
        return from;
    ggki_os_next_data(source->fd, from, end, &data, &hole);
    return data;
}

/* The first byte of [from, end) that is not zero. */
static ggk_status look_for_byte(const ggk_source *source, uint64_t from,
                                uint64_t end, uint64_t *out, ggk_error *err)
{
    char block[BLOCK_BYTES];

    while ((from = pass_hole(source, from, end)) < end) {
        size_t n =
            end - from < sizeof block ? (size_t)(end - from) : sizeof block;
        ggk_status status = ggk_source_read(source, from, block, n, err);

        if (status != GGK_OK)
            return status;
        for (size_t i = 0; i < n; i++)
            if (block[i] != 0) {
                *out = from + i;
                return GGK_OK;
            }
        from += n;
    }
    return GGK_OK;
}

static ggk_status look_between(const ggk_source *source, const ggk_file *f,
                               const struct data_extent *at, uint64_t *out,
                               ggk_error *err)
{
    uint64_t end = f->size;
    uint64_t passed = f->head_end < end ? f->head_end : end;
    ggk_status status = GGK_OK;

    for (uint64_t i = 0; i <= f->n_tensors; i++) {
        bool last = i == f->n_tensors;
        uint64_t next = last ? end : at[i].start;

        if (next > passed)
            status = look_for_byte(source, passed, next, out, err);
        if (status != GGK_OK || *out != GGK_NO_OFFSET)
            return status;
        if (!last && at[i].end > passed)
            passed = at[i].end;
    }
    return status;
}

ggk_status ggk_model_find_gap_byte(const ggk_model *model, uint32_t file,
                                   uint64_t *out, ggk_error *err)
{
    const ggk_allocator *mem = &model->mem;
    struct data_extent *at;
    size_t bytes;
    ggk_file f;
    ggk_status status = ggk_model_file(model, file, &f, err);

    *out = GGK_NO_OFFSET;
    if (status != GGK_OK || f.size == GGK_SIZE_UNKNOWN)
        return status;
    bytes = ((size_t)f.n_tensors + 1) * sizeof *at;
    at = ggki_mem_zero(mem, bytes);
    if (at == NULL)
        return ggki_fail_memory(err);
    status = take_extents(model, &f, at, err);
    if (status == GGK_OK)
        status = look_between(model->files[file].gguf.source, &f, at, out, err);
    ggki_mem_release(mem, at, bytes);
    return status;
}
