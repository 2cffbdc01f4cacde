/* hash.h - the digests of a model in the making. */
#ifndef GGKI_HASH_H
#define GGKI_HASH_H

#include "ops/digest.h"

/* Data is read in pieces of so many bytes. */
#define GGKI_HASH_PIECE ((size_t)1 << 20)

struct ggk_digests {
    ggk_allocator mem;
    uint64_t n_tensors;
    uint32_t model_set;                /* bits 1u << algorithm */
    uint32_t tensor_set;               /* of each tensor, as was wanted; */
    uint32_t kept_set;                 /* and what else is needed of it */
    size_t stride;                     /* bytes of one tensor's digests */
    size_t tensor_off[GGK_ALGO_COUNT]; /* in these */
    uint8_t *tensors;
    uint8_t model[GGK_ALGO_COUNT][GGK_DIGEST_MAX_BYTES];
};

/* What is to be done. */
struct ggki_hash {
    const ggk_model *model;
    struct ggki_sha sha;
    struct ggk_digests *out;
    uint64_t *sizes; /* bytes of each tensor */
    uint64_t total;  /* and of all */
    unsigned n_threads;
    ggk_on_progress *on_progress; /* may be NULL */
    void *progress_ctx;
};

static inline bool ggki_has_algo(uint32_t set, uint32_t algo)
{
    return (set >> algo & 1) != 0;
}

/* Where the digest of tensor `i` is kept. */
static inline uint8_t *ggki_tensor_digest(const struct ggk_digests *digests,
                                          uint64_t i, uint32_t algo)
{
    return digests->tensors + (size_t)i * digests->stride +
           digests->tensor_off[algo];
}

/* Make the digests of the whole model (but CONTENT) and of each tensor, reading
 * every byte once: the digests of the whole are a chain each, however many
 * threads there are, and keep step with each other. */
ggk_status ggki_hash_in_order(const struct ggki_hash *hash, ggk_error *err);

/* Make the digests of each tensor, tensors side by side. */
ggk_status ggki_hash_tensors(const struct ggki_hash *hash, ggk_error *err);

/* Make CONTENT, when the SHA-256 of each tensor is there. */
ggk_status ggki_hash_content(const struct ggki_hash *hash, ggk_error *err);

#endif
