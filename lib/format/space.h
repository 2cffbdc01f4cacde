/* space.h - free space in a header: docs/format.md 4.4. */
#ifndef GGKI_SPACE_H
#define GGKI_SPACE_H

#include "format/reader.h"

/* Is a key-value free space (ggk_is_space)? `value` is as version `version`
 * stores it. */
bool ggki_is_space(ggk_str key, uint32_t type, ggk_str value, uint32_t version);

/* Is key-value `i`? */
bool ggki_gguf_is_space(const struct ggki_gguf *g, uint64_t i);

/* Does the header end with free space, and how many bytes of it are there? */
bool ggki_gguf_space(const struct ggki_gguf *g, uint64_t *bytes);

#endif
