#!/usr/bin/env -S python3 -B
"""test_compat.py GGUF random [COUNT] | vocab - `gguf dump --compat` prints what
the gguf-dump of the Python package gguf 0.19 prints, byte for byte.

random: models made up here, 200 or COUNT of them. vocab: real vocabularies, for
which that program takes a minute.
"""

import argparse
import contextlib
import glob
import importlib.metadata
import io
import os
import random
import struct
import subprocess
import sys
import tempfile

import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV, TYPES, Tensor  # noqa: E402

VERSION = "0.19"
ODD_CHARACTERS = ("'\"\\`\n\r\t\0\x01\x1b\x7f\x80\x85\xa0\xad\xe9\u0301\u0416"
                  "\u200b\u200d\u202e\u2028\u3000\u4e2d\ud7ff\ue000\ufeff"
                  "\ufffd\uffff\U0001f600\U000e0001\U0010ffff\u0378")
PLAIN_CHARACTERS = "abcXYZ059 ._-/:{}[]%<>"
INTEGERS = {"u8": (0, 8), "i8": (1, 8), "u16": (0, 16), "i16": (1, 16),
            "u32": (0, 32), "i32": (1, 32), "u64": (0, 64), "i64": (1, 64)}
SCALARS = (*INTEGERS, "f32", "f64", "bool")
UNKNOWN_THERE = {"Q2_0"}  # newer than that version
ROOM = bytes(1 << 16)  # since there a block of Q8_1 has 40 bytes, not 36


def text(rng, most=70):
    """A string; often about as long as where it is cut, at 60."""
    length = rng.choice((0, 1, rng.randrange(most), 57, 59, 60, 61, 62))
    odd = rng.choice((0, 0, 0.1, 0.5))
    return "".join(rng.choice(ODD_CHARACTERS if rng.random() < odd
                              else PLAIN_CHARACTERS) for _ in range(length))


def name(rng, taken):
    """A name not yet taken that is printed as it is."""
    while True:
        result = "".join(c for c in text(rng, 40) if c.isprintable())
        if result and result not in taken:
            taken.add(result)
            return result


def number(rng, kind):
    if kind == "bool":
        return rng.choice((0, 1, 1, 2, 255))
    if kind == "f32":
        bits = rng.choice((rng.getrandbits(32), rng.getrandbits(31),
                           struct.unpack("I", struct.pack(
                               "f", rng.uniform(-100, 100)))[0],
                           0x7f800000, 0xff800000, 0x7fc00000, 1, 1 << 31))
        return struct.unpack("f", struct.pack("I", bits))[0]
    if kind == "f64":
        return rng.choice((
            struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0],
            round(rng.uniform(-1e6, 1e6), 3), 10.0 ** rng.randrange(-30, 30),
            float("inf"), -0.0, 1e16, 1e-5))
    signed, bits = INTEGERS[kind]
    low = -(1 << (bits - 1)) if signed else 0
    high = low + (1 << bits) - 1
    return rng.choice((low, high, rng.randint(low, high),
                       rng.randint(max(low, -9), min(high, 99))))


def flat(rng, kind):
    n = rng.choice((0, 1, 2, 5, 6, 7, 30))
    return Arr(kind, [text(rng, 9) if kind == "str" else number(rng, kind)
                      for _ in range(n)])


def nested(rng, depth):
    """Arrays of arrays, flattened there. What comes after a first element
    that is no string may be of any type."""
    first = rng.choice((*SCALARS, "str"))
    others = [first]
    if first != "str" and rng.random() < 0.5:
        others = [*SCALARS, "str"]
    items = []
    for i in range(rng.randrange(4)):
        if depth > 1:
            items.append(nested(rng, depth - 1))
        else:
            items.append(flat(rng, rng.choice(others) if i else first))
    return Arr("arr", items)


def first_is_string(a):
    """Whether the first scalar down the first elements is a string."""
    while a.elem == "arr" and a.items:
        a = a.items[0]
    return a.elem == "str" and len(a.items) > 0


