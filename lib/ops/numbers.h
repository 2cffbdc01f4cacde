/* numbers.h - the numbers of tensors, and blocks of them. */
#ifndef GGKI_NUMBERS_H
#define GGKI_NUMBERS_H

#include "ggk.h"
#include "kern/kern.h"

/* The kernels of a built-in type, as this processor has them; both NULL for any
 * other type, and for NULL. */
struct ggki_kern ggki_numbers_kern(const ggk_type_info *type);

/* The first of `n` blocks, little-endian, with a scale that is NaN or infinite;
 * of types without scales, the first such number. `n`: there is none. */
size_t ggki_numbers_find_bad_block(const ggk_type_info *type,
                                   const uint8_t *blocks, size_t n);

/* Has it scales that the function above looks at, or numbers of which it finds
 * those that are not finite? Of other types it finds nothing. */
bool ggki_numbers_has_scales(const ggk_type_info *type);

/* Where number `i` of a tensor is: "row 3, column 17 of slice 1". */
#define GGKI_NUMBER_PLACE_BYTES 96
void ggki_number_place(char out[GGKI_NUMBER_PLACE_BYTES], const uint64_t *ne,
                       uint32_t n_dims, uint64_t i);

#endif
