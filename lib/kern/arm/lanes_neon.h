/* lanes_neon.h - 16 numbers at once, with the Advanced SIMD (NEON) of AArch64:
 * four registers.
 *
 * What each function does to a lane is said in lanes_portable.h, in C. No
 * instruction that multiplies and adds floats is used: it rounds once. Nor are
 * the minimum and maximum of floats, but where no lane is a NaN: of a NaN and a
 * number they are not what C has.
 */
#ifndef GGKI_LANES_NEON_H
#define GGKI_LANES_NEON_H

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "base/load.h"
#include "kern/lanes/lanes_inline.h"

typedef struct {
    float32x4_t q0, q1, q2, q3;
} vfloat;

typedef struct {
    int32x4_t q0, q1, q2, q3;
} vint;

/* All bits of a lane, or none. */
typedef struct {
    uint32x4_t q0, q1, q2, q3;
} vmask;

/* ------------------------------------------------------------------- floats */

LANES_INLINE vfloat vf_set(float value)
{
    float32x4_t all = vdupq_n_f32(value);
    return (vfloat){all, all, all, all};
}

LANES_INLINE vfloat vf_halves(float first, float last)
{
    float32x4_t low = vdupq_n_f32(first);
    float32x4_t high = vdupq_n_f32(last);
    return (vfloat){low, low, high, high};
}

LANES_INLINE vfloat vf_load(const float *p)
{
    return (vfloat){vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8),
                    vld1q_f32(p + 12)};
}

LANES_INLINE void vf_store(float *p, vfloat a)
{
    vst1q_f32(p, a.q0);
    vst1q_f32(p + 4, a.q1);
    vst1q_f32(p + 8, a.q2);
    vst1q_f32(p + 12, a.q3);
}

LANES_INLINE vfloat vf_add(vfloat a, vfloat b)
{
    return (vfloat){vaddq_f32(a.q0, b.q0), vaddq_f32(a.q1, b.q1),
                    vaddq_f32(a.q2, b.q2), vaddq_f32(a.q3, b.q3)};
}

LANES_INLINE vfloat vf_sub(vfloat a, vfloat b)
{
    return (vfloat){vsubq_f32(a.q0, b.q0), vsubq_f32(a.q1, b.q1),
                    vsubq_f32(a.q2, b.q2), vsubq_f32(a.q3, b.q3)};
}

LANES_INLINE vfloat vf_mul(vfloat a, vfloat b)
{
    return (vfloat){vmulq_f32(a.q0, b.q0), vmulq_f32(a.q1, b.q1),
                    vmulq_f32(a.q2, b.q2), vmulq_f32(a.q3, b.q3)};
}

LANES_INLINE vfloat vf_div(vfloat a, vfloat b)
{
    return (vfloat){vdivq_f32(a.q0, b.q0), vdivq_f32(a.q1, b.q1),
                    vdivq_f32(a.q2, b.q2), vdivq_f32(a.q3, b.q3)};
}

LANES_INLINE vfloat vf_sqrt(vfloat a)
{
    return (vfloat){vsqrtq_f32(a.q0), vsqrtq_f32(a.q1), vsqrtq_f32(a.q2),
                    vsqrtq_f32(a.q3)};
}

LANES_INLINE vfloat vf_select(vmask m, vfloat a, vfloat b)
{
    return (vfloat){vbslq_f32(m.q0, a.q0, b.q0), vbslq_f32(m.q1, a.q1, b.q1),
                    vbslq_f32(m.q2, a.q2, b.q2), vbslq_f32(m.q3, a.q3, b.q3)};
}

LANES_INLINE vmask vf_less(vfloat a, vfloat b)
{
    return (vmask){vcltq_f32(a.q0, b.q0), vcltq_f32(a.q1, b.q1),
                   vcltq_f32(a.q2, b.q2), vcltq_f32(a.q3, b.q3)};
}

LANES_INLINE vfloat vf_min(vfloat a, vfloat b)
{
    return vf_select(vf_less(a, b), a, b);
}

