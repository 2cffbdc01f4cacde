#!/usr/bin/env -S python3 -B
"""test_recipe.py SHOW_RECIPE some|all - which type each tensor gets, in which order, and
which keys a quantized file has: what the library says before any work, against
what llama.cpp's llama_model_quantize does.

Small models of many kinds are made, whose tensors are never looked at: for each
target and each set of options the dry run of llama.cpp says what it would do.
For the keys files are written, and compared byte for byte.
"""

import collections
import os
import struct
import subprocess
import sys
import tempfile

import llama_quantize
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV, TYPES, Tensor, strings  # noqa: E402

TARGETS = {
    "F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9,
    "Q2_K": 10, "Q3_K_S": 11, "Q3_K_M": 12, "Q3_K_L": 13, "Q4_K_S": 14,
    "Q4_K_M": 15, "Q5_K_S": 16, "Q5_K_M": 17, "Q6_K": 18, "IQ2_XXS": 19,
    "IQ2_XS": 20, "Q2_K_S": 21, "IQ3_XS": 22, "IQ3_XXS": 23, "IQ1_S": 24,
    "IQ4_NL": 25, "IQ3_S": 26, "IQ3_M": 27, "IQ2_S": 28, "IQ2_M": 29,
    "IQ4_XS": 30, "IQ1_M": 31, "BF16": 32, "TQ1_0": 36, "TQ2_0": 37,
    "MXFP4_MOE": 38, "Q1_0": 40, "Q2_0": 41}
PURE, LEAVE_OUTPUT, REQUANTIZE, IMATRIX, KEEP_ORDER = 1, 2, 4, 16, 32
# Of a clip model these ask for heads, of which llama.cpp finds none, and aborts.
HEADS = {"Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S", "IQ4_NL", "IQ4_XS",
         "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ1_S", "IQ1_M"}
QUANTIZED, NO_IMATRIX, WIDTH = "1", "3", "4"  # obstacles


# ------------------------------------------------------------------- models

def keys(arch, layers, heads, heads_kv, experts, more=()):
    """All that some architecture asks for before its tensors."""
    counts = {"block_count": layers, "context_length": 512,
              "embedding_length": 256, "feed_forward_length": 512,
              "attention.head_count": heads,
              "attention.head_count_kv": heads_kv,
              "attention.key_length": 32, "attention.value_length": 32,
              "rope.dimension_count": 32, "attention.q_lora_rank": 64,
              "attention.kv_lora_rank": 64, "leading_dense_block_count": 1,
              "expert_feed_forward_length": 64, "expert_shared_count": 1,
              "vocab_size": 64, "ssm.conv_kernel": 4, "ssm.inner_size": 512,
              "ssm.state_size": 16, "ssm.time_step_rank": 16}
    if experts:
        counts.update({"expert_count": experts, "expert_used_count": 2})
    counts.update(more)
    kvs = [KV("general.architecture", "str", arch)]
    for key, n in counts.items():
        kind = ("u32", n) if isinstance(n, int) else ("arr", Arr("u32", n))
        if isinstance(n, float):
            kind = ("f32", n)
        kvs.append(KV(f"{arch}.{key}", *kind))
    return kvs + [KV(f"{arch}.attention.layer_norm{kind}_epsilon", "f32", 1e-5)
                  for kind in ("", "_rms")]


def weights(*names, dims=(256, 2)):
    return [Tensor(name + ".weight", dims, "F16") for name in names]


def norms(*names):
    return [Tensor(name + ".weight", [256]) for name in names]


def block(b, experts, fused, odd):
    """A layer: `fused` what is made of attention; every fourth has rows of an
    odd length if that is asked for."""
    dims = (odd, 2) if odd else (256, 2)
    out = norms(b + "attn_norm", b + "ffn_norm")
    out += weights(*[f"{b}attn_{kind}" for kind in fused], dims=dims)
    if experts:
        out += weights(*[f"{b}ffn_{kind}_exps" for kind in
                         ("gate", "up", "down")], dims=(256, 2, experts))
        out += weights(b + "ffn_gate_inp", dims=(256, experts))
        return out + weights(b + "ffn_down_shexp", b + "ffn_gate_inp_shexp")
    return out + weights(b + "ffn_gate", b + "ffn_up", b + "ffn_down",
                         dims=dims)


