/* splitmix.h - for tests: random numbers that are the same on every machine:
 * integers, and doubles that are exact sums of few. */
#ifndef TESTS_SPLITMIX_H
#define TESTS_SPLITMIX_H

#include <stdint.h>

/* splitmix64 */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* 0 <= x < 1, in steps of 2^-24. */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 40) * 0x1p-24;
}

/* Nearly normal: mean 0, variance 1, at most 6. */
static inline double random_normal(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 12; i++)
        sum += random_unit(state);
    return sum - 6;
}

#endif
