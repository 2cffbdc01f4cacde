#!/usr/bin/env -S python3 -B
"""test_model.py GGUF CORPUS - what `gguf check` says of the tensors that a model
lacks, or has too many of, against llama.cpp's own loading of models.

Files of CORPUS, of which llama.cpp loads some; and of every architecture whose
tensors check looks at, models without one that llama.cpp asks for.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

import llama
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV, Tensor  # noqa: E402

RULES = {"tensor-missing", "block-past-count", "tensor-shape"}
LOADED = ("good/llama.gguf", "clean/llama-layers.gguf",
          "clean/llama-reversed.gguf", "odd/d31-further-layer.gguf")

ARCHITECTURES = (
    "llama", "mpt", "gptneox", "gpt2", "bloom", "falcon", "mamba", "qwen2",
    "qwen2moe", "qwen3", "qwen3moe", "gemma", "gemma2", "gemma3", "phi3",
    "phimoe", "deepseek2", "gpt-oss", "mamba2", "jamba")
STATES = ("mamba", "mamba2", "jamba")
EXPERTS = ("qwen2moe", "qwen3moe", "phimoe", "gpt-oss", "deepseek2")
NUMBERS = {
    "context_length": 128, "embedding_length": 64, "block_count": 2,
    "feed_forward_length": 128, "attention.head_count": 4,
    "attention.head_count_kv": 2, "rope.dimension_count": 16,
    "attention.key_length": 16, "attention.value_length": 16,
    "vocab_size": 8}
STATE_NUMBERS = {
    "ssm.conv_kernel": 4, "ssm.inner_size": 128, "ssm.state_size": 16,
    "ssm.time_step_rank": 4, "ssm.group_count": 1}
EXPERT_NUMBERS = {
    "expert_count": 4, "expert_used_count": 2, "expert_shared_count": 1,
    "expert_feed_forward_length": 32,
    "expert_shared_feed_forward_length": 32}
OWN_NUMBERS = {
    "mamba": {"attention.head_count": 0, "attention.head_count_kv": 0},
    "mamba2": {"attention.head_count": 0, "attention.head_count_kv": 0},
    "deepseek2": {
        "attention.kv_lora_rank": 16, "attention.q_lora_rank": 16,
        "attention.key_length_mla": 32, "attention.value_length_mla": 16,
        "leading_dense_block_count": 1},
    "gpt-oss": {"attention.sliding_window": 64}}
FLOATS = {
    "attention.layer_norm_rms_epsilon": 1e-5,
    "attention.layer_norm_epsilon": 1e-5, "attention.max_alibi_bias": 8.0,
    "attention.clamp_kqv": 0.0}
BOOLS = ("use_parallel_residual", "attention.use_norm")

# In the order in which llama.cpp looks for them; others of some architectures.
NEEDED = {"token_embd.weight": [64, 8], "output_norm.weight": [64]}
OTHERS = {"output.weight": [64, 8], "output.bias": [8],
          "output_norm.bias": [64],
          "token_embd_norm.weight": [64], "token_embd_norm.bias": [64],
          "position_embd.weight": [64, 128]}


def keys(name):
    numbers = {**NUMBERS, **(STATE_NUMBERS if name in STATES else {}),
               **(EXPERT_NUMBERS if name in EXPERTS else {}),
               **OWN_NUMBERS.get(name, {})}
    result = [KV("general.architecture", "str", name)]
    for key, n in numbers.items():
        result.append(KV(f"{name}.{key}", "u32", n))
        if (name, key) == ("jamba", "attention.head_count_kv"):
            result[-1] = KV(f"{name}.{key}", "arr", Arr("u32", [0, 2]))
    result += [KV(f"{name}.{key}", "f32", x) for key, x in FLOATS.items()]
    result += [KV(f"{name}.{key}", "bool", 1) for key in BOOLS]
    return result + [KV("tokenizer.ggml.model", "str", "no_vocab")]


def made_up(name, folder):
    """Paths of models, and the tensor that llama.cpp misses first."""
    for lacking in (*NEEDED, "blk.0.attn_norm.weight"):
        tensors = {n: s for n, s in {**NEEDED, **OTHERS}.items()
                   if n != lacking}
        path = os.path.join(folder, f"{name}-{lacking}.gguf")
        with open(path, "wb") as f:
            f.write(File(keys(name), [Tensor(n, s)
                                      for n, s in tensors.items()]).build())
        yield path, lacking


def foretell(gguf, path):
    child = subprocess.run([gguf, "check", "--json", "--profile", "llama.cpp",
                            path], stdout=subprocess.PIPE, check=False)
    findings = json.loads(child.stdout)["files"][0]["findings"]
    return {f["rule"] for f in findings} & RULES


def main(args):
    if len(args) != 2:
        raise SystemExit(__doc__)
    gguf, corpus = args
    models, wrong, n = llama.find_models(), 0, 0
    names = sorted({*LOADED} | {
        os.path.relpath(p, corpus)
        for p in glob.glob(os.path.join(corpus, "odd", "d31-*"))})
    for name in names:
        path = os.path.join(corpus, name)
        ours, theirs = foretell(gguf, path), models.load(path)
        n += 1
        if (theirs == "loaded") != (not ours) or \
                (name in LOADED) != (theirs == "loaded"):
            print(f"{name}: check finds {ours or 'nothing'}, llama.cpp says "
                  f"{theirs}")
            wrong += 1
    with tempfile.TemporaryDirectory() as folder:
        for name in ARCHITECTURES:
            for path, lacking in made_up(name, folder):
                ours, theirs = foretell(gguf, path), models.load(path)
                n += 1
                if f"'{lacking}' not found" not in theirs or \
                        "tensor-missing" not in ours:
                    print(f"{name} without {lacking}: check finds {ours}, "
                          f"llama.cpp says {theirs}")
                    wrong += 1
    print(f"{n} models, {wrong} foretold wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
