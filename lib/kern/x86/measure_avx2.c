/* measure_avx2.c - the loops of measure.c with AVX2. */
#include "kern/x86/x86.h"

#if defined(__x86_64__)
#    include "kern/x86/lanes_avx2.h"

#    include "kern/measure_loops.h"

const struct ggki_loops *ggki_loops_avx2(void)
{
    return &loops;
}

#    include "kern/x86/target_end.h"
#else
const struct ggki_loops *ggki_loops_avx2(void)
{
    return NULL;
}
#endif
