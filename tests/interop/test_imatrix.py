#!/usr/bin/env -S python3 -B
"""test_imatrix.py GGUF - importance matrices of gguf imatrix, and llama.cpp's.

Files that llama-imatrix writes are made by the same calls of libggml-base, in
the order and with the arithmetic of its source; ours must be those, byte for
byte. llama.cpp's own loader reads them, and so does the package gguf; and what
llama_model_quantize makes by a converted matrix it makes by the original.
"""

import filecmp
import json
import random
import struct
import subprocess
import sys
import tempfile

import peers

peers.need_package("numpy")
peers.need_package("gguf")

import gguf  # noqa: E402
import numpy  # noqa: E402

import llama_imatrix  # noqa: E402
import llama_quantize  # noqa: E402
from test_quantize import Weights, made, save  # noqa: E402
from test_recipe import TARGETS, model  # noqa: E402

F32 = numpy.float32


def tensors(f):
    """Names, columns and experts of what llama-imatrix counts."""
    for t in f.tensors:
        name = t.name.text.decode()
        if len(t.dims) > 1 and name.startswith("blk."):
            yield name, t.dims[0], t.dims[2] if len(t.dims) > 2 else 1


def collected(shapes, rng, chunk_size, n_chunks):
    """As llama-imatrix has them after so many chunks: of experts some are never
    in use, and none as often as there are tokens."""
    entries = {}
    for name, columns, experts in shapes:
        counts = [chunk_size * n_chunks] if experts == 1 else [
            rng.choice((0, rng.randrange(chunk_size * n_chunks)))
            for _ in range(experts)]
        sums = [rng.expovariate(3) * rng.choice((0.01, 1, 100)) * n
                for n in counts for _ in range(columns)]
        entries[name] = (numpy.array(sums, F32), counts)
    return entries


def combine(files, chunk_size):
    """llama-imatrix --in-file, file by file: floats are added as floats. Each
    of `files` is (entries, datasets, whether it is a .dat)."""
    sums, datasets = {}, []
    for entries, names, legacy in files:
        for name, (values, counts) in entries.items():
            factor = chunk_size if legacy else 1
            have = sums.setdefault(
                name, [numpy.zeros(len(values), F32), [0] * len(counts)])
            if len(have[1]) == 1 and len(counts) > 1:
                have[1] *= len(counts)
            have[0] += values * F32(factor)
            have[1] = [n + counts[i if len(counts) > 1 else 0] * factor
                       for i, n in enumerate(have[1])]
        datasets += names
    most = max([0] + [n for _, counts in sums.values() for n in counts])
    return sums, datasets, most // chunk_size


def dat_bytes(entries, dataset, n_chunks, chunk_size):
    """A .dat, as llama-imatrix --output-format dat saves sums."""
    kept = sorted((name for name, (_, counts) in entries.items()
                   if any(counts)), key=str.encode)
    out = struct.pack("<i", len(kept))
    for name in kept:
        sums, counts = entries[name]
        calls = (max(counts) + chunk_size - 1) // chunk_size
        each = len(sums) // len(counts)
        values = numpy.concatenate([
            (sums[i * each:(i + 1) * each] / F32(n) if n else
             numpy.ones(each, F32)) * F32(calls)
            for i, n in enumerate(counts)])
        out += struct.pack("<i", len(name)) + name.encode()
        out += struct.pack("<ii", calls, len(values))
        out += values.astype("<f4").tobytes()
    return out + struct.pack("<ii", n_chunks, len(dataset)) + dataset.encode()


def means(loaded):
    """What llama-quantize gives to llama_model_quantize, as floats."""
    entries, about = loaded
    out = []
    for name, (values, counts) in sorted(entries.items()):
        values, each = numpy.array(values, F32), len(values) // len(counts)
        for i, n in enumerate(counts):
            part = values[i * each:(i + 1) * each]
            if n > 0:
                part /= F32(n)
            elif not about["legacy"]:
                part[:] = 1
        out.append((name, [float(x) for x in values]))
    return out


class Comparison:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.peer = llama_imatrix.Imatrices()
        self.n = 0

    def path(self, name):
        return f"{self.folder}/{name}"

    def run(self, *words):
        done = subprocess.run([self.program, "imatrix", "-q", *words],
                              check=True, stdout=subprocess.PIPE)
        return done.stdout

    def write(self, name, entries, datasets, n_chunks, chunk_size):
        path = self.path(name)
        self.peer.write(path, entries, datasets, n_chunks, chunk_size)
        return path

    def write_dat(self, name, entries, dataset, n_chunks, chunk_size):
        with open(self.path(name), "wb") as f:
            f.write(dat_bytes(entries, dataset, n_chunks, chunk_size))
        return self.path(name)

    def same(self, a, b, what):
        self.n += 1
        assert filecmp.cmp(a, b, shallow=False), f"{what}: the files differ"

    def check_loaded(self, path, entries, datasets, n_chunks, chunk_size):
        """llama.cpp's loader reads what was meant."""
        found, about = self.peer.load(path)
        assert list(found) == sorted(entries, key=str.encode)
        for name, (values, counts) in entries.items():
            assert found[name][1] == list(counts), name
            assert numpy.array_equal(numpy.array(found[name][0], F32), values)
        assert about == {"datasets": datasets, "chunks": n_chunks,
                         "chunk_size": chunk_size, "legacy": False,
                         "complete": True}, about

    def check_package(self, path, entries):
        reader = gguf.GGUFReader(path)
        found = {t.name: t for t in reader.tensors}
        assert len(found) == 2 * len(entries)
        for name, (values, counts) in entries.items():
            assert numpy.array_equal(found[name + ".in_sum2"].data.flatten(),
                                     values)
            assert list(found[name + ".counts"].data.flatten()) == list(counts)
        kind = reader.fields["general.type"]
        assert bytes(kind.parts[kind.data[0]]) == b"imatrix"


