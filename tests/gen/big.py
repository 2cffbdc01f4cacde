#!/usr/bin/env -S python3 -B
"""big.py [--sparse] OUTDIR NAME... - large files, built fast.

llama3      the header of a real Llama 3 (needs its tokenizer: GGK_SHARED)
vocab256k   256,000 tokens with scores, types and merges, three small tensors
model2g     183 F16 tensors, 2 GB; with --sparse their data is a hole
tensors1e5 tensors1e6    so many tensors of one number
keys1e5 keys1e6          so many keys
collide     100,000 keys that are one under the common unseeded hashes
strings1e7  one array of ten million empty strings
deep1e5     arrays in arrays, 100,000 deep
"""

import itertools
import os
import random
import struct
import sys

from ggufgen import Arr, File, KV, Tensor, arch, pad_up, strings
import hostile
import make
import worked

ALIGN = 32


def write(path, data, size=None):
    with open(path, "wb") as f:
        f.write(data)
        if size is not None:
            f.truncate(size)


def llama3(path, sparse):
    tokenizer = make.llama3_tokenizer()
    if tokenizer is None:
        raise SystemExit("llama3 needs GGK_SHARED")
    write(path, worked.llama3(tokenizer))


def vocab256k(path, sparse):
    n = 256000
    tokens = strings(*(f"\u2581t{i:x}" for i in range(n)))
    merges = strings(*(f"t{i:x} {i * 7 % n:x}" + "m" * (i % 6)
                       for i in range(n)))
    write(path, File([
        arch(), KV("llama.block_count", "u32", 1),
        KV("tokenizer.ggml.model", "str", "llama"),
        KV("tokenizer.ggml.tokens", "arr", tokens),
        KV("tokenizer.ggml.scores", "arr", Arr("f32", [
            -float(i) for i in range(n)])),
        KV("tokenizer.ggml.token_type", "arr", Arr("i32", [1] * n)),
        KV("tokenizer.ggml.merges", "arr", merges)], [
        Tensor("token_embd.weight", [32, 2]),
        Tensor("output_norm.weight", [32]),
        Tensor("output.weight", [32, 2])]).build())


def llama_20():
    """183 tensors of a model with 20 layers, 1.01 billion numbers."""
    e, kv, ff = 2048, 256, 5632
    result = [Tensor("token_embd.weight", [e, 32000], "F16")]
    for i in range(20):
        b = f"blk.{i}."
        for name, dims in (("attn_norm", [e]), ("attn_q", [e, e]),
                           ("attn_k", [e, kv]), ("attn_v", [e, kv]),
                           ("attn_output", [e, e]), ("ffn_norm", [e]),
                           ("ffn_gate", [e, ff]), ("ffn_up", [e, ff]),
                           ("ffn_down", [ff, e])):
            result.append(Tensor(f"{b}{name}.weight", dims, "F16"))
    return result + [Tensor("output_norm.weight", [e], "F16"),
                     Tensor("output.weight", [e, 32000], "F16")]


def model2g(path, sparse):
    f = File([arch(), KV("general.file_type", "u32", 1),
              KV("llama.block_count", "u32", 20),
              KV("llama.embedding_length", "u32", 2048)], llama_20(),
             data=False)
    head = f.build()
    total = f.data_off + sum(pad_up(t.size, ALIGN) for t in f.tensors)
    if sparse:
        return write(path, head, total)
    # Numbers below 2 in size: random bits but the exponent's highest. The
    # run is repeated, and of odd length, so that no two tensors are alike.
    n = 2 * 4194301
    bits = int.from_bytes(random.Random(1).randbytes(n), "little")
    mask = int.from_bytes(b"\xff\xbf" * (n // 2), "little")
    run = (bits & mask).to_bytes(n, "little")
    with open(path, "wb") as out:
        out.write(head + bytes(f.data_off - len(head)))
        left = total - f.data_off
        while left:
            left -= out.write(run[:left])


def tensors(n):
    def build(path, sparse):
        fixed = struct.Struct("<IQQIQ").pack
        head = struct.pack("<4sIQQ", b"GGUF", 3, n, 0)
        name = struct.pack("<Q", 17)
        infos = b"".join(
            name + b"blk.%06d.weight" % i + fixed(2, 1, 1, 0, i * ALIGN)
            for i in range(n))
        data_off = pad_up(len(head) + len(infos), ALIGN)
        write(path, head + infos, data_off + n * ALIGN)
    return build


def keys(names):
    def build(path, sparse):
        entry = struct.Struct("<II").pack
        pairs = [struct.pack("<Q", len(k)) + k + entry(4, i)
                 for i, k in enumerate(names())]
        head = struct.pack("<4sIQQ", b"GGUF", 3, 0, len(pairs))
        write(path, head + b"".join(pairs))
    return build


def numbered(n):
    return lambda: (b"key.%07d" % i for i in range(n))


def colliding():
    """Half are equal under h * 33 + c, half under h * 31 + c."""
    for pair in ((b"Ez", b"FY"), (b"Aa", b"BB")):
        words = itertools.product(pair, repeat=16)
        for word in itertools.islice(words, 50000):
            yield b"".join(word)


def strings1e7(path, sparse):
    n = 10 ** 7
    f = File([KV("strings", "arr", Arr("str", [], n))], tail=bytes(8 * n))
    write(path, f.build())


def deep1e5(path, sparse):
    write(path, File([KV("deep", "arr", hostile.deep(100000))]).build())


FILES = {
    "llama3": llama3, "vocab256k": vocab256k, "model2g": model2g,
    "tensors1e5": tensors(10 ** 5), "tensors1e6": tensors(10 ** 6),
    "keys1e5": keys(numbered(10 ** 5)), "keys1e6": keys(numbered(10 ** 6)),
    "collide": keys(colliding), "strings1e7": strings1e7, "deep1e5": deep1e5,
}


def main(args):
    sparse = "--sparse" in args
    args = [a for a in args if a != "--sparse"]
    if len(args) < 2 or not set(args[1:]) <= set(FILES):
        raise SystemExit(__doc__)
    os.makedirs(args[0], exist_ok=True)
    for name in args[1:]:
        FILES[name](os.path.join(args[0], name + ".gguf"), sparse)


if __name__ == "__main__":
    main(sys.argv[1:])
