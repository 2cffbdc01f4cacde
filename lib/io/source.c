/* source.c - what is common to all sources. */
#include "io/source.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

ggk_source *ggki_source_new(size_t bytes, const struct ggki_source_ops *ops,
                            const ggk_allocator *alloc)
{
    ggk_allocator mem = ggki_mem_of(alloc);
    ggk_source *source = ggki_mem_zero(&mem, bytes);

    if (source != NULL) {
        source->ops = ops;
        source->mem = mem;
        source->fd = -1;
        source->edit_failed = EBADF;
    }
    return source;
}

void ggki_source_delete(ggk_source *source, size_t bytes)
{
    ggk_allocator mem = source->mem;
    ggki_mem_release(&mem, source, bytes);
}

uint64_t ggk_source_size(const ggk_source *source)
{
    return source->size;
}

const void *ggk_source_view(const ggk_source *source, size_t *bytes)
{
    *bytes = (size_t)source->view_bytes;
    return source->view;
}

ggk_status ggki_source_read_some(const ggk_source *source, uint64_t off,
                                 void *buf, size_t bytes, size_t *got,
                                 ggk_error *err)
{
    *got = 0;
    if (source->ops->read == NULL) {
        uint64_t left = off < source->size ? source->size - off : 0;
        *got = left < bytes ? (size_t)left : bytes;
        if (*got > 0) /* `buf` may be NULL for nothing */
            memcpy(buf, source->view + off, *got);
        return GGK_OK;
    }
    if (bytes > UINT64_MAX - off) /* positions do not wrap */
        bytes = (size_t)(UINT64_MAX - off);
    while (*got < bytes) {
        size_t part = 0;
        int failed = source->ops->read(source, off + *got, (char *)buf + *got,
                                       bytes - *got, &part);
        if (failed != 0) {
            ggki_fail_io(err, failed, "read");
            if (err != NULL)
                err->offset = off + *got;
            return GGK_E_IO;
        }
        if (part == 0)
            break;
        *got += part <= bytes - *got ? part : bytes - *got;
    }
    return GGK_OK;
}

ggk_status ggk_source_read(const ggk_source *source, uint64_t off, void *buf,
                           size_t bytes, ggk_error *err)
{
    size_t got;
    ggk_status status;
    bool promised = source->size != GGK_SIZE_UNKNOWN && off <= source->size &&
                    bytes <= source->size - off;

    status = ggki_source_read_some(source, off, buf, bytes, &got, err);
    if (status != GGK_OK || got == bytes)
        return status;
    if (promised)
        status = ggki_fail_changed(err);
    else
        status = ggki_fail(err, GGK_E_TRUNCATED, "the file ends here");
    ggki_err_set_need(err, bytes, got);
    if (err != NULL)
        err->offset = off + got;
    return status;
}

void ggk_source_close(ggk_source *source)
{
    if (source != NULL)
        source->ops->close(source);
}
