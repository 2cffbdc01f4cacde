/* lanes_avx2.h - 16 numbers at once, with AVX2 and F16C: two registers.
 *
 * What each function does to a lane is said in lanes_portable.h, in C. From
 * here on, everything is compiled for AVX2.
 */
#ifndef GGKI_LANES_AVX2_H
#define GGKI_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/load.h"
#include "base/store.h"

#if defined(__clang__)
#    pragma clang attribute push(__attribute__((target("avx2,f16c"))), \
                                 apply_to = function)
#else
#    pragma GCC push_options
#    pragma GCC target("avx2,f16c")
#endif

#include "kern/lanes/lanes_inline.h"

typedef struct {
    __m256 lo, hi;
} vfloat;

typedef struct {
    __m256i lo, hi;
} vint;

/* All bits of a lane, or none. */
typedef struct {
    __m256 lo, hi;
} vmask;

/* 16 bytes or 8, wherever they are. */
LANES_INLINE __m128i load_128(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

LANES_INLINE __m128i load_64(const void *p)
{
    return _mm_loadl_epi64((const __m128i *)p);
}

LANES_INLINE void store_128(void *p, __m128i a)
{
    _mm_storeu_si128((__m128i *)p, a);
}

/* ------------------------------------------------------------------ floats */

LANES_INLINE vfloat vf_set(float value)
{
    __m256 all = _mm256_set1_ps(value);
    return (vfloat){all, all};
}

LANES_INLINE vfloat vf_halves(float first, float last)
{
    return (vfloat){_mm256_set1_ps(first), _mm256_set1_ps(last)};
}

LANES_INLINE vfloat vf_load(const float *p)
{
    return (vfloat){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

LANES_INLINE void vf_store(float *p, vfloat a)
{
    _mm256_storeu_ps(p, a.lo);
    _mm256_storeu_ps(p + 8, a.hi);
}

LANES_INLINE vfloat vf_add(vfloat a, vfloat b)
{
    return (vfloat){_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_sub(vfloat a, vfloat b)
{
    return (vfloat){_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_mul(vfloat a, vfloat b)
{
    return (vfloat){_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_div(vfloat a, vfloat b)
{
    return (vfloat){_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_sqrt(vfloat a)
{
    return (vfloat){_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)};
}

LANES_INLINE vfloat vf_min(vfloat a, vfloat b)
{
    return (vfloat){_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_max(vfloat a, vfloat b)
{
    return (vfloat){_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}

LANES_INLINE vfloat vf_abs(vfloat a)
{
    __m256 sign = _mm256_set1_ps(-0.0f);
    return (vfloat){_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}

/* To the nearest, of two the even one. */
LANES_INLINE vfloat vf_round(vfloat a)
{
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (vfloat){_mm256_round_ps(a.lo, NEAREST),
                    _mm256_round_ps(a.hi, NEAREST)};
}

LANES_INLINE vfloat vf_negate(vfloat a)
{
    __m256 sign = _mm256_set1_ps(-0.0f);
    return (vfloat){_mm256_xor_ps(sign, a.lo), _mm256_xor_ps(sign, a.hi)};
}

LANES_INLINE vfloat vf_select(vmask m, vfloat a, vfloat b)
{
    return (vfloat){_mm256_blendv_ps(b.lo, a.lo, m.lo),
                    _mm256_blendv_ps(b.hi, a.hi, m.hi)};
}

LANES_INLINE vfloat vf_load_f16(const uint8_t *p)
{
    return (vfloat){_mm256_cvtph_ps(load_128(p)),
                    _mm256_cvtph_ps(load_128(p + 16))};
}

LANES_INLINE void vf_store_f16(uint8_t *p, vfloat a)
{
    store_128(p, _mm256_cvtps_ph(a.lo, _MM_FROUND_TO_NEAREST_INT));
    store_128(p + 16, _mm256_cvtps_ph(a.hi, _MM_FROUND_TO_NEAREST_INT));
}

/* load_f16. */
LANES_INLINE float load_half(const uint8_t *p)
{
    return _cvtsh_ss(load_le16(p));
}

/* Of a table of four, by the low two bits. */
LANES_INLINE vfloat vf_lookup4(const float *table, vint i)
{
    __m256 t = _mm256_set_m128(_mm_loadu_ps(table), _mm_loadu_ps(table));
    return (vfloat){_mm256_permutevar_ps(t, i.lo),
                    _mm256_permutevar_ps(t, i.hi)};
}

LANES_INLINE vfloat vf_lookup8(const float *table, vint i)
{
    __m256 t = _mm256_loadu_ps(table);
    return (vfloat){_mm256_permutevar8x32_ps(t, i.lo),
                    _mm256_permutevar8x32_ps(t, i.hi)};
}

LANES_INLINE __m256 lookup16_ps(const float *table, __m256i i)
{
    __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), i);
    __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), i);
    __m256i bit3 = _mm256_slli_epi32(i, 28);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(bit3));
}

LANES_INLINE vfloat vf_lookup16(const float *table, vint i)
{
    return (vfloat){lookup16_ps(table, i.lo), lookup16_ps(table, i.hi)};
}

/* ---------------------------------------------------------------- integers */

LANES_INLINE vint vi_set(int32_t value)
{
    __m256i all = _mm256_set1_epi32(value);
    return (vint){all, all};
}

LANES_INLINE vint vi_load(const uint8_t *p)
{
    return (vint){_mm256_loadu_si256((const void *)p),
                  _mm256_loadu_si256((const void *)(p + 32))};
}

LANES_INLINE vint vi_load_u8(const uint8_t *p)
{
    return (vint){_mm256_cvtepu8_epi32(load_64(p)),
                  _mm256_cvtepu8_epi32(load_64(p + 8))};
}

LANES_INLINE vint vi_load_i8(const int8_t *p)
{
    return (vint){_mm256_cvtepi8_epi32(load_64(p)),
                  _mm256_cvtepi8_epi32(load_64(p + 8))};
}

LANES_INLINE vint vi_load_u16(const uint8_t *p)
{
    return (vint){_mm256_cvtepu16_epi32(load_128(p)),
                  _mm256_cvtepu16_epi32(load_128(p + 16))};
}

LANES_INLINE vint vi_load_16(const uint16_t *p)
{
    return (vint){_mm256_cvtepu16_epi32(load_128(p)),
                  _mm256_cvtepu16_epi32(load_128(p + 8))};
}

/* The low halves of lanes: packing has put the 64-bit parts in order 0 2 1 3.
 */
LANES_INLINE __m256i pack_words(vint a)
{
    __m256i low = _mm256_set1_epi32(0xffff);
    __m256i words = _mm256_packus_epi32(_mm256_and_si256(a.lo, low),
                                        _mm256_and_si256(a.hi, low));
    return _mm256_permute4x64_epi64(words, 0xd8);
}

LANES_INLINE void vi_store_16(uint8_t *p, vint a)
{
    __m256i words = pack_words(a);
    store_128(p, _mm256_castsi256_si128(words));
    store_128(p + 16, _mm256_extracti128_si256(words, 1));
}

LANES_INLINE void vi_save_16(uint16_t *p, vint a)
{
    vi_store_16((uint8_t *)p, a);
}

LANES_INLINE void vi_store_8(uint8_t *p, vint a)
{
    __m256i words = _mm256_and_si256(pack_words(a), _mm256_set1_epi16(0xff));
    store_128(p, _mm_packus_epi16(_mm256_castsi256_si128(words),
                                  _mm256_extracti128_si256(words, 1)));
}

LANES_INLINE vint vi_load_nibbles(const uint8_t *p)
{
    __m256i bytes = _mm256_cvtepu8_epi32(load_64(p));
    return (vint){_mm256_and_si256(bytes, _mm256_set1_epi32(15)),
                  _mm256_srli_epi32(bytes, 4)};
}

/* Packing in two steps leaves bytes 0 to 3 and 4 to 7 in two halves. */
LANES_INLINE void vi_store_nibbles(uint8_t *p, vint a)
{
    __m256i bytes = _mm256_or_si256(a.lo, _mm256_slli_epi32(a.hi, 4));
    bytes = _mm256_packus_epi32(bytes, bytes);
    bytes = _mm256_packus_epi16(bytes, bytes);
    store_u32(p, (uint32_t)_mm256_extract_epi32(bytes, 0), false);
    store_u32(p + 4, (uint32_t)_mm256_extract_epi32(bytes, 4), false);
}

LANES_INLINE vint vi_add(vint a, vint b)
{
    return (vint){_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)};
}

LANES_INLINE vint vi_sub(vint a, vint b)
{
    return (vint){_mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi)};
}

LANES_INLINE vint vi_and(vint a, vint b)
{
    return (vint){_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)};
}

LANES_INLINE vint vi_or(vint a, vint b)
{
    return (vint){_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)};
}

LANES_INLINE vint vi_xor(vint a, vint b)
{
    return (vint){_mm256_xor_si256(a.lo, b.lo), _mm256_xor_si256(a.hi, b.hi)};
}

LANES_INLINE vint vi_min(vint a, vint b)
{
    return (vint){_mm256_min_epi32(a.lo, b.lo), _mm256_min_epi32(a.hi, b.hi)};
}

LANES_INLINE vint vi_min_unsigned(vint a, vint b)
{
    return (vint){_mm256_min_epu32(a.lo, b.lo), _mm256_min_epu32(a.hi, b.hi)};
}

LANES_INLINE vint vi_max(vint a, vint b)
{
    return (vint){_mm256_max_epi32(a.lo, b.lo), _mm256_max_epi32(a.hi, b.hi)};
}

LANES_INLINE vint vi_shl(vint a, int n)
{
    return (vint){_mm256_slli_epi32(a.lo, n), _mm256_slli_epi32(a.hi, n)};
}

LANES_INLINE vint vi_shr(vint a, int n)
{
    return (vint){_mm256_srli_epi32(a.lo, n), _mm256_srli_epi32(a.hi, n)};
}

LANES_INLINE vint vi_shr_by(vint a, vint n)
{
    return (vint){_mm256_srlv_epi32(a.lo, n.lo), _mm256_srlv_epi32(a.hi, n.hi)};
}

LANES_INLINE vint vi_halves(int32_t first, int32_t last)
{
    return (vint){_mm256_set1_epi32(first), _mm256_set1_epi32(last)};
}

/* Bit i of `bits` in lane i. */
LANES_INLINE vint vi_spread(uint32_t bits)
{
    __m256i all = _mm256_set1_epi32((int32_t)bits);
    __m256i one = _mm256_set1_epi32(1);
    __m256i lo = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i hi = _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15);
    return (vint){_mm256_and_si256(_mm256_srlv_epi32(all, lo), one),
                  _mm256_and_si256(_mm256_srlv_epi32(all, hi), one)};
}

LANES_INLINE vint vi_spread_pairs(uint32_t bits)
{
    __m256i three = _mm256_set1_epi32(3);
    __m256i all = _mm256_set1_epi32((int32_t)bits);
    __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    __m256i lo = _mm256_srlv_epi32(all, shifts);
    return (vint){_mm256_and_si256(lo, three),
                  _mm256_and_si256(_mm256_srli_epi32(lo, 16), three)};
}

LANES_INLINE vint vi_select(vmask m, vint a, vint b)
{
    __m256i lo = _mm256_castps_si256(m.lo);
    __m256i hi = _mm256_castps_si256(m.hi);
    return (vint){_mm256_blendv_epi8(b.lo, a.lo, lo),
                  _mm256_blendv_epi8(b.hi, a.hi, hi)};
}

/* The mask is -1 where it is set. */
LANES_INLINE vint vi_count(vint a, vmask m)
{
    return (vint){_mm256_sub_epi32(a.lo, _mm256_castps_si256(m.lo)),
                  _mm256_sub_epi32(a.hi, _mm256_castps_si256(m.hi))};
}

LANES_INLINE float vf_least(vfloat a)
{
    __m256 m8 = _mm256_min_ps(a.lo, a.hi);
    __m128 m =
        _mm_min_ps(_mm256_castps256_ps128(m8), _mm256_extractf128_ps(m8, 1));
    m = _mm_min_ps(m, _mm_shuffle_ps(m, m, 0x4e));
    m = _mm_min_ps(m, _mm_shuffle_ps(m, m, 0xb1));
    return _mm_cvtss_f32(m);
}

LANES_INLINE float vf_largest(vfloat a)
{
    __m256 m8 = _mm256_max_ps(a.lo, a.hi);
    __m128 m =
        _mm_max_ps(_mm256_castps256_ps128(m8), _mm256_extractf128_ps(m8, 1));
    m = _mm_max_ps(m, _mm_shuffle_ps(m, m, 0x4e));
    m = _mm_max_ps(m, _mm_shuffle_ps(m, m, 0xb1));
    return _mm_cvtss_f32(m);
}

/* ------------------------------------------------------------- conversions */

LANES_INLINE vint vf_bits(vfloat a)
{
    return (vint){_mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi)};
}

LANES_INLINE vfloat vi_as_float(vint a)
{
    return (vfloat){_mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi)};
}

LANES_INLINE vfloat vi_to_float(vint a)
{
    return (vfloat){_mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi)};
}

LANES_INLINE vint vf_truncate(vfloat a)
{
    return (vint){_mm256_cvttps_epi32(a.lo), _mm256_cvttps_epi32(a.hi)};
}

/* ------------------------------------------------------------------- masks */

LANES_INLINE vmask vf_less(vfloat a, vfloat b)
{
    return (vmask){_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ),
                   _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ)};
}

