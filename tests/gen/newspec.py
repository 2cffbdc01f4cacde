"""newspec.py - random models, each as a description for `gguf new` and as the
file that must come of it, made by ggufgen.
"""

import base64
import json
import math
import os
import struct
from fractions import Fraction

from ggufgen import Arr, File, KV, TYPES, Tensor
from seeded import BITS, SCALARS

NAMES = {"u8": "UINT8", "i8": "INT8", "u16": "UINT16", "i16": "INT16",
         "u32": "UINT32", "i32": "INT32", "u64": "UINT64", "i64": "INT64",
         "f32": "FLOAT32", "f64": "FLOAT64", "bool": "BOOL", "str": "STRING"}
# Plain numbers: the letter of struct, what .npy calls them.
PLAIN = {"F32": ("f", "f4"), "F64": ("d", "f8"), "F16": ("e", "f2"),
         "I8": ("b", "i1"), "I16": ("h", "i2"), "I32": ("i", "i4"),
         "I64": ("q", "i8"), "BF16": ("H", None)}
TEXTS = ("", "a", "\0", "caf\u00e9", "\u2581the", "\U0001f600", "a\0b",
         "\u202e", "\"\\\n\t", "x" * 300)


# -------------------------------------------------------------------- values

def random_float(dice, letter):
    if dice.below(8) == 0:
        return dice.choice((0.0, -0.0, math.inf, -math.inf, math.nan))
    size = struct.calcsize(letter)
    value = struct.unpack("<" + letter,
                          struct.pack("<Q", dice.word())[:size])[0]
    return value if math.isfinite(value) else 0.5


def random_value(dice, kind):
    if kind == "str":
        if dice.below(6) == 0:
            return bytes(dice.below(256) for _ in range(dice.below(9)))
        return (dice.choice(TEXTS) + str(dice.below(100))).encode()
    if kind in ("f32", "f64"):
        return random_float(dice, "f" if kind == "f32" else "d")
    signed, bits = BITS[kind]
    if dice.below(3) == 0:  # an end
        return dice.choice((0, (1 << bits - signed) - 1,
                            -signed << bits - 1))
    return (dice.word() >> (64 - bits)) - (signed << (bits - 1))


def value_json(kind, value):
    """As the description has it."""
    if isinstance(value, Arr):
        return [value_json(value.elem, v) for v in value.items]
    if kind == "str":
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    if kind == "bool":
        return bool(value)
    if kind in ("f32", "f64") and not math.isfinite(value):
        return "nan" if math.isnan(value) else str(value)
    return value


def random_array(dice, elem, depth):
    n = dice.below(6)
    if depth == 1:
        return Arr(elem, [random_value(dice, elem) for _ in range(n)])
    return Arr("arr", [random_array(dice, elem, depth - 1)
                       for _ in range(n)])


def random_mixed(dice, depth, types):
    """Arrays of arrays of any types, and their values; what each holds is
    added to `types`."""
    made, told = [], []
    for _ in range(dice.below(4)):
        if depth < 3 and dice.below(3) == 0:
            types.append("ARRAY")
            array, value = random_mixed(dice, depth + 1, types)
        else:
            kind = dice.choice(SCALARS)
            types.append(NAMES[kind])
            array = random_array(dice, kind, 1)
            value = value_json(kind, array)
        made.append(array)
        told.append(value)
    return Arr("arr", made), told


def mixed_key(dice, i):
    types = []
    array, told = random_mixed(dice, 1, types)
    while len(types) > 1 and types[-1] == types[-2] and dice.below(4):
        types.pop()
    name = f"mixed.{i}"
    return KV(name, "arr", array), {"key": name, "type": "ARRAY",
                                    "elem_type": "ARRAY", "inner_types": types,
                                    "value": told}


def random_key(dice, i, nested):
    """A key, and its entry."""
    if nested and dice.below(2):
        return mixed_key(dice, i)
    kind = dice.choice(SCALARS)
    depth = dice.choice((0, 0, 1)) if not nested else 2 + dice.below(2)
    name = f"k.{i}." + dice.choice(("a", "caf\u00e9", "x y", "z" * 50))
    if depth == 0:
        value = random_value(dice, kind)
        kv = KV(name, kind, value)
    else:
        value = random_array(dice, kind, depth)
        kv = KV(name, "arr", value)
    entry = {"key": name, "type": NAMES[kind] + "[]" * depth,
             "value": value_json(kind, value)}
    if depth == 1 and dice.below(2):
        entry.update(type="ARRAY", elem_type=NAMES[kind])
    return kv, entry


# ------------------------------------------------------------------- tensors

def bf16(value):
    """The nearest, halves to even."""
    if math.isnan(value):
        return 0x7fc0
    if math.isinf(value) or value == 0:
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    unit = Fraction(2) ** max(math.frexp(value)[1] - 8, -133)
    rounded = float(round(Fraction(value) / unit) * unit)
    bits = struct.unpack("<I", struct.pack("<f", abs(rounded)))[0] >> 16
    return bits | (0x8000 if value < 0 else 0)


def pack(kind, values, order):
    letter = PLAIN[kind][0]
    if kind == "BF16":
        values = [bf16(v) for v in values]
    return b"".join(struct.pack(order + letter, v) if v == v else
                    NANS[kind][::1 if order == "<" else -1] for v in values)


