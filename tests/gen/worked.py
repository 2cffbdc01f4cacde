"""worked.py - files whose every number was worked out by hand.

The numbers are in tests/corpus/facts.tsv; docs/format.md explains some of
them. Nothing here may change without the numbers there.
"""

import struct

from corpus import Case
from ggufgen import Arr, File, KV, Tensor, arch, pad_up, strings

# sin(0.1 i) * 0.05 in F32 for i < 192, as Q8_0: six blocks of 32.
SINES = bytes.fromhex("""
    730e 000d1926313d48525b646b71767a7d7f7f7e7c78746e675f564c41362b1e1205
    730e f9ece0d3c8bdb2a9a098918c878482818183868a90969ea6b0bac5d1dde9f502
    720e 0f1b28333f4a545d656c72777b7e7f7f7e7b78736d665d544a4034291c1003f6
    730e eaddd1c6bbb1a79f97908b878382818284878b91979fa8b1bcc7d3dfebf80411
    720e 1d2a35414b555e666d73787c7e7f7f7d7b77726b645c53493e32271a0e01f4e8
    730e dbcfc4b9afa69d968f8a868381818284878c9299a1a9b3bec9d4e1edfa06131f
""")


def ones(n):
    return struct.pack("<f", 1.0) * n


def layout():
    return File([arch()], [Tensor("output_norm.weight", [64]),
                           Tensor("token_embd.weight", [64, 3], "Q8_0")])


def scalars():
    values = [("u8", 200), ("i8", -5), ("u16", 60000), ("i16", -1234),
              ("u32", 4294967295), ("i32", -7), ("f32", 1e-5), ("bool", 1),
              ("str", "llama"), ("u64", 2 ** 64 - 1), ("i64", -9000000000),
              ("f64", 0.1)]
    return File([KV(f"worked.{t}", t, v) for t, v in values])


def arrays():
    return File([
        KV("tokenizer.ggml.tokens", "arr",
           strings("<unk>", "<s>", "</s>", "\u2581the", "\u2581cat")),
        KV("tokenizer.ggml.token_type", "arr", Arr("i32", [2, 3, 3, 1, 1]))])


def written():
    return File(
        [arch(), KV("general.name", "str", "java-written"),
         KV("llama.embedding_length", "u32", 64),
         KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5),
         KV("tokenizer.ggml.tokens", "arr",
            strings("<s>", "hello", "world"))],
        [Tensor("output_norm.weight", [64], data=ones(64)),
         Tensor("token_embd.weight", [64, 3], "Q8_0", data=SINES)])


def infos():
    return [Tensor("token_embd.weight", [64, 1000], "Q8_0"),
            Tensor("blk.0.attn_q.weight", [64, 64], "F16"),
            Tensor("output_norm.weight", [64])]


def aligned(align):
    """Tensor infos end at 470, so that 32 and 64 pad them differently."""
    return File(
        [arch(), KV("general.name", "str", "infos of this file end at 470"),
         KV("general.alignment", "u32", align),
         KV("general.quantization_version", "u32", 2),
         KV("llama.block_count", "u32", 1),
         KV("llama.context_length", "u32", 128),
         KV("llama.embedding_length", "u32", 64)],
        [Tensor("output_norm.weight", [64]),
         Tensor("token_embd.weight", [64, 3], "Q8_0"),
         Tensor("rope_freqs.weight", [250])], align=align)


def notensors():
    return File([arch(), KV("llama.embedding_length", "u32", 64),
                 KV("tokenizer.ggml.tokens", "arr", strings("<s>", "hello"))])


def mix():
    b = "blk.0."
    return File([arch()], [
        Tensor("token_embd.weight", [256, 1000], "Q4_K"),
        Tensor(b + "attn_norm.weight", [256]),
        Tensor(b + "attn_q.weight", [256, 256], "Q4_K"),
        Tensor(b + "attn_k.weight", [256, 64], "Q4_K"),
        Tensor(b + "attn_v.weight", [256, 64], "Q6_K"),
        Tensor(b + "attn_output.weight", [256, 256], "Q4_K"),
        Tensor(b + "ffn_norm.weight", [256]),
        Tensor(b + "ffn_gate.weight", [256, 704], "Q4_K"),
        Tensor(b + "ffn_up.weight", [256, 704], "Q4_K"),
        Tensor(b + "ffn_down.weight", [704, 256], "Q5_0"),
        Tensor("output_norm.weight", [256]),
        Tensor("output.weight", [256, 1000], "Q6_K")])


