/* measure_avx2.c - the loops of measure.c with AVX2. */
#include "kern/x86/x86.h"

#if defined(__x86_64__)
#    include "kern/x86/lanes_avx2.h"

#    include "kern/measure_loops.h"

struct sums {
    __m256d low, high; /* lanes 0 to 3, and 4 to 7 */
};

static void add(struct sums *s, __m256d low, __m256d high)
{
    s->low = _mm256_add_pd(s->low, low);
    s->high = _mm256_add_pd(s->high, high);
}

static void store(double out[GGKI_LANES], const struct sums *s)
{
    _mm256_storeu_pd(out, s->low);
    _mm256_storeu_pd(out + 4, s->high);
}

static __m256i zeros_of(__m256 x)
{
    return _mm256_castps_si256(
        _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_EQ_OQ));
}

static void look(const float *x, size_t n, struct ggki_sight *out)
{
    __m256i low = _mm256_setzero_si256(), zeros = low,
            high = _mm256_set1_epi32(INT32_MIN);
    struct sums sums = {_mm256_setzero_pd(), _mm256_setzero_pd()},
                squares = sums;

    for (size_t i = 0; i < n; i += 8) {
        __m256 all = _mm256_loadu_ps(x + i);
        __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(x + i)),
                b = _mm256_cvtps_pd(_mm_loadu_ps(x + i + 4));

        low = _mm256_max_epu32(low, _mm256_castps_si256(all));
        high = _mm256_max_epi32(high, _mm256_castps_si256(all));
        zeros = _mm256_sub_epi32(zeros, zeros_of(all)); /* -1 where it is */
        add(&sums, a, b);
        add(&squares, _mm256_mul_pd(a, a), _mm256_mul_pd(b, b));
    }
    _mm256_storeu_si256((void *)out->lowest, low);
    _mm256_storeu_si256((void *)out->highest, high);
    _mm256_storeu_si256((void *)out->zeros, zeros);
    store(out->sums, &sums);
    store(out->squares, &squares);
}

/* Of 16 numbers, less half of them, in an order of their own. */
static __m256i find_bins(const float *x, __m256 scale)
{
    __m256 a = _mm256_loadu_ps(x), b = _mm256_loadu_ps(x + 8);
    __m256 zero = _mm256_setzero_ps();
    __m256i whole =
        _mm256_packs_epi32(_mm256_cvttps_epi32(_mm256_mul_ps(a, scale)),
                           _mm256_cvttps_epi32(_mm256_mul_ps(b, scale)));
    __m256i negative = _mm256_packs_epi32(
        _mm256_castps_si256(_mm256_cmp_ps(a, zero, _CMP_LT_OQ)),
        _mm256_castps_si256(_mm256_cmp_ps(b, zero, _CMP_LT_OQ)));

    return _mm256_add_epi16(whole, negative); /* -1 where it is */
}

/* Of bytes. */
static unsigned least(__m256i x)
{
    __m128i m =
        _mm_min_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

    m = _mm_min_epu8(m, _mm_srli_epi16(m, 8));
    return (uint8_t)_mm_extract_epi8(_mm_minpos_epu16(m), 0);
}

/* Bytes have room for what is counted in a lane. */
static uint64_t count_equal(const uint8_t *bins, unsigned bin)
{
    const __m256i wanted = _mm256_set1_epi8((char)bin);
    __m256i n = _mm256_setzero_si256();
    __m128i sums;

    for (int i = 0; i < GGKI_COUNTED_AT_ONCE; i += 32) {
        __m256i some = _mm256_loadu_si256((const void *)(bins + i));

        n = _mm256_sub_epi8(n, _mm256_cmpeq_epi8(some, wanted));
    }
    n = _mm256_sad_epu8(n, _mm256_setzero_si256());
    sums = _mm_add_epi64(_mm256_castsi256_si128(n),
                         _mm256_extracti128_si256(n, 1));
    return (uint64_t)(_mm_cvtsi128_si64(sums) + _mm_extract_epi64(sums, 1));
}

static void count(const float *x, float scale, uint8_t *bins, uint64_t *counts)
{
    const __m256 scales = _mm256_set1_ps(scale);
    __m256i low = _mm256_set1_epi8(-1), high = low;

    for (int i = 0; i < GGKI_COUNTED_AT_ONCE; i += 32) {
        __m256i some = _mm256_packs_epi16(find_bins(x + i, scales),
                                          find_bins(x + i + 16, scales));

        some = _mm256_add_epi8(some, _mm256_set1_epi8(GGKI_BINS / 2));
        _mm256_storeu_si256((void *)(bins + i), some);
        low = _mm256_min_epu8(low, some);
        some = _mm256_sub_epi8(_mm256_set1_epi8(GGKI_BINS - 1), some);
        high = _mm256_min_epu8(high, some);
    }
    for (unsigned bin = least(low); bin < GGKI_BINS - least(high); bin++)
        counts[bin] += count_equal(bins, bin);
}

static const struct ggki_loops loops = {look, count, compare};

const struct ggki_loops *ggki_loops_avx2(void)
{
    return &loops;
}

#    include "kern/x86/target_end.h"
#else
const struct ggki_loops *ggki_loops_avx2(void)
{
    return NULL;
}
#endif
