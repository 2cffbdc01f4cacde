/* transcode.h - the value of a key-value from one encoding to another: another
 * byte order, or version 1 (32-bit counts and lengths) to a later one.
 *
 * A value is its bytes as they are stored, all of them after its type; an array
 * begins with the type and number of its elements (which ggk_model_kv_bytes
 * leaves out). It was checked once, but may lie in a map that another process
 * writes to, and so is checked again: what no longer holds is GGK_E_CHANGED.
 */
#ifndef GGKI_TRANSCODE_H
#define GGKI_TRANSCODE_H

#include "ggk.h"

struct ggki_encoding {
    uint32_t version; /* 1, 2 or 3; of what is written 2 or 3 */
    bool big;
};

struct ggki_stored_value {
    const void *bytes;
    uint64_t n_bytes;
    uint32_t type;
    struct ggki_encoding encoding;
};

/* Takes the next `n` bytes. What is not GGK_OK ends the writing and is what it
 * returns; the error is then the receiver's to tell. */
typedef ggk_status ggki_put(void *ctx, const void *bytes, size_t n);

/* The bytes that the value will take. From version 1 it is gone through for
 * that, else nothing of it is looked at: the number stays the same. Errors:
 * GGK_E_ARG (version 1, or none, to be written); GGK_E_CHANGED;
 * GGK_E_OVERFLOW. */
ggk_status ggki_value_recoded_bytes(const struct ggki_stored_value *value,
                                    struct ggki_encoding to, uint64_t *out,
                                    ggk_error *err);

/* Give the value to `put`, in pieces of any size: just as many bytes as
 * `promised`, the number from ggki_value_recoded_bytes; never more, and fewer
 * only with an error. If nothing changes in the encoding, the bytes are passed
 * on as they are. Errors: those above, and those of `put`. */
ggk_status ggki_value_recode(const struct ggki_stored_value *value,
                             struct ggki_encoding to, uint64_t promised,
                             ggki_put *put, void *ctx, ggk_error *err);

#endif
