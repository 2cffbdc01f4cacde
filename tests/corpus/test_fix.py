#!/usr/bin/env -S python3 -B
"""test_fix.py GGUF CORPUS [PARTS] [--write] - what `gguf fix` makes of every file of
the corpus, and of good files that were damaged.

A line of fix.tsv is a file, the exit status, the rules whose breaches were
repaired, and the rules that the result breaks with weight error; --write
writes it anew, to be read. Whatever the file: it is not touched; a failure
leaves nothing behind; check agrees with fix about the result; in which nothing
is found to repair, so that it is its own repair, byte for byte; and what was
not repaired is what it was, as rules.py reads it.

Of the clean models a few hundred are damaged at random, in several ways at
once: repaired, each must be what it was before.

Of PARTS parts of all this one is done, another each day; GGK_SEED repeats one.
"""

import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))

import clean  # noqa: E402
import rules  # noqa: E402
from ggufgen import KV, VALUES, File, Tensor, pad_up  # noqa: E402

TABLE = os.path.join(HERE, "fix.tsv")
SEED = 20260921
DAMAGES = 300
LIMIT_BYTES = 1 << 24  # of a file whose content is compared
OPTIONAL = {"worked/worked-llama3.gguf"}  # made where there is a tokenizer

failures = []


def fail(what):
    failures.append(what)
    if len(failures) < 100:
        print(what)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).digest()


def files_in(folder):
    return sorted(os.listdir(folder))


class Fixed:
    """One run of fix, into an empty folder."""

    def __init__(self, gguf, path, folder, *options):
        os.makedirs(folder)
        self.out = os.path.join(folder, "out.gguf")
        self.exit, text, self.err = run(gguf, "fix", "--json", *options, path,
                                        "-o", self.out)
        self.files = [os.path.join(folder, n) for n in files_in(folder)]
        self.document = json.loads(text) if text else None
        if self.files:
            self.out = self.files[0]

    def rules(self, list_name):
        return sorted({f["rule"] for f in self.document[list_name]})

    def errors(self):
        return sorted({f["rule"] for f in self.document["left"]
                       if "error" in (f["spec"], f["llama_cpp"])})


def check_result(gguf, name, fixed, folder):
    """Of what was written. A model that does not load, which check takes for an
    answer too, may break no rule that is an error."""
    _, text, _ = run(gguf, "check", "--json", fixed.out)
    found, = json.loads(text)["files"]
    errors = int(found["spec"]["errors"] + found["llama_cpp"]["errors"] > 0)
    if errors != fixed.exit:
        fail(f"{name}: fix says {fixed.exit}, check {errors}")
    again = Fixed(gguf, fixed.out, folder)
    if again.exit != fixed.exit or again.document is None:
        fail(f"{name}: fixed again: exit {again.exit}, {again.err}")
        return
    if again.document["n_repairs"] != 0:
        fail(f"{name}: fixed again: {again.document['repairs'][:2]}")
    if [digest(p) for p in again.files] != [digest(p) for p in fixed.files]:
        fail(f"{name}: fixed again, other bytes")


# Content, as another reader has it.

def plain(m, kind, value):
    """A value without its places."""
    if kind == VALUES["arr"][0]:
        elem, n, items = value
        if isinstance(items, list):
            return elem, [plain(m, elem, i) for i in items]
        width = rules.WIDTH[elem]
        data = m.data[items:items + n * width]
        if m.order == ">":
            data = b"".join(bytes(reversed(data[i:i + width]))
                            for i in range(0, len(data), width))
        return elem, bytes(data)
    return repr(value)


def without_nul(name):
    return name[:-1] if name.endswith(b"\0") else name


def read(path):
    with open(path, "rb") as f:
        return rules.read(f.read())


def keys_of(m):
    return [(without_nul(k[0]), k[1], plain(m, k[1], k[2])) for k in m.kvs]


def tensors_of(m):
    result = []
    for name, dims, kind, offset, size, *_ in m.tensors:
        start = m.data_off + offset
        data = bytes(m.data[start:start + size]) if size is not None else None
        result.append((without_nul(name), dims, kind, data))
    return result


