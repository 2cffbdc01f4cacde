/* writer.c - the bytes of a header, in order, to wherever they go. */
#include "format/writer.h"

#include <string.h>

#include "base/store.h"

void ggki_writer_start(struct ggki_writer *w, ggki_write_to *put, void *ctx,
                       uint32_t version, bool big, ggk_error *err)
{
    w->put = put;
    w->ctx = ctx;
    w->version = version;
    w->big = big;
    w->pos = 0;
    w->status = GGK_OK;
    w->err = err;
    w->n = 0;
}

static void put_out(struct ggki_writer *w, const void *data, size_t bytes)
{
    if (w->status == GGK_OK && bytes > 0)
        w->status = w->put(w->ctx, data, bytes, w->err);
}

static void flush_buffer(struct ggki_writer *w)
{
    put_out(w, w->buffer, w->n);
    w->n = 0;
}

void ggki_writer_bytes(struct ggki_writer *w, const void *data, size_t bytes)
{
    w->pos += bytes;
    if (bytes > sizeof w->buffer - w->n)
        flush_buffer(w);
    if (bytes > sizeof w->buffer) {
        put_out(w, data, bytes);
    } else if (bytes > 0) {
        memcpy(w->buffer + w->n, data, bytes);
        w->n += bytes;
    }
}

void ggki_writer_u32(struct ggki_writer *w, uint32_t value)
{
    uint8_t bytes[4];

    store_u32(bytes, value, w->big);
    ggki_writer_bytes(w, bytes, sizeof bytes);
}

void ggki_writer_u64(struct ggki_writer *w, uint64_t value)
{
    uint8_t bytes[8];

    store_u64(bytes, value, w->big);
    ggki_writer_bytes(w, bytes, sizeof bytes);
}

void ggki_writer_string(struct ggki_writer *w, ggk_str s)
{
    ggki_writer_u64(w, s.len);
    ggki_writer_bytes(w, s.ptr, s.len);
}

void ggki_writer_head(struct ggki_writer *w, uint64_t n_tensors, uint64_t n_kv)
{
    ggki_writer_bytes(w, "GGUF", 4);
    ggki_writer_u32(w, w->version);
    ggki_writer_u64(w, n_tensors);
    ggki_writer_u64(w, n_kv);
}

ggk_status ggki_writer_finish(struct ggki_writer *w)
{
    flush_buffer(w);
    return w->status;
}