NANS = {"F32": b"\0\0\xc0\x7f", "F64": bytes(6) + b"\xf8\x7f",
        "F16": b"\0\x7e", "BF16": b"\xc0\x7f"}


def random_number(dice, kind):
    if kind[0] == "I":
        bits = int(kind[1:])
        return (dice.word() >> (64 - bits)) - (1 << (bits - 1))
    if kind == "F64":
        return random_float(dice, "d")
    if kind == "F16" and dice.below(2):  # also between two of them
        return (dice.below(2 ** 17) - 2 ** 16) / 2 ** (1 + dice.below(30))
    value = random_float(dice, "e" if kind == "F16" else "f")
    return 1.5 if kind == "BF16" and 3e38 < abs(value) < math.inf else value


def npy(descr, shape, data, version):
    text = (f"{{'descr': '{descr}', 'fortran_order': False, "
            f"'shape': {shape}, }}")
    pre = 10 if version == 1 else 12
    text += " " * (-(pre + len(text) + 1) % 64) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0]) +
            len(text).to_bytes(pre - 8, "little") + text.encode() + data)


class Making:
    """A model on its way: entries for the description, and files for it."""

    def __init__(self, dice, big):
        self.dice, self.order = dice, ">" if big else "<"
        self.files = {}
        self.blob = b"x" * dice.below(5)
        self.parts, self.arrays = b"", {}

    def bytes_of(self, n):
        return b"".join(struct.pack("<Q", self.dice.word())
                        for _ in range(n // 8 + 1))[:n]

    def raw(self, t, dims, kind):
        """Bytes as they are, in this file or in one of all."""
        _, block, size = TYPES[kind]
        data = self.bytes_of(math.prod(dims) // block * size)
        t.update(type=kind, shape=dims, raw="blob", offset=len(self.blob),
                 byte_order="big" if self.order == ">" else "little")
        self.blob += data
        return data

    def from_npy(self, t, dims, kind):
        code = PLAIN[kind][1]
        order = self.dice.choice("<>") if kind != "I8" else "|"
        values = [random_number(self.dice, kind)
                  for _ in range(math.prod(dims))]
        shape = tuple(reversed(dims))
        data = pack(kind, values, ">" if order == ">" else "<")
        name = f"{len(self.files)}.npy"
        self.files[name] = npy(order + code, shape, data,
                               1 + self.dice.below(3))
        t["npy"] = name
        if self.dice.below(2):
            t.update(type=kind, shape=dims)
        return pack(kind, values, self.order)

    def from_safetensors(self, t, dims, kind):
        values = [random_number(self.dice, kind)
                  for _ in range(math.prod(dims))]
        data, name = pack(kind, values, "<"), f"n{len(self.arrays)}"
        self.arrays[name] = {
            "dtype": kind, "shape": list(reversed(dims)),
            "data_offsets": [len(self.parts), len(self.parts) + len(data)]}
        self.parts += data
        t.update(safetensors="all.safetensors", tensor=name)
        return pack(kind, values, self.order)

    def numbers(self, t, dims, kind):
        n = math.prod(dims)
        values = [random_number(self.dice, kind) for _ in range(n)]
        t.update(type=kind, shape=dims)
        if self.dice.below(2):
            values = values[:1] * n
            t["fill"] = value_json("f64", values[0])
        else:
            t["values"] = [value_json("f64", v) for v in values]
        return pack(kind, values, self.order)

    def tensor(self, i, types):
        """A tensor, and its entry."""
        way = self.dice.choice((self.raw, self.from_npy,
                                self.from_safetensors, self.numbers))
        kinds = types if way == self.raw and self.order == "<" else \
            [k for k in PLAIN if k != "BF16" or way != self.from_npy]
        kind = self.dice.choice(kinds)
        dims = [(1 + self.dice.below(3)) * TYPES[kind][1]]
        dims += [1 + self.dice.below(4) for _ in range(self.dice.below(4))]
        entry = {"name": f"t.{i}." + self.dice.choice(("w", "b\u00e9"))}
        data = way(entry, dims, kind)
        return Tensor(entry["name"], dims, kind, data=data), entry

    def write(self, folder):
        head = json.dumps(self.arrays).encode()
        self.files["blob"] = self.blob
        self.files["all.safetensors"] = (struct.pack("<Q", len(head)) + head
                                         + self.parts)
        for name, data in self.files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)


def model(dice, folder, types):
    """Writes folder/spec.json and what it names; returns the File."""
    big, nested = dice.below(8) == 0, dice.below(8) == 0
    version = 3 if big else dice.choice((3, 3, 3, 2))
    align = dice.choice((32, 32, 8, 16, 64, 128, 1024))
    making = Making(dice, big)
    keys = [random_key(dice, i, nested and i % 4 == 0)
            for i in range(dice.below(25))]
    tensors = [making.tensor(i, types) for i in range(dice.below(9))]
    kvs = [kv for kv, _ in keys]
    spec = {"version": version, "byte_order": "big" if big else "little",
            "keys": [entry for _, entry in keys],
            "tensors": [entry for _, entry in tensors]}
    if align != 32:  # one way or the other
        kvs.append(KV("general.alignment", "u32", align))
        if dice.below(2):
            spec["alignment"] = align
        else:
            spec["keys"].append({"key": "general.alignment", "value": align})
    making.write(folder)
    with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as f:
        json.dump(spec, f, ensure_ascii=dice.below(2) == 0)
    return File(kvs, [t for t, _ in tensors], version=version, big=big,
                align=align)