LANES_INLINE vfloat vf_max(vfloat a, vfloat b)
{
    return vf_select(vf_less(b, a), a, b);
}

LANES_INLINE vfloat vf_abs(vfloat a)
{
    return (vfloat){vabsq_f32(a.q0), vabsq_f32(a.q1), vabsq_f32(a.q2),
                    vabsq_f32(a.q3)};
}

LANES_INLINE vfloat vf_negate(vfloat a)
{
    return (vfloat){vnegq_f32(a.q0), vnegq_f32(a.q1), vnegq_f32(a.q2),
                    vnegq_f32(a.q3)};
}

/* To the nearest, of two the even one. */
LANES_INLINE vfloat vf_round(vfloat a)
{
    return (vfloat){vrndnq_f32(a.q0), vrndnq_f32(a.q1), vrndnq_f32(a.q2),
                    vrndnq_f32(a.q3)};
}

LANES_INLINE float16x8_t load_halves(const uint8_t *p)
{
    return vreinterpretq_f16_u8(vld1q_u8(p));
}

LANES_INLINE vfloat vf_load_f16(const uint8_t *p)
{
    float16x8_t first = load_halves(p);
    float16x8_t last = load_halves(p + 16);
    return (vfloat){vcvt_f32_f16(vget_low_f16(first)), vcvt_high_f32_f16(first),
                    vcvt_f32_f16(vget_low_f16(last)), vcvt_high_f32_f16(last)};
}

LANES_INLINE void vf_store_f16(uint8_t *p, vfloat a)
{
    float16x8_t first = vcvt_high_f16_f32(vcvt_f16_f32(a.q0), a.q1);
    float16x8_t last = vcvt_high_f16_f32(vcvt_f16_f32(a.q2), a.q3);
    vst1q_u8(p, vreinterpretq_u8_f16(first));
    vst1q_u8(p + 16, vreinterpretq_u8_f16(last));
}

/* load_f16. */
LANES_INLINE float load_half(const uint8_t *p)
{
    float16x4_t half = vreinterpret_f16_u16(vdup_n_u16(load_le16(p)));
    return vgetq_lane_f32(vcvt_f32_f16(half), 0);
}

/* Where the four bytes of each number are in a table of floats. */
LANES_INLINE uint8x16_t table_bytes(int32x4_t index, int32_t mask)
{
    int32x4_t within = vandq_s32(index, vdupq_n_s32(mask));
    int32x4_t first = vdupq_n_s32(0x03020100);
    return vreinterpretq_u8_s32(vmlaq_n_s32(first, within, 0x04040404));
}

LANES_INLINE uint8x16_t load_table(const float *table)
{
    return vreinterpretq_u8_f32(vld1q_f32(table));
}

LANES_INLINE float32x4_t lookup4(uint8x16_t t, int32x4_t index)
{
    uint8x16_t bytes = table_bytes(index, 3);
    return vreinterpretq_f32_u8(vqtbl1q_u8(t, bytes));
}

LANES_INLINE vfloat vf_lookup4(const float *table, vint index)
{
    uint8x16_t t = load_table(table);
    return (vfloat){lookup4(t, index.q0), lookup4(t, index.q1),
                    lookup4(t, index.q2), lookup4(t, index.q3)};
}

LANES_INLINE float32x4_t lookup8(uint8x16x2_t t, int32x4_t index)
{
    uint8x16_t bytes = table_bytes(index, 7);
    return vreinterpretq_f32_u8(vqtbl2q_u8(t, bytes));
}

LANES_INLINE vfloat vf_lookup8(const float *table, vint index)
{
    uint8x16x2_t t = {{load_table(table), load_table(table + 4)}};
    return (vfloat){lookup8(t, index.q0), lookup8(t, index.q1),
                    lookup8(t, index.q2), lookup8(t, index.q3)};
}