def compare_sums(c, f, rng):
    """Merge of two GGUFs and a .dat, and each written as the other kind."""
    shapes = list(tensors(f))
    for chunk_size in (512, 96):
        a = collected(shapes, rng, chunk_size, 8)
        b = collected(shapes[3:], rng, chunk_size, 5)
        paths = [c.write("a.gguf", a, ["a.txt", "aa.txt"], 8, chunk_size),
                 c.write("b.gguf", b, [], 5, chunk_size),
                 c.write_dat("c.dat", a, "c.txt", 8, chunk_size)]
        legacy = {name: (numpy.array(values, F32), counts) for
                  name, (values, counts) in c.peer.load(paths[2])[0].items()}
        files = [(a, ["a.txt", "aa.txt"], False), (b, [], False),
                 (legacy, ["c.txt"], True)]
        for n in (1, 2, 3):
            sums, datasets, chunks = combine(files[:n], chunk_size)
            want = c.write("want.gguf", sums, datasets, chunks, chunk_size)
            c.run("merge", "--force", c.path("have.gguf"), *paths[:n])
            c.same(c.path("have.gguf"), want, f"merge of {n}")
            c.check_loaded(want, sums, datasets, chunks, chunk_size)
            c.check_package(c.path("have.gguf"), sums)
            want = c.write_dat("want.dat", sums, datasets[-1], chunks,
                               chunk_size)
            c.run("merge", "--force", c.path("have.dat"), *paths[:n])
            c.same(c.path("have.dat"), want, f"merge of {n} as .dat")
        sums, datasets, _ = combine(files[2:], chunk_size)
        want = c.write("want.gguf", sums, datasets, 8, chunk_size)
        c.run("convert", "--force", "--chunk-size", str(chunk_size), paths[2],
              c.path("have.gguf"))
        c.same(c.path("have.gguf"), want, "a .dat as GGUF")


def compare_quantized(c, f, rng):
    """By the original, and by what it was converted to."""
    quantizer = llama_quantize.Quantizer()
    weights = Weights(3)
    for t in f.tensors:
        weights.fill(t)
    path = save(c.path("model.gguf"), f)
    entries = collected(list(tensors(f)), rng, 512, 8)
    entries = {name: (values, [4096 if n else 0 for n in counts])
               for name, (values, counts) in entries.items()}
    # 8 calls of 512: nothing is rounded on the way
    originals = {"gguf": c.write("a.gguf", entries, ["a.txt"], 8, 512),
                 "dat": c.write_dat("a.dat", entries, "a.txt", 8, 512)}
    for kind, original in originals.items():
        for other in ("gguf", "dat"):
            c.run("convert", "--force", "--to", other, original, c.path("converted"))
            read = [c.peer.load(p) for p in (original, c.path("converted"))]
            assert read[0][1]["chunks"] == read[1][1]["chunks"] == 8
            for target in ("Q4_K_M", "Q4_0", "IQ2_XXS"):
                for i, loaded in enumerate(read):
                    done, why = quantizer.run(
                        path, c.path(f"out{i}"), TARGETS[target],
                        importances=means(loaded))
                    assert done, why
                c.same(c.path("out0"), c.path("out1"),
                       f"{target} by {kind} as {other}")


def compare_judgements(c, f, rng):
    """Each weight that llama-imatrix counts is found in the model of before."""
    path = c.path("model.gguf")
    entries = collected(list(tensors(f)), rng, 512, 8)
    imatrix = c.write("a.gguf", entries, ["a.txt"], 8, 512)
    found = json.loads(c.run("check", "--json", imatrix, path))
    c.n += 1
    assert found["weights_covered"] > 6
    assert {f["rule"] for f in found["findings"]} <= {
        "weight-bare-end", "expert-unseen", "entry-unseen"}


def main():
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(sys.argv[1], folder)
        for f in (made(model(layers=2)), made(model(layers=2, experts=8), 6)):
            compare_sums(c, f, rng)
            compare_quantized(c, f, rng)
            compare_judgements(c, f, rng)
    print(f"{c.n} comparisons")
    assert c.n == 54


if __name__ == "__main__":
    main()
