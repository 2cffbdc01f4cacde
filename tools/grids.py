#!/usr/bin/env -S python3 -B
"""grids.py - write lib/kern/grids.c: the points of the grids that blocks of
IQ1_*, IQ2_* and IQ3_* name by number.

    tools/grids.py LIBGGML-BASE.SO > lib/kern/grids.c

They are read out of ggml: for each number a block of it is made numbers, and
the levels of a point are the places of these among all that occur.
"""
import ctypes
import struct
import sys

SUPER = 256
ONE = struct.pack("<e", 1.0)  # d


class Traits(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("block", ctypes.c_int64),
                ("interleaved", ctypes.c_int64), ("bytes", ctypes.c_size_t),
                ("quantized", ctypes.c_bool),
                ("to_float", ctypes.CFUNCTYPE(None, ctypes.c_void_p,
                                              ctypes.c_void_p,
                                              ctypes.c_int64))]


def iq2_xxs(n):
    return ONE + (bytes([n] * 4) + bytes(4)) * 8


def iq2_xs(n):
    return ONE + struct.pack("<32H", *[n] * 32) + bytes(8)


def iq2_s(n):
    return (ONE + bytes([n & 255] * 32) + bytes(32) +
            bytes([(n >> 8) * 0b1010101] * 8) + bytes(8))


def iq1_s(n):
    return (ONE + bytes([n & 255] * 32) +
            struct.pack("<8H", *[(n >> 8) * 0o1111] * 8))


def iq3_xxs(n):
    return ONE + bytes([n] * 64) + bytes(32)


def iq3_s(n):
    return (ONE + bytes([n & 255] * 64) + bytes([(n >> 8) * 255] * 8) +
            bytes(32) + bytes(4))


# Name, number of the type, points, numbers of a point, bits of a level.
GRIDS = [
    ("iq2_xxs", 16, 256, 8, 2, iq2_xxs), ("iq2_xs", 17, 512, 8, 2, iq2_xs),
    ("iq2_s", 22, 1024, 8, 2, iq2_s), ("iq1", 19, 2048, 8, 2, iq1_s),
    ("iq3_xxs", 18, 256, 4, 3, iq3_xxs), ("iq3_s", 21, 512, 4, 3, iq3_s),
]


def open_ggml(path):
    ggml = ctypes.CDLL(path)
    ggml.ggml_init.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_bool]
    ggml.ggml_get_type_traits.restype = ctypes.POINTER(Traits)
    return ggml


def points(ggml, kind, n, dims, bits, block_of):
    traits = ggml.ggml_get_type_traits(kind).contents
    out = (ctypes.c_float * SUPER)()
    found = []
    for i in range(n):
        block = block_of(i)
        assert len(block) == traits.bytes
        traits.to_float(block, out, SUPER)
        found.append(tuple(out[:dims]))
        assert list(out) == list(found[-1]) * (SUPER // dims)
    values = sorted({value for point in found for value in point})
    assert len(values) == (3 if bits == 2 else 8)
    assert len(set(found)) == n
    return [sum(values.index(value) << bits * k
                for k, value in enumerate(point)) for point in found]


def main():
    ggml = open_ggml(sys.argv[1])
    print("""\
/* grids.c - the points of the grids of IQ1_*, IQ2_* and IQ3_*.
 *
 * Written by tools/grids.py from what ggml makes of blocks; do not edit.
 */
#include "kern/grids.h"

/* clang-format off */""")
    for name, kind, n, dims, bits, block_of in GRIDS:
        print(f"const uint16_t ggki_points_{name}[{n}] = {{")
        codes = points(ggml, kind, n, dims, bits, block_of)
        line = "   "
        for code in codes:
            if len(line) + len(f" {code},") > 80:
                print(line)
                line = "   "
            line += f" {code},"
        print(line)
        print("};\n" if name != "iq3_s" else "};")
    print("/* clang-format on */")


if __name__ == "__main__":
    main()
