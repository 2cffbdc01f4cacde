/* block_swap.h - tensor data from one byte order to the other.
 *
 * Which words of a block swap is told by docs/format.md 7.4, type by type, and
 * why those of IQ2_XXS cannot.
 */
#ifndef GGKI_BLOCK_SWAP_H
#define GGKI_BLOCK_SWAP_H

#include "ggk.h"

/* Is it known which bytes of this type's blocks swap? Not of a type that is
 * opaque (NULL too) or from a table of a user's, and not of IQ2_XXS. */
bool ggki_can_swap(const ggk_type_info *type);

/* Does swapping change any byte of them? Not if they consist of single bytes,
 * as those of I8 do: such data is copied as it is. False, too, for a type that
 * cannot be swapped. */
bool ggki_swap_matters(const ggk_type_info *type);

/* Swap whole blocks in place, wherever they lie in memory; the same again gives
 * what was there. Only for a type that can be swapped: the data of others is
 * left alone. */
void ggki_swap_blocks(const ggk_type_info *type, void *data, size_t n_blocks);

/* Turn `n` words of 2, 4 or 8 bytes round; words of one byte stay. */
void ggki_swap_words(void *data, size_t n, size_t width);

#endif
