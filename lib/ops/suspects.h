/* suspects.h - what the bytes of a tensor tell of downloads that broke off, and
 * of bits that flipped. */
#ifndef GGKI_SUSPECTS_H
#define GGKI_SUSPECTS_H

#include "ggk.h"

/* Does the tensor hold weights that make a matrix: no norm, no bias? */
bool ggki_is_weight(const ggk_tensor *t, const ggk_type_info *type);

/* Has a tensor of this name a row for each token, of which some need not exist?
 */
bool ggki_is_of_tokens(ggk_str name);

/* The longest run of zero bytes, of those of GGKI_ZEROS_LEAST and more. Begins
 * as zeros. */
#define GGKI_ZEROS_LEAST 4096

struct ggki_zeros {
    uint64_t n;           /* bytes that were looked at */
    uint64_t lead, trail; /* zero bytes that these begin and end with */
    uint64_t at, longest; /* where the run begins, and its bytes */
};

/* Of `n` bytes alone; and of those of `part` behind those of `z`. */
void ggki_zeros_find(struct ggki_zeros *z, const uint8_t *bytes, size_t n);
void ggki_zeros_merge(struct ggki_zeros *z, const struct ggki_zeros *part);

/* How large blocks are, or runs of GGKI_SIZES_RUN single numbers: by the
 * exponent of the largest scale, or number. What is all zero, NaN or infinite
 * does not count. Begins as zeros. */
#define GGKI_SIZES_RUN 64

struct ggki_sizes {
    uint32_t counts[256]; /* of each exponent */
    uint32_t largest;     /* 1 + the largest exponent, */
    uint64_t at;          /* and the first number of the first that has it */
};

/* Is the type one whose sizes can be told? */
bool ggki_has_sizes(const ggk_type_info *type);

/* Add `n` numbers of such a type, whole blocks, the first of which is number
 * `at`: whether all scales are finite, or all single numbers. Add those of
 * `part`, which follow. */
bool ggki_sizes_add(struct ggki_sizes *s, const ggk_type_info *type,
                    const uint8_t *blocks, size_t n, uint64_t at);
void ggki_sizes_merge(struct ggki_sizes *s, const struct ggki_sizes *part);

/* How many are more than 1000 times larger than all others, which are many;
 * 0: there are none, or more than flipped bits would make. */
uint64_t ggki_sizes_outliers(const struct ggki_sizes *s);

#endif
