/* architectures.h - what is known of each model architecture: the keys that a
 * model of it must have, and what its layers keep of the tokens before. */
#ifndef GGKI_ARCHITECTURES_H
#define GGKI_ARCHITECTURES_H

#include "ggk.h"

/* What the layers keep of the tokens before. */
enum ggki_cache {
    GGKI_CACHE_KV = 0, /* keys and values; layers of 0 heads keep nothing */
    GGKI_CACHE_STATE,  /* a state of fixed size */
    GGKI_CACHE_HYBRID, /* layers of 0 key-value heads a state, the others keys
                          and values */
    GGKI_CACHE_UNKNOWN
};

/* Positions are rotations; keys and values may be compressed into one;
 * positions may be biases; the experts in use, if they have no length of their
 * own, share the feed-forward length; layers with a window rotate by base 10000
 * and not by that of the others; llama.cpp loads it, with a token_embd.weight,
 * an output_norm.weight, and in each block a blk.N.attn_norm.weight. */
#define GGKI_ARCH_ROPE      1u
#define GGKI_ARCH_MLA       2u
#define GGKI_ARCH_ALIBI     4u
#define GGKI_ARCH_SHARES    8u
#define GGKI_ARCH_SWA_10000 16u
#define GGKI_ARCH_BLOCKS    32u

struct ggki_arch {
    const char *name;
    const char *const *required; /* keys without "llama.", NULL at the end */
    const char *spared; /* the one of them that llama.cpp does without */
    enum ggki_cache cache;
    unsigned flags;         /* GGKI_ARCH_* */
    uint32_t window_period; /* of so many layers all but the last have a sliding
                               window; 0: no layer ever has */
    uint32_t window;        /* its tokens, if none are stored; 0: no window */
};

/* The architecture of that name, or NULL. */
const struct ggki_arch *ggki_arch_find(ggk_str name);

/* Another spelling of a key, of those that go by two names:
 * "attention.max_alibi_bias" for "attention.alibi_bias_max"; else NULL. */
const char *ggki_arch_other_key(const char *key);

#endif
