/* lanes_inline.h - what the lanes of all instruction sets have in common: how
 * many there are, and how their functions and loops are compiled.
 */
#ifndef GGKI_LANES_INLINE_H
#define GGKI_LANES_INLINE_H

#include <stdint.h>

#define LANES_INLINE static inline __attribute__((always_inline, unused))

/* Before a loop of 16: it becomes no loop. Before any: two turns are one. */
#if defined(__clang__)
#    define LANES_UNROLL     _Pragma("unroll 16")
#    define LANES_UNROLL_TWO _Pragma("unroll 2")
#else
#    define LANES_UNROLL     _Pragma("GCC unroll 16")
#    define LANES_UNROLL_TWO _Pragma("GCC unroll 2")
#endif

enum { LANES = 16, LANES_ALL = 0xffff };

/* The lowest bit that is set, of at least one. */
LANES_INLINE unsigned lowest_bit(uint32_t bits)
{
    return (unsigned)__builtin_ctz(bits);
}

#endif
