/* copy.h - the bytes of tensors, from where they are to where they will be. */
#ifndef GGKI_COPY_H
#define GGKI_COPY_H

#include <stdatomic.h>

#include "io/new_file.h"
#include "ops/plan.h"

/* What a run counts; the rest stays as it is while it copies. */
struct ggki_copying {
    const ggk_allocator *mem;
    unsigned n_threads;
    ggk_on_progress *on_progress; /* or NULL */
    void *progress_ctx;
    uint64_t total;
    atomic_uint_fast64_t done;
    uint8_t **buffers; /* one for each thread: */
    size_t buffer_bytes;
};

#define GGKI_COPY_BYTES ((size_t)1 << 20) /* of a buffer at least */

ggk_status ggki_copying_start(struct ggki_copying *c, const ggk_plan *plan,
                              ggk_error *err);
void ggki_copying_end(struct ggki_copying *c);

/* Tell how far it is; GGK_E_CANCELLED if it is to end. */
ggk_status ggki_copying_tell(struct ggki_copying *c, ggk_error *err);

/* Copy the data of all tensors of `file` into `out`. */
ggk_status ggki_copy_tensors(struct ggki_copying *c,
                             const struct ggki_plan_file *file,
                             const struct ggki_new_file *out, ggk_error *err);

/* Bytes of the tensors that are data, not holes. */
uint64_t ggki_copy_data_bytes(const struct ggki_plan_file *file);

#endif
