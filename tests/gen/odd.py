"""odd.py - files that break a rule of the format and have one meaning still.

Real programs wrote files like these, or might have: one group d01 to d32 for
each rule that is broken in the field. All of them open, but for a few that
contradict themselves.
"""

from corpus import Case
from ggufgen import Arr, File, KV, REMOVED, Raw, Tensor, arch, strings
from good import llama_keys, llama_tensors, vocabulary
import clean
import sets

ALIGN = "general.alignment"


def two(second, **more):
    """Two tensors of 256 bytes, the second one elsewhere."""
    return File([arch()], [Tensor("a", [64]),
                           Tensor("b", [64], offset=second)], **more)


def layout_rows():
    swapped = [Tensor("a", [64], offset=512), Tensor("b", [64], offset=0),
               Tensor("c", [64], offset=256)]
    five = [Tensor("a", [5])]
    return [
        ("d01-gap", two(320)),
        ("d01-gap-first", File([arch()], [Tensor("a", [64], offset=64)])),
        ("d02-unordered", File([arch()], swapped)),
        ("d02-reversed", File([arch()], [
            Tensor("b", [64], offset=256), Tensor("a", [64], offset=0)])),
        ("d03-last-unpadded", File([arch()], five, last=False)),
        ("d04-no-padding", File([arch()])),
        ("d04-some-padding", File([arch()], tail=bytes(5))),
        ("d06-padding", File([arch()], [Tensor("a", [5]), Tensor("b", [5])],
                             pad=0xaa)),
        ("d07-trailing", File([arch()], five, tail=b"MZ" + bytes(2998))),
        ("d07-trailing-model", File([arch()], five,
                                    tail=File([arch()]).build())),
        ("d02-unaligned", two(257)),
        ("d02-overlap", two(128)),
        ("d02-same-place", two(0)),
    ]


def alignment_rows():
    def aligned(kind, n):
        return File([arch(), KV(ALIGN, kind, n)],
                    [Tensor("a", [5]), Tensor("b", [7])], align=n)

    rows = [(f"d05-align-{n}", aligned("u32", n))
            for n in (1, 4, 8, 13, 24, 48, 64, 4096)]
    rows += [(f"d05-align-{kind}", aligned(kind, 64))
             for kind in ("u8", "i8", "u16", "i16", "i32", "u64", "i64")]
    twice = [KV(ALIGN, "u32", 64), KV(ALIGN, "u64", 64)]
    rows += [
        ("d05-align-twice-same", File(twice, [Tensor("a", [5])], align=64)),
        ("d05-align-unheeded", File([KV(ALIGN, "u32", 64)], [
            Tensor("a", [5]), Tensor("b", [7])])),
    ]
    return rows


def form_rows():
    embedded = File([arch(), KV(ALIGN, "u32", 64)],
                    [Tensor("a", [64]), Tensor("b", [7])], align=64).build()
    apk = b"PK\3\4" + bytes(509)
    body = llama_keys(1, 1), llama_tensors(1, "F16")
    nul = [KV("general.architecture\0", "str", "llama\0"),
           KV("general.name\0", "str", "old\0"),
           KV(ALIGN + "\0", "u32", 64)]
    rows = [
        ("d08-embedded", apk + embedded, "MAGIC", 0, "header.magic"),
        ("d09-big", File(*body, big=True)),
        ("d09-fugg-big", File(*body, big=True, magic=b"FUGG")),
        ("d09-fugg-little", File(*body, magic=b"FUGG"), "MAGIC", 0,
         "header.magic"),
        ("d09-big-v2", File(*body, big=True, version=2), "VERSION_NEW", 4,
         "header.version"),
        ("d09-big-v1", File(*body, big=True, version=1), "VERSION_NEW", 4,
         "header.version"),
        ("d10-v1", File(*body, version=1)),
        ("d10-v2", File(*body, version=2)),
        ("d11-nul-ended", File(nul, [Tensor("a.weight\0", [5]),
                                     Tensor("b.weight\0", [7])], align=64)),
    ]
    return rows


