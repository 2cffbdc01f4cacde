/* kern_avx512.c - the kernels with AVX-512. */
#include "kern/x86/x86.h"

#if defined(__x86_64__)
#    include "kern/round.h"
#    include "kern/x86/target_avx512.h"

#    include "kern/x86/lanes_avx512.h"

#    include "kern/lanes/table_lanes.h"

struct ggki_kern ggki_kern_avx512(uint32_t type)
{
    return lanes_kern(type);
}

#    include "kern/x86/target_end.h"
#else
struct ggki_kern ggki_kern_avx512(uint32_t type)
{
    (void)type;
    return (struct ggki_kern){NULL, NULL};
}
#endif
