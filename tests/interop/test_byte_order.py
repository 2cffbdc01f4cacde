#!/usr/bin/env -S python3 -B
"""test_byte_order.py SWAP_FILE [COUNT] - files in the other byte order are,
byte for byte, those of the gguf-convert-endian of the Python package gguf 0.19,
for the tensor types that it knows: 6 models, or COUNT of them, and back.
"""

import os
import random
import subprocess
import sys
import tempfile

import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV, TYPES, Tensor  # noqa: E402

KNOWN_THERE = ("F32", "F16", "BF16", "Q4_0", "Q8_0", "Q4_K", "Q6_K", "MXFP4",
               "NVFP4")
INTEGERS = {"u8": (0, 8), "i8": (1, 8), "u16": (0, 16), "i16": (1, 16),
            "u32": (0, 32), "i32": (1, 32), "u64": (0, 64), "i64": (1, 64)}


def value(rng, kind):
    if kind == "str":
        return "".join(rng.choice("abc \u2581\u4e2d") for _ in range(
            rng.randrange(9)))
    if kind in INTEGERS:
        signed, bits = INTEGERS[kind]
        return rng.getrandbits(bits) - (signed << (bits - 1))
    return rng.randrange(2) if kind == "bool" else rng.uniform(-9, 9)


def model(rng):
    kinds = (*INTEGERS, "f32", "f64", "bool", "str")
    kvs = [KV(f"one.{k}", k, value(rng, k)) for k in kinds]
    for k in kinds:
        n = rng.choice((1, 2, 700, 5000) if k != "str" else (1, 2, 50))
        kvs.append(KV(f"many.{k}", "arr",
                      Arr(k, [value(rng, k) for _ in range(n)])))
    rng.shuffle(kvs)
    tensors = []
    for i in range(rng.randrange(1, 12)):
        kind = rng.choice(KNOWN_THERE)
        dims = [256 * rng.randrange(1, 4)]
        dims += [rng.randrange(1, 5) for _ in range(rng.randrange(3))]
        size = Tensor("", dims, kind).size
        data = rng.getrandbits(8 * size).to_bytes(size, "little")
        tensors.append(Tensor(f"t{i}", dims, kind, data=data))
    return File([KV("general.architecture", "str", "llama"), *kvs], tensors)


def convert(path, order):
    """gguf-convert-endian, in place, once it has been told that we mean it."""
    run = subprocess.run(
        [sys.executable, "-m", "gguf.scripts.gguf_convert_endian", path, order],
        input=b"YES\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False)
    if run.returncode != 0:
        raise SystemExit(run.stdout.decode(errors="replace"))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def differences(swap_file, rng, folder):
    """What is not the same in one model."""
    here, there, back = (os.path.join(folder, n) for n in "abc")
    little = bytes(model(rng).build())
    write(here, little)
    subprocess.run([swap_file, here, there], check=True)
    subprocess.run([swap_file, there, back], check=True)
    if read(back) != little:
        yield "twice swapped is not as before"
    convert(here, "big")
    if read(here) != read(there):
        yield "the big-endian file"
    convert(here, "little")
    if read(here) != little:
        yield "the little-endian file made of it"


def unswappable(swap_file, folder):
    """The one type that is refused, by exit status 5."""
    path = os.path.join(folder, "u")
    for kind in TYPES:
        write(path, File([], [Tensor("t", [256], kind)]).build())
        status = subprocess.run([swap_file, path, os.devnull],
                                check=False).returncode
        if status != (5 if kind == "IQ2_XXS" else 0):
            yield f"{kind}: exit status {status}"


def main(args):
    if len(args) not in (1, 2):
        raise SystemExit(__doc__)
    peers.need_package("gguf")
    count = int(args[1]) if len(args) > 1 else 6
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for what in unswappable(args[0], folder):
            print(what)
            differ += 1
        for seed in range(count):
            for what in differences(args[0], random.Random(seed), folder):
                print(f"model {seed}: {what}")
                differ += 1
    print(f"{count} models, {differ} differences")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
