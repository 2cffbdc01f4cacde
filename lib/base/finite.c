/* finite.c - finds numbers that are NaN or infinite. */
#include "base/finite.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PART 1024 /* numbers that are looked at together */

/* Without a branch for each, so that compilers make vectors of it: one more in
 * the exponent reaches the sign only if all of its bits were set. */
static bool all_finite(const float *x, size_t n)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        seen |= (bits & 0x7fffffff) + 0x00800000;
    }
    return seen >> 31 == 0;
}

size_t ggki_find_not_finite(const float *x, size_t n)
{
    size_t i = 0;

    while (n - i >= PART && all_finite(x + i, PART))
        i += PART;
    while (i < n && all_finite(x + i, 1))
        i++;
    return i;
}
