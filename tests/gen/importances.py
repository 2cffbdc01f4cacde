#!/usr/bin/env -S python3 -B
"""importances.py - write small importance matrices into the working folder: of
both kinds, good and bad. What gguf imatrix makes of them is in tests/cli.
"""

import math

from ggufgen import File, KV, Tensor, strings
from quantizable import floats, imatrix_dat

Q, K, DOWN = "blk.0.attn_q.weight", "blk.0.attn_k.weight", \
    "blk.0.ffn_down_exps.weight"


def entry(name, sums, counts):
    """Two tensors; the sums are those of each count, one after the other."""
    ne0 = len(sums) // len(counts)
    return [Tensor(f"{name}.in_sum2", [ne0, len(counts)], data=floats(sums)),
            Tensor(f"{name}.counts", [1, len(counts)], data=floats(counts))]


def keys(datasets, chunks, size):
    return [KV("general.type", "str", "imatrix"),
            KV("imatrix.datasets", "arr", strings(*datasets)),
            KV("imatrix.chunk_count", "u32", chunks),
            KV("imatrix.chunk_size", "u32", size)]


def matrix(entries, datasets=("prose.txt",), chunks=2, size=4, more=(),
           tensors=()):
    parts = [part for e in entries for part in entry(*e)]
    return File([*keys(datasets, chunks, size), *more],
                [*parts, *tensors]).build()


def broken():
    """One thing of each kind."""
    bad = [entry("nan", [1, math.nan, math.nan, 2], [2]),
           entry("infinite", [1, math.inf], [1, 2]),
           entry("negative", [-1, 2], [1]),
           entry("count", [1, 2], [-4]),
           entry("no-count", [1, 2], [math.nan]),
           entry("zero", [0, 0, 0, 1], [3, 3]),
           entry("uncounted", [1, 2], [0]),
           entry("unseen", [1, 2, 0, 0], [1, 0]),
           entry("never", [0, 0], [0]),
           entry("twice", [1, 2], [1]), entry("twice", [1, 2], [1]),
           entry("shape", [1, 2, 3], [1]), entry("alone", [1, 2], [1])]
    parts = [part for pair in bad for part in pair]
    parts[-4].dims = [3, 1]
    parts[-3] = Tensor("shape.counts", [1, 2], data=floats([1, 1]))
    parts[-1] = Tensor("other.counts", [1, 1], data=floats([1]))
    parts.append(Tensor("half.in_sum2", [2, 1], "F16", data=bytes(4)))
    parts.append(Tensor("half.counts", [1, 1], data=floats([1])))
    return File([KV("general.type", "str", "imatrix")], parts).build()


def piled():
    """Entries whose sums lie on each other, more of them than the file."""
    parts = entry(Q, [1] * 256, [1])
    for i in range(20):
        parts += entry(f"blk.{i}.ffn_up.weight", [1], [1])
        parts[-2] = Tensor(parts[-2].name.text, [256, 1], offset=0, data=b"")
    return File(keys(["prose.txt"], 2, 4), parts).build()


def files():
    prose = [(DOWN, [6, 12, 3, 6, 0, 0, 4, 2], [6, 3, 0, 2]),
             (Q, [8, 16, 24, 4], [8]), ("blk.1.attn_q.weight", [0, 0], [0])]
    code = [(Q, [1, 1, 1, 1], [4]), (K, [2, 4], [4])]
    other = File(keys(["odd.txt"], 1, 4) + [KV("author", "str", "me")],
                 entry(Q, [1, 2, 3, 4], [4]) +
                 [Tensor(f"{Q}.in_sum", [4, 1], data=floats([1, 1, 1, 1]))])
    return {
        "prose.gguf": matrix(prose, ("prose.txt", "letters.txt")),
        "code.gguf": matrix(code, ("code.txt",), 1),
        "long.gguf": matrix(code, ("long.txt",), 1, 8),
        "wide.gguf": matrix([(Q, [1] * 8, [4])]),
        "experts.gguf": matrix([(DOWN, [1] * 8, [4, 4])]),
        "single.gguf": matrix([(DOWN, [1] * 8, [4])]),
        "huge.gguf": matrix([(Q, [3e38, 1, 1, 1], [4])]),
        "old.dat": imatrix_dat({Q: [2, 4, 6, 8], K: [1, 1]}),
        "calls.dat": imatrix_dat({Q: [2, 4]}).replace(
            b"weight\2\0\0\0", b"weight\0\0\0\0"),
        "other.gguf": other.build(),
        "long-name.dat": imatrix_dat({"x" * 60: [1, 2]}),
        "hostile.gguf": matrix([("\x1b[31mred\n", [1, 2], [1])],
                               ("\u202etxt.exe",)),
        "bare.gguf": matrix([(Q, [1, 2], [1])], (), 0, 0),
        "broken.gguf": broken(),
        "nan.gguf": matrix([("a", [math.nan, 1, 2], [1]),
                            ("b", [1, math.nan, 2], [1]),
                            ("c", [2, 1, math.nan], [1]),
                            ("d", [math.nan] * 2, [1]),
                            ("e", [0, 3], [1])]),
        "names.gguf": matrix([("x" * 1100, [1, 2], [1])]),
        "piled.gguf": piled(),
        "negative.gguf": matrix([(Q, [1, 2, 3, 4], [-4])]),
        "mixed.gguf": matrix([(DOWN, [1] * 8, [6, -3, 2, 2])]),
        "fraction.gguf": matrix([(Q, [1, 2, 3, 4], [0.4]),
                                 (K, [1, 2], [3.75])]),
        "past.gguf": matrix([(DOWN, [3e38] * 8, [1, 9, 9, 9])]),
        "many.gguf": matrix([(Q, [1, 2, 3, 4], [2.0 ** 40])]),
    }


if __name__ == "__main__":
    for name, data in files().items():
        with open(name, "wb") as f:
            f.write(data)
