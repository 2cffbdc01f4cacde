/* kern_neon.c - the kernels with the Advanced SIMD of AArch64. */
#include "kern/arm/arm.h"

#if GGKI_HAS_NEON
#    include "kern/arm/lanes_neon.h"
#    include "kern/round.h"

#    include "kern/lanes/table_lanes.h"

struct ggki_kern ggki_kern_neon(uint32_t type)
{
    return lanes_kern(type);
}
#else
struct ggki_kern ggki_kern_neon(uint32_t type)
{
    (void)type;
    return (struct ggki_kern){NULL, NULL};
}
#endif