/* True of a NaN. */
LANES_INLINE vmask vf_not_less(vfloat a, vfloat b)
{
    return (vmask){_mm256_cmp_ps(a.lo, b.lo, _CMP_NLT_UQ),
                   _mm256_cmp_ps(a.hi, b.hi, _CMP_NLT_UQ)};
}

LANES_INLINE vmask vf_at_most(vfloat a, vfloat b)
{
    return (vmask){_mm256_cmp_ps(a.lo, b.lo, _CMP_LE_OQ),
                   _mm256_cmp_ps(a.hi, b.hi, _CMP_LE_OQ)};
}

LANES_INLINE vmask vf_equal(vfloat a, vfloat b)
{
    return (vmask){_mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ),
                   _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ)};
}

LANES_INLINE vmask vi_equal(vint a, vint b)
{
    return (vmask){_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.lo, b.lo)),
                   _mm256_castsi256_ps(_mm256_cmpeq_epi32(a.hi, b.hi))};
}

LANES_INLINE vmask vm_and(vmask a, vmask b)
{
    return (vmask){_mm256_and_ps(a.lo, b.lo), _mm256_and_ps(a.hi, b.hi)};
}

LANES_INLINE vmask vm_or(vmask a, vmask b)
{
    return (vmask){_mm256_or_ps(a.lo, b.lo), _mm256_or_ps(a.hi, b.hi)};
}

LANES_INLINE vmask vm_and_not(vmask a, vmask b)
{
    return (vmask){_mm256_andnot_ps(b.lo, a.lo), _mm256_andnot_ps(b.hi, a.hi)};
}

LANES_INLINE vmask vm_first(int n)
{
    __m256i all = _mm256_set1_epi32(n);
    __m256i lo = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i hi = _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15);
    return (vmask){_mm256_castsi256_ps(_mm256_cmpgt_epi32(all, lo)),
                   _mm256_castsi256_ps(_mm256_cmpgt_epi32(all, hi))};
}

LANES_INLINE unsigned vm_bits(vmask m)
{
    return (unsigned)_mm256_movemask_ps(m.lo) |
           (unsigned)_mm256_movemask_ps(m.hi) << 8;
}

LANES_INLINE unsigned vi_signs(vint a)
{
    return vm_bits(
        (vmask){_mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi)});
}

#include "kern/x86/transpose.h"

#endif
