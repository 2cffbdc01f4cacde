/* round.h - how kernels round and convert numbers: the same on every machine.
 *
 * Each is defined for every argument, and gives what ggml's code gives on
 * x86-64, out of range too: blocks of numbers that nobody should have are still
 * those of the reference. Where a NaN has a sign or a payload, it is what the
 * processor makes of it.
 */
#ifndef GGKI_ROUND_H
#define GGKI_ROUND_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/load.h"
#include "base/store.h"

#if defined(__FAST_MATH__)
#    error "built with -ffast-math, the numbers would be others"
#endif
#if FLT_EVAL_METHOD != 0
#    error "floats are not computed as floats here"
#endif

static inline uint32_t f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To the nearest, and to the even one of two, if |value| <= 2^22 - 1. Beyond it
 * is what the bits happen to be; a NaN is the low 22 bits of its payload. */
static inline int32_t nearest_int(float value)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: its ulp is 1 */
    return (int32_t)(f32_bits(value + magic) & 0x7fffff) - 0x400000;
}

/* Towards zero; INT32_MIN where that is out of range, and for a NaN: the
 * instruction cvttss2si. */
static inline int32_t truncate_int(float value)
{
    if (value >= -2147483648.0f && value < 2147483648.0f) /* 2^31 */
        return (int32_t)value;
    return INT32_MIN;
}

/* roundf, of two the one away from zero, and then truncate_int. What is added
 * is the number before 1/2: with 1/2 itself, the number before 1/2 would become
 * 1. */
static inline int32_t round_int(float value)
{
    return truncate_int(value + copysignf(0x1.fffffep-2f, value));
}

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int clamp_int(int value, int lowest, int highest)
{
    int capped = value < highest ? value : highest;
    return capped > lowest ? capped : lowest;
}

/* A NaN in `b` wins, one in `a` does not. */
static inline float max_f32(float a, float b)
{
    return a > b ? a : b;
}

/* 1 / value, but 0 of 0. */
static inline float inverse_or_0(float value)
{
    return value != 0.0f ? 1.0f / value : 0.0f;
}

/* To the nearest, ties to even; all NaNs become one, with the sign kept. */
static inline uint16_t f16_of_f32(float value)
{
    uint32_t bits = f32_bits(value);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t rest = bits & 0x7fffffff;

    if (rest > 0x7f800000)
        rest = 0x7e00;
    else if (rest >= 0x47800000) /* 2^16 */
        rest = 0x7c00;
    else if (rest >= 0x38800000) /* 2^-14: an exponent that is 112 less */
        rest = (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
    else /* 1/2 has the ulp of those below 2^-14, 2^-24 */
        rest = f32_bits(f32_of_bits(rest) + 0.5f) - 0x3f000000;
    return (uint16_t)(sign | rest);
}

/* A NaN becomes a quiet one. */
static inline float f32_of_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t rest = half & 0x7fff;

    if (rest < 0x400)
        rest = f32_bits((float)rest * 0x1p-24f);
    else if (rest < 0x7c00)
        rest = (rest << 13) + 0x38000000;
    else
        rest = (rest << 13) | 0x70000000 | (rest > 0x7c00 ? 0x400000 : 0);
    return f32_of_bits(sign | rest);
}

/* To the nearest, ties to even; NaNs keep what fits, and become quiet ones. */
static inline uint16_t bf16_of_f32(float value)
{
    uint32_t bits = f32_bits(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float f32_of_bf16(uint16_t brain)
{
    return f32_of_bits((uint32_t)brain << 16);
}

/* The same from and to the bytes of a block, which are little-endian. */
static inline float load_f16(const uint8_t *p)
{
    return f32_of_f16(load_le16(p));
}

static inline void store_f16(uint8_t *p, float value)
{
    store_u16(p, f16_of_f32(value), false);
}

#endif