def model(arch="llama", layers=16, heads=8, heads_kv=2, experts=0, tied=False,
          fused=("q", "k", "v", "output"), odd=None, more=(), extra=()):
    tensors = norms("output_norm") + weights("token_embd")
    tensors += [] if tied else weights("output")
    for i in range(layers):
        tensors += block(f"blk.{i}.", experts, fused,
                         odd if i % 4 == 1 else None)
    tensors += extra
    tensors.reverse()  # in no order at all
    return File(keys(arch, layers, heads, heads_kv, experts, more), tensors)


def small():
    """What is never quantized, though it is no vector; and what is."""
    words = ("altup_proj", "laurel_l", "per_layer_model_proj", "ssm_conv1d",
             "shortconv.conv", "indexer.k_proj", "indexer.q_proj",
             "time_mix_first", "time_mix_w0", "time_mix_w1", "time_mix_w2",
             "time_mix_v0", "time_mix_v1", "time_mix_v2", "time_mix_a0",
             "time_mix_a1", "time_mix_a2", "time_mix_g1", "time_mix_g2",
             "time_mix_decay_w1", "time_mix_decay_w2", "time_mix_lerp_fused",
             "attn_rel_b", "ffn_gate_tid2eid", "attn_q_norm", "attn_k_b",
             "attn_v_b", "exp_probs_b", "norm_exps", "a.rvq.codebook",
             "mm.a.code_embd", "v.position_embd", "x.rel_pos", "x.patch_embd",
             "x.patch_merger", "sam.pos_embd", "sam.neck.0", "sam.net_2",
             "rel_pos", "time_mix_key")
    odd = [Tensor(name, (256, 2), "F16") for name in
           ("12345", "123456", "weights", "fooweight", "weight.bias", "wei",
            "blk.0.attn_v.weight.x", "blk.0.attn_q.bias",
            "blk.1.weight.weight")]
    odd += [Tensor("blk.1.one.weight", (256, 1), "F16"),
            Tensor("blk.1.ones.weight", (1, 1, 256), "F16"),
            Tensor("blk.1.deep.weight", (256, 1, 2), "F16")]
    return odd + weights("position_embd", "token_types", "v.token_types",
                         "per_layer_token_embd",
                         *[f"blk.0.{word}" for word in words])


def widths():
    sizes = (32, 33, 48, 64, 96, 128, 160, 192, 256, 288, 384, 512)
    return [t for n in sizes for kind in
            ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_down", "x")
            for t in weights(f"blk.0.{kind}.weight.{n}", dims=(n, 2))]


