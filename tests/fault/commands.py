"""commands.py - the commands that the tests of faults run, one a line."""

import subprocess

import models
import quantizable

SMALL, OTHER = models.small(), models.other()
HOLES = models.holes()
SET, OLD_SET = models.split_set("set"), models.split_set("new", 3, "old")
IN = {"in.gguf": SMALL}
OVER = {"in.gguf": SMALL, "out.gguf": OTHER}
BROKEN = {"in.gguf": SMALL + bytes(200)}
SET_1 = "set-00001-of-00003.gguf"


SPEC = {"s.json": models.description(), "a.npy": models.npy(),
        "a.safetensors": models.safetensors(), "raw": bytes(range(256))}


QUANTIZE = {"in.gguf": quantizable.model(1),
            "imatrix": quantizable.imatrix_dat(
                quantizable.entries(quantizable.ALL[:7])),
            "types": b"attn_k=Q6_K", "from.gguf": quantizable.quantized()}


SOME = quantizable.entries(quantizable.ALL[:3], 64)
IMATRIX = {"in.gguf": quantizable.imatrix(SOME),
           "in.dat": quantizable.imatrix_dat(SOME)}


class Command:
    """Words, and the files that are there. `again` are the words of a second
    run that has to succeed after the first was cut off at any place; else the
    same words, and --force. `once`: it cannot be done to its own result."""

    def __init__(self, line, files, stdin=None, again=None, once=False):
        self.words, self.files = line.split(), files
        self.stdin = stdin
        self.again = again.split() if again else self.words + (
            [] if "--force" in self.words else ["--force"])
        self.name, self.once = line, once
        self.reads = self.words[0] not in ("types", "help", "version")
        self.maps = False # reads what cannot be mapped
        self.into = self.words[-2:] == ["-o", "out"] # a folder of its own

    def kwargs(self):
        return {"stdin": self.stdin} if self.stdin else {}


def has(gguf, name, known={}):
    """Has the program this command?"""
    if not known:
        text = subprocess.run([gguf, "help"], stdout=subprocess.PIPE,
                              check=True).stdout.decode()
        known.update((line.split()[0], True) for line in text.splitlines()
                     if line.split())
    return name in known


def present(gguf, commands):
    """Those that this program has."""
    return [c for c in commands if has(gguf, c.words[0])]


