/* lanes_avx512.h - 16 numbers at once, with AVX-512 (F, BW, DQ, VL) and F16C:
 * one register.
 *
 * What each function does to a lane is said in lanes_portable.h, in C. Included
 * after target_avx512.h; or, by tests, after the same intrinsics in plain C.
 */
#ifndef GGKI_LANES_AVX512_H
#define GGKI_LANES_AVX512_H

#include <stddef.h>
#include <stdint.h>

#include "base/load.h"
#include "kern/lanes/lanes_inline.h"

enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };

typedef __m512 vfloat;
typedef __m512i vint;
typedef __mmask16 vmask;

/* ------------------------------------------------------------------ floats */

LANES_INLINE vfloat vf_set(float value)
{
    return _mm512_set1_ps(value);
}

LANES_INLINE vfloat vf_halves(float first, float last)
{
    __m512 both = _mm512_castps256_ps512(_mm256_set1_ps(first));
    return _mm512_insertf32x8(both, _mm256_set1_ps(last), 1);
}

LANES_INLINE vfloat vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

LANES_INLINE void vf_store(float *p, vfloat a)
{
    _mm512_storeu_ps(p, a);
}

LANES_INLINE vfloat vf_add(vfloat a, vfloat b)
{
    return _mm512_add_ps(a, b);
}

LANES_INLINE vfloat vf_sub(vfloat a, vfloat b)
{
    return _mm512_sub_ps(a, b);
}

LANES_INLINE vfloat vf_mul(vfloat a, vfloat b)
{
    return _mm512_mul_ps(a, b);
}

LANES_INLINE vfloat vf_div(vfloat a, vfloat b)
{
    return _mm512_div_ps(a, b);
}

LANES_INLINE vfloat vf_sqrt(vfloat a)
{
    return _mm512_sqrt_ps(a);
}

LANES_INLINE vfloat vf_min(vfloat a, vfloat b)
{
    return _mm512_min_ps(a, b);
}

LANES_INLINE vfloat vf_max(vfloat a, vfloat b)
{
    return _mm512_max_ps(a, b);
}

LANES_INLINE vfloat vf_abs(vfloat a)
{
    return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a);
}

LANES_INLINE vfloat vf_negate(vfloat a)
{
    return _mm512_xor_ps(_mm512_set1_ps(-0.0f), a);
}

/* Scale 0: to whole numbers. */
LANES_INLINE vfloat vf_round(vfloat a)
{
    return _mm512_roundscale_ps(a, NEAREST);
}

LANES_INLINE vfloat vf_select(vmask m, vfloat a, vfloat b)
{
    return _mm512_mask_blend_ps(m, b, a);
}

LANES_INLINE vfloat vf_load_f16(const uint8_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p));
}

LANES_INLINE void vf_store_f16(uint8_t *p, vfloat a)
{
    _mm256_storeu_si256((void *)p, _mm512_cvtps_ph(a, NEAREST));
}

LANES_INLINE float load_half(const uint8_t *p)
{
    return _cvtsh_ss(load_le16(p));
}

LANES_INLINE vfloat vf_lookup4(const float *table, vint i)
{
    return _mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(table)), i);
}

LANES_INLINE vfloat vf_lookup8(const float *table, vint i)
{
    __m512 twice = _mm512_broadcast_f32x8(_mm256_loadu_ps(table));
    return _mm512_permutexvar_ps(i, twice);
}

LANES_INLINE vfloat vf_lookup16(const float *table, vint i)
{
    return _mm512_permutexvar_ps(i, _mm512_loadu_ps(table));
}

LANES_INLINE float vf_least(vfloat a)
{
    return _mm512_reduce_min_ps(a);
}

LANES_INLINE float vf_largest(vfloat a)
{
    return _mm512_reduce_max_ps(a);
}

/* ---------------------------------------------------------------- integers */

LANES_INLINE vint vi_set(int32_t value)
{
    return _mm512_set1_epi32(value);
}

LANES_INLINE vint vi_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

LANES_INLINE vint vi_load_u8(const uint8_t *p)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
}

LANES_INLINE vint vi_load_i8(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)p));
}

LANES_INLINE vint vi_load_u16(const uint8_t *p)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p));
}

LANES_INLINE vint vi_load_16(const uint16_t *p)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p));
}

LANES_INLINE void vi_store_16(uint8_t *p, vint a)
{
    _mm256_storeu_si256((void *)p, _mm512_cvtepi32_epi16(a));
}

LANES_INLINE void vi_save_16(uint16_t *p, vint a)
{
    vi_store_16((uint8_t *)p, a);
}