def models():
    yield "gqa", model()
    yield "mha", model(heads_kv=8)
    yield "gqa-3", model(heads=9, heads_kv=3, layers=5)
    yield "tied", model(tied=True)
    for n in (1, 2, 3, 7, 8, 9, 24, 31, 33):
        yield f"layers-{n}", model(layers=n, heads_kv=8 if n % 2 else 2)
    for n in (79, 80, 81):
        yield f"llama-{n}", model(layers=n, heads=64, heads_kv=8)
    yield "llama-65b", model(layers=80, heads=64, heads_kv=64)
    yield "llama-80-mha", model(layers=80, heads=64, heads_kv=32)
    for arch, n in (("qwen2", 80), ("olmo", 80), ("jais2", 68), ("jais2", 80),
                    ("gemma2", 80), ("qwen2", 16)):
        yield f"{arch}-{n}", model(arch, layers=n, heads=8, heads_kv=4,
                                   more={"attention.sliding_window": 64})
    yield "deci-80", model("deci", 80, [8] * 80, [4] * 80,
                           more={"feed_forward_length": [512] * 80})
    for n in (2, 4, 8, 16):
        yield f"experts-{n}", model(experts=n, heads_kv=8)
    yield "experts-8-gqa", model(experts=8)
    yield "experts-8-tied", model(experts=8, tied=True, layers=9)
    yield "experts-8-dense", model(more={"expert_count": 8,
                                         "expert_used_count": 2})
    yield "experts-no-layer", model(experts=4, extra=weights("ffn_down.0"))
    yield "experts-past", model(experts=4, extra=weights("blk.99.ffn_up"))
    yield "experts-jump", model(experts=4, extra=weights("blk.3x.ffn_up"))
    yield "phi3", model("phi3", fused=("qkv", "output"), heads_kv=8,
                        more={"attention.sliding_window": 64})
    yield "phi3-gqa", model("phi3", fused=("qkv", "output"),
                            more={"attention.sliding_window": 64})
    yield "deepseek2", model("deepseek2", 27, experts=8, fused=(
        "q_a", "q_b", "kv_a_mqa", "kv_b", "k_b", "v_b", "output"))
    for n in (4, 32, 60):
        yield f"falcon-{n}", model("falcon", n, 8, 1, fused=("qkv", "output"))
    yield "falcon-q-k-v", model("falcon", 32, 8, 8)
    yield "gemma", model("gemma", 18, 8, 1, tied=True)
    yield "bailingmoe3", model("bailingmoe3", 8, experts=8, extra=weights(
        "blk.0.attn_k_b", dims=(256, 2, 8)), more={
            "attention.key_length_mla": 32, "attention.value_length_mla": 32,
            "kda.head_dim": 32, "kda.gate_lower_bound": -1.0,
            "expert_weights_scale": 1.0,
            "expert_gating_func": 2})
    yield "per-layer", model(layers=4, heads=[8, 4, 2, 1], heads_kv=[1] * 4)
    yield "no-kv-heads", model(layers=4, heads=[8] * 4, heads_kv=[0, 2, 2, 2])
    yield "clip", model("clip", 12)
    yield "small", model(layers=2, extra=small())
    yield "small-tied", model(layers=2, tied=True, extra=small())
    yield "widths", model(layers=2, extra=widths())
    for n in (48, 64, 96, 128, 192, 384):
        yield f"odd-{n}", model(odd=n)
    yield "narrow", File(keys("llama", 1, 8, 2, 0), weights(
        "token_embd", "output", dims=(96, 2)))
    yield "narrow-tied", File(keys("llama", 1, 8, 2, 0), weights(
        "token_embd", dims=(192, 2)))
    yield "nothing", File(keys("llama", 1, 8, 2, 0), norms("output_norm"))
    yield "quantized", File(keys("llama", 1, 8, 2, 0), [
        Tensor(f"blk.0.attn_{kind}.weight", [256, 2], kind.upper())
        for kind in ("Q4_K", "q8_0", "BF16", "F32", "Q6_K", "Q2_K", "IQ4_NL",
                     "IQ2_XXS", "MXFP4")])


