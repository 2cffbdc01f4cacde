"""clean.py - models in which no judge finds anything: all that the format's
description and llama.cpp ask for, in the architectures that the description
lists and some that came later.
"""

from corpus import Case
from ggufgen import Arr, File, KV, Tensor, arch
from good import llama_keys, llama_tensors, vocabulary
from sets import NAMES

COUNTS = ("context_length", "embedding_length", "block_count")
HEADS = "attention.head_count"
HEADS_KV = "attention.head_count_kv"
FEED = "feed_forward_length"
ROPE = "rope.dimension_count"
EPS = "attention.layer_norm_epsilon"
RMS = "attention.layer_norm_rms_epsilon"
SSM = ("ssm.conv_kernel", "ssm.inner_size", "ssm.state_size",
       "ssm.time_step_rank")

# What the description asks of each; below, what llama.cpp does of others.
REQUIRED = {
    "llama": (*COUNTS, FEED, ROPE, HEADS, RMS),
    "mpt": (*COUNTS, HEADS, "attention.alibi_bias_max", "attention.clip_kqv",
            EPS),
    "gptneox": (*COUNTS, "use_parallel_residual", ROPE, HEADS, EPS),
    "gptj": (*COUNTS, ROPE, HEADS, EPS),
    "gpt2": (*COUNTS, HEADS, EPS),
    "bloom": (*COUNTS, FEED, HEADS, EPS),
    "falcon": (*COUNTS, HEADS, HEADS_KV, "attention.use_norm", EPS),
    "mamba": (*COUNTS, *SSM, RMS),
    "rwkv": ("architecture_version", *COUNTS, FEED),
    "whisper": [f"encoder.{k}" for k in (*COUNTS, "mels_count", HEADS)]
    + [f"decoder.{k}" for k in (*COUNTS, HEADS)],
    "qwen2": (*COUNTS, FEED, HEADS, HEADS_KV, RMS),
    "gemma": (*COUNTS, FEED, HEADS, HEADS_KV, RMS),
    "mamba2": (*COUNTS, *SSM, "ssm.group_count", RMS),
}
FLOATS = {EPS: 1e-5, RMS: 1e-5, "attention.alibi_bias_max": 8.0,
          "attention.clip_kqv": 6.0, "attention.max_alibi_bias": 8.0,
          "attention.clamp_kqv": 6.0}
BOOLS = ("use_parallel_residual", "attention.use_norm")
NUMBERS = {"context_length": 2048, "embedding_length": 64, FEED: 96, ROPE: 16,
           HEADS: 4, HEADS_KV: 2, "architecture_version": 4}


def parameter(name, key):
    if key in FLOATS:
        return KV(f"{name}.{key}", "f32", FLOATS[key])
    if key in BOOLS:
        return KV(f"{name}.{key}", "bool", 1)
    last = key.split(".", 1)[-1]
    return KV(f"{name}.{key}", "u32", NUMBERS.get(key, NUMBERS.get(last, 2)))


def model(name, more=(), rename=None, tensors=()):
    """A model of that architecture, without data."""
    keys = [(rename or {}).get(k, k) for k in REQUIRED[name]]
    return File([arch(name), KV("general.file_type", "u32", 1)]
                + [parameter(name, k) for k in keys] + list(more)
                + vocabulary(), tensors)


def label(file_type, *counts):
    """A llama of matrices of those types, so many of each."""
    kvs = llama_keys()
    kvs[2] = KV("general.file_type", "u32", file_type)
    kvs[5] = KV("llama.embedding_length", "u32", 256)
    kvs[8] = KV("llama.rope.dimension_count", "u32", 64)
    tensors = [Tensor("token_embd.weight", [256, 8], "Q6_K"),
               Tensor("output.weight", [256, 8], "Q8_0"),
               Tensor("output_norm.weight", [256])]
    tensors += [Tensor(f"blk.{i}.attn_norm.weight", [256]) for i in range(2)]
    for kind, n in counts:
        tensors += [Tensor(f"blk.{i % 2}.{kind}.{i}.weight", [256, 2], kind)
                    for i in range(n)]
    return File(kvs + vocabulary(), tensors)


def shards():
    """A set of three; the first has the keys."""
    whole = llama_tensors()
    for i in range(3):
        kvs = llama_keys() + vocabulary() if i == 0 else []
        part = whole[i::3]
        values = (("no", "u16", i), ("count", "u16", 3),
                  ("tensors", "i32", len(whole)))
        kvs += [KV(NAMES[what], kind, n) for what, kind, n in values]
        yield Case(f"clean/set/llama-{i + 1:05}-of-00003.gguf",
                   File(kvs, part))


def cases():
    def c(name, what, note=""):
        return Case(f"clean/{name}.gguf", what, note=note)

    none = [KV("mamba.feed_forward_length", "u32", 0),
            KV("mamba.attention.head_count", "u32", 0)]
    mpt = {"attention.alibi_bias_max": "attention.max_alibi_bias",
           "attention.clip_kqv": "attention.clamp_kqv"}
    layers = llama_keys(3)
    layers[9:11] = [KV("llama." + HEADS, "arr", Arr("u32", [4, 0, 4])),
                    KV("llama." + HEADS_KV, "arr", Arr("i32", [2, 0, 1]))]
    tensors = llama_tensors()
    aligned = [*llama_keys(), KV("general.alignment", "u32", 64)]
    odd = [Tensor("scale", [], "F32"), Tensor("none", [0], "F32"),
           Tensor("n" * 63, [32, 1, 1, 1], "Q8_0"),
           Tensor("blk.0.exps.999999.weight", [1])]
    result = [c(name, model(name)) for name in REQUIRED]
    result += [
        c("mpt-respelled", model("mpt", rename=mpt), "a key spelled as llama.cpp does"),
        c("mamba-no-heads", model("mamba", none), "0 heads, as converters write it"),
        c("llama-data", File(llama_keys() + vocabulary(), tensors)),
        c("llama-reversed", File(llama_keys() + vocabulary(), tensors[::-1])),
        c("llama-layers", File(layers + vocabulary(), llama_tensors(3)),
          "heads differ from layer to layer"),
        c("llama-align-64", File(aligned + vocabulary(), tensors, align=64)),
        c("llama-adapter", File(
            llama_keys(file_type=0) + [KV("general.type", "str", "adapter"),
                            KV("adapter.type", "str", "lora")]
            + vocabulary(),
            [Tensor(f"blk.7.attn_{kind}.weight.lora_{x}", [64, 3])
             for kind in "qkv" for x in "ab"]),
          "the architecture of another file"),
        c("llama-odd-tensors", File(llama_keys() + vocabulary(),
                                    tensors + odd)),
        c("label-q3-k-l", label(13, ("Q3_K", 5), ("Q5_K", 4)),
          "fewer bytes than weights are Q3_K"),
        c("label-q4-k-m", label(15, ("Q4_K", 5), ("Q6_K", 3))),
        c("label-iq2-s", label(28, ("IQ2_XS", 5), ("IQ3_S", 3))),
        c("label-iq2-m", label(29, ("IQ2_S", 5), ("Q4_K", 3))),
        c("label-iq3-m", label(27, ("IQ3_S", 5), ("Q4_K", 3))),
        c("label-iq3-xs", label(22, ("IQ3_S", 5), ("IQ3_XXS", 3))),
        c("label-q4-1-some-f16", label(4, ("Q4_1", 3), ("F16", 2))),
        c("label-f32", label(0, ("F32", 2))),
        c("label-bf16", label(32, ("BF16", 2))),
    ]
    return result + list(shards())
