"""configs.py - models without tensors, of architectures that differ in what
their layers are. What `gguf config` says of them is in tests/cli/config.
"""

from corpus import Case
from ggufgen import Arr, File, KV, arch, strings


def model(name, counts, *more):
    """Counts as UINT32 or, if it is a list, an array of INT32; then what else
    there is, as key-values with whole keys."""
    kvs = [arch(name)]
    for key, n in counts.items():
        key = f"{name}.{key}"
        kvs.append(KV(key, "arr", Arr("i32", n)) if isinstance(n, list)
                   else KV(key, "u32", n))
    return File(kvs + list(more))


def sizes(layers, embedding, heads, kv_heads=None, context=8192, ffn=256):
    counts = {"block_count": layers, "context_length": context,
              "embedding_length": embedding, "feed_forward_length": ffn,
              "attention.head_count": heads}
    if kv_heads is not None:
        counts["attention.head_count_kv"] = kv_heads
    return counts


def rms(name, epsilon=1e-6):
    return KV(name + ".attention.layer_norm_rms_epsilon", "f32", epsilon)


def llama(blocks=True):
    counts = sizes(32, 4096, 32, 8, 8192, 14336)
    if not blocks:
        del counts["block_count"]
    return model(
        "llama", counts, KV("llama.rope.freq_base", "f32", 500000.0),
        rms("llama", 1e-5), KV("general.file_type", "u32", 15),
        KV("tokenizer.ggml.tokens", "arr", strings(*[""] * 128256)),
        KV("tokenizer.ggml.bos_token_id", "u32", 128000),
        KV("tokenizer.ggml.eos_token_id", "u32", 128009))


def layers():
    """No layer is like the one before; the first has no attention."""
    counts = sizes(6, 4096, [0, 32, 32, 16, 32, 0], [0, 8, 0, 4, 8, 0])
    counts["feed_forward_length"] = [1000, 2000, 3000, 4000, 2000, 1000]
    return model("llama", counts, rms("llama"))


def gemma3():
    counts = sizes(8, 128, 4, 1, 65536)
    counts.update({"attention.key_length": 64, "attention.value_length": 64,
                   "attention.sliding_window": 1024})
    return model("gemma3", counts, rms("gemma3"),
                 KV("gemma3.rope.freq_base", "f32", 1e6),
                 KV("gemma3.rope.scaling.type", "str", "linear"),
                 KV("gemma3.rope.scaling.factor", "f32", 8.0))


def deepseek2():
    counts = sizes(3, 128, 4, 1, 65536)
    counts.update({
        "attention.q_lora_rank": 32, "attention.kv_lora_rank": 64,
        "attention.key_length": 96, "attention.value_length": 64,
        "attention.key_length_mla": 64, "attention.value_length_mla": 32,
        "expert_count": 4, "expert_used_count": 2, "expert_shared_count": 1,
        "expert_feed_forward_length": 64, "leading_dense_block_count": 1,
        "expert_gating_func": 2, "rope.dimension_count": 32})
    return model("deepseek2", counts, rms("deepseek2"))


SSM = {"ssm.conv_kernel": 4, "ssm.inner_size": 256, "ssm.state_size": 16,
       "ssm.time_step_rank": 8}


def jamba():
    counts = sizes(8, 128, 4, [0, 0, 4, 0] * 2, 65536)
    counts.update(SSM)
    return model("jamba", counts, rms("jamba"))


def mamba():
    counts = sizes(128, 128, 0, None, 65536, 0)
    counts.update(SSM)
    return model("mamba", counts, rms("mamba"))


def phi3():
    counts = sizes(3, 128, 4, 4, 65536)
    counts["attention.sliding_window"] = 2047
    return model("phi3", counts, rms("phi3"))


def phimoe():
    counts = sizes(2, 128, 4, 2)
    counts.update({"expert_count": 16, "expert_used_count": 2})
    return model("phimoe", counts, rms("phimoe"))


def cases():
    models = {
        "llama": llama(), "no-blocks": llama(False), "layers": layers(),
        "gemma3": gemma3(), "deepseek2": deepseek2(), "jamba": jamba(),
        "mamba": mamba(), "phi3": phi3(), "phimoe": phimoe(),
        "head-80": model("llama", sizes(1, 640, 8), rms("llama")),
        "short-array": model("llama", sizes(4, 64, [4, 4, 4])),
        "too-many": model("llama", {"block_count": 1048577}),
        "whisper": model("whisper", {"encoder.block_count": 4,
                                     "decoder.block_count": 4}),
        "unknown": model("frob\x1b[31m", {"block_count": 4,
                                          "some.number": 7}),
    }
    return [Case(f"config/config-{name}.gguf", what)
            for name, what in models.items()]
