/* hop.h - from string to string, as fast as can be. */
#ifndef GGKI_HOP_H
#define GGKI_HOP_H

#include <stdint.h>

/* Pass over strings with 64-bit little-endian lengths that begin at `p` and lie
 * whole before `end`: at most `*n`, of which `*n` is left with how many were
 * not passed. Returns where the next one begins. */
const uint8_t *ggki_hop(const uint8_t *p, const uint8_t *end, uint64_t *n);

#endif
