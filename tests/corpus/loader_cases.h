/* loader_cases.h - random models, made right or spoilt in one of 33 ways, those
 * of the reference program's own test of its loader (test-gguf). */
#ifndef GGK_TESTS_LOADER_CASES_H
#define GGK_TESTS_LOADER_CASES_H

#include "bytes.h"

/* By stage: each has all that the stages before it have, and valid. */
enum loader_case {
    HEADER_BAD_MAGIC,
    HEADER_BAD_VERSION_0,
    HEADER_BAD_VERSION_1,
    HEADER_BAD_VERSION_FUTURE,
    HEADER_BAD_N_KV,
    HEADER_BAD_N_TENSORS,
    HEADER_EMPTY,

    KV_BAD_KEY_SIZE,
    KV_EMPTY_KEY,
    KV_BAD_TYPE,
    KV_DUPLICATE_KEY,
    KV_BAD_ALIGN,
    KV_WRONG_TYPE_ALIGN,
    KV_SUCCESS,

    TENSORS_BAD_NAME_SIZE,
    TENSORS_BAD_N_DIMS,
    TENSORS_BAD_SHAPE,
    TENSORS_ZERO_DIM,
    TENSORS_NE_TOO_BIG,
    TENSORS_NBYTES_TOO_BIG,
    TENSORS_BAD_TYPE,
    TENSORS_BAD_OFFSET,
    TENSORS_DUPLICATE_NAME,
    TENSORS_BAD_ALIGN,
    TENSORS_INCONSISTENT_ALIGN,
    TENSORS_SUCCESS,
    TENSORS_CUSTOM_ALIGN,

    DATA_NOT_ENOUGH_DATA,
    DATA_BAD_ALIGN,
    DATA_INCONSISTENT_ALIGN,
    DATA_MEM_SIZE_OVERFLOW,
    DATA_SUCCESS,
    DATA_CUSTOM_ALIGN,
    LOADER_CASES
};

extern const char *const loader_case_names[LOADER_CASES];

/* What the loader must do with it. */
bool loader_case_succeeds(enum loader_case c);
bool loader_case_has_keys(enum loader_case c);
bool loader_case_has_tensors(enum loader_case c);
bool loader_case_has_data(enum loader_case c);

enum { MADE_MOST = 101 };

/* A key-value "my_key_<i>", and where its value is: bytes [value, end). */
struct made_key {
    uint32_t type, elem_type;
    uint64_t n;
    uint32_t words[16]; /* what its bytes are made of */
    size_t string_bytes;
    size_t value, end;
};

/* A tensor "my_tensor_<i>". */
struct made_tensor {
    uint32_t type, n_dims;
    uint64_t ne[4];
    uint64_t offset, bytes;
};

struct made {
    struct bytes file;
    uint32_t n_keys, n_tensors; /* the key of the alignment not counted */
    uint64_t alignment;         /* what a reader must take */
    bool has_alignment;         /* it is a key, the last one */
    size_t data;                /* where the data starts */
    struct made_key keys[MADE_MOST];
    struct made_tensor tensors[MADE_MOST];
};

/* made_new - make case `c` from `seed`, with up to `draws` keys and tensors,
 * after `prefix` bytes of 0xAB and before `extra` zeros. */
void made_new(struct made *m, enum loader_case c, uint64_t seed, uint32_t draws,
              size_t prefix, size_t extra);
void made_free(struct made *m);

#endif