WRITING = [
    Command("copy in.gguf out.gguf", IN),
    Command("copy --force in.gguf out.gguf", OVER),
    Command("copy --in-place in.gguf", IN, again="copy --in-place in.gguf"),
    Command("copy --align 4096 in.gguf out.gguf", IN),
    Command("copy --byte-order big --force in.gguf out.gguf", OVER),
    Command("copy --version 2 in.gguf -o out.gguf", IN),
    Command("copy --keep blk.0.* in.gguf out.gguf", IN),
    Command("copy --drop blk.0.* --in-place in.gguf", IN,
            again="copy --drop blk.0.* --in-place in.gguf"),
    Command("copy holes.gguf out.gguf", {"holes.gguf": HOLES}),
    Command("copy - out.gguf", IN, stdin="in.gguf"),
    Command("copy --json --force in.gguf out.gguf", OVER),
    Command(f"copy {SET_1} new", SET),
    Command(f"copy --force {SET_1} new", {**SET, **OLD_SET}),
    Command(f"copy --in-place {SET_1}", SET,
            again=f"copy --in-place {SET_1}"),
    Command("set --rewrite in.gguf general.name=other", IN),
    Command("set --rewrite in.gguf general.name=other -o out.gguf", IN),
    Command("set --rewrite --backup in.gguf new.key=1", IN, once=True),
    Command("set --rewrite in.gguf --file general.name=name", {**IN, "name": b"other"}),
    Command("set --rewrite in.gguf --file general.name=- -o out.gguf",
            {**IN, "name": b"other"}, stdin="name"),
    Command(f"set --rewrite {SET_1} general.name=other", SET),
    Command("rm --rewrite in.gguf general.name", IN, once=True),
    Command("rm --rewrite --tensor in.gguf blk.0.* --force -o out.gguf", OVER),
    Command("rename --rewrite in.gguf general.name general.title", IN, once=True),
    Command("split --max-tensors 3 in.gguf new", IN),
    Command("split --max-tensors 3 --force in.gguf new", {**IN, **OLD_SET}),
    Command(f"split --max-tensors 4 {SET_1} two", SET),
    Command(f"merge {SET_1} out.gguf", SET),
    Command(f"merge --force {SET_1} out.gguf", {**SET, "out.gguf": OTHER}),
    Command("export in.gguf -o out.safetensors", IN),
    Command("export --threads 1 --dtype f32 in.gguf -o out.safetensors", IN),
    Command("export --force in.gguf -o out.safetensors",
            {**IN, "out.safetensors": OTHER}),
    Command("export in.gguf blk.0.* -o out", IN),
    Command("export --raw in.gguf *norm* -o out", IN),
    Command("export --force in.gguf *output* -o out",
            {**IN, "out/": b"", "out/output_norm.weight.npy": OTHER,
             "out/other": b"other"}),
    Command("new out.gguf --spec s.json", SPEC),
    Command("new --json --force out.gguf --spec -",
            {**SPEC, "out.gguf": OTHER}, stdin="s.json"),
    Command("quantize --threads 1 --allow-requantize in.gguf out.gguf Q8_0",
            IN),
    Command("quantize --threads 1 --force --imatrix imatrix "
            "--exclude-weights ffn_up "
            "--recipe-from from.gguf --override-kv a.b=int:1 "
            "in.gguf out.gguf Q4_K_M", {**QUANTIZE, "out.gguf": OTHER}),
    Command("quantize --threads 1 --tensor-type-file types in.gguf out.gguf Q4_0",
            QUANTIZE),
    Command(f"quantize --threads 1 --allow-requantize --keep-split {SET_1} "
            "new Q8_0", SET),
    Command("imatrix merge out.gguf in.gguf in.dat", IMATRIX),
    Command("imatrix convert --chunk-size 512 --force in.dat -o out.gguf",
            {**IMATRIX, "out.gguf": OTHER}),
    Command("fix in.gguf out.gguf", BROKEN),
    Command("fix --json --in-place --force in.gguf", BROKEN,
            again="fix --in-place --force in.gguf"),
]

READING = [
    Command(line, {**IN, **SET, "same.gguf": SMALL}) for line in (
        "info in.gguf", "info --json in.gguf", f"info {SET_1}",
        "dump in.gguf", "dump --full --json in.gguf", "dump --compat in.gguf",
        "dump --markdown in.gguf", "keys in.gguf", "keys --json in.gguf *.name",
        "get in.gguf general.name", "get in.gguf tokenizer.ggml.tokens",
        "get --json in.gguf tokenizer.ggml.scores", "tensors in.gguf",
        "tensors --sort size in.gguf", f"tensors --json {SET_1}",
        "map in.gguf", "map --entries --json in.gguf", "vocab in.gguf",
        "vocab --special --json in.gguf", "template in.gguf",
        "template --list --json in.gguf", "config in.gguf",
        "config --json in.gguf", "types", "types --json", "check in.gguf",
        "check --data --threads 1 in.gguf",
        "diff --values --threads 1 in.gguf same.gguf",
        f"check --json {SET_1}", "name in.gguf", "name --json in.gguf",
        "copy --dry-run in.gguf out.gguf",
        "export --dry-run in.gguf -o out",
        "quantize --dry-run --allow-requantize in.gguf out.gguf Q8_0",
        "quantize --error --threads 1 --allow-requantize in.gguf Q8_0",
        "hash --threads 1 in.gguf", "stats --threads 1 in.gguf",
        f"stats --threads 1 --json {SET_1}",
        f"hash -t --json --threads 1 {SET_1}",
        "diff --threads 1 in.gguf same.gguf",
        "diff --json --threads 1 in.gguf same.gguf",
        "help", "help copy", "version")
]
for c in READING:
    c.maps = c.words[0] not in ("copy", "export", "quantize", "hash",
                                   "diff")