def save(folder, name, f):
    """A file with room for data, and none written."""
    path = os.path.join(folder, name + ".gguf")
    f.data = False
    size = sum(-(-t.size // 32) * 32 for t in f.tensors)
    with open(path, "wb") as out:
        out.write(f.build())
        out.truncate((out.tell() + 31) // 32 * 32 + size)
    return path


# ------------------------------------------------------------------ options

Options = collections.namedtuple("Options", "flags words params")


def overrides(*pairs):
    return Options(0, [f"override={p}={t}" for p, t in pairs],
                   {"types": [(p, TYPES[t.upper()][0]) for p, t in pairs]})


def asked(*pairs):
    """Keys by --override-kv."""
    return Options(0, [f"key={key}={value}" for key, value in pairs],
                   {"keys": list(pairs)})


KEYS = {
    "layers": asked(("llama.block_count", 40)),
    "layers-twice": asked(("llama.block_count", 40), ("llama.block_count", 4)),
    "layers-text": asked(("llama.block_count", "forty")),
    "70b": asked(("llama.block_count", 80)),
    "heads": asked(("llama.attention.head_count_kv", 8)),
    "no-heads": asked(("llama.attention.head_count", 9)),
    "experts": asked(("llama.expert_count", 4)),
    "falcon": asked(("general.architecture", "falcon")),
}


def asked_models():
    """And what is asked of them."""
    f = model()
    yield "asked", f, ("layers", "layers-twice", "layers-text", "70b", "heads",
                       "no-heads")
    yield "asked-none", File(
        [kv for kv in f.kvs if b"head_count_kv" not in kv.key.text],
        f.tensors), ("heads",)
    yield "asked-each", model(heads=[8] * 16, heads_kv=[2] * 16), (
        "heads", "no-heads")
    yield "asked-experts", model(experts=8), ("layers", "experts")
    yield "asked-two", File(
        f.kvs + keys("falcon", 32, 8, 8, 0)[1:], f.tensors), ("falcon",)


def compare_asked(comparison, folder):
    """Rules go by what is asked for as far as llama.cpp looks for it."""
    for name, f, labels in asked_models():
        path = save(folder, name, f)
        for label in labels:
            comparison.compare(name, path, label, KEYS[label])


FOR_ALL = {
    "plain": Options(REQUANTIZE, [], {}),
    "imatrix": Options(IMATRIX, [], {"importances": [("none", 1)]}),
}
FOR_SMALL = {
    "pure": Options(PURE, [], {"pure": True}),
    "leave-output": Options(LEAVE_OUTPUT, [], {"quantize_output": False}),
    "keep-order": Options(KEEP_ORDER, [], {"keep_split": True}),
    "output": Options(0, ["output=Q5_1"], {"output_type": TYPES["Q5_1"][0]}),
    "embedding": Options(0, ["embedding=f16"],
                         {"embedding_type": TYPES["F16"][0]}),
    "both": Options(0, ["output=BF16", "embedding=f32"],
                    {"output_type": TYPES["BF16"][0],
                     "embedding_type": TYPES["F32"][0]}),
    "both-pure": Options(PURE, ["output=F16", "embedding=F32"],
                         {"output_type": 1, "embedding_type": 0,
                          "pure": True}),
    "types": overrides(("attn_v", "q8_0"), ("blk\\.[0-3]\\.ffn_down", "Q6_K"),
                       ("^output", "F16"), ("blk\\.(1|2)\\.", "iq4_xs")),
    "types-order": overrides(("ffn_(up|down)", "q5_K"), ("down", "q2_K"),
                             ("\\d+\\.attn_[qk]\\.weight$", "q4_1")),
    "types-pure": overrides(("ffn_down", "q5_K"), ("embd", "F32"))._replace(
        flags=PURE),
}
FOR_SMALL["types-pure"].params["pure"] = True


# --------------------------------------------------------------- comparisons

class Comparison:
    def __init__(self, program):
        self.program = program
        self.peer = llama_quantize.Quantizer()
        self.n = self.failed = self.n_tensors = self.n_refused = 0

    def ours(self, path, options):
        """For each target the status, and name, types and obstacles."""
        result = subprocess.run(
            [self.program, path, "recipe", str(options.flags), *options.words,
             *TARGETS], check=True, capture_output=True, text=True)
        said = {}
        for line in result.stdout.splitlines():
            parts = line.split("\t")
            if len(parts) == 2:
                said[parts[0]] = (parts[1], [])
                rows = said[parts[0]][1]
            else:
                rows.append(parts)
        return said

    def differ(self, what, ours, theirs):
        self.failed += 1
        if self.failed > 20:
            return
        print(f"{what}: {len(ours)} of ours, {len(theirs)} of llama.cpp's")
        if not isinstance(theirs, str):
            ours = [row for row in ours if row[:3] not in map(list, theirs)]
        print(f"    ours   {ours[:3]}\n    theirs {theirs[:3]}"
              if not isinstance(theirs, str) else f"    {theirs}")

    def agree(self, status, rows, theirs):
        """Where llama.cpp fails, so must ours, and for the same reason."""
        if isinstance(theirs, str):
            self.n_refused += 1
            if "no tensor type fallback" in theirs:
                return any(row[4] == WIDTH for row in rows)
            return status != "0" and ("layer" in theirs)
        self.n_tensors += len(theirs)
        return status == "0" and [tuple(row[:3]) for row in rows] == \
            [(name, old, new) for name, old, new in theirs]

    def compare(self, name, path, label, options):
        ours = self.ours(path, options)
        for target, number in TARGETS.items():
            if name == "clip" and target in HEADS:
                continue
            self.n += 1
            theirs = self.peer.types(path, number, **options.params)
            status, rows = ours[target]
            rows = [[row[0], row[1].upper(), row[2].upper(), *row[3:]]
                    for row in rows]
            if not self.agree(status, rows, theirs):
                self.differ(f"{name} {label} {target}", rows, theirs)


# --------------------------------------------------------------------- runs

def runnable(name):
    """What is really quantized: of zeros, but that does not matter here."""
    if name == "run-quantized":
        return File(keys("llama", 1, 8, 2, 0), [
            Tensor(f"blk.0.attn_{kind}.weight", [256, 2], kind)
            for kind in ("Q4_K", "Q8_0", "BF16", "F32", "Q6_K", "IQ4_NL")])
    return model(layers=2, experts=8 if name == "run-8" else 0)


def read_names(data, pos, n):
    """Names and types of the tensor infos at `pos`."""
    found = []
    for _ in range(n):
        length, = struct.unpack_from("<Q", data, pos)
        name = data[pos + 8:pos + 8 + length].decode()
        pos += 8 + length
        n_dims, = struct.unpack_from("<I", data, pos)
        pos += 4 + 8 * n_dims
        found.append((name, struct.unpack_from("<I", data, pos)[0]))
        pos += 12
    return found


def read_file(path):
    """Names and types of a file's tensors, in its order."""
    with open(path, "rb") as f:
        data = f.read()
    n_tensors, n_kv = struct.unpack_from("<QQ", data, 8)
    pos = 24
    for _ in range(n_kv):
        pos += 8 + struct.unpack_from("<Q", data, pos)[0]
        kind, = struct.unpack_from("<I", data, pos)
        length = {4: 4, 6: 4}.get(kind)
        if length is None:  # else it is a string
            length = 8 + struct.unpack_from("<Q", data, pos + 4)[0]
        pos += 4 + length
    return read_names(data, pos, n_tensors)


def foretold(rows):
    """What llama.cpp will say."""
    if any(row[4] == NO_IMATRIX for row in rows):
        return "requires an imatrix"
    if any(row[4] == QUANTIZED for row in rows):
        return "requantizing from type"
    return "done"


def compare_runs(comparison, folder, name):
    """Each target, without importances and without leave to quantize again:
    what is refused, and the tensors of the file if nothing is."""
    path, out = save(folder, name, runnable(name)), folder + "/out.gguf"
    ours = comparison.ours(path, Options(0, [], {}))
    for target, number in TARGETS.items():
        comparison.n += 1
        rows = ours[target][1]
        done, text = comparison.peer.run(path, out, number)
        theirs = "done" if done else text.strip().splitlines()[-1]
        if foretold(rows) not in theirs:
            comparison.differ(f"{name} {target}", rows, theirs)
        elif done and read_file(out) != [(row[0], TYPES[row[2]][0])
                                         for row in rows]:
            comparison.differ(f"{name} {target}", rows, read_file(out))


# --------------------------------------------------------------------- keys

def key_files():
    """Files that differ in their keys: where those of before stand."""
    f16 = [Tensor("token_embd.weight", [256, 2], "F16", data=bytes(1024)),
           *norms("output_norm")]
    plain = keys("llama", 1, 8, 2, 0)
    was = [KV("general.file_type", "u32", 1),
           KV("general.quantization_version", "u32", 2)]
    imatrix = [KV("quantize.imatrix.file", "str", "old.dat"),
               KV("quantize.imatrix.dataset", "str", "old.txt"),
               KV("quantize.imatrix.entries_count", "i32", 7),
               KV("quantize.imatrix.chunks_count", "i32", 9)]
    kinds = [KV("a.list", "arr", Arr("f32", [1.0, 2.5])),
             KV("a.words", "arr", strings("a", "", "\u00e9")),
             KV("a.flags", "arr", Arr("bool", [1, 0])),
             KV("a.u8", "u8", 7), KV("a.i64", "i64", -1),
             KV("a.f64", "f64", 0.1), KV("a.empty", "str", "")]
    split = [KV("split.no", "u16", 0), KV("split.count", "u16", 1),
             KV("split.tensors.count", "i32", 2)]
    yield "plain", File(plain, f16)
    yield "first", File([*plain[:1], *was, *plain[1:]], f16)
    yield "kinds", File([*plain, *kinds], f16)
    yield "all", File([*plain[:2], *split, *was, *imatrix, *plain[2:], *kinds],
                      f16)


def compare_keys(comparison, folder):
    imatrix = ["some/where.dat", "d" * 200, "12", "345"]
    for name, f in key_files():
        path = os.path.join(folder, f"keys-{name}.gguf")
        with open(path, "wb") as out:
            out.write(f.build())
        for words in ([], imatrix):
            given = {} if not words else {"keys": [
                ("quantize.imatrix.file", words[0]),
                ("quantize.imatrix.dataset", words[1]),
                ("quantize.imatrix.entries_count", int(words[2])),
                ("quantize.imatrix.chunks_count", int(words[3]))]}
            files = [os.path.join(folder, f"{name}-{who}{len(words)}.gguf")
                     for who in ("ours", "theirs")]
            subprocess.run([comparison.program, path, "keys", "Q8_0", files[0],
                            *words], check=True)
            done, text = comparison.peer.run(path, files[1], TARGETS["Q8_0"],
                                             **given)
            assert done, text
            ours, theirs = (open(file, "rb").read() for file in files)
            comparison.n += 1
            # The fixed header has other counts of tensors.
            if ours[16:] != theirs[16:len(ours)]:
                comparison.failed += 1
                print(f"keys {name}: they differ at byte", next(
                    i for i in range(16, len(ours)) if i >= len(theirs) or
                    ours[i] != theirs[i]))
            elif read_names(theirs, len(ours), 2) != \
                    [("output_norm.weight", 0), ("token_embd.weight", 8)]:
                comparison.failed += 1
                print(f"keys {name}: the tensors are others")


def main():
    os.environ["GGML_NO_BACKTRACE"] = "1"
    comparison = Comparison(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        most, small_ones = (10**6, 400) if sys.argv[2] == "all" else (400, 60)
        for name, f in models():
            if len(f.tensors) > most:
                continue
            path = save(folder, name, f)
            more = FOR_SMALL if len(f.tensors) < small_ones else {}
            for label, options in {**FOR_ALL, **more}.items():
                comparison.compare(name, path, label, options)
            os.remove(path)
        for name in ("run", "run-8", "run-quantized"):
            compare_runs(comparison, folder, name)
        compare_keys(comparison, folder)
        compare_asked(comparison, folder)
    print(f"{comparison.n} comparisons, {comparison.n_tensors} tensors, "
          f"{comparison.n_refused} refused by both, "
          f"{comparison.failed} differ")
    assert comparison.n_tensors > 400000 and comparison.n_refused > 0
    sys.exit(comparison.failed > 0)


if __name__ == "__main__":
    main()
