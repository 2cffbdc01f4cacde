/* builder.h - the bytes of a value that was built. */
#ifndef GGKI_BUILDER_H
#define GGKI_BUILDER_H

#include "ggk.h"

/* The whole value as version 3 stores it, little-endian, and its type; false if
 * it is not whole. Valid until the builder changes. */
bool ggki_builder_value(const ggk_builder *builder, uint32_t *type,
                        ggk_str *out);

/* One scalar in the encoding of `version` and byte order: at most 8 bytes into
 * `out`, their number into `*bytes`; of a STRING the length only. GGK_E_RANGE
 * if its type cannot hold it, GGK_E_TYPE if it is no scalar type. */
ggk_status ggki_encode_scalar(const ggk_value *value, uint32_t version,
                              bool big, uint8_t out[8], size_t *bytes,
                              ggk_error *err);

#endif