def check_content(name, path, fixed):
    """Keys and tensors that no repair speaks of are what they were."""
    before, after = read(path), read(fixed.out)
    touched = {r["text"].split(" ")[0].encode()
               for r in fixed.document["repairs"]}
    touched |= {b"general.padding"}
    if any("general.alignment" in r["text"]
           for r in fixed.document["repairs"]):
        touched |= {b"general.alignment"}
    rules_told = set(fixed.rules("repairs"))
    was = [k for k in keys_of(before) if k[0] not in touched]
    now = [k for k in keys_of(after) if k[0] not in touched]
    if "key-duplicate" in rules_told:
        was = [k for i, k in enumerate(was) if k not in was[:i]]
        now = [k for i, k in enumerate(now) if k not in now[:i]]
    if "split-missing" in rules_told:
        was = [k for k in was if b"split" not in k[0]]
    if "quantization-version-missing" in rules_told:
        now = [k for k in now if k[0] != b"general.quantization_version"]
    if was != now:
        fail(f"{name}: keys differ: {was[:3]} {now[:3]}")
    was, now = tensors_of(before), tensors_of(after)
    if "name-duplicate" in rules_told:
        was = [t for i, t in enumerate(was) if t not in was[:i]]
    if "data-missing" not in rules_told and was != now:
        fail(f"{name}: tensors differ")


# The corpus.

def compared(path):
    return os.path.getsize(path) <= LIMIT_BYTES


def judge_file(gguf, corpus, name, root):
    """The line of fix.tsv for a file."""
    path = os.path.join(corpus, name)
    before = digest(path) if compared(path) else None
    fixed = Fixed(gguf, path, os.path.join(root, "a"))
    line = [name, str(fixed.exit), "-", "-"]
    if before is not None and digest(path) != before:
        fail(f"{name}: the input was changed")
    if fixed.exit > 1:
        if fixed.files:
            fail(f"{name}: exit {fixed.exit}, and left {fixed.files}")
        if fixed.document is not None or fixed.err.count(b"\n") != 1:
            fail(f"{name}: exit {fixed.exit}: {fixed.err[:200]}")
    elif fixed.document is None:
        fail(f"{name}: exit {fixed.exit}, and no document")
    else:
        line[2] = ",".join(fixed.rules("repairs")) or "-"
        line[3] = ",".join(fixed.errors()) or "-"
        check_result(gguf, name, fixed, os.path.join(root, "b"))
        if len(fixed.files) == 1 and compared(path):
            check_content(name, path, fixed)
    shutil.rmtree(root)
    return "\t".join(line)


def names_of(corpus):
    for folder, _, names in sorted(os.walk(corpus)):
        for n in sorted(names):
            path = os.path.relpath(os.path.join(folder, n), corpus)
            if os.sep in path and path not in OPTIONAL and \
                    not path.startswith("mutants"):
                yield path


def judge_corpus(gguf, corpus, write, root, part):
    made = [judge_file(gguf, corpus, n, os.path.join(root, "one"))
            for n in itertools.islice(names_of(corpus), *part)]
    text = "\n".join(["name\texit\trepaired\tleft", *made]) + "\n"
    if write:
        with open(TABLE, "w", encoding="utf-8") as f:
            f.write(text)
        return len(made)
    with open(TABLE, encoding="utf-8") as f:
        wanted = dict(w.split("\t", 1) for w in f.read().splitlines())
    for line in made:
        name, rest = line.split("\t", 1)
        if wanted.get(name) != rest:
            fail(f"{name}: {rest!r}, not {wanted.get(name)!r}")
    return len(made)


# Damages: each is told the file, and a source of chance, and returns the rule
# that a repair of it speaks of; None if it does not suit the file.

def is_count(kv):
    return kv.type == "u32" and b"coder." not in kv.key.text and \
        kv.key.text.split(b".")[-1] in (
        b"context_length", b"embedding_length", b"block_count",
        b"feed_forward_length", b"head_count", b"head_count_kv",
        b"dimension_count", b"bos_token_id", b"eos_token_id", b"file_type")


def relaid(f, chance):
    if len(f.tensors) < 2:
        return None
    order = list(range(len(f.tensors)))
    while order == sorted(order):
        chance.shuffle(order)
    end = 0
    for i in order:
        f.tensors[i].offset = end + f.align * chance.choice((0, 0, 1, 7))
        end = pad_up(f.tensors[i].offset + f.tensors[i].size, f.align)
    return "order"


def unaligned(f, _):
    if not f.tensors or any(t.offset is not None for t in f.tensors):
        return None
    end = 0
    for t in f.tensors:
        t.offset = end
        end += t.size
    odd = any(t.offset % f.align for t in f.tensors)
    return "offset-unaligned" if odd else None


