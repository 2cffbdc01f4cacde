/* source_memory.c - a source over a caller's buffer. */
#include "base/err.h"
#include "io/source.h"

static void memory_close(ggk_source *source)
{
    ggki_source_delete(source, sizeof *source);
}

ggk_status ggk_source_from_memory(const void *data, size_t bytes,
                                  const ggk_allocator *alloc, ggk_source **out,
                                  ggk_error *err)
{
    static const struct ggki_source_ops ops = {NULL, memory_close};
    ggk_source *source;

    *out = NULL;
    if (data == NULL && bytes != 0)
        return ggki_fail(err, GGK_E_ARG, "no buffer");
    source = ggki_source_new(sizeof *source, &ops, alloc);
    if (source == NULL)
        return ggki_fail_memory(err);
    source->view = data != NULL ? data : (const uint8_t *)"";
    source->view_bytes = bytes;
    source->size = bytes;
    *out = source;
    return GGK_OK;
}