def versions(version, big=False):
    """The same model in every form that GGUF has had."""
    kvs = [
        arch(), KV("general.name", "str", "one model, four forms"),
        KV("general.file_type", "u32", 7),
        KV("llama.block_count", "u32", 1),
        KV("llama.context_length", "u32", 256),
        KV("llama.embedding_length", "u32", 64),
        KV("llama.attention.head_count", "u32", 4),
        KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-6),
        KV("tokenizer.ggml.model", "str", "llama"),
        KV("tokenizer.ggml.tokens", "arr",
           strings("<unk>", "<s>", "</s>", "\u2581the")),
        KV("tokenizer.ggml.scores", "arr", Arr("f32", [0, 0, 0, -1.5])),
        KV("tokenizer.ggml.add_bos_token", "bool", 1)]
    order = ">" if big else "<"
    norm = struct.pack(order + "64f", *(1 + i / 64 for i in range(64)))
    rows = struct.pack(order + "256e", *(i / 128 - 1 for i in range(256)))

    def blocks(n):
        return b"".join(struct.pack(order + "e32b", (i + 1) / 64,
                                    *range(i - 16, i + 16))
                        for i in range(n))

    b = "blk.0."
    return File(kvs, [
        Tensor("token_embd.weight", [64, 4], "F16", data=rows),
        Tensor(b + "attn_norm.weight", [64], data=norm),
        Tensor(b + "attn_q.weight", [64, 48], "Q8_0", data=blocks(96)),
        Tensor(b + "ffn_norm.weight", [64], data=norm),
        Tensor(b + "ffn_up.weight", [64, 32], "Q8_0", data=blocks(64)),
        Tensor("output_norm.weight", [64], data=norm),
        Tensor("output.weight", [64, 4], "F16", data=rows)],
        version=version, big=big)


def one():
    """An unpadded last tensor: the file ends with its data, at 496."""
    return File([arch(), KV("llama.embedding_length", "u32", 64),
                 KV("general.file_type", "u32", 7)],
                [Tensor("token_embd.weight", [64, 4], "Q8_0")], last=False)


def llama3(tokenizer):
    """The header of a real Llama 3, out of its parsed tokenizer.json."""
    model = tokenizer["model"]
    tokens, types = [None] * 128256, [1] * 128256
    for text, i in model["vocab"].items():
        tokens[i] = text
    for t in tokenizer["added_tokens"]:
        tokens[t["id"]], types[t["id"]] = t["content"], 3
    merges = [m if isinstance(m, str) else " ".join(m)
              for m in model["merges"]]
    f = File([
        arch(), KV("general.name", "str", "llama-bpe"),
        KV("llama.block_count", "u32", 32),
        KV("llama.context_length", "u32", 8192),
        KV("llama.embedding_length", "u32", 4096),
        KV("llama.feed_forward_length", "u32", 14336),
        KV("llama.attention.head_count", "u32", 32),
        KV("llama.attention.head_count_kv", "u32", 8),
        KV("llama.rope.freq_base", "f32", 500000),
        KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5),
        KV("general.file_type", "u32", 1),
        KV("llama.vocab_size", "u32", 128256),
        KV("llama.rope.dimension_count", "u32", 128),
        KV("tokenizer.ggml.model", "str", "gpt2"),
        KV("tokenizer.ggml.pre", "str", "llama-bpe"),
        KV("tokenizer.ggml.tokens", "arr", strings(*tokens)),
        KV("tokenizer.ggml.token_type", "arr", Arr("i32", types)),
        KV("tokenizer.ggml.merges", "arr", strings(*merges)),
        KV("tokenizer.ggml.bos_token_id", "u32", 128000),
        KV("tokenizer.ggml.eos_token_id", "u32", 128001)])
    f.build()
    f.out += bytes(pad_up(f.head_end, 32) - f.head_end)
    assert (f.head_end, len(f.out)) == (7818140, 7818144)
    return bytes(f.out)


def cases():
    def c(name, what, *rest, **more):
        return Case(f"worked/worked-{name}.gguf", what, *rest, **more)

    full = File([], infos())
    return [
        c("layout", layout()),
        c("scalars", scalars()),
        c("arrays", arrays()),
        c("written", written()),
        c("infos", File([], infos(), data=False), note="tensor infos, and no data at all"),
        c("infos-data", full, note="tensor infos and their data"),
        c("align32", aligned(32)),
        c("align64", aligned(64)),
        c("notensors", notensors(), note="data would start past the end"),
        c("mix", mix()),
        c("versions-v1", versions(1)),
        c("versions-v2", versions(2)),
        c("versions-v3", versions(3)),
        c("versions-v3-big", versions(3, big=True)),
        c("one", one(), note="last tensor not padded"),
        c("291", File(n_tensors=291, n_kv=25), "COUNT", "header.n_tensors",
          note="24 bytes that promise a model"),
    ]