def dirty(f, chance):
    if not f.tensors or (f.kvs and f.tensors[-1].size % 32 == 0):
        return None
    f.pad = bytes([chance.randrange(1, 256)])
    return None  # there may be no padding at all


def unpadded(f, _):
    if not f.tensors or f.tensors[-1].size % f.align == 0 or \
            f.tensors[-1].offset is not None:
        return None
    f.last = False
    return None if f.tail else "padding-missing"


def trailing(f, chance):
    if not f.tensors or not f.last:
        return None
    f.tail = bytes(chance.randrange(1000)) + b"\0" # others may be weights
    return "trailing-bytes"


def old_version(f, chance):
    if f.order == ">":
        f.magic = b"FUGG"
        return "magic-swapped"
    f.version = chance.choice((1, 2))
    return f"version-{f.version}"


def key_twice(f, chance):
    kv = chance.choice(f.kvs)
    f.kvs.insert(chance.randrange(f.kvs.index(kv) + 1, len(f.kvs) + 1), kv)
    return "key-duplicate"


def tensor_twice(f, chance):
    if not f.tensors or any(t.offset is not None for t in f.tensors):
        return None
    f.tensors.append(chance.choice(f.tensors))
    return "name-duplicate"


def nul_names(f, chance):
    only = chance.random() < 0.5
    for kv in f.kvs if only else chance.sample(f.kvs, 1):
        if not kv.key.text.endswith(b"\0"):
            kv.key = type(kv.key)(kv.key.text + b"\0")
    for t in f.tensors[:1]:
        t.name = type(t.name)(without_nul(t.name.text) + b"\0")
    return "key-nul"


def wide(f, chance):
    counts = [i for i, kv in enumerate(f.kvs) if is_count(kv)]
    if not counts:
        return None
    i = chance.choice(counts)
    old = f.kvs[i]
    f.kvs[i] = KV(old.key.text, chance.choice(("u64", "i64", "i32", "u16")),
                  old.value)
    return "parameter-type"


def bools(f, chance):
    found = None
    for kv in f.kvs:
        if kv.type == "bool" and kv.value == 1:
            kv.value = chance.randrange(2, 256)
            found = "bool-value"
    return found


def token_types(f, chance):
    for kv in f.kvs:
        if kv.key.text == b"tokenizer.ggml.token_type":
            kv.value.elem = chance.choice(("u8", "i16", "u32", "i64", "u64"))
            return "tokens-type"
        if kv.key.text == b"tokenizer.ggml.scores":
            kv.value.elem = chance.choice(("f32", "f64"))
    return None


def no_version(f, _):
    kept = [kv for kv in f.kvs
            if kv.key.text != b"general.quantization_version"]
    quantized = any(t.type not in ("F32", "F16") for t in f.tensors)
    if len(kept) == len(f.kvs) or not quantized:
        return None
    f.kvs = kept
    return "quantization-version-missing"


def alignment(f, chance):
    key = b"general.alignment"
    if f.align != 32 or any(t.offset is not None for t in f.tensors):
        return None
    f.align, rule = chance.choice((
        (24, "alignment-not-power-of-2"), (48, "alignment-not-power-of-2"),
        (4, "alignment-not-of-8"), (1, "alignment-not-of-8")))
    f.kvs.insert(chance.randrange(len(f.kvs)),
                 KV(key, chance.choice(("u32", "u64", "i16")), f.align))
    return rule


def alignment_type(f, chance):
    for i, kv in enumerate(f.kvs):
        if kv.key.text == b"general.alignment" and kv.type == "u32" and \
                f.align == 64:
            f.kvs[i] = KV(kv.key.text, chance.choice(("u8", "i32", "u64")), 64)
            f.kvs.insert(i, f.kvs[i])
            return "alignment-type"
    return None


def as_shard(f, _):
    if not f.tensors:
        return None
    f.kvs += [KV("split.no", "u16", 0), KV("split.count", "u16", 3),
              KV("split.tensors.count", "i32", len(f.tensors))]
    return "split-missing"


FIRST = (tensor_twice, bools, token_types, no_version, wide, alignment,
         alignment_type, relaid, unaligned, dirty, unpadded, trailing,
         old_version, key_twice, nul_names)


