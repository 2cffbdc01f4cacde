/* target_end.h - included last: ends what lanes_avx2.h or target_avx512.h
 * began.
 */
#if defined(__clang__)
#    pragma clang attribute pop
#else
#    pragma GCC pop_options
#endif
