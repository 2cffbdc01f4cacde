#!/usr/bin/env -S python3 -B
"""test_quantize.py QUANTIZE_PEER some|all - whole files: what the library makes
of a model, byte for byte what llama.cpp's llama_model_quantize does.

Small models of many kinds are made, with random weights, and quantized to each
file type that there are kernels for, with an importance matrix and without.
"""

import filecmp
import glob
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import llama_quantize
import peers
from test_recipe import KEEP_ORDER, REQUANTIZE, TARGETS, keys, model, weights

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import File, KV, Tensor  # noqa: E402
from weights import Weights, save_imatrix  # noqa: E402

HAVE = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K",
        "Q2_K_S", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S",
        "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "IQ3_XS", "IQ3_XXS", "IQ1_S",
        "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M", "IQ4_XS", "IQ1_M",
        "TQ1_0", "TQ2_0", "MXFP4_MOE", "Q1_0", "Q2_0"]
NEED_IMATRIX = {"Q2_K_S", "IQ2_XXS", "IQ2_XS", "IQ3_XS", "IQ3_XXS", "IQ1_S",
                "IQ2_S", "IQ2_M", "IQ1_M"}
FEW = ["Q8_0", "Q4_0", "Q4_K_M", "F16"]
REFUSED = re.compile("has invalid data|data validation failed|"
                     "no tensor type fallback is defined")