def string_rows():
    raw = [b"", b"\0", b"a\0b", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80",
           "\U0001f600".encode(), b"\xf0\x9f\x98", b"\x1b[31m", b"\x9b"]
    names = ("General Name", "general/name", "nomic-bert-moe.block_count",
             "comfy.gguf.orig_shape.first.weight", "k" * 65535, "k" * 70000)
    control = "\x1b]0;pwn\7\x1b[2J\u202e\u2028\x7f\x85"
    return [
        ("d12-tokens", File([arch(), KV("tokenizer.ggml.tokens", "arr",
                                        strings(*raw))])),
        ("d12-value", File([KV("general.name", "str", b"\xff\xfe\xc0\xaf")])),
        ("d12-key", File([KV(b"bad.\xff\xfe", "u32", 1)])),
        ("d12-name", File([arch()], [Tensor(b"bad.\xff", [5])])),
        ("d12-control", File([arch(control), KV(control, "str", control)],
                             [Tensor(control, [5])])),
        ("d13-keys", File([KV(n, "u32", i) for i, n in enumerate(names)])),
        ("d13-empty-key", File([KV("", "u32", 1)])),
        ("d13-no-architecture", File([KV("general.name", "str", "x")],
                                     [Tensor("a", [5])])),
        ("d13-spared", clean.model("falcon", rename={
            "attention.use_norm": "attention.other"})),
    ]


def model_rows():
    """Models that llama.cpp opens and cannot load: tensors are missing, of
    blocks that are not counted, or not of the shape that a key says. Of a layer
    that predicts further tokens there may be none."""
    def model(name, keys, tensors):
        return (f"d31-{name}", File(keys + vocabulary(), tensors))

    def without(start):
        return [t for t in llama_tensors()
                if not t.name.text.decode().startswith(start)]

    def with_key(i, n):
        keys = llama_keys()
        keys[i] = KV(keys[i].key.text, "u32", n)
        return keys

    further = [*llama_keys(3), KV("llama.nextn_predict_layers", "u32", 1)]
    return [model("no-embedding", llama_keys(), without("token_embd.")),
            model("no-output-norm", llama_keys(), without("output_norm.")),
            model("no-block", llama_keys(), without("blk.1.")),
            model("no-blocks", llama_keys(512), llama_tensors()),
            model("no-attn-norm", llama_keys(), without("blk.0.attn_norm.")),
            model("shape-embedding", with_key(5, 128), llama_tensors()),
            model("shape-feed", with_key(7, 64), llama_tensors()),
            model("shape-tokens", llama_keys(), without("token_embd.") +
                  [Tensor("token_embd.weight", [64, 9])]),
            model("shape-deep", llama_keys(), without("output_norm.") +
                  [Tensor("output_norm.weight", [64, 1, 2])]),
            model("no-attn-q", llama_keys(), without("blk.0.attn_q.")),
            model("block-past", llama_keys(), llama_tensors(3)),
            model("blocks-past", llama_keys(), llama_tensors(4)),
            model("block-names", llama_keys(), llama_tensors() + [
                Tensor(f"{name}.x", [1]) for name in
                ("blk.01", "blk.", "blk.x", "xblk.7", "blk.1x", "blk.2",
                 "blk.99999999999999999999")]),
            model("further-layer", further, llama_tensors())]


def type_rows():
    wide = [(t, File([arch(), KV("llama.block_count", t, 4)]))
            for t in ("u8", "i32", "u64", "f32")]
    rows = [(f"d14-block-count-{t}", f) for t, f in wide]
    layers = Arr("i32", [4, 4, 2])
    rows.append(("d14-count-per-layer", File(
        [arch(), KV("llama.block_count", "arr", Arr("u32", [4, 4]))])))
    rows.append(("d14-per-layer-u64", File(
        [arch(), KV("llama.attention.head_count", "arr",
                    Arr("u64", [4, 4]))])))
    rows.append(("d14-per-layer", File(
        [arch(), KV("llama.attention.head_count", "arr", layers)])))
    rows.append(("d14-freq-base-f64", File(
        [arch(), KV("llama.rope.freq_base", "f64", 10000.0)])))
    rows += [(f"d15-empty-{t}", File([KV("empty", "arr", Arr(t))]))
             for t in ("u8", "str", "arr", "f64")]
    nested = Arr("arr", [Arr("u32", [1, 2]), Arr("u32", [3])])
    deep = Arr("arr", [nested, Arr("arr"), Arr("str", ["x", ""])])
    odd = Arr("arr", [Arr("u16", [9]), Arr("arr", [Arr("bool", [1, 7])]),
                      Arr("str", ["x", b"\xff", "a\0"])])
    rows += [("d15-nested", File([KV("x.n", "arr", nested),
                                  KV("x.e", "arr", strings())])),
             ("d15-nested-deeper", File([KV("x", "arr", deep)])),
             ("d15-nested-odd", File([KV("x", "arr", odd)]))]
    return rows


