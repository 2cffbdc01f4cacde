#!/usr/bin/env -S python3 -B
"""seeds.py [--check] FOLDER - write the seeds of the fuzzers.

Small files, each with something that the others lack: a fuzzer goes on from
there. They are committed; --check compares the folder with what would be
written.
"""

import os
import struct
import sys

import configs
import features
import good
import journal
import wrong
from ggufgen import Arr, File, KV, Raw, Tensor, arch, strings

MOST_BYTES = 2048


def scalars():
    ends = (("u8", 255), ("i8", -128), ("u16", 65535), ("i16", -2 ** 15),
            ("u32", 2 ** 32 - 1), ("i32", -2 ** 31), ("u64", 2 ** 64 - 1),
            ("i64", -2 ** 63), ("f32", float("nan")), ("f64", float("-inf")),
            ("bool", 2), ("str", "a"))
    return [KV(f"s.{t}", t, v) for t, v in ends]


def nested():
    deep = Arr("u8", [1])
    for _ in range(15):
        deep = Arr("arr", [deep])
    wide = Arr("arr", [Arr("u8", [1, 2]), strings("x", ""), Arr("arr")])
    return [KV("a.deep", "arr", deep), KV("a.wide", "arr", wide)]


def texts():
    odd = ["\x1b]0;x\7\x1b[2J", "\u202eabc", "\u2028", "\x7f\x85\0",
           "'\"\\\n\t|`</script>", b"\xff\xc0\xaf\xed\xa0\x80", "=1+1"]
    return [KV(f"t.{i}", "str", s) for i, s in enumerate(odd)] + [
        KV("t.all", "arr", strings(*odd)), KV(odd[1], "u8", 1)]


def chat():
    """What the commands for tokenizers and templates look for."""
    more = [KV("tokenizer.ggml.pre", "str", "llama-bpe"),
            KV("tokenizer.chat_template.tool_use", "str", "{{ tools }}\n"),
            KV("tokenizer.chat_templates", "arr", strings("tool_use"))]
    return File([arch()] + good.vocabulary() + more)


SAFETENSORS = (b'{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":'
               b'[2,2],"data_offsets":[0,16]},"b":{"dtype":"U8","shape":[8],'
               b'"data_offsets":[16,24]}}')
WORDS = {
    "name": b"mmproj-Qwen2-VL-8x7B-Instruct-v0.1-Q4_K_M-00002-of-00003.gguf",
    "label": b"8x22.5B",
    "types": b"id\tname\tblock\tbytes\trow_extra\n# of ik_llama.cpp\n"
             b"31 Q4_0_4_4 32 18 # a comment\r\n\n137\tIQ2_K\t256\t76\t0\n"
             b"144\tIQ4_KSS\t256\t128\t4\n",
    "npy": b"\x93NUMPY\1\0\x43\0{'descr': '<f4', 'fortran_order': False, "
           b"'shape': (2, 3), }       \n" + bytes(24),
    "safetensors": b"\x8e\0\0\0\0\0\0\0" + SAFETENSORS + bytes(24),
    "spec": b'{"version": 3, "alignment": 64, "keys": {"a.b": [1, 2], "c": '
            b'{"type": "FLOAT64[][]", "value": [["nan", 0.1], []]}}, '
            b'"tensors": [{"name": "w", "type": "F16", "shape": [2, 3], '
            b'"fill": -0.5}, {"name": {"base64": "/w=="}, "type": "BF16", '
            b'"values": [1, 3e38, "-inf"]}]}',
    "spec-list": b'{"byte_order": "big", "keys": [{"key": "k", "type": '
                 b'"ARRAY", "elem_type": "STRING", "value": ["\\u0000"]},'
                 b' {"key": "m", "type": "ARRAY", "elem_type": "ARRAY", '
                 b'"value": [{"type": "INT8[]", "value": [1]}, [[]]]}],'
                 b' "tensors": [{"name": "x", "npy": "/dev/null"}]}',
}


def shard():
    return File([arch(), KV("split.no", "u16", 1),
                 KV("split.count", "u16", 3),
                 KV("split.tensors.count", "i32", 4)],
                [Tensor("blk.1.w", [4])])


def interrupted():
    """Journals of edits that patch, and that make room."""
    runs, extents = [(24, 5), (100, 3)], [(0, 8192, 4096), (8192, 65536, 904)]
    patch = 7, 896, 0, (), runs, b"before, "
    room = 7, 9096, 4096, extents, [(0, 40)], bytes(range(40))
    return {"journal": journal.encode(journal.header(*patch), *patch[3:]),
            "journal-room": journal.encode(journal.header(*room), *room[3:])}


def importances():
    """Of two tensors, one of them of two experts: in both kinds of files."""
    def named(name):
        return struct.pack("<i", len(name)) + name

    dat = struct.pack("<i", 2)
    for name, values in ((b"blk.0.ffn_up.weight", (1, 2, 3, 4)), (b"x", (9,))):
        dat += named(name) + struct.pack(f"<ii{len(values)}f", 4, len(values),
                                         *values)
    dat += struct.pack("<i", 16) + named(b"wiki.txt")
    parts = [Tensor(name + kind, dims) for name, n in
             (("blk.0.ffn_up.weight", 2), ("x", 1))
             for kind, dims in ((".in_sum2", [3, n]), (".counts", [1, n]))]
    return {"imatrix-dat": dat, "imatrix": File(
        [KV("general.type", "str", "imatrix"),
         KV("imatrix.datasets", "arr", strings("a.txt", "b.txt")),
         KV("imatrix.chunk_count", "u32", 16),
         KV("imatrix.chunk_size", "u32", 512)], parts)}


