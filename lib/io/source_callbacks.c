/* source_callbacks.c - a source over a caller's functions. */
#include "base/err.h"
#include "io/source.h"

struct callback_source {
    ggk_source source;
    ggk_callbacks callbacks;
};

static int callback_read(const ggk_source *source, uint64_t off, void *buf,
                         size_t bytes, size_t *got)
{
    const ggk_callbacks *cb =
        &((const struct callback_source *)source)->callbacks;
    return cb->read(cb->ctx, off, buf, bytes, got);
}

static void callback_close(ggk_source *source)
{
    const ggk_callbacks *cb = &((struct callback_source *)source)->callbacks;
    if (cb->close != NULL)
        cb->close(cb->ctx);
    ggki_source_delete(source, sizeof(struct callback_source));
}

ggk_status ggk_source_from_callbacks(const ggk_callbacks *callbacks,
                                     const ggk_allocator *alloc,
                                     ggk_source **out, ggk_error *err)
{
    static const struct ggki_source_ops ops = {callback_read, callback_close};
    struct callback_source *self;

    *out = NULL;
    if (callbacks == NULL || callbacks->read == NULL)
        return ggki_fail(err, GGK_E_ARG, "no function to read with");
    self = (struct callback_source *)ggki_source_new(sizeof *self, &ops, alloc);
    if (self == NULL)
        return ggki_fail_memory(err);
    self->callbacks = *callbacks;
    self->source.size = callbacks->size;
    *out = &self->source;
    return GGK_OK;
}
