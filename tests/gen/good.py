"""good.py - files that every reader ought to like.

They are of an architecture that nobody knows, which asks for no keys, unless
they are whole models.
"""

from corpus import Case
from ggufgen import Arr, File, KV, TYPES, Tensor, arch, strings
from seeded import good_cases

TOKENS = ["<unk>", "<s>", "</s>", "<0x0A>", "\u2581the", "\u2581of",
          "\u00e9t\u00e9", "\U0001f600"]


def plain():
    return arch("plain")


def vocabulary():
    """The keys of a small tokenizer."""
    return [
        KV("tokenizer.ggml.model", "str", "llama"),
        KV("tokenizer.ggml.tokens", "arr", strings(*TOKENS)),
        KV("tokenizer.ggml.scores", "arr",
           Arr("f32", [0.0] * 4 + [-1.0, -2.5, -3.0, -4.0])),
        KV("tokenizer.ggml.token_type", "arr",
           Arr("i32", [2, 3, 3, 6, 1, 1, 1, 1])),
        KV("tokenizer.ggml.merges", "arr", strings("t h", "th e")),
        KV("tokenizer.ggml.bos_token_id", "u32", 1),
        KV("tokenizer.ggml.eos_token_id", "u32", 2),
        KV("tokenizer.ggml.add_bos_token", "bool", 1),
        KV("tokenizer.chat_template", "str",
           "{% for m in messages %}{{ m.content }}\n{% endfor %}")]


def llama_keys(layers=2, file_type=7):
    return [
        arch(), KV("general.name", "str", "Small"),
        KV("general.file_type", "u32", file_type),
        KV("general.quantization_version", "u32", 2),
        KV("llama.context_length", "u32", 2048),
        KV("llama.embedding_length", "u32", 64),
        KV("llama.block_count", "u32", layers),
        KV("llama.feed_forward_length", "u32", 96),
        KV("llama.rope.dimension_count", "u32", 16),
        KV("llama.attention.head_count", "u32", 4),
        KV("llama.attention.head_count_kv", "u32", 2),
        KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5)]


def llama_tensors(layers=2, type="Q8_0"):
    result = [Tensor("token_embd.weight", [64, 8], type)]
    for i in range(layers):
        b = f"blk.{i}."
        result += [
            Tensor(b + "attn_norm.weight", [64]),
            Tensor(b + "attn_q.weight", [64, 64], type),
            Tensor(b + "attn_k.weight", [64, 32], type),
            Tensor(b + "attn_v.weight", [64, 32], type),
            Tensor(b + "attn_output.weight", [64, 64], type),
            Tensor(b + "ffn_norm.weight", [64]),
            Tensor(b + "ffn_gate.weight", [64, 96], type),
            Tensor(b + "ffn_up.weight", [64, 96], type),
            Tensor(b + "ffn_down.weight", [96, 64], type)]
    return result + [Tensor("output_norm.weight", [64]),
                     Tensor("output.weight", [64, 8], type)]


def all_types():
    return File([plain(), KV("general.quantization_version", "u32", 2)],
                [Tensor(f"t.{name}", [block * 2, 3], name)
                 for name, (_, block, _) in TYPES.items()])


def all_arrays():
    """One array of every element type, with its extreme values."""
    ends = {"u8": [0, 255], "i8": [-128, 127], "u16": [0, 65535],
            "i16": [-2 ** 15, 2 ** 15 - 1], "u32": [0, 2 ** 32 - 1],
            "i32": [-2 ** 31, 2 ** 31 - 1], "u64": [0, 2 ** 64 - 1],
            "i64": [-2 ** 63, 2 ** 63 - 1], "f32": [-0.5, 3.0e38],
            "f64": [-0.5, 1.0e308], "bool": [1, 0, 1]}
    kvs = [KV(f"array.{t}", "arr", Arr(t, v)) for t, v in ends.items()]
    return File([plain()] + kvs + [KV("array.str", "arr", strings("", "a", "bc"))])


def long_strings():
    """Strings about as long as a reader's buffer may be, and a token that
    lies across each 64 KiB edge whatever comes before."""
    kvs = [KV(f"long.{n}", "str", "x" * n)
           for n in (4095, 4096, 4097, 65535, 65536, 65537)]
    tokens = ["y" * 63 + "\u2581" for _ in range(3000)]
    return File([plain()] + kvs + [KV("long.tokens", "arr", strings(*tokens))])


def small_aligned(align):
    """Tensors of 20, 28 and 256 bytes at another alignment."""
    return File([plain(), KV("general.alignment", "u32", align)],
                [Tensor("a", [5]), Tensor("b", [7]), Tensor("c", [64])],
                align=align)


def many(n):
    return File([plain()] + [KV(f"key.{i}", "u32", i) for i in range(n)],
                [Tensor(f"blk.{i}.weight", [1]) for i in range(n)])


def per_layer():
    kvs = llama_keys(4)
    kvs[8] = KV("llama.rope.dimension_count", "u32", 8)
    kvs[9:11] = [KV("llama.attention.head_count", "arr",
                    Arr("u32", [8, 8, 4, 8])),
                 KV("llama.attention.head_count_kv", "arr",
                    Arr("i32", [0, 0, 8, 2]))]
    return File(kvs)


def cases():
    def c(name, what, note=""):
        return Case(f"good/{name}.gguf", what, note=note)

    dims = [[7], [7, 5], [7, 5, 3], [7, 5, 3, 2]]
    result = [
        c("empty", File(), "24 bytes: no key, no tensor"),
        c("empty-padded", File(tail=bytes(8)), "24 bytes, padded to 32"),
        c("empty-v1", File(version=1), "16 bytes"),
        c("empty-v2", File(version=2)),
        c("empty-big", File(big=True)),
        c("one-key", File([plain()])),
        c("one-tensor", File([plain()], [Tensor("w", [8])])),
        c("vocab", File([plain()] + vocabulary(), data=False),
          "vocabulary only, as converters write it: no padding"),
        c("llama", File(llama_keys() + vocabulary(), llama_tensors())),
        c("llama-f16", File(llama_keys(1, 1), llama_tensors(1, "F16"))),
        c("llama-big", File(llama_keys(1, 1), llama_tensors(1, "F16"),
                            big=True)),
        c("llama-shuffled", File(llama_keys() + vocabulary(),
                                 llama_tensors()[::-1])),
        c("types", all_types(), "every tensor type"),
        c("arrays", all_arrays(), "every element type"),
        c("dims", File([plain()], [Tensor(f"t{len(d)}", d) for d in dims])),
        c("long", long_strings()),
        c("many", many(500)),
        c("per-layer", per_layer()),
    ]
    result += [c(f"align-{a}", small_aligned(a))
               for a in (8, 16, 32, 64, 128, 4096)]
    return result + good_cases()
