/* arm.h - the kernels for the instruction set of AArch64. */
#ifndef GGKI_ARM_H
#define GGKI_ARM_H

#include "kern/kern.h"

/* AArch64 has Advanced SIMD always; kernels load as little-endian machines do.
 */
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#    define GGKI_HAS_NEON 1
#else
#    define GGKI_HAS_NEON 0
#endif

/* NULL where there is none of its own; on other processors always. */
struct ggki_kern ggki_kern_neon(uint32_t type);

#endif
