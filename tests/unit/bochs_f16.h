/* bochs_f16.h - for tests: stands in for an instruction that bochs 2.7 gets
 * wrong. Of two F16 that are equally near, its VCVTPS2PH takes the one away
 * from zero. tools/check-avx512.sh puts this before each source.
 */
#ifndef TESTS_BOCHS_F16_H
#define TESTS_BOCHS_F16_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "kern/round.h"

/* A NaN stays what the instruction made of it. */
static inline void round_ties_to_even(const float *x, int n, uint8_t *halves)
{
    for (int i = 0; i < n; i++)
        if (!isnan(x[i]))
            store_f16(halves + 2 * i, x[i]);
}

__attribute__((target("avx,f16c"))) static inline __m128i halves_of_8(__m256 a)
{
    float x[8];
    uint8_t halves[16];

    _mm256_storeu_ps(x, a);
    _mm_storeu_si128((void *)halves, _mm256_cvtps_ph(a, 0));
    round_ties_to_even(x, 8, halves);
    return _mm_loadu_si128((const void *)halves);
}

__attribute__((target("avx512f"))) static inline __m256i halves_of_16(__m512 a)
{
    float x[16];
    uint8_t halves[32];

    _mm512_storeu_ps(x, a);
    _mm256_storeu_si256((void *)halves, _mm512_cvtps_ph(a, 0));
    round_ties_to_even(x, 16, halves);
    return _mm256_loadu_si256((const void *)halves);
}

#undef _mm256_cvtps_ph
#undef _mm512_cvtps_ph
#define _mm256_cvtps_ph(a, rounding) halves_of_8(a)
#define _mm512_cvtps_ph(a, rounding) halves_of_16(a)

#endif
