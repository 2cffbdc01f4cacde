#!/usr/bin/env python3
"""gen-pow10.py - write cli/out/pow10_table.h, the powers of ten of fmt.c.

    tools/gen-pow10.py > cli/out/pow10_table.h
"""
# What doubles need: their binary exponents are -1074 to 971.
FIRST = -292
LAST = 324


def floor_log2_pow10(k):
    if k >= 0:
        return (10**k).bit_length() - 1
    # 10^-k is no power of two, so the floor of the negative is one less.
    return -(10**-k).bit_length()


def entry(k):
    """10^k times a power of two: 128 bits, rounded up if it is inexact."""
    shift = 127 - floor_log2_pow10(k)
    num = 10**k if k >= 0 else 1
    den = 1 if k >= 0 else 10**-k
    if shift >= 0:
        num <<= shift
    else:
        den <<= -shift
    g = -(-num // den)
    assert 1 << 127 <= g < 1 << 128
    return g


def main():
    print(f"""\
/* pow10_table.h - powers of ten as 128-bit numbers.
 *
 * Written by tools/gen-pow10.py; do not edit. Entry i is 10^k for
 * k = i + POW10_FIRST, times that power of two which puts it into
 * [2^127, 2^128), rounded up where it is no whole number.
 */
#ifndef CLI_OUT_POW10_TABLE_H
#define CLI_OUT_POW10_TABLE_H

#include <stdint.h>

#define POW10_FIRST ({FIRST})
#define POW10_LAST  {LAST}

struct pow10 {{
    uint64_t high, low;
}};

static const struct pow10 pow10_table[] = {{""")
    for k in range(FIRST, LAST + 1):
        g = entry(k)
        high, low = g >> 64, g & (1 << 64) - 1
        print(f"    {{0x{high:016x}, 0x{low:016x}}},")
    print("};\n\n#endif")


def check_constants():
    """The multiplications by which fmt.c takes logarithms."""
    for k in range(-350, 351):
        assert floor_log2_pow10(k) == (k * 1741647) >> 19
    for q in range(-1100, 1101):
        k = (q * 1262611) >> 22
        if q >= 0:
            assert 10**k <= 2**q < 10 ** (k + 1)
        else:
            assert 10 ** (-k - 1) < 2**-q <= 10**-k
        # 3/4 * 2^q
        k = (q * 1262611 - 524031) >> 22
        num = 3 * 2 ** max(q, 0) * 10 ** max(-k, 0)
        den = 4 * 2 ** max(-q, 0) * 10 ** max(k, 0)
        assert den <= num < 10 * den


check_constants()
main()
