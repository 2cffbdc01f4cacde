#!/usr/bin/env -S python3 -B
"""test_gguf_split.py GGUF CORPUS [--write LLAMA_GGUF_SPLIT] - our shards against
those of llama-gguf-split.

gguf_split.tsv holds what that program made of files of the corpus: the SHA-256
of every shard, or "-" where it makes what cannot be read. Ours must be the same,
byte for byte. Where llama.cpp's own loader is there (GGK_PEERS), it must take
every shard of ours.

--write makes the table anew, by the program named, and tries what a table cannot
hold: that ours joins its shards, and that it joins ours, without loss.
"""

import glob
import hashlib
import os
import subprocess
import sys
import tempfile

import ggml
import peers

TABLE = os.path.join(peers.HERE, "gguf_split.tsv")
FILES = ("llama", "llama-f16", "types", "dims", "one-tensor",
         "align-32", "align-64", "llama-shuffled")
SPOILT = ("align-64",)  # it pads to 32, whatever the key says
OPTIONS = (("3", False), ("1", False), ("100", False), ("4", True))


def run(*words, may_fail=False):
    child = subprocess.run(words, capture_output=True, check=False)
    if child.returncode != 0 and not may_fail:
        raise SystemExit(f"{words}: exit {child.returncode}: "
                         f"{child.stderr[-300:]!r}")
    return child.returncode == 0


def digest(path, align=1):
    """Of the bytes, padded."""
    with open(path, "rb") as f:
        data = f.read()
    return hashlib.sha256(data + bytes(-len(data) % align)).hexdigest()


def shards(folder, prefix):
    return sorted(glob.glob(os.path.join(folder, prefix + "-*-of-*.gguf")))


class Case:
    """A file of the corpus in canonical form, and how it is to be split."""

    def __init__(self, gguf, corpus, folder, name, options):
        self.gguf, self.folder, self.name = gguf, folder, name
        self.most, self.alone = options
        self.label = (f"{name}\t{self.most}\t"
                      f"{'keys alone' if self.alone else '-'}")
        self.whole = self.path("whole.gguf")
        run(gguf, "copy", "-q", os.path.join(corpus, "good", name + ".gguf"),
            self.whole)

    def path(self, name):
        return os.path.join(self.folder, name)

    def ours(self):
        extra = ["--no-tensor-first-split"] if self.alone else []
        run(self.gguf, "split", "-q", "--max-tensors", self.most, *extra,
            self.whole, self.path("ours"))
        return shards(self.folder, "ours")

    def theirs(self, program):
        extra = ["--no-tensor-first-split"] if self.alone else []
        run(program, "--split", "--split-max-tensors", self.most, *extra,
            self.whole, self.path("theirs"))
        return shards(self.folder, "theirs")

    def joins(self, shard, name):
        """Whether ours gives back the whole of a set, or of a merged file that
        kept the keys of one."""
        out = self.path(name)
        if not run(self.gguf, "merge", "-q", shard, out, may_fail=True):
            return False
        return digest(out) == digest(self.whole)

    def joined_by(self, program, shard):
        """Whether theirs joins ours without loss. It keeps the three keys, and
        a count of one."""
        out = self.path("by-theirs.gguf")
        run(program, "--merge", shard, out)
        return self.joins(out, "again.gguf")


def each_case(gguf, corpus):
    for name in FILES:
        for options in OPTIONS:
            with tempfile.TemporaryDirectory() as folder:
                yield Case(gguf, corpus, folder, name, options)


def write(gguf, corpus, program):
    lines = ["file\tmax_tensors\tfirst\tshard\tsha256"]
    for case in each_case(gguf, corpus):
        ours, theirs = case.ours(), case.theirs(program)
        good = case.name not in SPOILT
        if good and not case.joins(theirs[0], "joined.gguf"):
            raise SystemExit(f"{case.label}: its shards are not joined")
        if good and not case.joined_by(program, ours[0]):
            raise SystemExit(f"{case.label}: it does not join ours")
        lines += [f"{case.label}\t{i}\t{digest(path) if good else '-'}"
                  for i, path in enumerate(theirs)]
    with open(TABLE, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} shards")
    return 0


def read_table():
    result = {}
    with open(TABLE, encoding="ascii") as f:
        next(f)
        for line in f:
            *label, _, sha256 = line.rstrip("\n").split("\t")
            result.setdefault("\t".join(label), []).append(sha256)
    return result


def check(gguf, corpus):
    library = peers.find_ggml()
    loader = ggml.Loader(library) if library else None
    table, wrong, n_loaded = read_table(), 0, 0
    for case in each_case(gguf, corpus):
        expected, ours = table.pop(case.label), case.ours()
        if len(ours) != len(expected):
            print(f"{case.label}: {len(ours)} shards, not {len(expected)}")
            wrong += 1
        for i, (path, sha256) in enumerate(zip(ours, expected)):
            # Theirs pads a header that no data follows.
            align = 32 if case.alone and i == 0 else 1
            if sha256 not in ("-", digest(path, align)):
                print(f"{case.label}: {os.path.basename(path)} differs")
                wrong += 1
            if loader and loader.verdict(path) != "yes":
                print(f"{case.label}: {os.path.basename(path)} does not load")
                wrong += 1
            n_loaded += loader is not None
    print(f"{n_loaded} shards loaded, {wrong} failures, {len(table)} left over")
    return 1 if wrong or table else 0


def main(args):
    if len(args) == 2:
        return check(*args)
    if len(args) == 4 and args[2] == "--write":
        return write(args[0], args[1], args[3])
    raise SystemExit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
