"""models.py - the files that the tests of faults work on: small, but with all
that a writer has to look after."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))

from ggufgen import KV, Arr, File, Tensor, strings  # noqa: E402

MIB = 1 << 20


def keys(name="faulty", layers=2):
    return [
        KV("general.architecture", "str", "llama"),
        KV("general.name", "str", name),
        KV("general.alignment", "u32", 32),
        KV("llama.block_count", "u32", layers),
        KV("llama.context_length", "u32", 256),
        KV("llama.embedding_length", "u32", 64),
        KV("llama.feed_forward_length", "u32", 128),
        KV("llama.attention.head_count", "u32", 4),
        KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5),
        KV("tokenizer.ggml.model", "str", "llama"),
        KV("tokenizer.ggml.tokens", "arr",
           strings("<unk>", "<s>", "</s>", "a", "b", "ab")),
        KV("tokenizer.ggml.scores", "arr",
           Arr("f32", (0.0, 0.0, 0.0, -1.0, -2.0, -3.0))),
        KV("tokenizer.ggml.token_type", "arr",
           Arr("i32", (2, 3, 3, 1, 1, 1))),
        KV("tokenizer.ggml.bos_token_id", "u32", 1),
        KV("tokenizer.chat_template", "str",
           "{% for m in messages %}{{ m.content }}{% endfor %}"),
    ]


def tensors(layers=2):
    out = [Tensor("token_embd.weight", (64, 6), "Q8_0")]
    for i in range(layers):
        out += [Tensor(f"blk.{i}.attn_q.weight", (64, 64), "Q4_0"),
                Tensor(f"blk.{i}.ffn_up.weight", (64, 16), "F16"),
                Tensor(f"blk.{i}.attn_norm.weight", (64,), "F32")]
    return out + [Tensor("output_norm.weight", (64,), "F32")]


def small(name="faulty"):
    return File(keys(name), tensors()).build()


def other():
    """What is there before, of another size."""
    return File(keys("what was there before", 1), tensors(1)).build()


def large(name="large", mib=4):
    """Tensors that take a while to write."""
    rows = 64 * mib
    return File(keys(name), tensors() + [
        Tensor(f"large.{i}.weight", (1024, rows), "F32") for i in range(4)
    ]).build()


def holes():
    """As small(), and a tensor that is one hole but for its ends: the bytes,
    and where nothing is stored."""
    data = File(keys("holes"), tensors() + [
        Tensor("hole.weight", (256, 1024), "F32")]).build()
    start, end = len(data) - MIB + 8192, len(data) - 8192
    return data[:start] + bytes(end - start) + data[end:], (start, end)


def shard(i, n, total, name="set"):
    """Shard i of n; 3 tensors in each."""
    kvs = keys(name) if i == 0 else [
        KV("general.architecture", "str", "llama"),
        KV("general.name", "str", name)]
    kvs += [KV("split.no", "u16", i), KV("split.count", "u16", n),
            KV("split.tensors.count", "i32", total)]
    return File(kvs, [Tensor(f"part.{i}.{k}.weight", (64, 16), "Q8_0")
                      for k in range(total // n)]).build()


def split_set(prefix, n=3, name="set"):
    """{file name: bytes} of a set of n shards."""
    return {f"{prefix}-{i + 1:05}-of-{n:05}.gguf":
            shard(i, n, 3 * n, name) for i in range(n)}


def description():
    """What gguf new takes, and two of the files that it names."""
    return b"""{"alignment": 64, "keys": {"general.architecture": "llama",
        "a.list": ["a", "b"], "a.bytes": {"base64": "/w=="}},
        "tensors": [{"name": "a", "npy": "a.npy"},
        {"name": "b", "safetensors": "a.safetensors", "tensor": "b"},
        {"name": "c", "type": "I8", "shape": [250], "raw": "raw", "offset": 1},
        {"name": "d", "type": "F16", "shape": [4], "fill": 0.5},
        {"name": "e", "type": "F32", "values": [1, 2.5, "nan"]}]}"""


def npy():
    text = b"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}"
    return b"\x93NUMPY\1\0" + bytes([len(text), 0]) + text + bytes(24)


def safetensors():
    text = b'{"b": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}}'
    return len(text).to_bytes(8, "little") + text + bytes(8)
