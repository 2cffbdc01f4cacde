/* pre_tokenizers.h - the names that tokenizer.ggml.pre may hold.
 *
 * llama.cpp refuses a model with a byte-pair vocabulary (tokenizer.ggml.model
 * "gpt2", "hybriddna" or "whitespace") under any other name; for other
 * vocabularies it does not look.
 */
#ifndef GGKI_PRE_TOKENIZERS_H
#define GGKI_PRE_TOKENIZERS_H

#include "ggk.h"

/* Does llama.cpp v0.5.0 know a pre-tokenizer of that name? "default" is one,
 * the empty name is none. */
bool ggki_pre_tokenizer_is_known(ggk_str name);

#endif