def tensor_rows():
    def tensors(*ts):
        return File([arch()], ts)

    long = [64, 65, 70, 127]
    rows = [(f"d16-name-{n}", tensors(Tensor("n" * n, [5]))) for n in long]
    zero = "__index_timestep_zero__"
    fork = [97, 98, 99, *range(133, 159), *range(202, 240), 398, 399, 36, 43,
            44, 45, 46, *REMOVED]
    row_meta = Tensor("blk.0.ffn_up.weight", [256, 4], 144, size=560)
    small = [Tensor("a", [64, 4], "Q8_0"),
             Tensor("b", [64], offset=224)]
    rows += [
        ("d17-5d", tensors(Tensor("conv.weight", [2, 3, 2, 3, 2]))),
        ("d17-8d", tensors(Tensor("t", [2] * 8))),
        ("d17-0d", tensors(Tensor("scale", []))),
        ("d18-zero-last", tensors(Tensor("a", [5]), Tensor(zero, [0]))),
        ("d18-zero-middle", tensors(Tensor("a", [5]), Tensor(zero, [0]),
                                    Tensor("b", [5]))),
        ("d18-zero-1-0", tensors(Tensor(zero, [1, 0]), Tensor("b", [5]))),
        ("d18-zero-block", tensors(Tensor(zero, [0, 4], "Q4_K"))),
        ("d18-only-zero", tensors(Tensor(zero, [0]))),
        ("d18-zero-inside", tensors(Tensor("a", [64]),
                                    Tensor(zero, [0], offset=32))),
        ("d18-zero-at-start", tensors(Tensor("a", [64]),
                                      Tensor(zero, [0], offset=0))),
        ("d20-fork-types", tensors(*(
            Tensor(f"t{i}", [32], n, size=33 + i)
            for i, n in enumerate(fork)))),
        ("d20-opaque-last", tensors(Tensor("a", [5]),
                                    Tensor("b", [32], 97, size=40))),
        ("d20-opaque-zero", tensors(Tensor("a", [32], 97, size=40),
                                    Tensor("z", [0]), Tensor("b", [5]))),
        ("d21-row-meta", tensors(row_meta, Tensor("b", [64]))),
        ("d22-undersized", tensors(*small)),
    ]
    return rows


def name_rows():
    key = "llama.context_length"
    same = [KV(key, "u32", 4096)] * 2
    other = [KV(key, "u32", 4096), KV(key, "u64", 8192),
             KV("general.name", "str", "x"), KV(key, "str", "many")]
    return [
        ("d19-key-twice", File([arch()] + same)),
        ("d19-key-thrice", File([arch()] + other)),
        ("d19-tensor-twice", File([arch()], [
            Tensor("a", [64], data=bytes(256)), Tensor("b", [5]),
            Tensor("a", [64], data=bytes(256))])),
        ("d19-tensor-differs", File([arch()], [
            Tensor("a", [64]), Tensor("a", [5], "F16")])),
    ]


