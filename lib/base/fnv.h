/* fnv.h - FNV-1a, a hash that tells chance from chance. */
#ifndef GGKI_FNV_H
#define GGKI_FNV_H

#include <stddef.h>
#include <stdint.h>

#define GGKI_FNV_START UINT64_C(0xcbf29ce484222325)

/* The hash `h` of what came before, with `bytes` bytes more. */
static inline uint64_t ggki_fnv(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

#endif
