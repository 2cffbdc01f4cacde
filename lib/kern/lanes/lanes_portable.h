/* lanes_portable.h - 16 numbers at once, in plain C: what the functions of all
 * lanes mean, and for tests, which run the kernels with them.
 *
 * vfloat, vint and vmask are 16 floats, integers of 32 bits, and yes or no;
 * vf_, vi_ and vm_ begin what is done to each lane by itself, unless said
 * otherwise.
 */
#ifndef GGKI_LANES_PORTABLE_H
#define GGKI_LANES_PORTABLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/round.h"

#define LANES_INLINE static inline

/* Before a loop of 16: it becomes no loop. Before any: two turns are one. */
#define LANES_UNROLL
#define LANES_UNROLL_TWO

enum { LANES = 16, LANES_ALL = 0xffff };

typedef struct {
    float lane[LANES];
} vfloat;

typedef struct {
    int32_t lane[LANES];
} vint;

typedef struct {
    bool lane[LANES];
} vmask;

/* ------------------------------------------------------------------ floats */

LANES_INLINE vfloat vf_set(float value)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = value;
    return out;
}

/* One in the first 8 lanes, the other in the last. */
LANES_INLINE vfloat vf_halves(float first, float last)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = i < LANES / 2 ? first : last;
    return out;
}

LANES_INLINE vfloat vf_load(const float *p)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = p[i];
    return out;
}

LANES_INLINE void vf_store(float *p, vfloat a)
{
    for (int i = 0; i < LANES; i++)
        p[i] = a.lane[i];
}

LANES_INLINE vfloat vf_add(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] + b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_sub(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] - b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_mul(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] * b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_div(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] / b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_sqrt(vfloat a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = sqrtf(a.lane[i]);
    return out;
}

/* `b` where one is a NaN, or both are zero. */
LANES_INLINE vfloat vf_min(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

/* As vf_min. */
LANES_INLINE vfloat vf_max(vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_abs(vfloat a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = fabsf(a.lane[i]);
    return out;
}

LANES_INLINE vfloat vf_negate(vfloat a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = -a.lane[i];
    return out;
}

/* To the nearest, of two the even one. */
LANES_INLINE vfloat vf_round(vfloat a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = rintf(a.lane[i]);
    return out;
}

LANES_INLINE vfloat vf_select(vmask m, vfloat a, vfloat b)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = m.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

LANES_INLINE vfloat vf_load_f16(const uint8_t *p)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = load_f16(p + 2 * i);
    return out;
}

/* Of a NaN that of one_nan, which is the only one given. */
LANES_INLINE void vf_store_f16(uint8_t *p, vfloat a)
{
    for (int i = 0; i < LANES; i++)
        store_f16(p + 2 * i, a.lane[i]);
}

/* load_f16, by what the processor has for it. */
LANES_INLINE float load_half(const uint8_t *p)
{
    return load_f16(p);
}

/* In a table of four, by the lowest bits. */
LANES_INLINE vfloat vf_lookup4(const float *table, vint index)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = table[index.lane[i] & 3];
    return out;
}

LANES_INLINE vfloat vf_lookup8(const float *table, vint index)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = table[index.lane[i] & 7];
    return out;
}

LANES_INLINE vfloat vf_lookup16(const float *table, vint index)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = table[index.lane[i] & 15];
    return out;
}

/* Of all lanes; none is a NaN, and which zero of several is not said. */
LANES_INLINE float vf_least(vfloat a)
{
    float least = a.lane[0];

    for (int i = 1; i < LANES; i++)
        least = a.lane[i] < least ? a.lane[i] : least;
    return least;
}

LANES_INLINE float vf_largest(vfloat a)
{
    float largest = a.lane[0];

    for (int i = 1; i < LANES; i++)
        largest = a.lane[i] > largest ? a.lane[i] : largest;
    return largest;
}

/* ---------------------------------------------------------------- integers */

LANES_INLINE vint vi_set(int32_t value)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = value;
    return out;
}

/* Little-endian. */
LANES_INLINE vint vi_load(const uint8_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)load_le32(p + 4 * i);
    return out;
}

LANES_INLINE vint vi_load_u8(const uint8_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = p[i];
    return out;
}

LANES_INLINE vint vi_load_i8(const int8_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = p[i];
    return out;
}

LANES_INLINE vint vi_load_u16(const uint8_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = load_le16(p + 2 * i);
    return out;
}

/* The same of numbers in memory. */
LANES_INLINE vint vi_load_16(const uint16_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = p[i];
    return out;
}

/* The low bits. */
LANES_INLINE void vi_store_16(uint8_t *p, vint a)
{
    for (int i = 0; i < LANES; i++)
        store_u16(p + 2 * i, (uint16_t)(a.lane[i] & 0xffff), false);
}

/* The low halves, for vi_load_16. */
LANES_INLINE void vi_save_16(uint16_t *p, vint a)
{
    for (int i = 0; i < LANES; i++)
        p[i] = (uint16_t)a.lane[i];
}

LANES_INLINE void vi_store_8(uint8_t *p, vint a)
{
    for (int i = 0; i < LANES; i++)
        p[i] = (uint8_t)(a.lane[i] & 0xff);
}

/* Of 8 bytes the low nibbles, and then the high ones. */
LANES_INLINE vint vi_load_nibbles(const uint8_t *p)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = p[i % 8] >> i / 8 * 4 & 15;
    return out;
}

