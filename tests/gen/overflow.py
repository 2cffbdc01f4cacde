#!/usr/bin/env -S python3 -B
"""overflow.py OUT - a table of sizes, worked out without any limit of bits.

Dimensions from the edges of what 64 bits hold, for every type and several
alignments. test_overflow.c asks the library for the same sizes.

The file, little-endian: "GGKO"; u32 n, n x u64 dimensions; u32 n, n x u64
alignments; u32 n, then n records of u8 type, u8 number of dimensions, 4 x u16
index of a dimension, u8 index of an alignment, two letters, u64 bytes. The
first letter is the verdict on the tensor's size, the second on a file with
that one tensor: O for right, D dimension, V overflow, B block, U no layout.
"""

import struct
import sys

from ggufgen import REMOVED, TYPES, pad_up
from seeded import Dice

U64 = 2 ** 64 - 1
EDGES = sorted({
    0, 1, 2, 3, 31, 32, 64, 128, 255, 256, 1024, 2 ** 42 + 1, 2 ** 61 - 1,
    1024819115206086208, 542551296285575072, 0x7fffffffffffffc0, U64,
    *(2 ** k + d for k in (16, 30, 31, 32, 62, 63) for d in (-1, 0, 1))})
ALIGNS = (1, 8, 32, 64, 2 ** 16, 2 ** 31)
QUADS = 250000
LAYOUTS = {number: (block, size) for number, block, size in TYPES.values()}


def type_edges():
    """The longest rows whose bytes, or elements, still have a number."""
    for block, size in LAYOUTS.values():
        most = min(U64 // size, (2 ** 63 - 1) // block)
        yield from ((most + d) * block for d in (-1, 0, 1))


DIMS = sorted(set(EDGES) | {d for d in type_edges() if d <= U64})


def shape(dims):
    product = 1
    for d in dims:
        if d >= 2 ** 63:
            return "D"
        product *= max(d, 1)
        if product > 2 ** 63 - 1:
            return "V"
    return "O"


def verdicts(kind, dims, align):
    """(of the size, of the file, bytes)."""
    bad = shape(dims)
    if kind in REMOVED:
        return ("U", "O", 0) if bad == "O" else ("-", bad, 0)
    if bad != "O":
        return bad, bad, 0
    block, width = LAYOUTS[kind]
    size = 1
    for d in dims:
        size *= d
    if (dims[0] if dims else 1) % block:
        return "B", "B", 0
    size = size // block * width
    if size > U64:
        return "V", "V", 0
    # One key, general.alignment in 64 bits, and one tensor named "t".
    head = 24 + (8 + 17 + 4 + 8) + (8 + 1 + 4 + 8 * len(dims) + 4 + 8)
    end = pad_up(head, align) + pad_up(size, align)
    return "O", "O" if end <= U64 else "V", size


def combinations():
    """(type, indices of dimensions, index of the alignment)."""
    kinds = [*LAYOUTS, *REMOVED]
    turn = 0
    edges = [DIMS.index(d) for d in EDGES]
    for kind in kinds:
        tuples = [(), *((i,) for i in range(len(DIMS))),
                  *((i, j) for i in edges for j in edges)]
        for t in tuples:
            turn += 1
            yield kind, t, turn % len(ALIGNS)
    small = [i for i in edges if DIMS[i] <= 2 ** 16 + 1]
    dice = Dice(7)
    for _ in range(QUADS):
        t = [dice.choice(dice.choice((small, small, edges)))
             for _ in range(3 + dice.below(2))]
        yield dice.choice(kinds), t, dice.below(len(ALIGNS))


def write(path):
    records = []
    for kind, t, a in combinations():
        dims = [DIMS[i] for i in t]
        size_is, file_is, size = verdicts(kind, dims, ALIGNS[a])
        records.append(struct.pack(
            "<BB4HBccQ", kind, len(t), *t, *[0] * (4 - len(t)), a,
            size_is.encode(), file_is.encode(), size))
    with open(path, "wb") as f:
        f.write(b"GGKO")
        for values in (DIMS, ALIGNS):
            f.write(struct.pack(f"<I{len(values)}Q", len(values), *values))
        f.write(struct.pack("<I", len(records)) + b"".join(records))
    return len(records)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    write(sys.argv[1])