INFINITE = b"\0\x7c"
# Where in a block a scale is, of types that such data can be had of.
SCALES = {
    **{kind: [(0, INFINITE)] for kind in (
        "Q4_0", "Q5_0", "Q8_0", "IQ4_NL", "IQ4_XS", "IQ1_S", "IQ2_XXS",
        "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "Q1_0", "Q2_0")},
    **{kind: [(0, INFINITE), (2, b"\1\xfc")] for kind in (
        "Q4_1", "Q5_1", "Q4_K", "Q5_K")},
    "Q2_K": [(80, INFINITE), (82, INFINITE)], "Q3_K": [(108, INFINITE)],
    "Q6_K": [(208, b"\0\xfc")], "TQ1_0": [(52, INFINITE)],
    "TQ2_0": [(64, INFINITE)], "IQ1_M": [(48, b"\0\0\0\0\0\xc0\0\x70")],
    "MXFP4": [(0, b"\xff")], "Q8_K": [(0, struct.pack("<f", math.nan))],
    "F64": [(0, struct.pack("<d", math.inf))]}


def made(f, rows=24, kind="F16"):
    """A model of test_recipe, with more rows, and weights of that type."""
    for t in f.tensors:
        if t.type == "F16":
            t.type = kind
            t.dims[1] = rows
    return f


def models():
    yield "gqa", made(model(layers=8))
    yield "experts-8", made(model(layers=3, experts=8), 6)
    yield "odd-96", made(model(layers=4, odd=96))
    yield "mha", made(model(layers=9, heads_kv=8), 8)
    yield "tied", made(model(layers=4, tied=True), kind="BF16")
    yield "f32", made(model(layers=4, heads=9, heads_kv=3), kind="F32")
    yield "fused", made(model("phi3", 4, fused=("qkv", "output"), heads_kv=8,
                              more={"attention.sliding_window": 64}))
    for odd in (33, 48, 384):
        yield f"odd-{odd}", made(model(layers=2, odd=odd))
    yield "experts-4", made(model(layers=2, experts=4, tied=True), 6)


def large():
    """Several jobs of a tensor, and rows longer than what is done at once."""
    return File(keys("llama", 1, 8, 2, 0), [
        *weights("blk.0.ffn_up", dims=(4096, 1100)),
        *weights("blk.0.ffn_down", dims=(40960, 5)),
        *weights("token_embd", "output", dims=(256, 16))])


def save(path, f):
    with open(path, "wb") as out:
        out.write(f.build())
    return path


def save_shards(folder, f, n):
    """The same model in several files."""
    paths = [f"{folder}/in-{i + 1:05}-of-{n:05}.gguf" for i in range(n)]
    each = -(-len(f.tensors) // n)
    for i, path in enumerate(paths):
        split = [KV("split.no", "u16", i), KV("split.count", "u16", n),
                 KV("split.tensors.count", "i32", len(f.tensors))]
        save(path, File((f.kvs if i == 0 else []) + split,
                        f.tensors[i * each:(i + 1) * each]))
    return paths[0]


def is_odd(what, block):
    """Has that model rows that are no whole blocks?"""
    return what.startswith("odd-") and int(what[4:]) % block != 0


class Comparison:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.peer = llama_quantize.Quantizer()
        self.weights = Weights(1)
        self.n = self.failed = self.n_bytes = 0

    def fill(self, f):
        """Give tensors their weights; importances of those that have rows."""
        found = []
        for t in f.tensors:
            self.weights.fill(t)
            if len(t.dims) > 1:
                n = t.dims[0] * (t.dims[2] if len(t.dims) > 2 else 1)
                found.append((t.name.text.decode(),
                              self.weights.importances(n)))
        return found

    def files(self, who):
        return sorted(glob.glob(f"{self.folder}/{who}*"))

    def clean(self):
        for path in self.files("ours") + self.files("theirs"):
            os.remove(path)

    def ours(self, path, target, flags, split, importances, pruned, keys):
        more = [f"prune={layer}" for layer in pruned]
        more += [f"key={key}={number}" for key, number in keys]
        if importances:
            more += [f"imatrix={self.folder}/imatrix.dat", "name=im.dat"]
            save_imatrix(f"{self.folder}/imatrix.dat", importances)
        result = subprocess.run(
            [self.program, path, f"{self.folder}/ours", target,
             str(flags | (KEEP_ORDER if split else 0)), "2",
             "split" if split else "whole", *more],
            check=False, capture_output=True, text=True)
        return result.returncode == 0, result.stderr

    def theirs(self, path, target, flags, split, importances, pruned, keys):
        given = {"keys": list(keys), "pruned": pruned}
        if importances:
            given["importances"] = importances
            given["keys"] += [
                ("quantize.imatrix.file", "im.dat"),
                ("quantize.imatrix.dataset", "some.txt"),
                ("quantize.imatrix.entries_count", len(importances)),
                ("quantize.imatrix.chunks_count", 7)]
        return self.peer.run(path, f"{self.folder}/theirs", TARGETS[target],
                             allow_requantize=bool(flags & REQUANTIZE),
                             pure=False, keep_split=split, nthread=2, **given)

    def same(self):
        """As many files, with the same ends of names, of the same bytes."""
        ours, theirs = self.files("ours"), self.files("theirs")
        self.n_bytes += sum(os.path.getsize(path) for path in ours)
        return len(ours) > 0 and len(ours) == len(theirs) and all(
            a.replace("ours", "theirs") == b and
            filecmp.cmp(a, b, shallow=False) for a, b in zip(ours, theirs))

    def compare(self, what, path, target, importances=(), flags=0,
                split=False, pruned=(), keys=()):
        self.clean()
        given = (path, target, flags, split, importances, pruned, keys)
        done, why = self.ours(*given)
        self.n += 1
        they_did, text = self.theirs(*given)
        if not (done and they_did and self.same()):
            self.failed += 1
            print(f"{what} {target}: the files differ\n    ours: {why}\n"
                  f"    theirs: {text[-200:] if not they_did else ''}")

    def compare_all(self, what, path, targets, importances):
        """Where it need not be of all tensors, the imatrix is of most."""
        most = [pair for i, pair in enumerate(importances) if i % 5 != 3]
        for target in targets:
            if target == "Q1_0" and is_odd(what, 128):
                self.refuse(what, path, target, "no whole number of blocks")
                continue
            if target in NEED_IMATRIX:
                self.compare(f"{what} (imatrix)", path, target, importances)
                continue
            self.compare(what, path, target)
            self.compare(f"{what} (imatrix)", path, target, most)

    def refuse(self, what, path, target, why):
        """Both do; what of theirs is left behind does not count."""
        self.clean()
        given = (path, target, 0, False, (), (), ())
        done, ours = self.ours(*given)
        left = self.files("ours")
        they_did, theirs = self.theirs(*given)
        self.n += 1
        if done or left or they_did or why not in ours or \
                not REFUSED.search(theirs):
            self.failed += 1
            print(f"{what}: not refused by both, for one reason\n    {ours}"
                  f"\n    {theirs[-200:]}")


def compare_again(c, folder):
    """What is quantized already."""
    f = made(model(layers=2), 8)
    c.fill(f)
    path = save(f"{folder}/in.gguf", f)
    for source in ("Q8_0", "Q4_K_M", "IQ4_NL", "Q2_K", "Q5_1", "IQ3_S", "TQ1_0",
                   "TQ2_0", "MXFP4_MOE", "Q1_0", "Q2_0"):
        c.clean()
        done, text = c.peer.run(path, f"{folder}/again.gguf", TARGETS[source])
        assert done, text
        for target in ("Q4_0", "Q6_K", "F16", "F32"):
            c.compare(f"from {source}", f"{folder}/again.gguf", target,
                      flags=REQUANTIZE)


def compare_refusals(c, folder):
    """Numbers that none are, or that do not fit."""
    for what, tensor, kind, number, target, why in (
            ("NaN", "q", "F16", math.nan, "Q4_0", ": NaN at row 1, column 3"),
            ("Inf", "q", "F32", -math.inf, "Q4_K_M", "an infinite number at"),
            ("norm", "norm", "F16", math.nan, "Q8_0", "NaN at row 0, column 3"),
            ("block", "q", "F32", 1e9, "Q8_0", "a block too large for Q8_0 at"),
            ("grid", "q", "F32", 1e9, "IQ3_S", "a block too large for IQ3_S"),
            ("half", "q", "F32", 65520.0, "F16", "a number too large for F16")):
        f = made(model(layers=1), 8, kind)
        c.fill(f)
        t, = [t for t in f.tensors
              if t.name.text == f"blk.0.attn_{tensor}.weight".encode()]
        at = 3 + (t.dims[0] if len(t.dims) > 1 else 0)
        data, width = bytearray(t.data), 2 if t.type == "F16" else 4
        struct.pack_into("<e" if width == 2 else "<f", data, at * width,
                         number)
        t.data = bytes(data)
        c.refuse(what, save(f"{folder}/in.gguf", f), target, why)


def compare_scales(c, folder):
    """Of tensors that stay as they are, scales that are none; and blocks with
    any others."""
    for kind, places in SCALES.items():
        f = made(model(layers=1), 8)
        c.fill(f)
        table = Tensor("blk.0.table", (256, 4), kind)
        f = File(f.kvs, [*f.tensors, table])
        at = table.natural_size() // 4
        for place, scale in places:
            data = bytearray(table.natural_size())
            data[at + place:at + place + len(scale)] = scale
            table.data = bytes(data)
            c.refuse(f"{kind} at {place}", save(f"{folder}/in.gguf", f), "Q8_0",
                     "blk.0.table: " + (
                         "an infinite number" if kind == "F64" else
                         "a scale that is NaN or infinite") +
                     " at row 1, column 0")
        table.data = bytes(table.natural_size())
        c.compare(f"{kind} that stays", save(f"{folder}/in.gguf", f), "Q8_0")


def compare_small(c, folder):
    """A block that MXFP4 has no scale for."""
    f = made(model(layers=1, experts=2), 8, "F32")
    c.fill(f)
    t, = [t for t in f.tensors if t.name.text == b"blk.0.ffn_up_exps.weight"]
    data = bytearray(t.data)
    struct.pack_into("<32f", data, 4 * (t.dims[0] + 64), 1.5e-38, *[0.0] * 31)
    t.data = bytes(data)
    c.refuse("small", save(f"{folder}/in.gguf", f), "MXFP4_MOE",
             "a block too small for MXFP4 at row 1, column 64")


def compare_shards(c, folder):
    f = made(model(layers=5), 8)
    importances = c.fill(f)
    path = save_shards(folder, f, 3)
    for target in ("Q4_K_M", "Q8_0"):
        c.compare("shards", path, target)
        c.compare("shards", path, target, importances, split=True)


def compare_pruned(c, folder):
    """Without some of the layers: where numbers have two digits, where there
    are importances, which have the old names, and in shards."""
    for name, f in (("dense", made(model(layers=12), 8)),
                    ("experts", made(model(layers=5, experts=8), 6)),
                    ("tied", made(model(layers=6, tied=True), 8))):
        importances = c.fill(f)
        path = save(f"{folder}/in.gguf", f)
        for pruned in ((0,), (1, 2), (3, 0), (4,)):
            for target in ("Q4_K_M", "IQ4_XS", "F16"):
                c.compare(f"{name} without {pruned}", path, target,
                          pruned=pruned)
            c.compare(f"{name} without {pruned} (imatrix)", path, "Q3_K_M",
                      importances, pruned=pruned,
                      keys=[("llama.block_count", 7), ("some.key", 4)])
    f = made(model(layers=12), 8)
    importances = c.fill(f)
    path = save_shards(folder, f, 3)
    c.compare("shards", path, "Q4_K_M", importances, split=True, pruned=(2, 9))
    f.tensors.reverse()  # the last layers in the last shard, of which none stay
    path = save_shards(folder, f, 3)
    c.compare("fewer shards", path, "Q8_0", split=True, pruned=range(7, 12))
    c.compare("one shard", path, "Q8_0", split=True, pruned=range(3, 12))
    f = made(model(layers=4), 8)
    for t in f.tensors:  # there is no layer 2, and none asks for one
        t.name.text = t.name.text.replace(b"blk.3.", b"blk.5.")
    c.fill(f)
    c.compare("gap", save(f"{folder}/in.gguf", f), "Q4_0", pruned=(1,))


def compare_layered(c, folder):
    """Where a key has a number for each layer, theirs cannot be read again."""
    f = made(model(layers=4, heads=[8] * 4, heads_kv=[2, 2, 4, 8]), 8)
    c.fill(f)
    path = save(f"{folder}/in.gguf", f)
    c.clean()
    given = (path, "Q8_0", 0, False, (), (1, 2), ())
    c.n += 1
    done, why = c.ours(*given)
    they_did, text = c.theirs(*given)
    ours, theirs = (c.peer.types(f"{folder}/{who}", TARGETS["F16"],
                                 allow_requantize=True)
                    for who in ("ours", "theirs"))
    if not done or not they_did or isinstance(ours, str) or \
            "wrong array length" not in theirs:
        c.failed += 1
        print(f"layered: {why}\n    {text[-200:]}\n    {ours}\n    {theirs}")


def main():
    os.environ["GGML_NO_BACKTRACE"] = "1"
    every = sys.argv[2] == "all"
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(sys.argv[1], folder)
        for i, (name, f) in enumerate(models()):
            for t in f.tensors if every else ():
                t.dims[1:2] = [n * 4 for n in t.dims[1:2]]
            importances = c.fill(f)
            path = save(f"{folder}/in.gguf", f)
            c.compare_all(name, path, HAVE if every or i < 3 else FEW,
                          importances)
        f = large()
        importances = c.fill(f)
        c.compare_all("large", save(f"{folder}/in.gguf", f),
                      FEW + ["Q5_K_M", "Q5_1", "IQ4_XS"] if every else FEW[:2],
                      importances)
        compare_again(c, folder)
        compare_refusals(c, folder)
        compare_scales(c, folder)
        compare_small(c, folder)
        compare_shards(c, folder)
        compare_pruned(c, folder)
        compare_layered(c, folder)
    print(f"{c.n} comparisons, {c.n_bytes} bytes, {c.failed} differ")
    assert c.n > 150 and c.n_bytes > 40 << 20
    sys.exit(c.failed > 0)


if __name__ == "__main__":
    main()
