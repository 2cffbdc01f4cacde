#!/usr/bin/env -S python3 -B
"""quantizable.py - write small models to quantize, and importances for them,
into the working folder. What gguf quantize makes of them is in tests/cli.
"""

import math
import struct

from ggufgen import Arr, File, KV, Tensor, strings

NAMES = ("attn_k", "attn_q", "attn_v", "attn_output", "ffn_down", "ffn_gate",
         "ffn_up")


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def waves(n, start):
    """n numbers of all sizes, none of them zero."""
    return floats([math.sin(0.7 * i + start) * (1 + i % 13) / 20
                   for i in range(n)])


def keys(layers, ne0=256):
    return [KV("general.architecture", "str", "llama"),
            KV("general.name", "str", "waves"),
            *(KV(f"llama.{key}", "u32", value) for key, value in (
                ("block_count", layers), ("context_length", 64),
                ("embedding_length", ne0), ("feed_forward_length", 4),
                ("attention.head_count", 4), ("attention.head_count_kv", 2))),
            KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5)]


def tensors(layers, ne0, rows=4):
    out = [Tensor("token_embd.weight", [ne0, 8], data=waves(ne0 * 8, 1)),
           Tensor("output_norm.weight", [ne0], data=waves(ne0, 2)),
           Tensor("output.weight", [ne0, 8], data=waves(ne0 * 8, 3))]
    for i in range(layers):
        out += [Tensor(f"blk.{i}.{name}.weight", [ne0, rows],
                       data=waves(ne0 * rows, i + len(name)))
                for name in NAMES]
        out.append(Tensor(f"blk.{i}.attn_norm.weight", [ne0],
                          data=waves(ne0, i)))
    return out


def model(layers=2, ne0=256):
    return File(keys(layers, ne0), tensors(layers, ne0)).build()


def with_value(value):
    """As model(), with a number that cannot be quantized."""
    parts = tensors(2, 256)
    bad = bytearray(parts[5].data)
    struct.pack_into("<f", bad, 4 * (256 + 17), value)
    parts[5].data = bytes(bad)
    return File(keys(2), parts).build()


def quantized():
    parts = tensors(1, 256)
    parts[0] = Tensor("token_embd.weight", [256, 8], "Q8_0")
    parts[3] = Tensor("blk.0.attn_k.weight", [256, 4], "Q4_0")
    return File(keys(1), parts).build()


