"""seeded.py - random models, and 33 ways to make or spoil one.

The ways are those of the reference program's own test of its reader
(test-gguf), numbered c01 to c33 in its order: what is spoilt is the same,
the verdict is ours. Each comes with a few seeds.
"""

from corpus import Case
from ggufgen import Arr, File, KV, Raw, TYPES, Tensor

SEEDS = (1, 2, 3)
SCALARS = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32",
           "f64", "bool", "str")
BITS = {"u8": (0, 8), "i8": (1, 8), "u16": (0, 16), "i16": (1, 16),
        "u32": (0, 32), "i32": (1, 32), "u64": (0, 64), "i64": (1, 64),
        "bool": (0, 1)}
MAX = 2 ** 64 - 1


class Dice:
    """xorshift64*: the same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed * 0x9e3779b97f4a7c15 & MAX

    def word(self):
        x = self.state
        x ^= x >> 12
        x ^= x << 25 & MAX
        x ^= x >> 27
        self.state = x
        return x * 0x2545f4914f6cdd1d & MAX

    def below(self, n):
        return (self.word() >> 11) % n

    def choice(self, items):
        return items[self.below(len(items))]


def random_scalar(dice, kind):
    if kind == "str":
        return bytes(1 + dice.below(127) for _ in range(dice.below(64)))
    if kind in ("f32", "f64"):
        return (dice.below(2 ** 21) - 2 ** 20) / 1024
    signed, bits = BITS[kind]
    return (dice.word() >> (64 - bits)) - (signed << (bits - 1))


def random_keys(dice, rename=lambda i: f"my_key_{i}"):
    result = []
    for i in range(24):
        kind = dice.choice(SCALARS + ("arr",) * 6)
        if kind == "arr":
            elem = dice.choice(SCALARS)
            items = [random_scalar(dice, elem)
                     for _ in range(dice.below(17))]
            value = Arr(elem, items)
        else:
            value = random_scalar(dice, kind)
        result.append(KV(rename(i), kind, value))
    return result


def random_tensors(dice, spoil=None):
    """Ten tensors; `spoil` changes the arguments of each."""
    result = []
    for i in range(10):
        kind = dice.choice(sorted(TYPES))
        dims = [(1 + dice.below(3)) * TYPES[kind][1]]
        dims += [1 + dice.below(4) for _ in range(dice.below(4))]
        t = {"name": f"my_tensor_{i}", "dims": dims, "type": kind}
        if spoil:
            spoil(t)
        result.append(Tensor(**t))
    return result


def headers():
    """c01 to c07: nothing but a header."""
    pad = bytes(8)
    v1 = bytearray(File(tail=pad).build())
    v1[4] = 1
    return [
        ("c01-bad-magic", File(magic=b"FUGG"), "MAGIC", "header.magic"),
        ("c02-version-0", File(version=0), "VERSION", "header.version"),
        ("c03-version-1", bytes(v1), "OK", None),
        ("c04-version-4", File(version=4), "VERSION_NEW", "header.version"),
        ("c05-n-kv", File(n_kv=MAX), "COUNT", "header.n_kv"),
        ("c06-n-tensors", File(n_tensors=MAX), "COUNT", "header.n_tensors"),
        ("c07-empty", File(tail=pad), "OK", None),
    ]


def keys(seed):
    """c08 to c14: keys and no tensors."""
    def some(rename=lambda i: f"my_key_{i}"):
        return random_keys(Dice(seed), rename)

    long_keys = some()
    for kv in long_keys:
        kv.key.length = MAX
    no_type = [KV(f"my_key_{i}", 13, Raw(b"\1")) for i in range(24)]
    align = "general.alignment"
    return [
        ("c08-key-size", File(long_keys), "STRLEN", "kv[0].key.len"),
        ("c09-empty-key", File(some(lambda i: "")), "OK", None),
        ("c10-type", File(no_type), "KV_TYPE", "kv[0].type"),
        ("c11-duplicate", File(some(lambda i: f"my_key_{i // 2}")), "OK",
         None),
        ("c12-align-13", File(some() + [KV(align, "u32", 13)]), "OK", None),
        ("c13-align-i32", File(some() + [KV(align, "i32", 13)]), "OK", None),
        ("c14-keys", File(some(), start=True), "OK", None),
    ]


def longer_name(t):
    t["name"] += "_" + "long" * 16


def five_dims(t):
    t["dims"] = (t["dims"] + [1] * 4)[:4] + [2]


def minus_one(t):
    t.update(dims=[MAX] * len(t["dims"]), size=0)


def zero_dim(t):
    t["dims"] = [t["dims"][0], 0]


def huge_dims(t):
    t.update(dims=[4 * (2 ** 31 - 1)] * max(2, len(t["dims"])), size=0)


def huge_bytes(t):
    n = max(2, len(t["dims"]))
    side = int(1.01 * (MAX / 8) ** (1 / n)) + 1
    t.update(type="I64", dims=[side] * n, size=0)


def new_type(t):
    t.update(type=43, size=64)


def last_offset(t):
    t["offset"] = MAX


def one_name(t):
    t["name"] = "my_tensor"


def tensors(seed):
    """c15 to c27: keys and tensor infos, no data."""
    def some(spoil=None, align=32, key=None):
        dice = Dice(seed)
        kvs = random_keys(dice)
        if key is not None:
            kvs.append(KV("general.alignment", "u32", key))
        return File(kvs, random_tensors(dice, spoil), align=align, data=False,
                    start=True)

    return [
        ("c15-long-name", some(longer_name), "OK", None),
        ("c16-five-dims", some(five_dims), "OK", None),
        ("c17-dim", some(minus_one), "DIM", "tensor[0].ne[0]"),
        ("c18-zero-dim", some(zero_dim), "OK", None),
        ("c19-elements", some(huge_dims), "OVERFLOW", "tensor[0].ne[1]"),
        ("c20-bytes", some(huge_bytes), "OVERFLOW", "tensor[0].ne"),
        ("c21-type", some(new_type), "OK", None),
        ("c22-offset", some(last_offset), "OFFSET", "tensor[0].offset"),
        ("c23-one-name", some(one_name), "OK", None),
        ("c24-align-13", some(align=13, key=13), "OK", None),
        ("c25-packed", some(align=1), "OK", None),
        ("c26-tensors", some(), "OK", None),
        ("c27-align-1", some(align=1, key=1), "OK", None),
    ]


def data(seed):
    """c28 to c33: everything."""
    def some(align=32, key=None):
        dice = Dice(seed)
        kvs = random_keys(dice)
        if key is not None:
            kvs.append(KV("general.alignment", "u32", key))
        return File(kvs, random_tensors(dice), align=align)

    half = 0x7fffffffffffffc0
    sums = File(random_keys(Dice(seed)), [
        Tensor("my_tensor_0", [half], "I8", size=0),
        Tensor("my_tensor_1", [half], "I8", size=0, offset=half)],
        data=False, tail=bytes(32))
    return [
        ("c28-byte-missing", some().build()[:-1], "OK", None),
        ("c29-align-13", some(align=13, key=13), "OK", None),
        ("c30-packed", some(align=1), "OK", None),
        ("c31-sum", sums, "OVERFLOW", "tensor[1].offset"),
        ("c32-data", some(), "OK", None),
        ("c33-align-1", some(align=1, key=1), "OK", None),
    ]


# The cases that the reference program reads as well.
GOOD = ("c07", "c14", "c18", "c26", "c27", "c32", "c33")


def all_cases():
    groups = [("", headers())]
    for seed in SEEDS:
        for group in (keys, tensors, data):
            groups.append((f"-{seed}", group(seed)))
    for suffix, rows in groups:
        for name, what, status, where in rows:
            yield name + suffix, what, status, where


def good_cases():
    return [Case(f"good/{name}.gguf", what, status, where)
            for name, what, status, where in all_cases()
            if name.startswith(GOOD)]


def hostile_cases():
    return [Case(f"hostile/{name}.gguf", what, status, where)
            for name, what, status, where in all_cases()
            if not name.startswith(GOOD)]
