#!/usr/bin/env -S python3 -B
"""test_diff_pairs.py GGUF [PAIRS] - `gguf diff` on random models and what
becomes of them when things are changed, taken away, added and shuffled, written
in another version or byte order: it must tell just what was done.

What differs is worked out here from the descriptions of the two files, and
compared with --json, entry by entry.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "gen"))

from ggufgen import Arr, File, KV, TYPES, Tensor, VALUES  # noqa: E402
from seeded import SCALARS, Dice, random_scalar  # noqa: E402

NUMBERS = ("F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64")
SWAPPED = ("Q4_0", "Q8_0")  # a scale of two bytes, and bytes
BLOCKS = ("Q4_0", "Q8_0", "Q4_K", "Q6_K", "IQ2_XXS", "MXFP4")
PADDING = b"general.padding"
SPLIT_KEYS = (b"split.no", b"split.count", b"split.tensors.count")
NAMES = [f"key.{i}" for i in range(30)] + [
    n.decode() for n in (PADDING, *SPLIT_KEYS)]
TENSORS = [f"tensor.{i}" for i in range(20)]


# ------------------------------------------------------------------- random

def random_value(dice, kind, depth=0):
    if kind != "arr":
        return random_scalar(dice, kind)
    elem = dice.choice(SCALARS + (("arr", "arr") if depth < 3 else ()))
    return Arr(elem, [random_value(dice, elem, depth + 1)
                      for _ in range(dice.below(12))])


def random_kv(dice):
    kind = dice.choice(SCALARS + ("arr",) * 6)
    name = dice.choice(NAMES)
    if name == PADDING.decode() and dice.below(2):
        return KV(name, "str", (" ", "\0")[dice.below(2)] * dice.below(3))
    return KV(name, kind, random_value(dice, kind))


def random_tensor(dice, types):
    kind = dice.choice(types)
    dims = [(1 + dice.below(3)) * TYPES[kind][1]]
    dims += [1 + dice.below(4) for _ in range(dice.below(3))]
    t = Tensor(dice.choice(TENSORS), dims, kind)
    t.data = bytes(dice.below(64) for _ in range(t.size))
    return t


def other_elements(dice, value):
    """An array with some elements changed, and perhaps another length."""
    items = [random_value(dice, value.elem, 2) if dice.below(3) == 0 else item
             for item in value.items]
    if dice.below(2):
        items = items[:dice.below(len(items) + 1)]
    if dice.below(2):
        items.append(random_value(dice, value.elem, 2))
    return Arr(value.elem, items)


def other_kv(dice, kv):
    what = dice.below(8)
    if what > 2:
        return [kv]
    if what == 0:
        return [] if dice.below(2) else [kv, random_kv(dice)]
    if kv.type == "arr" and dice.below(4):
        value = other_elements(dice, kv.value)
    elif dice.below(4):
        value = random_value(dice, kv.type)
    else:
        return [KV(kv.key.text, "u64", 5)]
    return [KV(kv.key.text, kv.type, value)]


def other_tensor(dice, t, types):
    what = dice.below(8)
    if what > 3:
        return [t]
    if what == 0:
        return [] if dice.below(2) else [t, random_tensor(dice, types)]
    if what == 1:
        new = random_tensor(dice, types)
        return [Tensor(t.name.text, new.dims, new.type, data=new.data)]
    data = bytearray(t.data)
    for _ in range(1 + dice.below(5)):
        data[dice.below(len(data))] = dice.below(64)
    return [Tensor(t.name.text, t.dims, t.type, data=bytes(data))]


def shuffle(dice, items):
    for i in range(len(items) - 1, 0, -1):
        j = dice.below(i + 1)
        items[i], items[j] = items[j], items[i]


def in_order(t, big):
    """The tensor with its numbers in that byte order."""
    if not big:
        return t
    width = TYPES[t.type][2]
    turn = 2 if t.type in SWAPPED else width
    data = b"".join(t.data[i:i + turn][::-1] + t.data[i + turn:i + width]
                    for i in range(0, t.size, width))
    return Tensor(t.name.text, t.dims, t.type, data=data)


class Model:
    """A description; `tensors` are little-endian, whatever `big` says."""

    def __init__(self, kvs, tensors, version, big):
        self.kvs, self.tensors = kvs, tensors
        self.version, self.big = version, big

    def write(self, path):
        stored = [in_order(t, self.big) for t in self.tensors]
        with open(path, "wb") as f:
            f.write(File(self.kvs, stored, version=self.version,
                         big=self.big).build())


def random_pair(dice):
    forms = [(1 + dice.below(3), False) if dice.below(3) else (3, True)
             for _ in range(2)]
    types = NUMBERS + SWAPPED
    if not (forms[0][1] or forms[1][1]):
        types += BLOCKS
    kvs = [random_kv(dice) for _ in range(dice.below(25))]
    tensors = [random_tensor(dice, types) for _ in range(dice.below(12))]
    if dice.below(8) == 0:  # nothing but the form and the order
        others, changed = list(kvs), list(tensors)
        if dice.below(2):
            forms[1] = forms[0]
    else:
        others = [k for kv in kvs for k in other_kv(dice, kv)]
        changed = [n for t in tensors for n in other_tensor(dice, t, types)]
    if dice.below(4) == 0:
        shuffle(dice, others)
        shuffle(dice, changed)
    return Model(kvs, tensors, *forms[0]), Model(others, changed, *forms[1])


# ------------------------------------------------------------------- oracle

def bits(kind, value):
    """What makes two values of a kind equal."""
    if kind == "arr":
        return (value.elem, [bits(value.elem, v) for v in value.items])
    if kind == "bool":
        return value != 0
    if kind == "str":
        return value if isinstance(value, bytes) else value.encode()
    return struct.pack("<" + VALUES[kind][1], value)


def is_passed_over(kv):
    """Says how the model is stored, or is free space: nothing of the model."""
    name = kv.key.text
    return name in SPLIT_KEYS or (
        name == PADDING and kv.type == "str"
        and not bits("str", kv.value).strip(b" \0"))


def first_difference(a, b):
    both = min(len(a), len(b))
    return next((i for i in range(both) if a[i] != b[i]), both)


def key_change(a, b):
    """None, or what is said of the change."""
    types = [(kv.type, kv.value.elem if kv.type == "arr" else None)
             for kv in (a, b)]
    if types[0] != types[1]:
        return {"changed": ["type"]}
    x, y = bits(a.type, a.value), bits(b.type, b.value)
    if x == y:
        return None
    said = {"changed": ["value"]}
    if a.type == "str":
        said["first_byte"] = first_difference(x, y)
    if a.type == "arr":
        x, y = x[1], y[1]
        said["first"] = first_difference(x, y)
        said["n_differ"] = sum(p != q for p, q in zip(x, y))
    return said


def tensor_change(a, b, big):
    """The same of tensors; bytes are counted in the order of the first."""
    what = [name for name, x, y in (("type", a.type, b.type),
                                    ("shape", a.dims, b.dims)) if x != y]
    if what:
        return {"changed": what}
    if a.data == b.data:
        return None
    width = TYPES[a.type][2]
    a, b = in_order(a, big), in_order(b, big)
    blocks = [(a.data[i:i + width], b.data[i:i + width])
              for i in range(0, a.size, width)]
    return {"changed": ["data"],
            "first_byte": first_difference(a.data, b.data),
            "bytes_differ": sum(x != y for x, y in zip(a.data, b.data)),
            "blocks_differ": sum(x != y for x, y in blocks),
            "blocks": len(blocks)}


def paired(a, b, name):
    """(entry of a, entry of b), in the order in which they are told."""
    left = {}
    for entry in b:
        left.setdefault(name(entry), []).append(entry)
    for entry in a:
        others = left.get(name(entry), [])
        yield entry, others.pop(0) if others else None
    unpaired = {id(e) for entries in left.values() for e in entries}
    for entry in b:
        if id(entry) in unpaired:
            yield None, entry


def entries(noun, a, b, name, change):
    for x, y in paired(a, b, name):
        said = {}
        if y is None:
            kind = "removed"
        elif x is None:
            kind = "added"
        else:
            kind, said = "changed", change(x, y)
        if said is not None:
            yield {"kind": f"{noun}-{kind}",
                   "key" if noun == "key" else "name":
                       name(y if x is None else x).decode(), **said}


def expected(a, b):
    result = []
    if a.version != b.version:
        result.append({"kind": "version", "a": a.version, "b": b.version})
    if a.big != b.big:
        order = {False: "little", True: "big"}
        result.append({"kind": "byte-order", "a": order[a.big],
                       "b": order[b.big]})
    keys = [[kv for kv in m.kvs if not is_passed_over(kv)]
            for m in (a, b)]
    result += entries("key", *keys, lambda kv: kv.key.text, key_change)
    result += entries("tensor", a.tensors, b.tensors, lambda t: t.name.text,
                      lambda x, y: tensor_change(x, y, a.big))
    return result


# --------------------------------------------------------------------- test

def said(entry):
    """A difference as told, without the values and shapes themselves."""
    if entry["kind"] in ("version", "byte-order"):
        return entry
    return {k: v for k, v in entry.items()
            if k not in ("a", "b", "first_a", "first_b")}


def run(gguf, *words):
    done = subprocess.run([gguf, "diff", "--single", *words], capture_output=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def judge(gguf, seed, folder):
    """What is wrong, or None."""
    pair = random_pair(Dice(seed))
    paths = [os.path.join(folder, name) for name in ("a.gguf", "b.gguf")]
    for model, path in zip(pair, paths):
        model.write(path)
    wanted = expected(*pair)
    threads = str(1 + seed % 3)
    code, out, err = run(gguf, "--json", "--threads", threads, *paths)
    if code != (1 if wanted else 0):
        return f"exit {code}: {err!r}; wanted {wanted}"
    found = json.loads(out)
    told = [said(entry) for entry in found["differences"]]
    if told != wanted:
        return f"told   {told}\nwanted {wanted}"
    if found["equal"] == bool(wanted):
        return "equal is wrong"
    code, _, err = run(gguf, "-v", *paths)
    if code != (1 if wanted else 0):
        return f"as text: exit {code}: {err!r}"
    return None


def main(args):
    if len(args) not in (1, 2):
        raise SystemExit(__doc__)
    n, equal = int(args[1]) if len(args) == 2 else 200, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, n + 1):
            wrong = judge(args[0], seed, folder)
            if wrong:
                print(f"pair {seed}: {wrong}")
                return 1
            equal += not expected(*random_pair(Dice(seed)))
    print(f"{n} pairs, {equal} of them equal")
    return 0 if 0 < equal < n else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
