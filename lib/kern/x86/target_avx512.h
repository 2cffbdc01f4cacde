/* target_avx512.h - from here on, everything is compiled for AVX-512, to
 * target_end.h.
 */
#ifndef GGKI_TARGET_AVX512_H
#define GGKI_TARGET_AVX512_H

#include <immintrin.h>

#if defined(__clang__)
#    pragma clang attribute push(                                    \
        __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512dq," \
                              "avx512vl"))),                         \
        apply_to = function)
#else
#    pragma GCC push_options
#    pragma GCC target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")
#endif

#endif