LANES_INLINE float32x4_t lookup16(uint8x16x4_t t, int32x4_t index)
{
    uint8x16_t bytes = table_bytes(index, 15);
    return vreinterpretq_f32_u8(vqtbl4q_u8(t, bytes));
}

LANES_INLINE vfloat vf_lookup16(const float *table, vint index)
{
    uint8x16x4_t t = {{load_table(table), load_table(table + 4),
                       load_table(table + 8), load_table(table + 12)}};
    return (vfloat){lookup16(t, index.q0), lookup16(t, index.q1),
                    lookup16(t, index.q2), lookup16(t, index.q3)};
}

LANES_INLINE float vf_least(vfloat a)
{
    float32x4_t first = vminq_f32(a.q0, a.q1);
    float32x4_t last = vminq_f32(a.q2, a.q3);
    return vminvq_f32(vminq_f32(first, last));
}

LANES_INLINE float vf_largest(vfloat a)
{
    float32x4_t first = vmaxq_f32(a.q0, a.q1);
    float32x4_t last = vmaxq_f32(a.q2, a.q3);
    return vmaxvq_f32(vmaxq_f32(first, last));
}

/* ----------------------------------------------------------------- integers */

LANES_INLINE vint vi_set(int32_t value)
{
    int32x4_t all = vdupq_n_s32(value);
    return (vint){all, all, all, all};
}

LANES_INLINE vint vi_halves(int32_t first, int32_t last)
{
    int32x4_t low = vdupq_n_s32(first);
    int32x4_t high = vdupq_n_s32(last);
    return (vint){low, low, high, high};
}

LANES_INLINE int32x4_t load_four(const uint8_t *p)
{
    return vreinterpretq_s32_u8(vld1q_u8(p));
}

LANES_INLINE vint vi_load(const uint8_t *p)
{
    return (vint){load_four(p), load_four(p + 16), load_four(p + 32),
                  load_four(p + 48)};
}

LANES_INLINE vint widened(uint16x8_t first, uint16x8_t last)
{
    return (vint){
        vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(first))),
        vreinterpretq_s32_u32(vmovl_high_u16(first)),
        vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(last))),
        vreinterpretq_s32_u32(vmovl_high_u16(last)),
    };
}

LANES_INLINE vint vi_load_u8(const uint8_t *p)
{
    uint8x16_t bytes = vld1q_u8(p);
    return widened(vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes));
}

LANES_INLINE vint vi_load_i8(const int8_t *p)
{
    int8x16_t bytes = vld1q_s8(p);
    int16x8_t first = vmovl_s8(vget_low_s8(bytes));
    int16x8_t last = vmovl_high_s8(bytes);
    return (vint){vmovl_s16(vget_low_s16(first)), vmovl_high_s16(first),
                  vmovl_s16(vget_low_s16(last)), vmovl_high_s16(last)};
}

LANES_INLINE vint vi_load_u16(const uint8_t *p)
{
    return widened(vreinterpretq_u16_u8(vld1q_u8(p)),
                   vreinterpretq_u16_u8(vld1q_u8(p + 16)));
}

LANES_INLINE vint vi_load_16(const uint16_t *p)
{
    return widened(vld1q_u16(p), vld1q_u16(p + 8));
}

/* The low halves of lanes, as bytes. */
LANES_INLINE uint8x16_t low_words(int32x4_t a, int32x4_t b)
{
    uint16x8_t words =
        vuzp1q_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b));
    return vreinterpretq_u8_u16(words);
}

LANES_INLINE void vi_store_16(uint8_t *p, vint a)
{
    vst1q_u8(p, low_words(a.q0, a.q1));
    vst1q_u8(p + 16, low_words(a.q2, a.q3));
}

LANES_INLINE void vi_save_16(uint16_t *p, vint a)
{
    vi_store_16((uint8_t *)p, a);
}

LANES_INLINE uint8x16_t low_bytes(vint a)
{
    return vuzp1q_u8(low_words(a.q0, a.q1), low_words(a.q2, a.q3));
}