/* All lanes are below 16. */
LANES_INLINE void vi_store_nibbles(uint8_t *p, vint a)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(a.lane[i] | a.lane[i + 8] << 4);
}

/* Modulo 2^32, as all that follows. */
LANES_INLINE vint vi_add(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)((uint32_t)a.lane[i] + (uint32_t)b.lane[i]);
    return out;
}

LANES_INLINE vint vi_sub(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)((uint32_t)a.lane[i] - (uint32_t)b.lane[i]);
    return out;
}

LANES_INLINE vint vi_and(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] & b.lane[i];
    return out;
}

LANES_INLINE vint vi_or(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] | b.lane[i];
    return out;
}

LANES_INLINE vint vi_xor(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] ^ b.lane[i];
    return out;
}

LANES_INLINE vint vi_min(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

LANES_INLINE vint vi_min_unsigned(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] =
            (uint32_t)a.lane[i] < (uint32_t)b.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

LANES_INLINE vint vi_max(vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

LANES_INLINE vint vi_shl(vint a, int n)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)((uint32_t)a.lane[i] << n);
    return out;
}

/* Zeros come in. */
LANES_INLINE vint vi_shr(vint a, int n)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)((uint32_t)a.lane[i] >> n);
    return out;
}

/* By that of the other's lane, 0 to 31; zeros come in. */
LANES_INLINE vint vi_shr_by(vint a, vint n)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)((uint32_t)a.lane[i] >> n.lane[i]);
    return out;
}

/* As vf_halves. */
LANES_INLINE vint vi_halves(int32_t first, int32_t last)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = i < LANES / 2 ? first : last;
    return out;
}

/* Bit i of `bits` in lane i. */
LANES_INLINE vint vi_spread(uint32_t bits)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)(bits >> i & 1);
    return out;
}

/* Bits 2 * i and 2 * i + 1 of `bits` in lane i. */
LANES_INLINE vint vi_spread_pairs(uint32_t bits)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)(bits >> 2 * i & 3);
    return out;
}

LANES_INLINE vint vi_select(vmask m, vint a, vint b)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = m.lane[i] ? a.lane[i] : b.lane[i];
    return out;
}

/* One more where `m` is set. */
LANES_INLINE vint vi_count(vint a, vmask m)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] + m.lane[i];
    return out;
}

/* ------------------------------------------------------------- conversions */

LANES_INLINE vint vf_bits(vfloat a)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (int32_t)f32_bits(a.lane[i]);
    return out;
}

LANES_INLINE vfloat vi_as_float(vint a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = f32_of_bits((uint32_t)a.lane[i]);
    return out;
}

LANES_INLINE vfloat vi_to_float(vint a)
{
    vfloat out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = (float)a.lane[i];
    return out;
}

LANES_INLINE vint vf_truncate(vfloat a)
{
    vint out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = truncate_int(a.lane[i]);
    return out;
}

/* ------------------------------------------------------------------- masks */

LANES_INLINE vmask vf_less(vfloat a, vfloat b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] < b.lane[i];
    return out;
}

LANES_INLINE vmask vf_not_less(vfloat a, vfloat b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = !(a.lane[i] < b.lane[i]);
    return out;
}

LANES_INLINE vmask vf_at_most(vfloat a, vfloat b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] <= b.lane[i];
    return out;
}

LANES_INLINE vmask vf_equal(vfloat a, vfloat b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] == b.lane[i];
    return out;
}

LANES_INLINE vmask vi_equal(vint a, vint b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] == b.lane[i];
    return out;
}

LANES_INLINE vmask vm_and(vmask a, vmask b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] && b.lane[i];
    return out;
}

LANES_INLINE vmask vm_or(vmask a, vmask b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] || b.lane[i];
    return out;
}

LANES_INLINE vmask vm_and_not(vmask a, vmask b)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = a.lane[i] && !b.lane[i];
    return out;
}

/* The first n lanes; n is 0 or more. */
LANES_INLINE vmask vm_first(int n)
{
    vmask out = {{0}};

    for (int i = 0; i < LANES; i++)
        out.lane[i] = i < n;
    return out;
}

/* Lane i in bit i. */
LANES_INLINE unsigned vm_bits(vmask m)
{
    unsigned bits = 0;

    for (int i = 0; i < LANES; i++)
        bits |= (unsigned)m.lane[i] << i;
    return bits;
}

/* Whether lane i is negative in bit i. */
LANES_INLINE unsigned vi_signs(vint a)
{
    unsigned bits = 0;

    for (int i = 0; i < LANES; i++)
        bits |= (unsigned)(a.lane[i] < 0) << i;
    return bits;
}

/* The lowest bit that is set, of at least one. */
LANES_INLINE unsigned lowest_bit(uint32_t bits)
{
    unsigned bit = 0;

    while ((bits >> bit & 1) == 0)
        bit++;
    return bit;
}

/* `n` numbers of each row, a multiple of 8: out[k][lane] = rows[lane][k]. */
LANES_INLINE void lanes_gather(const float *const rows[LANES], size_t n,
                               float (*out)[LANES])
{
    for (size_t k = 0; k < n; k++)
        for (size_t lane = 0; lane < LANES; lane++)
            out[k][lane] = rows[lane][k];
}

#endif
