#!/usr/bin/env python3
"""quantize.py WORK LIBRARIES [--quick] [--disk] [TARGET...] - gguf quantize
beside llama.cpp's llama_model_quantize, by turns, on one model; prints the
tables.

WORK is what run.sh made, LIBRARIES the folder with libllama. Both have two
threads, and the model is in the page cache. They write to memory, or with
--disk into WORK: then ours waits for the disk, which has nothing else to do
before each run, and llama.cpp does not. All files that the two make of one
target must be equal, byte for byte.
"""

import filecmp
import os
import sys
import tempfile

import measure
from measure import MIB, Bench, Job, Targets, duration, print_table, say, times

sys.path.insert(0, measure.GEN)
from ggufgen import KV, File, Tensor  # noqa: E402
from weights import Weights, save_imatrix  # noqa: E402

EMBEDDING, HIDDEN, LAYERS, VOCABULARY = 1024, 2816, 22, 32000
HEADS, HEADS_KV = 16, 4
THREADS = 2
TARGETS = {  # that of llama.h; how many times as fast ours has to be
    "Q4_K_M": (15, 10), "Q4_K_M, imatrix": (15, 9), "Q5_K_M": (17, 10),
    "Q6_K": (18, 8), "IQ4_XS": (30, 20), "Q8_0": (7, 7), "Q4_0": (2, 5)}
MEMORY = 10  # times less of it
IN_MEMORY = "/dev/shm"


# -------------------------------------------------------------------- model