def shapes():
    return [Tensor("scalar", []), Tensor("none", [0, 3]),
            Tensor("deep", [1, 2, 1, 2, 1, 1, 1, 2], "F16"),
            Tensor("q4", [32], "Q4_0"), Tensor("k6", [256], "Q6_K"),
            Tensor("fork", [32], 150, size=20), Tensor("gone", [32], 4,
                                                       size=20)]


def misplaced():
    """A gap, an overlap, an order, a name twice, and an end too soon."""
    return File([arch(), KV("general.alignment", "u64", 64)],
                [Tensor("b", [32], offset=256), Tensor("a", [32], offset=0),
                 Tensor("../a", [32], offset=64), Tensor("b", [999],
                                                         offset=384, size=9)],
                align=64, pad=0xaa, tail=b"MZ")


def small_model(**form):
    return File(good.llama_keys(1) + good.vocabulary()[:6],
                [Tensor("token_embd.weight", [32, 4], "Q8_0"),
                 Tensor("output_norm.weight", [8])], **form)


def to_quantize(options=(), **form):
    """Layers of a model, of which the fuzzer makes up the data, and what is
    asked for: as tests/fuzz/fuzz_quantize.c has it."""
    keys = (("block_count", 3), ("attention.head_count", 8),
            ("attention.head_count_kv", 2), ("expert_count", 4))
    tensors = [Tensor("token_embd.weight", [256, 2], "F16"),
               Tensor("output.weight", [256, 2], "F32")]
    for i in range(3):
        tensors += [Tensor(f"blk.{i}.{name}.weight", [256, 2], kind)
                    for name, kind in (("attn_v", "F16"), ("ffn_down", "BF16"),
                                       ("attn_norm", "F32"), ("ffn_up", "Q8_0"))]
    f = File([arch()] + [KV(f"llama.{key}", "u32", n) for key, n in keys],
             tensors, **form)
    f.data = False
    f.start = True
    return f.build() + bytes([*options, *bytes(12 - len(options))])


def seeds():
    result = {
        "empty": File(), "empty-v1": File(version=1),
        "empty-big": File(big=True, magic=b"FUGG"),
        "key": File([arch()]), "tensor": File([], [Tensor("w", [4])]),
        "scalars": File(scalars()), "scalars-v1": File(scalars(), version=1),
        "scalars-big": File(scalars(), big=True),
        "arrays": good.all_arrays(), "nested": File(nested()),
        "texts": File(texts()), "chat": chat(), "shard": shard(),
        "shapes": File([arch()], shapes()), "misplaced": misplaced(),
        "model": small_model(), "model-v1": small_model(version=1),
        "model-v2": small_model(version=2),
        "model-big": small_model(big=True),
        "per-layer": good.per_layer(), "align-13": good.small_aligned(13),
        "align-twice": File([KV("general.alignment", "u32", 64),
                             KV("general.alignment\0", "u32", 64)],
                            [Tensor("a", [5])], align=64),
        "align-zero": File([KV("general.alignment", "u32", 0)]),
        "no-type": File([KV("key", 13, Raw(b"\1"))]),
        "too-many": File([arch()], n_kv=2 ** 60),
        "quantize": to_quantize([12, 4 + 64]),
        "quantize-few": to_quantize([0, 4, 255, 255, 0, 2]),
        "quantize-asked": to_quantize([7, 4, 8, 1, 15, 4, 8, 7, 3, 8],
                                      big=True),
        **WORDS, **interrupted(), **importances(),
        "html": wrong.HTML, "lfs": wrong.LFS, "zip": b"PK\3\4" + bytes(26),
        "config-gemma3": configs.gemma3(), "config-jamba": configs.jamba(),
        "config-layers": configs.layers(),
        "config-deepseek2": configs.deepseek2(),
    }
    for form in features.FORMS:
        result[f"features-{form}"] = features.form(form)
    return {name: what if isinstance(what, (bytes, bytearray)) else what.build()
            for name, what in result.items()}


def compare(folder, made):
    there = set(os.listdir(folder))
    for name in sorted(there | set(made)):
        data = b""
        if name in there:
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
        if data != made.get(name, b"?"):
            raise SystemExit(f"{folder}/{name} is not what seeds.py writes")
    print(f"{len(made)} seeds, {sum(map(len, made.values()))} bytes")


def main(args):
    check = args[:1] == ["--check"]
    if len(args) != 1 + check or args[-1].startswith("-"):
        raise SystemExit(__doc__)
    made = {name + ".seed": data for name, data in seeds().items()}
    big = [name for name, data in made.items() if len(data) > MOST_BYTES]
    if big:
        raise SystemExit(f"{big[0]} is larger than {MOST_BYTES} bytes")
    if check:
        compare(args[-1], made)
        return
    for name, data in made.items():
        with open(os.path.join(args[-1], name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main(sys.argv[1:])
