/* known_keys.h - the types of keys that all models of llama.cpp's family have.
 */
#ifndef CLI_KNOWN_KEYS_H
#define CLI_KNOWN_KEYS_H

#include "new_value.h"

/* known_key_type - the type that gguf-py writes the key as; false if it is not
 * known. */
bool known_key_type(ggk_str key, struct value_type *out);

/* known_key_near - a well-known key that `key`, which is none, was probably
 * meant to be, into `out`; false if there is none. `architecture` is that of
 * the model, empty if it is not known. */
#define KNOWN_KEY_BYTES 256
bool known_key_near(ggk_str key, ggk_str architecture, char *out);

/* known_key_word - the number that a word stands for as the value of a key:
 * "Q4_K_M" or "MOSTLY_Q4_K_M" of general.file_type. False if it is none. */
bool known_key_word(ggk_str key, const char *word, ggk_value *out);

/* known_token_key - the key that names the token of a task: "bos" or "unk" to
 * tokenizer.ggml.bos_token_id or .unknown_token_id; NULL if there is none. The
 * names are those of llama.cpp (llama-arch.cpp, LLM_KV_TOKENIZER_*_ID), of keys
 * and of gguf-new-metadata.
 * known_token_name - all of them; NULL past the last. */
const char *known_token_key(const char *name);
const char *known_token_name(size_t i);

#endif