def with_scale():
    """As quantized(), with a block whose scale is infinite."""
    table = bytearray(256 // 32 * 34 * 8)
    at = (2 * 256 // 32 + 3) * 34
    table[at:at + 2] = b"\0\xfc"
    parts = tensors(1, 256)
    parts[0] = Tensor("token_embd.weight", [256, 8], "Q8_0", data=bytes(table))
    return File(keys(1), parts).build()


def shared():
    """As model(), with a hundred tensors more that have the first one's bytes:
    more of them than there can be."""
    return File(keys(1), tensors(1, 256) + [
        Tensor(f"copy.{i}", [1 << 19], "I8", offset=0,
               data=bytes(1 << 19 if i == 0 else 0)) for i in range(100)]).build()


def damaged():
    """Weights that were lost, rows that were, and a bit that flipped."""
    parts = tensors(1, 256, 64)
    parts[3].data = bytes(256 * 64 * 4)
    lost = bytearray(parts[4].data)
    lost[256 * 4 * 40 - 9:256 * 4 * 50 + 9] = bytes(256 * 4 * 10 + 18)
    parts[4].data = bytes(lost)
    flipped = bytearray(parts[5].data)
    struct.pack_into("<f", flipped, 4 * (256 * 7 + 5), 1e5)
    parts[5].data = bytes(flipped)
    return File(keys(1), parts).build()


def split_set(n=2):
    """Shards of model(): the tensors in turn, so that their order matters."""
    parts = tensors(2, 256)
    out = {}
    for i in range(n):
        numbers = [KV("split.no", "u16", i), KV("split.count", "u16", n),
                   KV("split.tensors.count", "i32", len(parts))]
        kvs = (keys(2) if i == 0 else []) + numbers
        out[f"set-{i + 1:05}-of-{n:05}.gguf"] = File(kvs, parts[i::n]).build()
    return out


def with_arrays():
    """As model(4), with keys that have something for each layer."""
    kvs = keys(4)
    kvs[6] = KV("llama.attention.head_count", "arr", Arr("u32", [4, 8, 4, 4]))
    kvs[7] = KV("llama.attention.head_count_kv", "arr",
                Arr("i32", [2, 4, 1, 2]))
    kvs += [KV("llama.flags", "arr", Arr("bool", [1, 0, 0, 1])),
            KV("llama.rope.dimension_sections", "arr",
               Arr("i32", [1, 2, 3, 4])),
            KV("llama.labels", "arr", strings("a", "b", "c", "d"))]
    return File(kvs, tensors(4, 256)).build()


def prefixed():
    """As of an encoder and a decoder."""
    parts = tensors(2, 256)
    parts += [Tensor("enc." + part.name.text.decode(), part.dims,
                     data=part.data) for part in parts[3:]]
    return File(keys(2), parts).build()


def tied():
    """As model(), with embeddings that are the output too."""
    return File(keys(2), [part for part in tensors(2, 256)
                          if part.name.text != b"output.weight"]).build()


def entries(names, ne0=256):
    return {f"{name}.weight": [abs(math.sin(i + len(name))) + 0.01
                               for i in range(ne0)] for name in names}


def imatrix(values):
    parts = []
    for name, sums in values.items():
        parts += [Tensor(f"{name}.in_sum2", [len(sums), 1], data=floats(sums)),
                  Tensor(f"{name}.counts", [1, 1], data=floats([2]))]
    return File([KV("general.type", "str", "imatrix"),
                 KV("imatrix.datasets", "arr", strings("wiki.txt")),
                 KV("imatrix.chunk_count", "u32", 16),
                 KV("imatrix.chunk_size", "u32", 512)], parts).build()


def imatrix_dat(values):
    out = struct.pack("<i", len(values))
    for name, sums in values.items():
        out += struct.pack("<i", len(name)) + name.encode()
        out += struct.pack("<ii", 2, len(sums)) + floats(sums)
    return out + struct.pack("<ii", 16, 8) + b"wiki.txt"


ALL = [f"blk.{i}.{name}" for i in range(2) for name in NAMES]


def absurd(name):
    """Importances of all, of which one kind of tensor has odd ones."""
    odd = {"large": [1e38, 1e-38] * 128, "zero": [0] * 256,
           "negative": [1] * 37 + [-2] + [1] * 218,
           "dead": [1] * 64 + [0] * 64 + [1] * 128,
           "tiny": [1e-30] * 256}[name]
    values = entries(ALL)
    for i in range(2):
        values[f"blk.{i}.ffn_up.weight"] = odd
    return imatrix(values)


def files():
    some = entries([*ALL[:-3], "blk.7.attn_q"])
    bad = entries(ALL)
    bad["blk.0.attn_q.weight"][3] = math.nan
    out = {"model": model(), "deep": model(4), "narrow": model(1, 288), "odd": model(1, 33),
           "quantized": quantized(), "nan": with_value(math.nan),
           "infinite": with_value(-math.inf),
           "large": with_value(1e38),
           "scale": with_scale(), "damaged": damaged(),
           "shared": shared(), "arrays": with_arrays(), "prefixed": prefixed(),
           "tied": tied(),
           "no-layers": File(keys(2)[:2], tensors(2, 256)).build(),
           "unknown": File([KV("general.architecture", "str", "nobody")],
                           tensors(1, 256)).build(),
           "imatrix": imatrix(entries(ALL)), "some": imatrix(some),
           "other": imatrix(entries(ALL, 32)), "bad": imatrix(bad),
           **{f"by-{name}": absurd(name) for name in (
               "large", "zero", "negative", "dead", "tiny")}}
    return {**{f"{name}.gguf": data for name, data in out.items()},
            "imatrix.dat": imatrix_dat(entries(ALL)), **split_set()}


if __name__ == "__main__":
    for name, data in files().items():
        with open(name, "wb") as f:
            f.write(data)