def copy_of(f):
    """The same file, whose tensors keep their data wherever they go."""
    kvs = [KV(k.key.text, k.type,
              type(k.value)(k.value.elem, k.value.items)
              if k.type == "arr" else k.value) for k in f.kvs]
    tensors = [Tensor(t.name.text, t.dims, t.type, data=bytes(t.content(i)))
               for i, t in enumerate(f.tensors)]
    return File(kvs, tensors, version=f.version, big=f.order == ">",
                align=f.align, data=f.data)


def same_model(before, after):
    """A damage may take away the key of the alignment, and move or add that of
    the version."""
    apart = (b"general.alignment", b"general.quantization_version")

    def keys(m):
        return [k for k in keys_of(m) if k[0] not in apart]

    def version(m):
        return [k[1:] for k in keys_of(m) if k[0] == apart[1]]

    return keys(before) == keys(after) and version(before) == version(after) \
        and tensors_of(before) == tensors_of(after)


def damage_one(gguf, original, number, root):
    chance = random.Random(SEED + number)
    f = copy_of(original.what)
    told = set()
    wanted = chance.sample(FIRST, chance.randrange(1, 5))
    wanted.sort(key=FIRST.index)
    if chance.random() < 0.2 and tensor_twice not in wanted:
        wanted.append(as_shard)
    for damage in wanted:
        told.add(damage(f, chance))
    f.n_kv, f.n_tensors = len(f.kvs), len(f.tensors)
    names = [d.__name__ for d in wanted]
    label = f"damage {number}, {original.name} {names}"
    os.makedirs(root)
    paths = [os.path.join(root, n) for n in ("good.gguf", "bad.gguf")]
    with open(paths[0], "wb") as out:
        out.write(original.what.build())
    with open(paths[1], "wb") as out:
        out.write(f.build())
    dirty_gap = relaid in wanted and dirty in wanted
    fixed = Fixed(gguf, paths[1], os.path.join(root, "a"),
                  *(["--force"] if dirty_gap else []))
    if fixed.exit > 1 or fixed.document is None:
        fail(f"{label}: exit {fixed.exit}: {fixed.err[:300]}")
    else:
        is_big = original.what.order == ">"
        if fixed.exit != is_big:
            fail(f"{label}: exit {fixed.exit}: {fixed.document['left'][:2]}")
        missing = told - {None} - set(fixed.rules("repairs"))
        if missing:
            fail(f"{label}: not told: {missing}")
        check_result(gguf, label, fixed, os.path.join(root, "b"))
        if not same_model(read(paths[0]), read(fixed.out)):
            fail(f"{label}: is not what it was")
    shutil.rmtree(root)


def damage_set(gguf, number, root):
    """A set, whose keys are told in other words."""
    chance = random.Random(SEED + number)
    os.makedirs(root)
    cases = list(clean.shards())
    kind = chance.choice(("types", "count", "old", "twice", "missing"))
    for case in cases:
        for i, kv in enumerate(case.what.kvs):
            last = kv.key.text.split(b".")[-1].decode()
            if not kv.key.text.startswith(b"split."):
                continue
            if kind == "types":
                case.what.kvs[i] = KV(kv.key.text, "u64", kv.value)
            elif kind == "count" and kv.type == "i32":
                case.what.kvs[i] = KV(kv.key.text, "i32", 7)
            elif kind == "old" and kv.type == "u16":
                old = {"no": "general.split", "count": "general.split_count"}
                case.what.kvs[i] = KV(old[last], "u8", kv.value)
        if kind == "twice":
            case.what.kvs.append(case.what.kvs[-1])
        if kind == "missing":
            case.what.kvs = [k for k in case.what.kvs if k.type != "i32"
                             or not k.key.text.startswith(b"split.")]
        case.what.n_kv = len(case.what.kvs)
        path = os.path.join(root, os.path.basename(case.name))
        with open(path, "wb") as out:
            out.write(case.what.build())
    fixed = Fixed(gguf, path, os.path.join(root, "a"))
    label = f"set {number}, {kind}"
    if fixed.exit != 0 or len(fixed.files) != 3:
        fail(f"{label}: exit {fixed.exit}, {fixed.files}, {fixed.err[:300]}")
    else:
        check_result(gguf, label, fixed, os.path.join(root, "b"))
        for case, path in zip(clean.shards(), fixed.files):
            good = rules.read(case.what.build())
            if sorted(keys_of(good)) != sorted(keys_of(read(path))) or \
                    tensors_of(good) != tensors_of(read(path)):
                fail(f"{label}: {path} is not what it was")
    shutil.rmtree(root)