def has_number(a):
    if a.elem == "arr":
        return any(has_number(b) for b in a.items)
    return a.elem != "str" and len(a.items) > 0


def value(rng):
    """(type, value) of a key. Numbers taken for strings are left out: there
    they are decoded as UTF-8, if that goes."""
    shape = rng.random()
    if shape < 0.3:
        return "str", text(rng)
    if shape < 0.6:
        kind = rng.choice(SCALARS)
        return kind, number(rng, kind)
    if shape < 0.9:
        return "arr", flat(rng, rng.choice((*SCALARS, "str", "str")))
    while True:
        a = nested(rng, rng.randint(1, 3))
        if not (first_is_string(a) and has_number(a)):
            return "arr", a


def tensor(rng, taken):
    kind = rng.choice([t for t in TYPES if t not in UNKNOWN_THERE])
    block = TYPES[kind][1]
    dims = [rng.choice((1, 2, 3, 4)) for _ in range(rng.randrange(6))]
    if dims:
        dims[0] *= block
    elif kind not in ("F32", "F16", "F64", "I8", "I16", "I32", "I64"):
        dims = [block]  # there only these may have no dimensions
    if rng.random() < 0.1:
        dims[-1:] = [0]
    return Tensor(name(rng, taken), dims, kind)


def model(seed):
    rng = random.Random(seed)
    taken = set()
    kvs = [KV(name(rng, taken), *value(rng)) for _ in range(rng.randrange(20))]
    align = rng.choice((32, 32, 1, 8, 64, 4096))
    if align != 32:
        kvs.insert(rng.randint(0, len(kvs)),
                   KV("general.alignment", "u32", align))
    taken = set()
    tensors = [tensor(rng, taken) for _ in range(rng.randrange(12))]
    big = rng.random() < 0.2
    return File(kvs, tensors, version=3 if big else rng.choice((2, 3)),
                big=big, align=align, tail=ROOM).build()


def theirs(path, no_tensors):
    from gguf import GGUFReader
    from gguf.scripts import gguf_dump

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        gguf_dump.dump_metadata(GGUFReader(path),
                                argparse.Namespace(no_tensors=no_tensors))
    return out.getvalue().encode()


def ours(gguf, path, no_tensors):
    options = ["--no-tensors"] if no_tensors else []
    return subprocess.run([gguf, "dump", "--compat", "-q", *options, path],
                          capture_output=True, check=True).stdout


def same(gguf, path, label, no_tensors=False):
    wanted, got = theirs(path, no_tensors), ours(gguf, path, no_tensors)
    if wanted == got:
        return True
    print(f"{label}:")
    lines = wanted.split(b"\n"), got.split(b"\n")
    for a, b in zip(*lines):
        if a != b:
            print(f" theirs {a!r}\n ours   {b!r}")
            break
    else:
        print(f" {len(lines[0])} lines there, {len(lines[1])} here")
    return False


def compare_random(gguf, count):
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.gguf")
        for seed in range(count):
            with open(path, "wb") as f:
                f.write(model(seed))
            results.append(same(gguf, path, f"seed {seed}", seed % 8 == 7))
    return results


def compare_real(gguf):
    shared = peers.shared_folder()
    if shared is None:
        peers.skip("no real files")
    paths = (glob.glob(os.path.join(shared, "data/vocab/*.gguf"))
             + glob.glob(os.path.join(shared, "golden/worked/*.gguf")))
    return [same(gguf, path, path) for path in sorted(paths)]


def main(args):
    if len(args) < 2 or args[1] not in ("random", "vocab"):
        raise SystemExit(__doc__)
    peers.need_package("gguf")
    version = importlib.metadata.version("gguf")
    if not version.startswith(VERSION + "."):
        peers.skip(f"gguf is {version}, not {VERSION}")
    if args[1] == "vocab":
        results = compare_real(args[0])
    else:
        results = compare_random(args[0], int((*args, 200)[2]))
    print(f"{len(results)} files, {results.count(False)} differ")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
