/* sum.h - a sum of bytes that tells chance from chance, at the speed of memory.
 *
 * Words of eight bytes are taken in turn into lanes, which do not wait for each
 * other; of no two texts of one length that differ in one word alone is it the
 * same. A length that may be another is to be known otherwise: what is missing
 * at the end counts as zeros.
 */
#ifndef GGKI_SUM_H
#define GGKI_SUM_H

#include <stddef.h>
#include <stdint.h>

enum { GGKI_SUM_LANES = 4, GGKI_SUM_BLOCK = 8 * GGKI_SUM_LANES };

struct ggki_sum {
    uint64_t lanes[GGKI_SUM_LANES];
    uint8_t part[GGKI_SUM_BLOCK]; /* of a block that is not whole yet */
    size_t n;                     /* its bytes */
};

/* Begin; add what follows, in pieces of any length; the sum of all so far,
 * after which nothing may be added. */
void ggki_sum_start(struct ggki_sum *s);
void ggki_sum_add(struct ggki_sum *s, const void *data, size_t bytes);
uint64_t ggki_sum_end(struct ggki_sum *s);

#endif
