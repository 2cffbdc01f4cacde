/* known_keys.h - the types of keys that all models of llama.cpp's family have.
 */
#ifndef CLI_KNOWN_KEYS_H
#define CLI_KNOWN_KEYS_H

#include "new_value.h"

/* known_key_type - the type that gguf-py writes the key as; false if it is not
 * known. */
bool known_key_type(ggk_str key, struct value_type *out);

/* known_key_is_space - is it the key of free space, which is no part of the
 * model? */
#define KNOWN_KEY_SPACE "general.padding"
bool known_key_is_space(ggk_str key);

/* known_token_key - the key that names the token of a task: "bos" or "unk" to
 * tokenizer.ggml.bos_token_id or .unknown_token_id; NULL if there is none. The
 * names are those of llama.cpp (llama-arch.cpp, LLM_KV_TOKENIZER_*_ID), of keys
 * and of gguf-new-metadata.
 * known_token_name - all of them; NULL past the last. */
const char *known_token_key(const char *name);
const char *known_token_name(size_t i);

#endif