def content_rows():
    small = [Tensor(f"blk.{i}.w", [256], "Q4_K") for i in range(40)]
    large = [Tensor(f"big.{i}.w", [256, 64], "Q2_K") for i in range(4)]
    wrong = [arch(), KV("general.file_type", "u32", 15)]
    vision = [Tensor(f"v.blk.{i}.attn_q.weight", [64, 64], "F16")
              for i in range(3)]
    types = [k for k in vocabulary() if k.key.text.endswith(b"token_type")]
    ids = [KV("tokenizer.ggml.bos_token_id", "u32", 4000000000),
           KV("tokenizer.ggml.eos_token_id", "u32", 0),
           KV("tokenizer.ggml.eot_token_id", "i32", -1)]
    types[0].value = Arr("i32", [1] * 8)
    tokens = vocabulary()[1]
    strange = KV(types[0].key.text, "arr", Arr("i32", [2, 3, 3, 6, 1, 7, 0,
                                                       -1]))
    plain = KV("tokenizer.ggml.bos_token_id", "u32", 4)
    wide = KV("tokenizer.ggml.bos_token_id", "u64", 1)
    pre = KV("tokenizer.ggml.pre", "str", "no-such-thing")
    bpe = KV("tokenizer.ggml.model", "str", "gpt2")
    return [
        ("d23-file-type-wrong", File(wrong, small + large)),
        ("d23-file-type-missing", File([arch()], small)),
        ("d23-file-type-unknown", File([
            arch(), KV("general.file_type", "u32", 12345)])),
        ("d23-file-type-strange", File([
            arch(), KV("general.file_type", "u32", 12345)], large)),
        ("d24-no-version", File([arch()], [Tensor("a", [64], "Q8_0")])),
        ("d25-one-file", File(llama_keys(), llama_tensors() + vision)),
        ("d28-token-types", File([arch(), tokens] + types)),
        ("d28-token-ids", File([arch(), tokens] + ids)),
        ("d28-types-strange", File([arch(), tokens, strange])),
        ("d28-bos-ordinary", File(
            [plain if k.key.text == plain.key.text else k
             for k in clean.model("llama").kvs])),
        ("d28-bos-wide", File([arch(), tokens, wide])),
        ("d28-pre-unknown", File([
            bpe if k.key.text == bpe.key.text else k
            for k in clean.model("llama").kvs] + [pre])),
        ("d29-bool", File([KV("tokenizer.ggml.add_bos_token", "bool", 2),
                           KV("array.bool", "arr",
                              Arr("bool", [255, 1, 2, 0]))])),
        ("d30-big-header", File([arch(), KV(
            "tokenizer.ggml.tokens", "arr",
            strings(*(f"token{i}" for i in range(40000))))])),
        ("d12-float", File([
            KV("f32.nan", "f32", Raw(b"\0\0\xc0\x7f")),
            KV("f32.inf", "arr", Arr("f32", [float("inf"), -float("inf"),
                                             -0.0, 1e-45])),
            KV("f64.nan", "f64", float("nan"))])),
    ]


def loader_rows():
    """Models that llama.cpp opens, and does not load."""
    def whole(*changed, without=()):
        kvs = {kv.key.text: kv for kv in llama_keys() + vocabulary()}
        kvs.update((kv.key.text, kv) for kv in changed)
        return File([kv for name, kv in kvs.items() if name not in without],
                    llama_tensors())

    def experts(name, **counts):
        return (f"d32-{name}", whole(*(
            KV(f"llama.expert_{key}", "u32", n) for key, n in counts.items())))

    tokenizer = b"tokenizer.ggml."
    bpe = KV(tokenizer + b"model", "str", "gpt2")
    merges = tokenizer + b"merges"
    return [
        ("d32-no-tokenizer", File(llama_keys(), llama_tensors())),
        ("d32-no-model", whole(without=[tokenizer + b"model"])),
        ("d32-no-tokens", whole(without=[tokenizer + b"tokens"])),
        ("d32-model-unknown", whole(KV(bpe.key.text, "str", "replit"))),
        ("d32-merges-missing", whole(bpe, without=[merges])),
        ("d32-merges-type", whole(bpe, KV(merges, "arr",
                                          Arr("i32", [1, 2])))),
        ("d32-rope-half", whole(KV("llama.rope.dimension_count", "u32", 8))),
        experts("experts-used", count=8, used_count=9),
        experts("experts-idle", count=8, used_count=0),
        experts("experts-unsaid", count=8),
        experts("expert-groups", count=8, used_count=2, group_count=3),
        experts("expert-groups-used", count=8, used_count=2, group_count=4,
                group_used_count=4),
    ]


def contradictions():
    """Two that do not open, though each half would."""
    def twice(*kvs):
        return File(kvs, [Tensor("a", [5])])

    return [
        ("d05-align-zero", twice(KV(ALIGN, "u32", 0)), "ALIGN",
         "kv[0].value"),
        ("d05-align-twice", twice(KV(ALIGN, "u32", 64), arch(),
                                  KV(ALIGN, "u32", 32)), "ALIGN_DUP",
         "kv[2].value"),
        ("d11-align-twice", twice(KV(ALIGN + "\0", "u32", 64),
                                  KV(ALIGN, "u32", 32)), "ALIGN_DUP",
         "kv[1].value"),
    ]


def cases():
    result = []
    for rows in (layout_rows, alignment_rows, form_rows, string_rows,
                 type_rows, tensor_rows, model_rows, name_rows,
                 content_rows, loader_rows):
        for name, what, *bad in rows():
            status, offset, where = bad or ("OK", None, None)
            result.append(Case(f"odd/{name}.gguf", what, status, where,
                               offset=offset))
    for name, what, status, where in contradictions():
        result.append(Case(f"odd/{name}.gguf", what, status, where))
    return result + sets.cases()