LANES_INLINE void vi_store_8(uint8_t *p, vint a)
{
    _mm_storeu_si128((void *)p, _mm512_cvtepi32_epi8(a));
}

LANES_INLINE vint vi_load_nibbles(const uint8_t *p)
{
    __m256i bytes =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
    __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi32(15));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_srli_epi32(bytes, 4), 1);
}

LANES_INLINE void vi_store_nibbles(uint8_t *p, vint a)
{
    __m256i high = _mm256_slli_epi32(_mm512_extracti64x4_epi64(a, 1), 4);
    __m256i bytes = _mm256_or_si256(_mm512_castsi512_si256(a), high);
    _mm_storel_epi64((__m128i *)(void *)p, _mm256_cvtepi32_epi8(bytes));
}

LANES_INLINE vint vi_add(vint a, vint b)
{
    return _mm512_add_epi32(a, b);
}

LANES_INLINE vint vi_sub(vint a, vint b)
{
    return _mm512_sub_epi32(a, b);
}

LANES_INLINE vint vi_and(vint a, vint b)
{
    return _mm512_and_si512(a, b);
}

LANES_INLINE vint vi_or(vint a, vint b)
{
    return _mm512_or_si512(a, b);
}

LANES_INLINE vint vi_xor(vint a, vint b)
{
    return _mm512_xor_si512(a, b);
}

LANES_INLINE vint vi_min(vint a, vint b)
{
    return _mm512_min_epi32(a, b);
}

LANES_INLINE vint vi_min_unsigned(vint a, vint b)
{
    return _mm512_min_epu32(a, b);
}

LANES_INLINE vint vi_max(vint a, vint b)
{
    return _mm512_max_epi32(a, b);
}

LANES_INLINE vint vi_shl(vint a, int n)
{
    return _mm512_sll_epi32(a, _mm_cvtsi32_si128(n));
}

LANES_INLINE vint vi_shr(vint a, int n)
{
    return _mm512_srl_epi32(a, _mm_cvtsi32_si128(n));
}

LANES_INLINE vint vi_shr_by(vint a, vint n)
{
    return _mm512_srlv_epi32(a, n);
}

LANES_INLINE vint vi_halves(int32_t first, int32_t last)
{
    return _mm512_mask_set1_epi32(_mm512_set1_epi32(first), 0xff00, last);
}

LANES_INLINE vint vi_spread(uint32_t bits)
{
    return _mm512_maskz_set1_epi32((__mmask16)(bits & LANES_ALL), 1);
}

LANES_INLINE vint vi_spread_pairs(uint32_t bits)
{
    __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                       22, 24, 26, 28, 30);
    __m512i all = _mm512_srlv_epi32(_mm512_set1_epi32((int32_t)bits), shifts);
    return _mm512_and_si512(all, _mm512_set1_epi32(3));
}

LANES_INLINE vint vi_select(vmask m, vint a, vint b)
{
    return _mm512_mask_blend_epi32(m, b, a);
}

LANES_INLINE vint vi_count(vint a, vmask m)
{
    return _mm512_mask_add_epi32(a, m, a, _mm512_set1_epi32(1));
}

/* ------------------------------------------------------------- conversions */

LANES_INLINE vint vf_bits(vfloat a)
{
    return _mm512_castps_si512(a);
}

LANES_INLINE vfloat vi_as_float(vint a)
{
    return _mm512_castsi512_ps(a);
}

LANES_INLINE vfloat vi_to_float(vint a)
{
    return _mm512_cvtepi32_ps(a);
}

LANES_INLINE vint vf_truncate(vfloat a)
{
    return _mm512_cvttps_epi32(a);
}

/* ------------------------------------------------------------------- masks */

LANES_INLINE vmask vf_less(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

LANES_INLINE vmask vf_not_less(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ);
}

LANES_INLINE vmask vf_at_most(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

LANES_INLINE vmask vf_equal(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

LANES_INLINE vmask vi_equal(vint a, vint b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}

LANES_INLINE vmask vm_and(vmask a, vmask b)
{
    return _kand_mask16(a, b);
}

LANES_INLINE vmask vm_or(vmask a, vmask b)
{
    return _kor_mask16(a, b);
}

/* The instruction inverts its first operand. */
LANES_INLINE vmask vm_and_not(vmask a, vmask b)
{
    return _kandn_mask16(b, a);
}

LANES_INLINE vmask vm_first(int n)
{
    return _mm512_cmplt_epi32_mask(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        _mm512_set1_epi32(n));
}

LANES_INLINE unsigned vm_bits(vmask m)
{
    return m;
}

LANES_INLINE unsigned vi_signs(vint a)
{
    return _mm512_movepi32_mask(a);
}

#include "kern/x86/transpose.h"

#endif
