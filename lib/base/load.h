/* load.h - integers and floats from file bytes, in either byte order.
 *
 * Bytewise, so that neither the host's byte order nor alignment matters; gcc
 * and clang turn each into one load, with a swap where needed.
 */
#ifndef GGKI_LOAD_H
#define GGKI_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A number that was read and is now to be checked and used: the compiler must
 * not read it again, since a map may have changed in between. */
static inline uint64_t load_once(uint64_t v)
{
#if defined(__GNUC__)
    __asm__ volatile("" : "+r"(v));
#endif
    return v;
}

static inline uint16_t load_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t load_le64(const uint8_t *p)
{
    return (uint64_t)load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline uint16_t load_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           (uint32_t)p[3];
}

static inline uint64_t load_be64(const uint8_t *p)
{
    return (uint64_t)load_be32(p) << 32 | (uint64_t)load_be32(p + 4);
}

static inline uint16_t load_u16(const uint8_t *p, bool big)
{
    return big ? load_be16(p) : load_le16(p);
}

static inline uint32_t load_u32(const uint8_t *p, bool big)
{
    return big ? load_be32(p) : load_le32(p);
}

static inline uint64_t load_u64(const uint8_t *p, bool big)
{
    return big ? load_be64(p) : load_le64(p);
}

static inline float load_f32(const uint8_t *p, bool big)
{
    uint32_t bits = load_u32(p, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double load_f64(const uint8_t *p, bool big)
{
    uint64_t bits = load_u64(p, big);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
