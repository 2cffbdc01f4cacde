/* hashing.h - what the parts of gguf hash share. */
#ifndef CLI_CMD_HASHING_H
#define CLI_CMD_HASHING_H

#include "input.h"

/* Is an algorithm in a set of bits? */
static inline bool hash_has(uint32_t set, uint32_t algo)
{
    return (set >> algo & 1) != 0;
}

#define HASH_MODEL_ONLY (1u << GGK_ALGO_UUID | 1u << GGK_ALGO_CONTENT)

/* hash_digests - compute them, with a line of progress; NULL after a message,
 * with the exit status in *status. */
ggk_digests *hash_digests(const struct input *in, uint32_t model,
                          uint32_t tensors, int *status);

/* hash_put_name - the model, or with a colon one of its tensors, made safe. */
void hash_put_name(const struct input *in, const ggk_str *tensor);

/* hash_check - compare the model with a manifest: `wanted` algorithms, or 0 for
 * all that it has. Returns the exit status. */
int hash_check(const struct input *in, const char *manifest, uint32_t wanted);

#endif
