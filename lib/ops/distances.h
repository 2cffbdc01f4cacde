/* distances.h - how far the numbers of tensors are from others. */
#ifndef GGKI_DISTANCES_H
#define GGKI_DISTANCES_H

#include "ops/values.h"

/* What was found of pairs of numbers, in a chunk and in a tensor. */
struct ggki_found_distance {
    struct ggki_distance finite;
    uint64_t n_not_finite; /* pairs with a NaN or an infinity, */
    uint64_t n_lost;       /* of which the two are not the same */
};

/* The `n` numbers of a span, in chunk->numbers, which are changed; the first is
 * number `i` of the chunk. */
void ggki_distance_look(const struct ggki_chunk *chunk,
                        struct ggki_found_distance *found, size_t i, size_t n);

/* A merge of struct ggki_values_work. */
void ggki_distance_put_together(void *into, const void *part);

/* For the caller: of `n` pairs, of tensors a and b. */
ggk_distance ggki_distance_told(const struct ggki_found_distance *found,
                                uint64_t a, uint64_t b, uint64_t n);

#endif
