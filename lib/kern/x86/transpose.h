/* transpose.h - rows of numbers to lanes, with AVX. Included by the lanes. */
#ifndef GGKI_TRANSPOSE_H
#define GGKI_TRANSPOSE_H

/* Eight numbers of each of eight rows: out[k * LANES + r] = rows[r][k]. */
LANES_INLINE void transpose_8x8(const float *const *rows, size_t first,
                                float *out)
{
    __m256 a[8], b[8];

    for (int r = 0; r < 8; r++)
        a[r] = _mm256_loadu_ps(rows[r] + first);
    for (int r = 0; r < 8; r += 2) { /* 2x2 in each pair of rows */
        b[r] = _mm256_unpacklo_ps(a[r], a[r + 1]);
        b[r + 1] = _mm256_unpackhi_ps(a[r], a[r + 1]);
    }
    for (int r = 0; r < 8; r += 4) { /* 4x4 in each four */
        a[r] = _mm256_shuffle_ps(b[r], b[r + 2], 0x44);
        a[r + 1] = _mm256_shuffle_ps(b[r], b[r + 2], 0xee);
        a[r + 2] = _mm256_shuffle_ps(b[r + 1], b[r + 3], 0x44);
        a[r + 3] = _mm256_shuffle_ps(b[r + 1], b[r + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        __m256 low = _mm256_permute2f128_ps(a[k], a[k + 4], 0x20);
        __m256 high = _mm256_permute2f128_ps(a[k], a[k + 4], 0x31);
        _mm256_storeu_ps(out + (size_t)k * LANES, low);
        _mm256_storeu_ps(out + (size_t)(k + 4) * LANES, high);
    }
}

LANES_INLINE void lanes_gather(const float *const rows[LANES], size_t n,
                               float (*out)[LANES])
{
    for (size_t k = 0; k < n; k += 8) {
        transpose_8x8(rows, k, out[k]);
        transpose_8x8(rows + 8, k, out[k] + 8);
    }
}

#endif
