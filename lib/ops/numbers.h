/* numbers.h - the numbers of tensors, and blocks of them. */
#ifndef GGKI_NUMBERS_H
#define GGKI_NUMBERS_H

#include "ggk.h"
#include "kern/kern.h"

/* The kernels of a built-in type, as this processor has them; both NULL for any
 * other type, and for NULL. */
struct ggki_kern ggki_numbers_kern(const ggk_type_info *type);

/* Is it a built-in type with scales that can be told not to be any? F16 and
 * BF16 count: each of their numbers is like one. */
bool ggki_numbers_have_scales(const ggk_type_info *type);

/* The first of `n` blocks, little-endian, with a scale that is NaN or infinite;
 * of types without scales, the first such number. `n`: there is none. */
size_t ggki_numbers_find_bad_block(const ggk_type_info *type,
                                   const uint8_t *blocks, size_t n);

/* Likewise, the first whose scale is finite, but so large that a number of it
 * can be infinite. */
size_t ggki_numbers_find_huge_block(const ggk_type_info *type,
                                    const uint8_t *blocks, size_t n);

/* How large the blocks of a type with scales are: 1 + the exponent of the
 * largest, as it is stored; 0: they are zero; GGKI_NOT_FINITE: one is NaN or
 * infinite. */
#define GGKI_NOT_FINITE UINT16_MAX

void ggki_numbers_block_sizes(const ggk_type_info *type, const uint8_t *blocks,
                              size_t n, uint16_t *sizes);

/* What the numbers of such a block are for the type: "too large", or "too
 * small". */
const char *ggki_numbers_fault(const ggk_type_info *type);

/* Where number `i` of a tensor is: "row 3, column 17 of slice 1". */
#define GGKI_NUMBER_PLACE_BYTES 96
void ggki_number_place(char out[GGKI_NUMBER_PLACE_BYTES], const uint64_t *ne,
                       uint32_t n_dims, uint64_t i);

#endif