def keys():
    counts = {"block_count": LAYERS, "context_length": 2048,
              "embedding_length": EMBEDDING, "feed_forward_length": HIDDEN,
              "attention.head_count": HEADS,
              "attention.head_count_kv": HEADS_KV,
              "rope.dimension_count": EMBEDDING // HEADS}
    return [KV("general.architecture", "str", "llama"),
            *(KV(f"llama.{key}", "u32", n) for key, n in counts.items()),
            KV("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5)]


def weight(name, *dims):
    return Tensor(name + ".weight", dims, "F32" if len(dims) == 1 else "F16")


def layer(i):
    narrow = EMBEDDING * HEADS_KV // HEADS
    return [weight(f"blk.{i}.{name}", *dims) for name, *dims in (
        ("attn_norm", EMBEDDING), ("ffn_norm", EMBEDDING),
        ("attn_q", EMBEDDING, EMBEDDING), ("attn_k", EMBEDDING, narrow),
        ("attn_v", EMBEDDING, narrow), ("attn_output", EMBEDDING, EMBEDDING),
        ("ffn_gate", EMBEDDING, HIDDEN), ("ffn_up", EMBEDDING, HIDDEN),
        ("ffn_down", HIDDEN, EMBEDDING))]


def make_model(path, imatrix):
    """A model as llama.cpp has them, of 313 million weights."""
    tensors = [weight("token_embd", EMBEDDING, VOCABULARY),
               weight("output_norm", EMBEDDING),
               weight("output", EMBEDDING, VOCABULARY)]
    for i in range(LAYERS):
        tensors += layer(i)
    weights = Weights(1)
    with open(path + ".part", "wb") as out:
        out.write(File(keys(), tensors, data=False, start=True).build())
        for t in tensors:  # each a multiple of the alignment
            weights.fill(t)
            out.write(t.data)
            t.data = None
    save_imatrix(imatrix, [(t.name.text.decode(),
                            weights.importances(t.dims[0]))
                           for t in tensors if len(t.dims) > 1])
    os.rename(path + ".part", path)


# ---------------------------------------------------------------- measuring

class Quantizing:
    def __init__(self, bench, libraries, folder, targets):
        self.bench, self.targets = bench, targets
        self.model = bench.path("files", "quantize.gguf")
        self.imatrix = bench.path("files", "imatrix.dat")
        self.outs = {who: os.path.join(folder, who + ".gguf")
                     for who in ("ours", "theirs")}
        self.jobs = {}
        for target in targets:
            self.jobs[target] = self.make_jobs(target, libraries)

    def make_jobs(self, target, libraries):
        kind, weighted = target.split(",")[0], "imatrix" in target
        ours = [self.bench.gguf, "quantize", "-q", "--threads", str(THREADS),
                *(["--imatrix", self.imatrix] if weighted else []),
                self.model, self.outs["ours"], kind]
        theirs = [self.bench.path("llama_quantize"), libraries, self.model,
                  self.outs["theirs"], str(TARGETS[target][0]), str(THREADS),
                  *([self.imatrix] if weighted else [])]
        return {"ours": Job("gguf", target, ours),
                "theirs": Job("llama", target, theirs)}

    def prepare(self):
        if not os.path.exists(self.model):
            say("making the model")
            make_model(self.model, self.imatrix)
        with open(self.model, "rb") as f:  # into the page cache
            while f.read(MIB):
                pass

    def clear(self):
        for path in self.outs.values():
            if os.path.exists(path):
                os.remove(path)
        os.sync()

    def run(self, target, i):
        """The pair, in an order that is another in the next round."""
        self.clear()
        jobs = list(self.jobs[target].values())
        for job in jobs if i % 2 == 0 else jobs[::-1]:
            job.measure(self.bench.launch, 600)
            os.sync()
            if not job.good:
                raise SystemExit(f"bench: {job.words}: {job.end}")
        if not filecmp.cmp(*self.outs.values(), shallow=False):
            raise SystemExit(f"bench: {target}: the files differ")

    def measure(self):
        for i in range(1 if self.bench.quick else 5):
            for target in self.targets:
                say(f"quantizing, round {i + 1}: {target}")
                self.run(target, i)

    # --------------------------------------------------------------- tables

    def ratios(self, target):
        """Of wall time, of time of the processor, of memory."""
        jobs = self.jobs[target]
        ours, theirs = jobs["ours"], jobs["theirs"]
        return (theirs.over(ours), theirs.cpu_over(ours),
                theirs.peak / ours.peak)

    def print(self):
        rows = []
        for target, jobs in self.jobs.items():
            wall, cpu, _ = self.ratios(target)
            row = [target]
            for job in (jobs["theirs"], jobs["ours"]):
                row += [duration(job.wall), duration(job.cpu_time),
                        f"{job.peak:.1f}"]
            rows.append((*row, times(wall), times(cpu)))
        print_table(("target", "llama.cpp: wall", "CPU", "peak MiB",
                     "`gguf`: wall", "CPU", "peak MiB", "wall, ratio",
                     "CPU, ratio"), rows)

    def print_targets(self):
        rows = Targets(self.bench)
        for target in self.targets:
            wall, cpu, memory = self.ratios(target)
            least = TARGETS[target][1]
            rows.add(f"{target}: faster than llama.cpp",
                     f"at least {least} times",
                     f"{times(wall)} times; {times(cpu)} by CPU time",
                     min(wall, cpu) >= least)
            rows.add(f"{target}: memory", f"at most 1/{MEMORY}",
                     f"1/{memory:.0f}", memory >= MEMORY)
        print_table(("what", "target", "reached", "met"), rows.rows)


def main(args):
    quick = "--quick" in args
    words = [a for a in args if not a.startswith("--")]
    unknown = set(words[2:]) - set(TARGETS)
    if len(words) < 2 or unknown:
        raise SystemExit(__doc__)
    bench = Bench(words[0], quick)
    where = bench.work if "--disk" in args else IN_MEMORY
    with tempfile.TemporaryDirectory(dir=where) as folder:
        quantizing = Quantizing(bench, words[1], folder,
                                words[2:] or list(TARGETS))
        quantizing.prepare()
        measure.print_machine(bench)
        quantizing.measure()
    quantizing.print()
    quantizing.print_targets()


if __name__ == "__main__":
    main(sys.argv[1:])