LANES_INLINE void vi_store_8(uint8_t *p, vint a)
{
    vst1q_u8(p, low_bytes(a));
}

LANES_INLINE vint vi_load_nibbles(const uint8_t *p)
{
    uint8x8_t bytes = vld1_u8(p);
    uint8x8_t low = vand_u8(bytes, vdup_n_u8(15));
    return widened(vmovl_u8(low), vmovl_u8(vshr_n_u8(bytes, 4)));
}

LANES_INLINE void vi_store_nibbles(uint8_t *p, vint a)
{
    uint8x16_t levels = low_bytes(a);
    uint8x8_t high = vshl_n_u8(vget_high_u8(levels), 4);
    vst1_u8(p, vorr_u8(vget_low_u8(levels), high));
}

LANES_INLINE vint vi_add(vint a, vint b)
{
    return (vint){vaddq_s32(a.q0, b.q0), vaddq_s32(a.q1, b.q1),
                  vaddq_s32(a.q2, b.q2), vaddq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_sub(vint a, vint b)
{
    return (vint){vsubq_s32(a.q0, b.q0), vsubq_s32(a.q1, b.q1),
                  vsubq_s32(a.q2, b.q2), vsubq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_and(vint a, vint b)
{
    return (vint){vandq_s32(a.q0, b.q0), vandq_s32(a.q1, b.q1),
                  vandq_s32(a.q2, b.q2), vandq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_or(vint a, vint b)
{
    return (vint){vorrq_s32(a.q0, b.q0), vorrq_s32(a.q1, b.q1),
                  vorrq_s32(a.q2, b.q2), vorrq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_xor(vint a, vint b)
{
    return (vint){veorq_s32(a.q0, b.q0), veorq_s32(a.q1, b.q1),
                  veorq_s32(a.q2, b.q2), veorq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_min(vint a, vint b)
{
    return (vint){vminq_s32(a.q0, b.q0), vminq_s32(a.q1, b.q1),
                  vminq_s32(a.q2, b.q2), vminq_s32(a.q3, b.q3)};
}

LANES_INLINE vint vi_max(vint a, vint b)
{
    return (vint){vmaxq_s32(a.q0, b.q0), vmaxq_s32(a.q1, b.q1),
                  vmaxq_s32(a.q2, b.q2), vmaxq_s32(a.q3, b.q3)};
}

LANES_INLINE int32x4_t min_unsigned(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_u32(
        vminq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
}

LANES_INLINE vint vi_min_unsigned(vint a, vint b)
{
    return (vint){min_unsigned(a.q0, b.q0), min_unsigned(a.q1, b.q1),
                  min_unsigned(a.q2, b.q2), min_unsigned(a.q3, b.q3)};
}

LANES_INLINE vint vi_shl(vint a, int n)
{
    int32x4_t by = vdupq_n_s32(n);
    return (vint){vshlq_s32(a.q0, by), vshlq_s32(a.q1, by), vshlq_s32(a.q2, by),
                  vshlq_s32(a.q3, by)};
}

/* Shifted left by less than 0. */
LANES_INLINE int32x4_t shift_right(int32x4_t a, int32x4_t n)
{
    uint32x4_t bits = vreinterpretq_u32_s32(a);
    return vreinterpretq_s32_u32(vshlq_u32(bits, vnegq_s32(n)));
}

LANES_INLINE vint vi_shr_by(vint a, vint n)
{
    return (vint){shift_right(a.q0, n.q0), shift_right(a.q1, n.q1),
                  shift_right(a.q2, n.q2), shift_right(a.q3, n.q3)};
}

LANES_INLINE vint vi_shr(vint a, int n)
{
    return vi_shr_by(a, vi_set(n));
}

LANES_INLINE vint numbered_lanes(void)
{
    static const int32_t numbers[LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                           8, 9, 10, 11, 12, 13, 14, 15};
    return (vint){vld1q_s32(numbers), vld1q_s32(numbers + 4),
                  vld1q_s32(numbers + 8), vld1q_s32(numbers + 12)};
}

LANES_INLINE vint vi_spread(uint32_t bits)
{
    vint all = vi_set((int32_t)bits);
    return vi_and(vi_shr_by(all, numbered_lanes()), vi_set(1));
}

LANES_INLINE vint vi_spread_pairs(uint32_t bits)
{
    vint all = vi_set((int32_t)bits);
    return vi_and(vi_shr_by(all, vi_shl(numbered_lanes(), 1)), vi_set(3));
}

LANES_INLINE vint vi_select(vmask m, vint a, vint b)
{
    return (vint){vbslq_s32(m.q0, a.q0, b.q0), vbslq_s32(m.q1, a.q1, b.q1),
                  vbslq_s32(m.q2, a.q2, b.q2), vbslq_s32(m.q3, a.q3, b.q3)};
}

/* The mask is -1 where it is set. */
LANES_INLINE vint vi_count(vint a, vmask m)
{
    return (vint){vsubq_s32(a.q0, vreinterpretq_s32_u32(m.q0)),
                  vsubq_s32(a.q1, vreinterpretq_s32_u32(m.q1)),
                  vsubq_s32(a.q2, vreinterpretq_s32_u32(m.q2)),
                  vsubq_s32(a.q3, vreinterpretq_s32_u32(m.q3))};
}

/* -------------------------------------------------------------- conversions */

LANES_INLINE vint vf_bits(vfloat a)
{
    return (vint){vreinterpretq_s32_f32(a.q0), vreinterpretq_s32_f32(a.q1),
                  vreinterpretq_s32_f32(a.q2), vreinterpretq_s32_f32(a.q3)};
}

LANES_INLINE vfloat vi_as_float(vint a)
{
    return (vfloat){vreinterpretq_f32_s32(a.q0), vreinterpretq_f32_s32(a.q1),
                    vreinterpretq_f32_s32(a.q2), vreinterpretq_f32_s32(a.q3)};
}

LANES_INLINE vfloat vi_to_float(vint a)
{
    return (vfloat){vcvtq_f32_s32(a.q0), vcvtq_f32_s32(a.q1),
                    vcvtq_f32_s32(a.q2), vcvtq_f32_s32(a.q3)};
}

/* The instruction has the nearest number for what is out of range, and 0 for a
 * NaN. */
LANES_INLINE int32x4_t truncate_four(float32x4_t a)
{
    uint32x4_t fits = vcaltq_f32(a, vdupq_n_f32(0x1p31f));
    return vbslq_s32(fits, vcvtq_s32_f32(a), vdupq_n_s32(INT32_MIN));
}

LANES_INLINE vint vf_truncate(vfloat a)
{
    return (vint){truncate_four(a.q0), truncate_four(a.q1), truncate_four(a.q2),
                  truncate_four(a.q3)};
}

/* -------------------------------------------------------------------- masks */

/* True of a NaN. */
LANES_INLINE vmask vf_not_less(vfloat a, vfloat b)
{
    return (vmask){
        vmvnq_u32(vcltq_f32(a.q0, b.q0)), vmvnq_u32(vcltq_f32(a.q1, b.q1)),
        vmvnq_u32(vcltq_f32(a.q2, b.q2)), vmvnq_u32(vcltq_f32(a.q3, b.q3))};
}

LANES_INLINE vmask vf_at_most(vfloat a, vfloat b)
{
    return (vmask){vcleq_f32(a.q0, b.q0), vcleq_f32(a.q1, b.q1),
                   vcleq_f32(a.q2, b.q2), vcleq_f32(a.q3, b.q3)};
}

LANES_INLINE vmask vf_equal(vfloat a, vfloat b)
{
    return (vmask){vceqq_f32(a.q0, b.q0), vceqq_f32(a.q1, b.q1),
                   vceqq_f32(a.q2, b.q2), vceqq_f32(a.q3, b.q3)};
}

LANES_INLINE vmask vi_equal(vint a, vint b)
{
    return (vmask){vceqq_s32(a.q0, b.q0), vceqq_s32(a.q1, b.q1),
                   vceqq_s32(a.q2, b.q2), vceqq_s32(a.q3, b.q3)};
}

LANES_INLINE vmask vm_and(vmask a, vmask b)
{
    return (vmask){vandq_u32(a.q0, b.q0), vandq_u32(a.q1, b.q1),
                   vandq_u32(a.q2, b.q2), vandq_u32(a.q3, b.q3)};
}

LANES_INLINE vmask vm_or(vmask a, vmask b)
{
    return (vmask){vorrq_u32(a.q0, b.q0), vorrq_u32(a.q1, b.q1),
                   vorrq_u32(a.q2, b.q2), vorrq_u32(a.q3, b.q3)};
}

LANES_INLINE vmask vm_and_not(vmask a, vmask b)
{
    return (vmask){vbicq_u32(a.q0, b.q0), vbicq_u32(a.q1, b.q1),
                   vbicq_u32(a.q2, b.q2), vbicq_u32(a.q3, b.q3)};
}

LANES_INLINE vmask vm_first(int n)
{
    int32x4_t end = vdupq_n_s32(n);
    vint at = numbered_lanes();
    return (vmask){vcltq_s32(at.q0, end), vcltq_s32(at.q1, end),
                   vcltq_s32(at.q2, end), vcltq_s32(at.q3, end)};
}

/* Each lane becomes a byte, and that its bit. */
LANES_INLINE unsigned vm_bits(vmask m)
{
    uint8x8_t places = vcreate_u8(0x8040201008040201);
    vint all = {vreinterpretq_s32_u32(m.q0), vreinterpretq_s32_u32(m.q1),
                vreinterpretq_s32_u32(m.q2), vreinterpretq_s32_u32(m.q3)};
    uint8x16_t bits = vandq_u8(low_bytes(all), vcombine_u8(places, places));
    return vaddv_u8(vget_low_u8(bits)) | (unsigned)vaddv_u8(vget_high_u8(bits))
                                             << 8;
}

LANES_INLINE unsigned vi_signs(vint a)
{
    return vm_bits((vmask){vcltzq_s32(a.q0), vcltzq_s32(a.q1), vcltzq_s32(a.q2),
                           vcltzq_s32(a.q3)});
}

/* ------------------------------------------------------------ rows to lanes */

/* Four numbers of each of four rows: out[k * LANES + r] = rows[r][k]. */
LANES_INLINE void transpose_4x4(const float *const *rows, size_t first,
                                float *out)
{
    float32x4_t a = vld1q_f32(rows[0] + first);
    float32x4_t b = vld1q_f32(rows[1] + first);
    float32x4_t c = vld1q_f32(rows[2] + first);
    float32x4_t d = vld1q_f32(rows[3] + first);
    float64x2_t ab_even = vreinterpretq_f64_f32(vtrn1q_f32(a, b));
    float64x2_t ab_odd = vreinterpretq_f64_f32(vtrn2q_f32(a, b));
    float64x2_t cd_even = vreinterpretq_f64_f32(vtrn1q_f32(c, d));
    float64x2_t cd_odd = vreinterpretq_f64_f32(vtrn2q_f32(c, d));
    const float64x2_t columns[4] = {
        vtrn1q_f64(ab_even, cd_even),
        vtrn1q_f64(ab_odd, cd_odd),
        vtrn2q_f64(ab_even, cd_even),
        vtrn2q_f64(ab_odd, cd_odd),
    };
    for (size_t k = 0; k < 4; k++)
        vst1q_f32(out + k * LANES, vreinterpretq_f32_f64(columns[k]));
}

LANES_INLINE void lanes_gather(const float *const rows[LANES], size_t n,
                               float (*out)[LANES])
{
    for (size_t k = 0; k < n; k += 4)
        for (size_t r = 0; r < LANES; r += 4)
            transpose_4x4(rows + r, k, out[k] + r);
}

#endif
