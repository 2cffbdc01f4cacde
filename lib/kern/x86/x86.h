/* x86.h - the kernels for each instruction set of x86-64. */
#ifndef GGKI_X86_H
#define GGKI_X86_H

#include "kern/measure.h"

/* NULL where there is none of its own; on other processors always. */
struct ggki_kern ggki_kern_avx2(uint32_t type);
struct ggki_kern ggki_kern_avx512(uint32_t type);
const struct ggki_loops *ggki_loops_avx2(void);

#endif
