#!/usr/bin/env -S python3 -B
"""test_dequantized.py GGUF [COUNT [SEED]] - what `gguf export --dtype` writes,
NumPy and safetensors read, and it is what ggml makes of the same blocks, bit by
bit: of every type that can be dequantized; integers stay what they are. What
`gguf stats` and `gguf diff --values` tell of them, and of F64, is what NumPy
computes.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile

import peers

peers.need_package("numpy")
peers.need_package("safetensors")
sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
import numpy as np  # noqa: E402
from safetensors import safe_open  # noqa: E402
from ggufgen import TYPES, File, Tensor, arch  # noqa: E402

LIBRARY = peers.find_ggml()
if not LIBRARY:
    peers.skip("no libggml-base.so: GGK_PEERS may name a folder that has it")
ROWS, NE0 = 6, 512


class InitParams(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p),
                ("no_alloc", ctypes.c_bool)]


class Traits(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("block", ctypes.c_int64),
                ("interleave", ctypes.c_int64), ("size", ctypes.c_size_t),
                ("quantized", ctypes.c_bool), ("to_float", ctypes.c_void_p)]


class Ggml:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.ggml_init.argtypes = [InitParams]
        self.library.ggml_init.restype = ctypes.c_void_p
        self.library.ggml_init(InitParams(1 << 20, None, False))
        self.library.ggml_get_type_traits.restype = ctypes.POINTER(Traits)
        self.library.ggml_quantize_chunk.restype = ctypes.c_size_t
        self.library.ggml_quantize_chunk.argtypes = [
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
            ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]

    def quantize(self, kind, x):
        """Blocks, weighed by importances, which some types need."""
        number, block, size = TYPES[kind]
        out = np.zeros(x.size // block * size, np.uint8)
        weights = np.ones(x.shape[-1], np.float32)
        self.library.ggml_quantize_chunk(
            number, x.ctypes.data, out.ctypes.data, 0, len(x), x.shape[-1],
            weights.ctypes.data)
        return out.tobytes()

    def dequantize(self, kind, data, n):
        if kind == "F32":
            return np.frombuffer(data, np.float32)
        number = TYPES[kind][0]
        traits = self.library.ggml_get_type_traits(number).contents
        out = np.zeros(n, np.float32)
        convert = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p,
                                   ctypes.c_int64)(traits.to_float)
        convert(data, out.ctypes.data, n)
        return out


def check(right, *words):
    if not right:
        print(*words)
        sys.exit(1)


def run(gguf, *words, status=0):
    child = subprocess.run([gguf, *words], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    check(child.returncode == status, words, child.returncode,
          child.stderr.decode())
    return child.stdout


def data_of(ggml, kind, x):
    if kind == "F32":
        return x.tobytes()
    if kind == "F16":
        return x.astype(np.float16).tobytes()
    if kind == "BF16":
        return (x.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return ggml.quantize(kind, x)


# What NumPy has, and floats do not always hold.
PLAIN = {"I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64,
         "F64": np.float64}


def plain_data(kind, size, rng):
    """F64 about that large; of I64 what a double holds."""
    if kind == "F64":
        return rng.standard_normal((ROWS, NE0)) * size
    most = 2 ** min(8 * np.dtype(PLAIN[kind]).itemsize - 1, 52)
    return rng.integers(-most, most, (ROWS, NE0)).astype(PLAIN[kind])


def check_plain(gguf, rng):
    """Integers and F64: exported as they are, and what is told of them."""
    size = 10.0 ** rng.integers(-140, 140)
    data = {kind: plain_data(kind, size, rng) for kind in PLAIN}
    others = {kind: np.where(rng.random(x.shape) < 0.01,
                             plain_data(kind, 100 * size, rng), x)
              for kind, x in data.items()}
    for path, values in (("a.gguf", data), ("x.gguf", others)):
        tensors = [Tensor(kind, [NE0, ROWS], kind, data=x.tobytes())
                   for kind, x in values.items()]
        with open(path, "wb") as f:
            f.write(File([arch()], tensors).build())
    run(gguf, "export", "-q", "--force", "--dtype", "bf16", "a.gguf", "I*",
        "-o", "a.safetensors")
    for kind, x in read_safetensors("a.safetensors").items():
        check(x.dtype == PLAIN[kind] and x.tobytes() == data[kind].tobytes(),
              kind, "is not what it was")
    check_numbers(gguf, data, others)


# Blocks that ggml only computes with, and numbers that it does not convert.
ONE_WAY = ("Q8_1", "Q8_K", "I8", "I16", "I32", "I64", "F64")


def kinds_of(gguf):
    """Those that it can dequantize, and ggml both ways."""
    tensors = [Tensor(kind, [256 * 2], kind) for kind in TYPES]
    with open("kinds.gguf", "wb") as f:
        f.write(File([arch()], tensors).build())
    told = json.loads(run(gguf, "stats", "--json", "kinds.gguf"))["tensors"]
    return [t["name"] for t in told if t["has_values"] and t["name"] not in ONE_WAY]


def read_safetensors(path):
    with safe_open(path, "np") as f:
        return {name: f.get_tensor(name) for name in f.keys()}


def check_arrays(gguf, wanted):
    """Of safetensors and of .npy files, as F32 and as F16."""
    run(gguf, "export", "-q", "--force", "--dtype", "f32", "a.gguf", "-o",
        "a.safetensors")
    run(gguf, "export", "-q", "--force", "--dtype", "f16", "a.gguf", "-o",
        "folder")
    found = read_safetensors("a.safetensors")
    check(sorted(found) == sorted(wanted), "other tensors")
    for name, x in wanted.items():
        check(found[name].dtype == np.float32 and
              found[name].tobytes() == x.tobytes() and
              found[name].shape == x.shape, name, "is not what ggml has")
        half = np.load(os.path.join("folder", f"{name}.npy"))
        check(half.dtype == np.float16 and
              half.tobytes() == x.astype(np.float16).tobytes(), name, "as F16")


def check_numbers(gguf, wanted, others):
    """As 64-bit NumPy has them; and beside others, in x.gguf."""
    told = json.loads(run(gguf, "stats", "--json", "a.gguf"))["tensors"]
    for t in told:
        y = wanted[t["name"]].astype(np.float64)
        check(t["min"] == y.min() and t["max"] == y.max() and
              t["zeros"] == int((y == 0).sum()), t)
        check(np.isclose(t["mean"], y.mean(), rtol=1e-9,
                         atol=1e-12 * abs(y).max()) and
              np.isclose(t["deviation"], y.std(), rtol=1e-12), t)
    told = json.loads(run(gguf, "diff", "--values", "--json", "x.gguf",
                          "a.gguf", status=1))["tensors"]
    for t in told:
        a = others[t["name"]].astype(np.float64)
        d = a - wanted[t["name"]].astype(np.float64)
        rmse = np.sqrt((d * d).mean())
        check(np.isclose(t["rmse"], rmse, rtol=1e-12) and
              np.isclose(t["relative"], rmse / np.sqrt((a * a).mean()),
                         rtol=1e-12), t, rmse)
        check(t["max"] == abs(d).max() and
              t["max_at"] == int(abs(d).argmax()), t)
        b = wanted[t["name"]].astype(np.float64)
        check(np.isclose(t["cosine"], (a * b).sum() /
                         np.sqrt((a * a).sum()) / np.sqrt((b * b).sum()),
                         rtol=1e-12, atol=1e-12), t)


def check_model(gguf, ggml, kinds, rng):
    x = rng.standard_normal((ROWS, NE0)).astype(np.float32) * 0.1
    data = {kind: data_of(ggml, kind, x) for kind in kinds}
    wanted = {kind: ggml.dequantize(kind, data[kind], x.size).reshape(x.shape)
              for kind in kinds}
    for name, contents in (("a", data), ("x", dict.fromkeys(kinds))):
        tensors = [Tensor(kind, [NE0, ROWS], kind if contents[kind] else "F32",
                          data=contents[kind] or x.tobytes())
                   for kind in kinds]
        with open(f"{name}.gguf", "wb") as f:
            f.write(File([arch()], tensors).build())
    check_arrays(gguf, wanted)
    check_numbers(gguf, wanted, dict.fromkeys(wanted, x))
    check_plain(gguf, rng)


def main(args):
    if len(args) not in (1, 2, 3):
        raise SystemExit(__doc__)
    gguf = os.path.abspath(args[0])
    count = int(args[1]) if len(args) > 1 else 5
    ggml = Ggml(LIBRARY)
    rng = np.random.default_rng(int(args[2]) if len(args) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        kinds = kinds_of(gguf)
        for _ in range(count):
            check_model(gguf, ggml, kinds, rng)
        os.chdir(peers.HERE)
    print(f"{count} models of {len(kinds)} types")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
