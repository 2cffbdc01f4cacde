"""mutants.py - files cut and bent.

Of the features files, the verdict on every way to do so. They are bent by the
test; what it must find comes in a table, one line a mutant:

    cut N      the first N bytes alone
    flip N B   bit B of byte N inverted
    set N V    byte N replaced by V (hexadecimal)

each with status, offset, where, and the digest if it opens.

Of random models, some ways: fields set to numbers at an edge, bytes changed,
ends cut off.
"""

import os

import features
import rules
from ggufgen import File, KV, Tensor
from seeded import random_keys, random_tensors

SETS = (0x00, 0x01, 0x7f, 0x80, 0xff)
EDGES = (0, 1, 2, 3, 4, 5, 8, 12, 13, 31, 32, 33, 42, 43, 63, 64, 65, 255, 256,
         2 ** 16, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 33,
         2 ** 61 - 1, 2 ** 62 - 1, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 192,
         2 ** 64 - 32, 2 ** 64 - 1)
WIDE = (".len", ".count", ".n_tensors", ".n_kv", ".offset")


def judge(data):
    try:
        m = rules.read(data)
    except rules.Bad as bad:
        return f"GGK_E_{bad.status}\t{bad.offset}\t{bad.where}\t-"
    return f"GGK_OK\t-\t-\t{rules.digest(m):08x}"


def lines(f):
    """Only the header is bent: no byte after it has a say."""
    data = f.build()
    for n in range(len(data)):
        yield f"cut {n} 0\t" + judge(data[:n])
    bent = bytearray(data)
    for n in range(f.head_end):
        for bit in range(8):
            bent[n] = data[n] ^ 1 << bit
            yield f"flip {n} {bit}\t" + judge(bent)
        for value in SETS:
            bent[n] = value
            yield f"set {n} {value:x}\t" + judge(bent)
        bent[n] = data[n]


def write(root):
    for name in features.FORMS:
        path = os.path.join(root, f"features/features-{name}.mutants.tsv")
        with open(path, "w", encoding="ascii") as out:
            for line in lines(features.form(name)):
                out.write(line + "\n")


# ------------------------------------------------------------- random models

def model(dice):
    """A model that a reader takes, or nearly."""
    kvs = random_keys(dice)[:dice.below(25)]
    align = dice.choice((32, 32, 32, 1, 8, 64, 256, 24))
    if align != 32:
        at = dice.below(len(kvs) + 1)
        kvs.insert(at, KV("general.alignment", "u32", align))
    tensors = random_tensors(dice)[:dice.below(11)]
    if dice.below(4) == 0:
        tensors.append(Tensor("empty", [dice.below(3), 0]))
    if dice.below(4) == 0:
        tensors.insert(0, Tensor("scalar", []))
    return File(kvs, tensors, version=dice.choice((3, 3, 3, 2)), align=align,
                last=dice.below(8) > 0)


def width_of(field):
    """Bytes of a field of that name; 1 where only the first are known."""
    if field.endswith(WIDE) or ".ne[" in field:
        return 8
    if field.endswith((".type", ".n_dims", ".elem_type", ".version")):
        return 4
    return 1


def bend_field(data, f, dice):
    field = dice.choice(sorted(f.at))
    width, at = width_of(field), f.at[field]
    new = dice.choice(EDGES) & (1 << 8 * width) - 1
    if dice.below(4) == 0:  # near what it was
        old = int.from_bytes(data[at:at + width], "little")
        new = old + dice.choice((-1, 1)) & (1 << 8 * width) - 1
    data[at:at + width] = new.to_bytes(width, "little")


def bend_byte(data, f, dice):
    at = dice.below(f.head_end)
    if dice.below(2):
        data[at] ^= 1 << dice.below(8)
    else:
        data[at] = dice.choice(SETS)


def copy_field(data, f, dice):
    """The bytes of one field over another of its kind."""
    one = dice.choice(sorted(f.at))
    same = [k for k in sorted(f.at)
            if k.rsplit(".", 1)[-1] == one.rsplit(".", 1)[-1]]
    width, to = width_of(one), f.at[dice.choice(same)]
    data[to:to + width] = data[f.at[one]:f.at[one] + width]


def mutant(f, dice):
    """The bytes of a file that was built, bent in one to three ways."""
    data = bytearray(f.build() if not f.out else f.out)
    for _ in range(1 + dice.below(3)):
        way = dice.choice((bend_field,) * 4 + (bend_byte, copy_field))
        way(data, f, dice)
    if dice.below(8) == 0:
        del data[dice.below(len(data) + 1):]
    return bytes(data)
