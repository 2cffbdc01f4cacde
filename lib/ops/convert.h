/* convert.h - tensors that get another type. */
#ifndef GGKI_CONVERT_H
#define GGKI_CONVERT_H

#include "io/new_file.h"
#include "ops/plan.h"

/* Where a converted tensor goes. */
struct ggki_converted {
    const struct ggki_new_file *out;
    uint64_t off; /* of its first byte there */
    bool big;     /* the byte order there */
};

/* Convert `bytes` bytes of a tensor's data, as its source has it, from byte
 * `off` of that on, in a buffer of ggki_convert_buffer_bytes. `off` is a
 * multiple of ggki_convert_job_bytes, and so is `bytes`, but at the end. Which
 * bytes come out does not depend on how the tensor is cut. Errors: GGK_E_VALUE,
 * and those of reading and writing. */
ggk_status ggki_convert(const struct ggki_plan_tensor *t, uint64_t off,
                        uint64_t bytes, const struct ggki_converted *to,
                        uint8_t *buffer, ggk_error *err);

/* Bytes of a tensor that make a job: whole rows where there are importances,
 * which some types weigh over a row, else whole blocks. */
uint64_t ggki_convert_job_bytes(const struct ggki_plan_tensor *t);

size_t ggki_convert_buffer_bytes(const struct ggki_plan_tensor *t);

/* What so many bytes of its source become. */
static inline uint64_t ggki_converted_bytes(const struct ggki_plan_tensor *t,
                                            uint64_t bytes)
{
    return bytes / t->from->bytes * t->from->block / t->info->block *
           t->info->bytes;
}

#endif
