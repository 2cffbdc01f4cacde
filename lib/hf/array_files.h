/* array_files.h - the headers of the files that others keep tensors in:
 * safetensors (github.com/huggingface/safetensors, README, "Format") and .npy
 * (numpy.lib.format, version 1.0).
 *
 * Both store numbers little-endian, the last dimension first in memory: shapes
 * are ggml's turned round.
 */
#ifndef GGKI_ARRAY_FILES_H
#define GGKI_ARRAY_FILES_H

#include "ggk.h"

/* A tensor as such a file has it: of plain numbers; or, of what only ggml
 * knows, the bytes of its rows, since then others may still carry it. */
struct ggki_array {
    ggk_str name;
    const char *dtype; /* of safetensors: "F32" */
    const char *descr; /* of numpy: "<f4" */
    uint32_t n_dims;
    uint64_t shape[GGK_MAX_DIMS]; /* in ggml's order, row length first */
    uint64_t begin, end; /* of its data, counted from the first tensor's */
    const char *type;    /* of bytes: the tensor type they are of, else NULL */
};

/* How a tensor looks there; `info` is NULL for a type that is not known.
 * `name`, `begin` and `end` are the caller's to set. */
void ggki_array_of(const ggk_type_info *info, uint32_t n_dims,
                   const uint64_t *ne, uint64_t bytes, struct ggki_array *out);

/* Takes the next bytes of a header. */
typedef void ggki_array_put(void *ctx, const void *bytes, size_t n);

/* May a tensor of safetensors have this name? It has to be UTF-8, and not that
 * of the metadata. */
bool ggki_safetensors_name_ok(ggk_str name);

#define GGKI_SAFETENSORS_MOST \
    100000000 /* bytes of a header, as its readers say */

/* Tensor number `i` of a file. */
typedef void ggki_array_at(const void *ctx, uint64_t i, struct ggki_array *out);

/* The JSON of the header of a file of `n` tensors, which is to be preceded by
 * its length. Its metadata says of what type those are that are bytes. Each
 * tensor is asked for twice. */
void ggki_safetensors_header(ggki_array_put *put, void *ctx, uint64_t n,
                             ggki_array_at *at, const void *at_ctx);

/* The whole header of a .npy file, magic and all. */
void ggki_npy_header(ggki_array_put *put, void *ctx,
                     const struct ggki_array *a);

#endif
