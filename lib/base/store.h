/* store.h - integers into file bytes, in either byte order: load.h the other
 * way. */
#ifndef GGKI_STORE_H
#define GGKI_STORE_H

#include <stdbool.h>
#include <stdint.h>

static inline void store_u16(uint8_t *p, uint16_t v, bool big)
{
    p[big] = (uint8_t)v;
    p[!big] = (uint8_t)(v >> 8);
}

static inline void store_u32(uint8_t *p, uint32_t v, bool big)
{
    for (int i = 0; i < 4; i++)
        p[big ? 3 - i : i] = (uint8_t)(v >> 8 * i);
}

static inline void store_u64(uint8_t *p, uint64_t v, bool big)
{
    for (int i = 0; i < 8; i++)
        p[big ? 7 - i : i] = (uint8_t)(v >> 8 * i);
}

#endif
