/* array_in.h - arrays of numbers in files of other kinds: what the headers of
 * .npy and safetensors say of them. Knows no GGUF but the names of the types of
 * plain numbers.
 */
#ifndef CLI_ARRAY_IN_H
#define CLI_ARRAY_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_IN_DIMS 8

struct array_in {
    char dtype[16];   /* as the file has it: "<f4", "BF16" */
    const char *type; /* "F32"; NULL for bits that only the user can name:
                         integers without a sign, truth values, FP8... */
    uint32_t width;   /* bytes of an element */
    bool big_endian;
    uint32_t n_dims;
    uint64_t dims[ARRAY_IN_DIMS]; /* as the file has them: row length last */
    uint64_t off;                 /* of the first element in the file */
    uint64_t bytes;
};

/* The types of plain numbers: as GGUF and safetensors call them, of which kind,
 * in how many bytes. */
struct array_plain {
    const char *name;
    char kind; /* as .npy has it: 'f', 'i'; 'b' for BF16, which it has not */
    uint32_t width;
};

/* array_plain_named, _of - the one of that name, of that kind; NULL if there is
 * none. */
const struct array_plain *array_plain_named(const char *name);
const struct array_plain *array_plain_of(char kind, uint32_t width);

enum array_read {
    ARRAY_READ,
    ARRAY_BAD,         /* the file is not what it should be */
    ARRAY_UNSUPPORTED, /* it is, but cannot be used */
    ARRAY_NOT_FOUND,
    ARRAY_NO_MEMORY
};

struct array_error {
    char what[200]; /* a sentence */
    char field[64]; /* which is at fault, or "" */
    uint64_t at;    /* the byte at fault, or ARRAY_NOWHERE */
};
#define ARRAY_NOWHERE UINT64_MAX

/* array_measure - bytes of `dims` elements of `width`; false: past 2^64. */
bool array_measure(const uint64_t *dims, uint32_t n_dims, uint32_t width,
                   uint64_t *out);

/* array_fail - fill an error; returns `read`. */
enum array_read array_fail(struct array_error *err, enum array_read read,
                           uint64_t at, const char *field, const char *format,
                           ...)
#if defined(__GNUC__)
    __attribute__((__format__(__printf__, 5, 6)))
#endif
    ;

/* npy_in_parse - the header of a .npy file of `file_bytes`, of which `head` are
 * the first `n`: NPY_HEAD_BYTES, if it has so many. */
#define NPY_HEAD_BYTES ((size_t)1 << 16)
enum array_read npy_in_parse(const char *head, size_t n, uint64_t file_bytes,
                             struct array_in *out, struct array_error *err);

/* The arrays of a safetensors file. */
struct safetensors_in;

/* safetensors_in_measure - from the first SAFETENSORS_PREFIX bytes, of which a
 * file has `n`: how many bytes of JSON follow.
 * safetensors_in_parse - they. Places, types and sizes of all arrays are
 * checked. On ARRAY_READ safetensors_in_free must follow.
 * safetensors_in_find - one of the arrays. */
#define SAFETENSORS_PREFIX 8
enum array_read safetensors_in_measure(const char *prefix, size_t n,
                                       uint64_t file_bytes, size_t *json_bytes,
                                       struct array_error *err);
enum array_read safetensors_in_parse(const char *json, size_t n,
                                     uint64_t file_bytes,
                                     struct safetensors_in **out,
                                     struct array_error *err);
void safetensors_in_free(struct safetensors_in *file);
enum array_read safetensors_in_find(const struct safetensors_in *file,
                                    const char *name, struct array_in *out,
                                    struct array_error *err);

#endif
