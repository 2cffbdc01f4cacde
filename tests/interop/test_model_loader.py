#!/usr/bin/env -S python3 -B
"""test_model_loader.py GGUF - what `gguf check` says of a model, whether
llama.cpp will load it, against what its own llama_model_load_from_file does.

Small models are made, each with one thing changed. "yes" must load, "no" must
not; of the other words the loader may do either. And of each architecture that
we take for known, whether libllama knows it.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import llama
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV, Tensor, arch, strings  # noqa: E402
from good import TOKENS  # noqa: E402

MODEL, MERGES = "tokenizer.ggml.model", "tokenizer.ggml.merges"
PRE, LIST = "tokenizer.ggml.pre", "tokenizer.ggml.tokens"
TYPES, SCORES = "tokenizer.ggml.token_type", "tokenizer.ggml.scores"


# ------------------------------------------------------------------- models

def numbers(name, changes):
    counts = {"context_length": 512, "embedding_length": 64, "block_count": 1,
              "feed_forward_length": 96, "attention.head_count": 4,
              "attention.head_count_kv": 2, "rope.dimension_count": 16}
    counts.update(changes)
    return [KV(f"{name}.{key}", "u32", n) if isinstance(n, int) else
            KV(f"{name}.{key}", "arr", Arr("i32", n))
            for key, n in counts.items() if n is not None]


def words(changes):
    """A tokenizer."""
    kvs = {MODEL: ("str", "llama"), LIST: ("arr", strings(*TOKENS)),
           SCORES: ("arr", Arr("f32", [0.0] * 8)),
           TYPES:
           ("arr", Arr("i32", [2, 3, 3, 6, 1, 1, 1, 1]))}
    kvs.update(changes)
    return [KV(key, *value) for key, value in kvs.items() if value]


def bpe(**changes):
    kvs = {MODEL: ("str", "gpt2"), PRE: ("str", "gpt-2"),
           MERGES: ("arr", strings("t h", "th e")),
           "tokenizer.ggml.eos_token_id": ("u32", 2),
           "tokenizer.ggml.bos_token_id": ("u32", 1)}
    kvs.update(changes)
    return kvs


def attention(head):
    b = "blk.0."
    return [Tensor(b + "attn_norm.weight", [64]),
            Tensor(b + "attn_q.weight", [64, 4 * head]),
            Tensor(b + "attn_k.weight", [64, 2 * head]),
            Tensor(b + "attn_v.weight", [64, 2 * head]),
            Tensor(b + "attn_output.weight", [4 * head, 64]),
            Tensor(b + "ffn_norm.weight", [64])]


def dense():
    return [Tensor(f"blk.0.ffn_{kind}.weight",
                   [96, 64] if kind == "down" else [64, 96])
            for kind in ("gate", "up", "down")]


def experts(n, length=96):
    shape = {"gate": [64, length, n], "up": [64, length, n],
             "down": [length, 64, n]}
    return [Tensor("blk.0.ffn_gate_inp.weight", [64, n])] + \
        [Tensor(f"blk.0.ffn_{kind}_exps.weight", dims)
         for kind, dims in shape.items()]


def norms(*names, size=16):
    return [Tensor(f"blk.0.{name}.weight", [size]) for name in names]


def model(name="llama", counts=(), tokens=(), block=(), head=16, align=None,
          kvs=()):
    """`block`: what the only block has besides its attention."""
    keys = [arch(name), *numbers(name, dict(counts)),
            KV(f"{name}.attention.layer_norm_rms_epsilon", "f32", 1e-5),
            *words(dict(tokens)), *kvs]
    if align:
        keys.append(KV("general.alignment", "u32", align))
    tensors = [Tensor("token_embd.weight", [64, 8]), *attention(head),
               *(block or dense()), Tensor("output_norm.weight", [64]),
               Tensor("output.weight", [64, 8])]
    return File(keys, tensors, align=align or 32)


def tokenizers():
    none = {key: None for key in (MODEL, LIST, SCORES, TYPES)}
    numbers_ = ("arr", Arr("i32", [1, 2]))
    yield "no-model", {MODEL: None}
    yield "no-tokenizer", none
    yield "no-tokens", {LIST: None}
    yield "unknown", {MODEL: ("str", "frob")}
    yield "replit", {MODEL: ("str", "replit")}
    yield "merges-unused", {MERGES: numbers_}
    for kind in ("none", "no_vocab"):
        yield kind, {**none, MODEL: ("str", kind),
                     "llama.vocab_size": ("u32", 8)}
    ids = {f"tokenizer.ggml.{name}_token_id": ("u32", 0)
           for name in ("bos", "eos", "unknown", "seperator", "padding",
                        "mask")}
    for kind in ("bert", "t5"):  # bert has no tokens that are bytes
        yield kind, {MODEL: ("str", kind), TYPES: None, **ids}
    for kind in ("gpt2", "hybriddna", "whitespace", "gemma4"):
        yield kind, bpe(**{MODEL: ("str", kind)})
        yield kind + "-no-merges", bpe(**{MODEL: ("str", kind), MERGES: None})
        yield kind + "-merges-int", bpe(**{MODEL: ("str", kind),
                                           MERGES: numbers_})
        yield kind + "-pre", bpe(**{MODEL: ("str", kind),
                                    PRE: ("str", "frob")})
    yield "gpt2-merges-one", bpe(**{MERGES: ("str", "t h")})
    yield "gpt2-no-pre", bpe(**{PRE: None})
    yield "gpt2-kimi", bpe(**{MERGES: None, PRE: ("str", "kimi-k2")})
    yield "gpt2-kimi-int", bpe(**{MERGES: numbers_, PRE: ("str", "kimi-k2")})


def rotations():
    def rope(n, key=None):
        return {"rope.dimension_count": n, "attention.key_length": key,
                "attention.value_length": key}

    for name in ("llama", "deci", "llama-embed", "qwen2"):
        yield name, model(name, rope(16))
        yield name + "-half", model(name, rope(8))
    yield "not-said", model(counts=rope(None))
    for n in (16, 8):
        yield f"falcon-{n}", falcon(n)
    yield "key-length", model(counts=rope(32, 32), head=32)
    yield "key-length-half", model(counts=rope(16, 32), head=32)
    yield "per-layer", model(counts={**rope(16),
                                     "attention.head_count": [4],
                                     "attention.head_count_kv": [2]})
    yield "per-layer-half", model(counts={**rope(8),
                                          "attention.head_count": [4]})


def falcon(rotated):
    keys = model("falcon", {"rope.dimension_count": rotated}).kvs
    b = "blk.0."
    norms_ = [Tensor(f"{name}.{kind}", [64]) for kind in ("weight", "bias")
              for name in ("output_norm", b + "attn_norm")]
    return File(keys + [KV("falcon.attention.layer_norm_epsilon", "f32", 1e-5)],
                [Tensor("token_embd.weight", [64, 8]), *norms_,
                 Tensor(b + "attn_qkv.weight", [64, 128]),
                 Tensor(b + "attn_output.weight", [64, 64]),
                 Tensor(b + "ffn_up.weight", [64, 96]),
                 Tensor(b + "ffn_down.weight", [96, 64]),
                 Tensor("output.weight", [64, 8])])


def mixtures():
    def mixed(n, used, name="llama", more=(), length=96, **counts):
        return model(name, {"expert_count": n, "expert_used_count": used,
                            **counts},
                     block=[*experts(4, length), *more])

    query = norms("attn_q_norm", "attn_k_norm")
    shared = [Tensor(f"blk.0.ffn_{kind}_shexp.weight",
                     [96, 64] if kind == "down" else [64, 96])
              for kind in ("gate", "up", "down")] + \
        norms("ffn_gate_inp_shexp", size=64)
    for n, used in ((4, 2), (4, 4), (4, 5), (4, 0), (4, None), (None, 2),
                    (4, [2])):
        yield f"{n}-{used}".replace("[", "").replace("]", "-array"), \
            mixed(n, used)
    yield "dense-0", model(counts={"expert_count": 0, "expert_used_count": 0})
    yield "dense-2", model(counts={"expert_used_count": 2})
    for groups, used in ((2, 1), (4, 1), (3, 1), (2, 2), (2, None), (1, None),
                         (0, None)):
        yield f"groups-{groups}-{used}", mixed(
            4, 2, expert_group_count=groups, expert_group_used_count=used)
    for name, more in (("qwen3moe", query), ("qwen2moe", shared)):
        for n, used in ((4, 2), (None, 2), (4, None), (None, None)):
            yield f"{name}-{n}-{used}", mixed(n, used, name, more, 48)
    yield "phimoe", phi(4, 2)
    yield "phimoe-no-count", phi(None, None)
    yield "phimoe-no-used", phi(4, None)


def phi(n, used):
    """Every layer norm has a bias, and the output."""
    f = model("phimoe", {"expert_count": n, "expert_used_count": used},
              block=experts(4))
    biases = [Tensor(name + ".bias", [size]) for name, size in
              (("output_norm", 64), ("output", 8), ("blk.0.attn_norm", 64),
               ("blk.0.attn_output", 64), ("blk.0.ffn_norm", 64),
               ("blk.0.attn_q", 64), ("blk.0.attn_k", 32),
               ("blk.0.attn_v", 32))]
    return File(f.kvs, f.tensors + biases)


class Unpadded:
    """Without its last bytes."""
    def __init__(self, file, bytes_less):
        self.file, self.bytes_less = file, bytes_less

    def build(self):
        made = self.file.build()
        return made[:len(made) - self.bytes_less]


def padding():
    few = model(tokens={LIST: ("arr", strings(*TOKENS[:7])), SCORES: None,
                        TYPES: None})
    ends = [Tensor(f"{name}.weight", [64, 7], "Q8_0")
            for name in ("token_embd", "output")]
    file = File(few.kvs, [ends[0], *few.tensors[1:-1], ends[1]])
    for less in (0, 4, 5):  # 476 bytes of data, and 4 of padding
        yield f"{less}-less", Unpadded(file, less)


def alignments():
    """Wherever the first tensor lies."""
    for align in (1, 2, 4, 8, 16, 32, 64, 4096):
        for n in range(0, 32, align):
            yield f"{align}-{n}", model(align=align, kvs=[
                KV("general.name", "str", "x" * n)])
    # The first tensor is at such a place, and the second is not.
    few = model(align=4, kvs=[KV("general.name", "str", "x" * 8)], tokens={
        LIST: ("arr", strings(*TOKENS[:7])), SCORES: None, TYPES: None})
    ends = [Tensor(f"{name}.weight", [64, 7], "Q8_0")
            for name in ("token_embd", "output")]
    yield "second", File(few.kvs, [ends[0], *few.tensors[1:-1], ends[1]],
                         align=4)


def models():
    yield "plain", model()
    for name, changes in tokenizers():
        yield "tokenizer-" + name, model(tokens=changes)
    for group in (rotations, mixtures, alignments, padding):
        for name, file in group():
            yield f"{group.__name__}-{name}", file


# ------------------------------------------------------------ architectures

KNOWN = os.path.join(peers.HERE, "..", "..", "lib", "model", "known_archs.c")


def names():
    """Those of our table, and each with a letter more or less."""
    with open(KNOWN, encoding="ascii") as f:
        known = re.findall(r'^    "([^"]+)",$', f.read(), re.MULTILINE)
    return known, sorted({n for name in known
                          for n in (name + "x", name[:-1])} - set(known)
                         | {"foo", "gptj", "rwkv", "whisper"})


def judge_names(gguf, theirs, folder):
    """How many of them, and of how many libllama says something else."""
    known, others = names()
    paths = [os.path.join(folder, f"arch-{name}.gguf")
             for name in known + others]
    for path, name in zip(paths, known + others):
        with open(path, "wb") as f:
            f.write(File([arch(name)], []).build())
    wrong = 0
    for path, name, ours in zip(paths, known + others, judge(gguf, paths)):
        unknown = "architecture-unknown" in ours["llama_cpp_against"]
        does = theirs.load(path)
        if unknown != (name not in known) or unknown != bool(
                re.search("(unknown|unsupported) model architecture", does)):
            print(f"architecture {name}: {unknown}, and llama.cpp says {does}")
            wrong += 1
    return len(paths), wrong


# ------------------------------------------------------------------ tensors

# Architectures with rules about their tensors, and numbers of their own.
MIXED = {"expert_count": 4, "expert_used_count": 2,
         "expert_feed_forward_length": 48, "expert_shared_count": 1}
STATES = {"ssm.conv_kernel": 4, "ssm.inner_size": 128, "ssm.state_size": 16,
          "ssm.time_step_rank": 4, "ssm.group_count": 1,
          "attention.head_count": 0, "attention.head_count_kv": 0,
          "feed_forward_length": 0}
HEADS = {"attention.key_length": 16, "attention.value_length": 16}
WINDOW = {"attention.sliding_window": 128, **HEADS}
FULL = {"attention.head_count_kv": 4}
TENSORED = {
    "llama": {}, "mpt": FULL, "gptneox": FULL, "gpt2": FULL, "bloom": FULL,
    "falcon": {}, "mamba": STATES, "qwen2": {}, "qwen2moe": MIXED, "qwen3": {},
    "qwen3moe": MIXED, "gemma": HEADS, "gemma2": WINDOW, "gemma3": WINDOW,
    "phi3": {}, "phimoe": MIXED, "gpt-oss": {**MIXED, **WINDOW},
    "deepseek2": {**MIXED, "attention.kv_lora_rank": 8,
                  "attention.q_lora_rank": 8, "leading_dense_block_count": 1,
                  "attention.key_length": 24, "attention.value_length": 16,
                  "rope.dimension_count": 8},
    "mamba2": {**STATES, "ssm.time_step_rank": 8},
    "jamba": {**STATES, "attention.head_count": 4, "feed_forward_length": 96,
              "attention.head_count_kv": [0, 2]}}
UNLIKE = ("deepseek2", "jamba")  # whose blocks differ


def build(path, name, tensors):
    keys = [arch(name), *numbers(name, {"block_count": 2, **TENSORED[name]}),
            KV(f"{name}.use_parallel_residual", "bool", True),
            KV(f"{name}.attention.max_alibi_bias", "f32", 8.0),
            KV(f"{name}.attention.clamp_kqv", "f32", 8.0), *words({})]
    keys += [KV(f"{name}.attention.{kind}_epsilon", "f32", 1e-5)
             for kind in ("layer_norm", "layer_norm_rms")]
    with open(path, "wb") as f:
        f.write(File(keys, [Tensor(n, d) for n, d in tensors.items()]).build())


def complete(theirs, path, name):
    """The tensors that libllama asks for, one after the other."""
    tensors = {}
    for _ in range(150):
        build(path, name, tensors)
        does = theirs.load(path)
        missing = re.search("tensor '([^']+)' not found", does)
        wrong = re.search(r"'([^']+)' has wrong shape; expected ([\d, ]+)",
                          does)
        if missing:
            tensors[missing[1]] = [1]
        elif wrong:
            dims = [int(n) for n in re.findall(r"\d+", wrong[2])]
            tensors[wrong[1]] = dims
            if wrong[1].startswith("blk.0.") and name not in UNLIKE:
                tensors["blk.1." + wrong[1][6:]] = dims
        else:
            break
    if does != "loaded":
        raise SystemExit(f"no model of {name}: {does}")
    return tensors


def variants(tensors):
    """The model, and with one tensor that is not as it should be."""
    yield "whole", tensors
    yield "lm-head", {**tensors, "lm_head.weight": [64, 8]}
    for name in ("token_embd", "output_norm", "blk.1.attn_norm",
                 "blk.0.ffn_down"):
        dims = tensors.get(name + ".weight")
        for i in range(len(dims or ())):
            other = dims[:i] + [dims[i] * 2] + dims[i + 1:]
            yield f"{name}-{i}", {**tensors, name + ".weight": other}
        if dims and len(dims) < 4:
            yield f"{name}-more", {**tensors, name + ".weight":
                                   dims + [1] * (3 - len(dims)) + [2]}


def fused(tensors):
    """One block has in one piece what the other has in three."""
    if "blk.0.attn_q.weight" not in tensors:
        return
    three = [f"blk.0.attn_{kind}.weight" for kind in "qkv"]
    rows = sum(tensors[name][1] for name in three)
    rest = {n: d for n, d in tensors.items() if n not in three}
    yield "fused", {**rest, "blk.0.attn_qkv.weight": [64, rows]}


def without_one(tensors):
    """Without each tensor of one of the two blocks, and of the rest."""
    for name in tensors:
        if not name.startswith("blk.1."):
            yield "no-" + name, {n: d for n, d in tensors.items() if n != name}


def judge_tensors(gguf, theirs, folder):
    """How many models of all architectures, and of how many libllama does what
    we did not foretell."""
    path, wrong, n = os.path.join(folder, "tensors.gguf"), 0, 0
    for name in TENSORED:
        whole = complete(theirs, path, name)
        cases = list(variants(whole))
        if name not in UNLIKE:
            cases += [*without_one(whole), *fused(whole)]
        for what, tensors in cases:
            build(path, name, tensors)
            ours, = judge(gguf, [path])
            does = theirs.load(path)
            n += 1
            if ours["llama_cpp_model"] != ("yes" if does == "loaded"
                                           else "no"):
                print(f"{name} {what}: {ours['llama_cpp_model']} "
                      f"{ours['llama_cpp_against']}, and llama.cpp says {does}")
                wrong += 1
    return n, wrong


# --------------------------------------------------------------------- all

def judge(gguf, paths):
    child = subprocess.run([gguf, "check", "--json", "--profile", "llama.cpp",
                            *paths], stdout=subprocess.PIPE, check=False)
    if child.returncode not in (0, 1):
        raise SystemExit(f"gguf check: exit {child.returncode}")
    return json.loads(child.stdout)["files"]


def main(args):
    if len(args) != 1:
        raise SystemExit(__doc__)
    gguf, made, theirs = args[0], list(models()), llama.find_models()
    said, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name + ".gguf") for name, _ in made]
        for path, (_, file) in zip(paths, made):
            with open(path, "wb") as f:
                f.write(file.build())
        for path, (name, _), ours in zip(paths, made, judge(gguf, paths)):
            word, does = ours["llama_cpp_model"], theirs.load(path)
            said[word, "loads" if does == "loaded" else "fails"] += 1
            if word == ("no" if does == "loaded" else "yes"):
                print(f"{name}: {word} {ours['llama_cpp_against']}, and "
                      f"llama.cpp says {does}")
                wrong += 1
        n_names, wrong_names = judge_names(gguf, theirs, folder)
        n_tensors, wrong_tensors = judge_tensors(gguf, theirs, folder)
    print(f"{len(made)} models: {dict(said)}; {wrong} foretold wrongly")
    print(f"{n_names} architectures, {wrong_names} wrongly known")
    print(f"{n_tensors} models of {len(TENSORED)} architectures, "
          f"{wrong_tensors} foretold wrongly")
    return 1 if wrong or wrong_names or wrong_tensors or len({word for word, _ in said}) < 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
