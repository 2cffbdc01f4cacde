/* simde_avx512.h - for tests: the intrinsics of AVX-512 that lanes_avx512.h
 * uses, in plain C, for processors that do not have them. Most are SIMDe's;
 * what its release 0.7.4 lacks is here, as Intel's guide to intrinsics
 * describes it.
 */
#ifndef TESTS_SIMDE_AVX512_H
#define TESTS_SIMDE_AVX512_H

#define SIMDE_NO_NATIVE /* nothing is left to this processor */
#define SIMDE_ENABLE_NATIVE_ALIASES

#include <math.h>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <stdint.h>

#include "kern/round.h"

#define _MM_FROUND_NO_EXC SIMDE_MM_FROUND_NO_EXC

typedef simde__mmask16 __mmask16;

/* ------------------------------------------------------------------- masks */

static inline __mmask16 _kand_mask16(__mmask16 a, __mmask16 b)
{
    return a & b;
}

static inline __mmask16 _kor_mask16(__mmask16 a, __mmask16 b)
{
    return a | b;
}

static inline __mmask16 _kandn_mask16(__mmask16 a, __mmask16 b)
{
    return (__mmask16)(~a & b);
}

static inline __mmask16 _mm512_cmplt_epi32_mask(__m512i a, __m512i b)
{
    return _mm512_cmpgt_epi32_mask(b, a);
}

/* ----------------------------------------------------------- wider, narrower
 */

static inline __m512i _mm512_cvtepu8_epi32(__m128i a)
{
    uint8_t from[16];
    int32_t to[16];

    _mm_storeu_si128((void *)from, a);
    for (int i = 0; i < 16; i++)
        to[i] = from[i];
    return _mm512_loadu_si512(to);
}

static inline __m512i _mm512_cvtepi8_epi32(__m128i a)
{
    int8_t from[16];
    int32_t to[16];

    _mm_storeu_si128((void *)from, a);
    for (int i = 0; i < 16; i++)
        to[i] = from[i];
    return _mm512_loadu_si512(to);
}

static inline __m512i _mm512_cvtepu16_epi32(__m256i a)
{
    uint16_t from[16];
    int32_t to[16];

    _mm256_storeu_si256((void *)from, a);
    for (int i = 0; i < 16; i++)
        to[i] = from[i];
    return _mm512_loadu_si512(to);
}

static inline __m256i _mm512_cvtepi32_epi16(__m512i a)
{
    uint32_t from[16];
    uint16_t to[16];

    _mm512_storeu_si512(from, a);
    for (int i = 0; i < 16; i++)
        to[i] = (uint16_t)(from[i] & 0xffff);
    return _mm256_loadu_si256((void *)to);
}

static inline __m128i _mm512_cvtepi32_epi8(__m512i a)
{
    uint32_t from[16];
    uint8_t to[16];

    _mm512_storeu_si512(from, a);
    for (int i = 0; i < 16; i++)
        to[i] = (uint8_t)(from[i] & 0xff);
    return _mm_loadu_si128((void *)to);
}

/* The upper half becomes 0. */
static inline __m128i _mm256_cvtepi32_epi8(__m256i a)
{
    uint32_t from[8];
    uint8_t to[16] = {0};

    _mm256_storeu_si256((void *)from, a);
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(from[i] & 0xff);
    return _mm_loadu_si128((void *)to);
}

/* ------------------------------------------------------------------ numbers */

static inline __m512 _mm512_cvtepi32_ps(__m512i a)
{
    int32_t from[16];
    float to[16];

    _mm512_storeu_si512(from, a);
    for (int i = 0; i < 16; i++)
        to[i] = (float)from[i];
    return _mm512_loadu_ps(to);
}

/* INT32_MIN for what is out of range. */
static inline __m512i _mm512_cvttps_epi32(__m512 a)
{
    float from[16];
    int32_t to[16];

    _mm512_storeu_ps(from, a);
    for (int i = 0; i < 16; i++)
        to[i] = truncate_int(from[i]);
    return _mm512_loadu_si512(to);
}

/* A NaN keeps its sign, and of its payload what fits, and is quiet. */
static inline float half_to_float(uint16_t half)
{
    float value = f32_of_f16(half);

    if (isnan(value))
        return f32_of_bits((half & 0x8000U) << 16 | 0x7fc00000U |
                           (half & 0x3ffU) << 13);
    return value;
}

static inline uint16_t float_to_half(float value)
{
    uint32_t bits = f32_bits(value);

    if (isnan(value))
        return (uint16_t)((bits >> 16 & 0x8000) | 0x7e00 |
                          (bits >> 13 & 0x3ff));
    return f16_of_f32(value);
}

static inline float _cvtsh_ss(uint16_t a)
{
    return half_to_float(a);
}

static inline __m512 _mm512_cvtph_ps(__m256i a)
{
    uint16_t from[16];
    float to[16];

    _mm256_storeu_si256((void *)from, a);
    for (int i = 0; i < 16; i++)
        to[i] = half_to_float(from[i]);
    return _mm512_loadu_ps(to);
}

/* To the nearest, which is the one rounding that is used. */
static inline __m256i _mm512_cvtps_ph(__m512 a, int rounding)
{
    float from[16];
    uint16_t to[16];

    (void)rounding;
    _mm512_storeu_ps(from, a);
    for (int i = 0; i < 16; i++)
        to[i] = float_to_half(from[i]);
    return _mm256_loadu_si256((void *)to);
}

/* ----------------------------------------------------------- between lanes */

/* Within each four. */
static inline __m512 _mm512_permutevar_ps(__m512 a, __m512i index)
{
    float from[16];
    float to[16];
    int32_t which[16];

    _mm512_storeu_ps(from, a);
    _mm512_storeu_si512(which, index);
    for (int i = 0; i < 16; i++)
        to[i] = from[i / 4 * 4 + (which[i] & 3)];
    return _mm512_loadu_ps(to);
}

static inline float _mm512_reduce_min_ps(__m512 a)
{
    float from[16];
    float least;

    _mm512_storeu_ps(from, a);
    least = from[0];
    for (int i = 1; i < 16; i++)
        least = fminf(least, from[i]);
    return least;
}

static inline float _mm512_reduce_max_ps(__m512 a)
{
    float from[16];
    float largest;

    _mm512_storeu_ps(from, a);
    largest = from[0];
    for (int i = 1; i < 16; i++)
        largest = fmaxf(largest, from[i]);
    return largest;
}

#endif
