/* array_files.h - the headers of the files that others keep tensors in:
 * safetensors (github.com/huggingface/safetensors, README, "Format") and .npy
 * (numpy.lib.format, version 1.0).
 *
 * Both keep numbers little-endian, the last dimension side by side: shapes are
 * ggml's turned round.
 */
#ifndef GGKI_ARRAY_FILES_H
#define GGKI_ARRAY_FILES_H

#include "ggk.h"

/* A tensor as such a file has it: of plain numbers; or, of what only ggml
 * knows, the bytes of its rows, since then others can still carry it. */
struct ggki_array {
    ggk_str name;
    const char *dtype; /* of safetensors: "F32" */
    const char *descr; /* of NumPy: "<f4" */
    uint32_t width;    /* bytes of an element */
    uint32_t n_dims;
    uint64_t shape[GGK_MAX_DIMS]; /* in ggml's order, row length first */
    char type[40]; /* of bytes: the tensor type they are of; else "" */
};

/* How a tensor of `bytes` bytes looks there. `info` is NULL if its layout is
 * not known: then it is so many bytes, of "type139". */
void ggki_array_of(ggk_str name, uint32_t type, const ggk_type_info *info,
                   uint32_t n_dims, const uint64_t *ne, uint64_t bytes,
                   struct ggki_array *out);

/* Takes the next bytes of a header. */
typedef ggk_status ggki_array_put(void *ctx, const void *data, size_t bytes,
                                  ggk_error *err);

/* A header that is being written; with `put` NULL it is only measured, by
 * `pos`. Errors stick, and ggki_array_finish tells the first. */
struct ggki_array_writer {
    ggki_array_put *put;
    void *ctx;
    ggk_error *err;
    ggk_status status;
    uint64_t pos; /* bytes so far */
    uint64_t n_types, n_tensors;
    size_t n; /* in the buffer */
    char buffer[4096];
};

void ggki_array_start(struct ggki_array_writer *w, ggki_array_put *put,
                      void *ctx, ggk_error *err);
ggk_status ggki_array_finish(struct ggki_array_writer *w);

#define GGKI_SAFETENSORS_LENGTH_BYTES 8
#define GGKI_SAFETENSORS_MOST \
    100000000 /* bytes of JSON, which its readers take */

/* May a tensor of safetensors have this name? It has to be UTF-8, and not that
 * of the metadata. */
bool ggki_safetensors_name_ok(ggk_str name);

/* The header of safetensors, in this order: its beginning, with the bytes of
 * JSON that follow; into the metadata, the types of those that are bytes; the
 * tensors, each with its data's place; the end, filled up with spaces to a
 * multiple of 8. */
void ggki_safetensors_begin(struct ggki_array_writer *w, uint64_t json_bytes);
void ggki_safetensors_type(struct ggki_array_writer *w,
                           const struct ggki_array *a);
void ggki_safetensors_tensor(struct ggki_array_writer *w,
                             const struct ggki_array *a, uint64_t begin,
                             uint64_t end);
void ggki_safetensors_end(struct ggki_array_writer *w);

/* The header of a .npy file, magic and all, as numpy.save writes it. */
void ggki_npy_header(struct ggki_array_writer *w, const struct ggki_array *a);

#endif