READING += [Command("info -", IN, stdin="in.gguf")] + [
    Command(line, IMATRIX) for line in (
        "imatrix show --sort sum in.dat", "imatrix show --json in.gguf",
        "imatrix check in.dat", "imatrix check --json in.gguf",
        "imatrix convert --chunk-size 512 --dry-run in.dat out.gguf")]

# What takes long enough to be killed while it works.
LARGE, LARGE_OTHER = models.large("large"), models.large("other", 3)
KILLED = [
    Command("copy --force in.gguf out.gguf",
            {"in.gguf": LARGE, "out.gguf": LARGE_OTHER}),
    Command("copy --in-place --align 64 in.gguf", {"in.gguf": LARGE},
            again="copy --in-place --align 64 in.gguf"),
    Command("copy --byte-order big in.gguf out.gguf", {"in.gguf": LARGE}),
    Command(f"copy --force {SET_1} new", {**SET, **OLD_SET}),
    Command("set --rewrite in.gguf general.name=other", {"in.gguf": LARGE}),
    Command("export in.gguf -o out", {"in.gguf": LARGE}),
    Command("quantize --allow-requantize --force in.gguf out.gguf Q4_0",
            {"in.gguf": LARGE, "out.gguf": LARGE_OTHER}),
    Command("split --max-tensors 3 --force in.gguf new", {"in.gguf": LARGE}),
    Command(f"merge --force {SET_1} out.gguf", {**SET, "out.gguf": OTHER}),
]

# Two that change in.gguf in ways that show whether one got lost.
EDITORS = [
    ("copy --in-place --drop blk.0.* in.gguf",
     "copy --in-place --drop blk.1.* in.gguf"),
    ("set --rewrite in.gguf general.name=first",
     "set --rewrite in.gguf general.author=second"),
    ("rm --rewrite in.gguf general.name",
     "set --rewrite in.gguf new.key=second"),
]

# The input `victim` changes while these read it.
SHRINKING = [
    Command("copy in.gguf out.gguf", IN),
    Command("copy --byte-order big --force in.gguf out.gguf", OVER),
    Command("copy --in-place --align 64 in.gguf", IN),
    Command(f"copy {SET_1} new", SET),
    Command("export in.gguf -o out.safetensors", IN),
    Command("export in.gguf -o out", IN),
    Command("quantize --threads 1 --allow-requantize in.gguf out.gguf Q8_0",
            IN),
    Command("new out.gguf --spec s.json", SPEC),
    Command("info in.gguf", IN), Command("dump in.gguf", IN),
    Command("check in.gguf", IN),
    Command("check --data --threads 1 in.gguf", IN), Command("tensors in.gguf", IN),
    Command("hash -t --threads 1 in.gguf", IN),
    Command("stats --threads 1 in.gguf", IN),
    Command("hash --content --threads 1 in.gguf", IN),
    Command(f"hash --threads 1 {SET_1}", SET),
    Command("diff --threads 1 in.gguf same.gguf", {**IN, "same.gguf": SMALL}),
    Command("diff --values --threads 1 in.gguf same.gguf",
            {**IN, "same.gguf": SMALL}),
    Command("diff --threads 1 same.gguf in.gguf", {**IN, "same.gguf": SMALL}),
]
for c in SHRINKING:
    c.victim = ("raw" if c.files is SPEC else SET_1.replace("1-", "2-")
                if c.files is SET else "in.gguf")

# The last word is a name to write to; NAME stands for many.
NAMING = [
    ["copy", "--", SET_1, "NAME"],
    ["copy", "--", "in.gguf", "NAME"],
    ["split", "--max-tensors", "3", "--", "in.gguf", "NAME"],
    ["merge", "--", SET_1, "NAME"],
]
