#!/usr/bin/env -S python3 -B
"""test_arrays.py GGUF [COUNT [SEED]] - NumPy and safetensors read what `gguf
export` writes: shapes, types and every byte, of random models in either byte
order. A .npy file is what numpy.save makes of the same array, byte for byte.
"""

import io
import os
import random
import subprocess
import sys
import tempfile

import peers

peers.need_package("numpy")
peers.need_package("safetensors")
sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
import numpy as np  # noqa: E402
from safetensors import safe_open  # noqa: E402
from ggufgen import TYPES, File, KV, Tensor, arch  # noqa: E402

# safetensors' and NumPy's names of numbers; all else are bytes of rows.
PLAIN = {"F32": ("F32", "<f4"), "F16": ("F16", "<f2"), "F64": ("F64", "<f8"),
         "BF16": ("BF16", "<u2"), "I8": ("I8", "|i1"), "I16": ("I16", "<i2"),
         "I32": ("I32", "<i4"), "I64": ("I64", "<i8")}


def random_tensors(rng, big):
    out = []
    types = [t for t in TYPES if not big or t in PLAIN]
    for i in range(rng.randrange(1, 9)):
        kind = rng.choice(types)
        block = TYPES[kind][1]
        dims = [rng.choice((0, 1, 1, 2, 3, 7)) for _ in range(rng.randrange(5))]
        if dims:
            dims[0] = block * rng.choice((1, 2, 3, rng.randrange(4)))
        elif block > 1:
            dims = [block]
        out.append(Tensor(f"blk.{i}.{rng.choice(('a', 'é', 'ü/', '.'))}", dims,
                          kind))
    return out


def shape_of(dims, kind):
    """As others have it."""
    _, block, size = TYPES[kind]
    shape = list(reversed(dims))
    if kind in PLAIN:
        return tuple(shape)
    if 0 in dims:
        return (0,)
    return tuple(shape[:-1] + [dims[0] // block * size])


def file_name(name):
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else
                   "".join(f"%{b:02X}" for b in c.encode()) for c in name)


class Model:
    def __init__(self, rng, big):
        self.big = big
        tensors = random_tensors(rng, big)
        self.dims = {}
        self.data = {}
        self.kinds = {}
        for i, t in enumerate(tensors):
            data = bytes(t.content(i))
            name = t.name.text.decode()
            self.dims[name], self.kinds[name] = list(t.dims), t.type
            width = TYPES[t.type][2] if t.type in PLAIN else 1
            self.data[name] = data
            t.data = b"".join(data[k:k + width][::-1] for k in
                              range(0, len(data), width)) if big else data
        self.bytes = File([arch(), KV("a.key", "u32", 1)], tensors,
                          big=big).build()

    def array(self, name):
        kind = self.kinds[name]
        descr = PLAIN[kind][1] if kind in PLAIN else "|u1"
        return np.frombuffer(self.data[name], descr).reshape(
            shape_of(self.dims[name], kind))


def check(right, *words):
    if not right:
        print(*words)
        sys.exit(1)


def check_npy(model, folder, seed):
    check(len(os.listdir(folder)) == len(model.data), seed, "files")
    for name in model.data:
        wanted = model.array(name)
        path = os.path.join(folder, file_name(name) + ".npy")
        is_ = np.load(path)
        check(is_.dtype == wanted.dtype and is_.shape == wanted.shape and
              is_.tobytes() == wanted.tobytes(), seed, name, is_)
        saved = io.BytesIO()
        np.save(saved, wanted)
        with open(path, "rb") as f:
            check(f.read() == saved.getvalue(), seed, name, "is saved so:",
                  saved.getvalue()[:128])


def check_safetensors(model, path, seed):
    with safe_open(path, "np") as f:
        metadata = f.metadata() or {}
        check(sorted(f.keys()) == sorted(model.data), seed, f.keys())
        for name, kind in model.kinds.items():
            part = f.get_slice(name)
            wanted = model.array(name)
            dtype = PLAIN[kind][0] if kind in PLAIN else "U8"
            check(part.get_dtype() == dtype, seed, name, part.get_dtype())
            check(tuple(part.get_shape()) == wanted.shape, seed, name,
                  part.get_shape())
            check(metadata.get("gguf.type." + name) ==
                  (None if kind in PLAIN else kind), seed, name, metadata)
            if dtype != "BF16":  # of which NumPy knows nothing
                check(f.get_tensor(name).tobytes() == model.data[name], seed,
                      name)


def main():
    gguf = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.getrandbits(32)
    tensors = 0
    for i in range(count):
        model = Model(random.Random(seed + i), big=i % 3 == 2)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with open("in.gguf", "wb") as f:
                f.write(model.bytes)
            for out in ("out", "out.safetensors"):
                subprocess.run([gguf, "export", "-q", "in.gguf", "-o", out],
                               check=True)
            check_npy(model, "out", seed + i)
            check_safetensors(model, "out.safetensors", seed + i)
            os.chdir("/")
        tensors += len(model.data)
    print(f"{count} models, {tensors} tensors, seed {seed}: as NumPy "
          f"{np.__version__} saves them, and as safetensors reads them")


main()