def laid_out_by_32(alignment, filler):
    """(good, bad): as some splitters write a model, the bad one's key says
    `alignment`, and its layout follows 32."""
    original = next(c.what for c in clean.cases()
                    if c.name.endswith("llama-align-64.gguf"))
    result = []
    for align in (alignment, 32):
        f = copy_of(original)
        f.kvs[[k.key.text for k in f.kvs].index(b"general.alignment")] = KV(
            "general.alignment", "u32", alignment)
        f.kvs.append(KV("general.description", "str", "x" * filler))
        f.n_kv, f.align = len(f.kvs), align
        result.append(f.build())
    shifted = pad_up(f.head_end, alignment) != pad_up(f.head_end, 32)
    return (*result, shifted)


def judge_by_32(gguf, root):
    """Where the data begins somewhere else then: with a larger alignment it is
    known where; with a smaller one there are two places."""
    done = 0
    for alignment in (8, 16, 64, 128, 4096):
        for filler in range(0, 128, 8):
            good, bad, shifted = laid_out_by_32(alignment, filler)
            label = f"by 32, {alignment}, {filler}"
            os.makedirs(root)
            path = os.path.join(root, "bad.gguf")
            with open(path, "wb") as f:
                f.write(bad)
            fixed = Fixed(gguf, path, os.path.join(root, "a"))
            if shifted and alignment < 32:
                if fixed.exit != 4 or fixed.files:
                    fail(f"{label}: exit {fixed.exit}")
            elif fixed.exit != 0 or \
                    shifted != ("data-missing" in fixed.rules("repairs")):
                fail(f"{label}: exit {fixed.exit}, {fixed.err[:300]}")
            else:
                with open(fixed.out, "rb") as f:
                    if f.read() != good:
                        fail(f"{label}: is not what it was")
            shutil.rmtree(root)
            done += shifted
    return done


def judge_table(gguf):
    """docs/format.md 13 has every rule once, and says what fix does."""
    _, text, _ = run(gguf, "check", "--rules", "--json")
    names = [r["rule"] for r in json.loads(text)["rules"]]
    said = {}
    with open(os.path.join(HERE, "../../docs/format.md"),
              encoding="utf-8") as f:
        table = f.read().split("\n## 13. ", 1)[1].split("\n## ", 1)[0]
        for line in table.splitlines():
            cells = [c.strip() for c in line.split("|")]
            if len(cells) != 5 or not cells[1].startswith("`"):
                continue
            for name in cells[1].replace("`", "").split(", "):
                if name in said:
                    fail(f"format 13 has {name} twice")
                said[name] = cells[2]
    if sorted(said) != sorted(names):
        fail(f"format 13 lacks {set(names) - set(said)}, "
             f"has {set(said) - set(names)}")
    with open(TABLE, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f][1:]
    for name, _, repaired, left in rows:
        for rule in repaired.split(","):
            if rule != "-" and said.get(rule) == "no":
                fail(f"{name}: {rule} was repaired, says format 13 not")
        for rule in left.split(","):
            if rule != "-" and said.get(rule) == "yes":
                fail(f"{name}: {rule} is left, says format 13 not")


def main(args):
    write = "--write" in args
    args = [a for a in args if a != "--write"]
    if len(args) not in (2, 3):
        raise SystemExit(__doc__)
    gguf, corpus = (os.path.abspath(a) for a in args[:2])
    parts = int(args[2]) if len(args) == 3 else 1
    seed = int(os.environ.get("GGK_SEED", time.time() // 86400)) % parts
    part = (seed, None, parts)
    with tempfile.TemporaryDirectory() as root:
        n = judge_corpus(gguf, corpus, write, root, part)
        judge_table(gguf)
        models = [c for c in clean.cases() if "set/" not in c.name]
        for i in range(DAMAGES)[slice(*part)]:
            damage_one(gguf, models[i % len(models)], i,
                       os.path.join(root, "damaged"))
        for i in range(20):
            damage_set(gguf, i, os.path.join(root, "set"))
        by = judge_by_32(gguf, os.path.join(root, "by-32"))
    print(f"{n} files, {DAMAGES} damages, 20 sets, {by} laid out by 32: "
          f"{len(failures)} failures")
    return 1 if failures or not n or not by else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
