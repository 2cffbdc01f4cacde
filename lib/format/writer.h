/* writer.h - the bytes of a header, in order, to wherever they go.
 *
 * Errors stick: after one nothing more is put, and ggki_writer_finish tells it.
 */
#ifndef GGKI_WRITER_H
#define GGKI_WRITER_H

#include "ggk.h"

/* Takes the next bytes. */
typedef ggk_status ggki_write_to(void *ctx, const void *data, size_t bytes,
                                 ggk_error *err);

#define GGKI_WRITER_BYTES 65536

struct ggki_writer {
    ggki_write_to *put;
    void *ctx;
    uint32_t version; /* 2 or 3 */
    bool big;
    uint64_t pos; /* bytes so far */
    ggk_status status;
    ggk_error *err;
    size_t n;
    uint8_t buffer[GGKI_WRITER_BYTES];
};

void ggki_writer_start(struct ggki_writer *w, ggki_write_to *put, void *ctx,
                       uint32_t version, bool big, ggk_error *err);
void ggki_writer_bytes(struct ggki_writer *w, const void *data, size_t bytes);
void ggki_writer_u32(struct ggki_writer *w, uint32_t value);
void ggki_writer_u64(struct ggki_writer *w, uint64_t value);
void ggki_writer_string(struct ggki_writer *w, ggk_str s);

/* The fixed header. */
void ggki_writer_head(struct ggki_writer *w, uint64_t n_tensors, uint64_t n_kv);

/* Put what is left; the first error. */
ggk_status ggki_writer_finish(struct ggki_writer *w);

#endif
