/* convert.h - tensors that get another type. */
#ifndef GGKI_CONVERT_H
#define GGKI_CONVERT_H

#include "io/new_file.h"
#include "kern/kern.h"
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

/* What numbers become: blocks of a type, of a tensor of these dimensions, by
 * its importances or NULL, as of struct ggki_plan_tensor. */
struct ggki_numbers_to {
    const ggk_type_info *type;
    ggki_quantize *quantize;
    const uint64_t *ne;
    const float *importances;
};

/* Quantize `n` numbers, number `at` of the tensor and those after it: whole
 * blocks, or whole rows where there are importances. */
void ggki_convert_numbers(const struct ggki_numbers_to *to, const float *x,
                          uint64_t at, size_t n, uint8_t *out);

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
