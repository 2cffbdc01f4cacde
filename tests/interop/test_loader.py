#!/usr/bin/env -S python3 -B
"""test_loader.py GGUF corpus FOLDER | random [MODELS MUTANTS SEED] - what `gguf
check` foretells of llama.cpp's loader against what the loader does.

Every file is given to the real gguf_init_from_file, header only and with its
data, each in a process of its own. corpus: the files of FOLDER, but for the very
large. random: models made up here, and bent ones, 500 and 2500 of them.
"""

import json
import os
import subprocess
import sys
import tempfile

import ggml
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
import mutants  # noqa: E402
from seeded import Dice  # noqa: E402

MOST_BYTES = 1 << 24
BATCH = 250

# Files of which it is known that the two differ: what is foretold, what the
# loader says, and why.
EXPLAINED = {
}


def foretell(gguf, paths):
    child = subprocess.run([gguf, "check", "--single", "--json", "--profile",
                            "llama.cpp", *paths],
                           stdout=subprocess.PIPE, check=False)
    if child.returncode not in (0, 1):
        raise SystemExit(f"gguf check: exit {child.returncode}")
    return [f["llama_cpp_loads"] for f in json.loads(child.stdout)["files"]]


class Comparison:
    def __init__(self, gguf, loader):
        self.gguf, self.loader = gguf, loader
        self.counts, self.wrong, self.unneeded = {}, 0, set(EXPLAINED)

    def compare(self, paths, names):
        for path, name, ours in zip(paths, names, foretell(self.gguf, paths)):
            theirs = self.loader.verdict(path)
            self.counts[theirs] = self.counts.get(theirs, 0) + 1
            if ours == theirs:
                continue
            if EXPLAINED.get(name, (None,))[:2] == (ours, theirs):
                self.unneeded.discard(name)
                continue
            print(f"{name}: foretold {ours}, the loader says {theirs}")
            self.wrong += 1
            self.keep(path, name)

    def keep(self, path, name):
        """A file that nobody can make again by its name."""
        folder = os.environ.get("GGK_KEEP")
        if folder:
            with open(path, "rb") as f, \
                 open(os.path.join(folder, name.replace("/", "_")),
                      "wb") as out:
                out.write(f.read())

    def result(self):
        print(f"the loader's verdicts: {self.counts}; {self.wrong} foretold "
              "wrongly")
        enough = {"no", "metadata", "yes"} <= set(self.counts)
        return 1 if self.wrong or not enough else 0


def compare_corpus(comparison, folder):
    names = []
    for root, _, files in sorted(os.walk(folder)):
        paths = [os.path.join(root, name) for name in sorted(files)]
        names += [os.path.relpath(p, folder) for p in paths
                  if not p.endswith(".tsv")
                  and os.path.getsize(p) <= MOST_BYTES]
    for i in range(0, len(names), BATCH):
        some = names[i:i + BATCH]
        comparison.compare([os.path.join(folder, n) for n in some], some)
    for name in comparison.unneeded:
        print(f"{name}: the two agree now")
        comparison.wrong += 1


def made_up(n_models, n_mutants, seed):
    """(name, bytes) of each."""
    for i in range(n_models):
        dice = Dice(seed + i)
        f = mutants.model(dice)
        yield f"model-{seed + i}", f.build()
        for k in range(n_mutants // n_models):
            yield f"model-{seed + i}-{k}", mutants.mutant(f, dice)


def compare_random(comparison, n_models, n_mutants, seed):
    with tempfile.TemporaryDirectory() as folder:
        paths, names = [], []
        for name, data in made_up(n_models, n_mutants, seed):
            names.append(name)
            paths.append(os.path.join(folder, str(len(paths))))
            with open(paths[-1], "wb") as f:
                f.write(data)
            if len(paths) == BATCH:
                comparison.compare(paths, names)
                paths, names = [], []
        if paths:
            comparison.compare(paths, names)


def main(args):
    if len(args) < 2 or args[1] not in ("corpus", "random"):
        raise SystemExit(__doc__)
    library = peers.find_ggml()
    if library is None:
        peers.skip("no libggml-base.so; GGK_PEERS may name a folder with npm "
                   "@node-llama-cpp/linux-x64 3.22.1")
    comparison = Comparison(args[0], ggml.Loader(library))
    if args[1] == "corpus":
        compare_corpus(comparison, args[2])
    else:
        compare_random(comparison, *map(int, (args[2:] + [500, 2500, 1])[:3]
                                        if len(args) == 2 else args[2:]))
    return comparison.result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
