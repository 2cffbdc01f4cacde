#!/usr/bin/env -S python3 -B
"""test_edits.py GGUF [COUNT] - what set, rm and rename do not touch stays as it
is, to the bit; whether the file is written anew or edited in place.

Random files of every version, byte order and alignment are changed by random
commands, one after another; a parser that shares nothing with the program then
finds every key and tensor, in order, as it has to be. A command that has to
fail leaves the file as it was. And what `gguf dump --json` prints of a file
changes nothing in it.
"""

import base64
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "gen"))

from ggufgen import KV, VALUES, File, Raw, Tensor, pad_up  # noqa: E402

NAMES = {"u8": "UINT8", "i8": "INT8", "u16": "UINT16", "i16": "INT16",
         "u32": "UINT32", "i32": "INT32", "f32": "FLOAT32", "bool": "BOOL",
         "str": "STRING", "u64": "UINT64", "i64": "INT64", "f64": "FLOAT64"}
KINDS = {number: kind for kind, (number, _) in VALUES.items()}
WIDTHS = {"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4,
          "bool": 1, "u64": 8, "i64": 8, "f64": 8}
STRINGS = [b"", b"\0", b"a\0b", b"\xff\xfe", b"\xc3\x28", b"plain",
           "\u00e9t\u00e9 \U0001f600".encode(), b"[1]", b"x=y", b"true", b"7",
           b"\xed\xa0\x80", b"line\nline\r\t\"\\", b"q" * 70000]
NAN_BITS = {"f32": [0x7f800001, 0xffc12345, 0x7fc00000],
            "f64": [0x7ff0000000000001, 0xfff8123456789abc]}


class Array:
    """Elements of one kind; scalars are their bits, strings are bytes."""

    def __init__(self, elem, items):
        self.elem, self.items = elem, items

    def __eq__(self, other):
        return (isinstance(other, Array) and self.elem == other.elem
                and self.items == other.items)

    def __repr__(self):
        return f"{self.elem}{self.items!r:.200}"


# ------------------------------------------------------------------ encoding


def encode(kind, value, version, big):
    order = "big" if big else "little"
    count = 4 if version == 1 else 8
    if kind == "str":
        return len(value).to_bytes(count, order) + value
    if kind == "arr":
        head = VALUES[value.elem][0].to_bytes(4, order)
        head += len(value.items).to_bytes(count, order)
        return head + b"".join(encode(value.elem, item, version, big)
                               for item in value.items)
    return value.to_bytes(WIDTHS[kind], order)


class Reader:
    def __init__(self, data):
        self.data, self.pos, self.order, self.count = data, 0, "little", 8

    def take(self, n):
        assert self.pos + n <= len(self.data), "the file ends too soon"
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def number(self, n):
        return int.from_bytes(self.take(n), self.order)

    def value(self, kind):
        if kind == "str":
            return self.take(self.number(self.count))
        if kind == "arr":
            elem = KINDS[self.number(4)]
            return Array(elem, [self.value(elem)
                                for _ in range(self.number(self.count))])
        return self.number(WIDTHS[kind])


def parse(data):
    """(version, big, keys, tensors) of what the program wrote: that it is in
    its canonical form is checked on the way."""
    r = Reader(data)
    assert r.take(4) == b"GGUF"
    version = r.number(4)
    big = version > 0xffff
    if big:
        r.order, version = "big", int.from_bytes(data[4:8], "big")
    n_tensors, n_kv = r.number(8), r.number(8)
    keys, align = [], 32
    for _ in range(n_kv):
        key, kind = r.value("str"), KINDS[r.number(4)]
        keys.append((key, kind, r.value(kind)))
        if key == b"general.alignment":
            align = keys[-1][2]
    infos = []
    for _ in range(n_tensors):
        name = r.value("str")
        dims = [None] * r.number(4)
        dims = [r.number(8) for _ in dims]
        infos.append((name, dims, r.number(4), r.number(8)))
    start = pad_up(r.pos, align) if infos else r.pos
    assert not any(data[r.pos:start]), "padding is not zero"
    ends = [o for _, _, _, o in infos[1:]] + [len(data) - start]
    tensors = []
    for (name, dims, kind, offset), end in zip(infos, ends):
        assert offset % align == 0 and offset <= end
        tensors.append((name, dims, kind, data[start + offset:start + end]))
    assert not infos or infos[0][3] == 0
    return version, big, keys, tensors, align


# --------------------------------------------------------------- random files


def random_scalar(rng, kind, plain=False):
    if kind == "str":
        return rng.choice(STRINGS[:-1] if plain else STRINGS)
    if kind == "bool":
        return rng.choice([0, 1] if plain else [0, 1, 2, 255])
    bits = 8 * WIDTHS[kind]
    if kind in NAN_BITS:
        form = "f" if kind == "f32" else "d"
        number = rng.choice([0.0, -0.0, 1.5, -1e-5, 3.4e38, 1e-45,
                             rng.uniform(-1e6, 1e6), float("inf")])
        if plain and number == float("inf"):
            number = 0.1
        if not plain and rng.random() < 0.3:
            return rng.choice(NAN_BITS[kind])
        return int.from_bytes(struct.pack("<" + form, number), "little")
    return rng.choice([0, 1, 2 ** bits - 1, 2 ** (bits - 1),
                       2 ** (bits - 1) - 1, rng.getrandbits(bits)])


def random_array(rng, depth=1):
    if depth < 4 and rng.random() < 0.3:
        return Array("arr", [random_array(rng, depth + 1)
                             for _ in range(rng.choice([0, 1, 3]))])
    elem = rng.choice(list(NAMES))
    return Array(elem, [random_scalar(rng, elem, plain=rng.random() < 0.5)
                        for _ in range(rng.choice([0, 1, 2, 5]))])


def random_value(rng):
    kind = rng.choice([*NAMES, "arr", "arr", "arr"])
    return kind, (random_array(rng) if kind == "arr"
                  else random_scalar(rng, kind))


def random_key(rng, taken):
    while True:
        word = rng.choice([b"llama", b"x", b"odd=key", b"k[0]", b"\xff\xfe",
                           "\u00e9".encode(), b"a b", b"*"])
        key = b"%s.%d" % (word, rng.randrange(1000))
        if key not in taken:
            return key


class Model:
    """What a file has to hold."""

    def __init__(self, rng):
        self.rng = rng
        self.keys = [(b"general.architecture", "str", b"llama")]
        for _ in range(rng.randrange(1, 12)):
            key = random_key(rng, self.names())
            self.keys.append((key, *random_value(rng)))
        self.align = 32
        if rng.random() < 0.7:
            self.align = 8 << rng.randrange(10)
            at = rng.randrange(len(self.keys) + 1)
            self.keys.insert(at, (b"general.alignment", "u32", self.align))
        self.tensors = []
        for i in range(rng.randrange(6)):
            dims = rng.choice([[32], [64, 3], [0], [1], [32, 2, 2], []])
            type = rng.choice(["F32", "F16", "I8", "F64", "I64"])
            t = Tensor(f"blk.{i}.weight", dims, type)
            data = bytes(rng.getrandbits(8) for _ in range(t.natural_size()))
            self.tensors.append([t.name.text, dims, t.type_id(), data])
        self.version = rng.choice([1, 2, 3, 3])
        self.big = self.version == 3 and rng.random() < 0.4

    def names(self):
        return {key for key, _, _ in self.keys}

    def build(self):
        kvs = [KV(key, kind, Raw(encode(kind, value, self.version, self.big)))
               for key, kind, value in self.keys]
        return File(kvs, [Tensor(name, dims, kind, data=data)
                          for name, dims, kind, data in self.tensors],
                    version=self.version, big=self.big,
                    align=self.align).build()

    def check(self, data):
        version, big, keys, tensors, align = parse(data)
        if keys and keys[-1][:2] == (b"general.padding", "str"):
            assert not keys[-1][2].strip(b" "), keys[-1]
            keys.pop() # free space, left by an edit in place
        assert (version, big) == (3, self.big), (version, big)
        assert len(keys) == len(self.keys), (keys, self.keys)
        for is_, should in zip(keys, self.keys):
            assert is_ == should, f"{should!r:.300} became {is_!r:.300}"
        assert len(tensors) == len(self.tensors)
        for is_, should in zip(tensors, self.tensors):
            padded = should[3] + bytes(-len(should[3]) % align)
            assert is_ == (*should[:3], padded), f"tensor {should[0]}"


# ------------------------------------------------------------- random commands


def signed(kind, bits):
    width = 8 * WIDTHS[kind]
    return bits - (1 << width if kind[0] == "i" and bits >> (width - 1) else 0)


def number_text(kind, bits):
    if kind in NAN_BITS:
        form = "f" if kind == "f32" else "d"
        return repr(struct.unpack("<" + form,
                                  bits.to_bytes(WIDTHS[kind], "little"))[0])
    return str(signed(kind, bits))


def as_text(kind, value):
    """A scalar as it is typed; None: it cannot be."""
    if kind == "str":
        return None if b"\0" in value else value
    if kind == "bool":
        return [b"false", b"true"][value]
    return number_text(kind, value).encode()


def as_json(rng, kind, value):
    """The text of a value in JSON."""
    if kind == "arr":
        return "[%s]" % ",".join(as_json(rng, value.elem, item)
                                 for item in value.items)
    if kind == "bool":
        return ["false", "true"][value]
    if kind != "str":
        return number_text(kind, value)
    try:
        return json.dumps(value.decode(), ensure_ascii=rng.random() < 0.5)
    except UnicodeDecodeError:
        return json.dumps({"base64": base64.b64encode(value).decode()})


def is_same(kind, old, new):
    """Does the new value say what is there?"""
    if kind == "arr":
        return (isinstance(old, Array) and old.elem == new.elem
                and len(old.items) == len(new.items)
                and all(is_same(old.elem, a, b)
                        for a, b in zip(old.items, new.items)))
    if kind == "bool":
        return bool(old) == bool(new)
    return old == new


def is_flat(kind, value):
    return kind == "arr" and value.elem != "arr"


class Command:
    """Words for gguf, and what it does to the model."""

    def __init__(self, model, folder):
        self.model, self.rng, self.folder = model, model.rng, folder
        self.stdin = b""

    def plain(self, kind):
        """A new value of that kind."""
        return random_scalar(self.rng, kind, plain=True)

    def replace(self, i, kind, value):
        key, old_kind, old = self.model.keys[i]
        if old_kind == kind and is_same(kind, old, value):
            return
        self.model.keys[i] = key, kind, value

    def pick(self, wanted):
        """A key of the wanted sort, or None."""
        fitting = [i for i, (key, kind, value) in enumerate(self.model.keys)
                   if not key.startswith(b"general.") and wanted(kind, value)]
        return self.rng.choice(fitting) if fitting else None

    def set_scalar(self):
        i = self.pick(lambda kind, _: kind != "arr")
        if i is None:
            return None
        key, kind, _ = self.model.keys[i]
        value = self.plain(kind)
        text = as_text(kind, value)
        if text is None:
            return self.set_by_json(i, kind, value)
        self.replace(i, kind, value)
        return [b"set", b"--", None, key + b"=" + text]

    def set_by_json(self, i, kind, value):
        """By the list of entries that gguf dump prints."""
        key = self.model.keys[i][0]
        self.stdin = ('{"schema": 1, "command": "dump", "keys": '
                      '[{"key": %s, "value": %s}]}' % (
                          as_json(self.rng, "str", key),
                          as_json(self.rng, kind, value))).encode()
        self.replace(i, kind, value)
        return [b"set", None, b"--from-json", b"-"]

    def set_array(self):
        i = self.pick(is_flat)
        if i is None:
            return None
        key, kind, old = self.model.keys[i]
        value = Array(old.elem, [self.plain(old.elem)
                                 for _ in range(self.rng.randrange(5))])
        if self.rng.random() < 0.5:
            return self.set_by_json(i, kind, value)
        self.replace(i, kind, value)
        return [b"set", None,
                key + b"=" + as_json(self.rng, kind, value).encode()]

    def set_element(self):
        i = self.pick(is_flat)
        if i is None:
            return None
        key, _, old = self.model.keys[i]
        words = []
        items = list(old.items)
        for at in self.rng.sample(range(len(items)),
                                  self.rng.randrange(min(3, len(items) + 1))):
            value = self.plain(old.elem)
            text = as_text(old.elem, value)
            if text is not None:
                words.append(b"%s[%d]=%s" % (key, at, text))
                if not is_same(old.elem, items[at], value):
                    items[at] = value
        for _ in range(self.rng.randrange(3)):
            value = self.plain(old.elem)
            text = as_text(old.elem, value)
            if text is not None:
                words.append(key + b"[+]=" + text)
                items.append(value)
        if not words:
            return None
        self.model.keys[i] = key, "arr", Array(old.elem, items)
        return [b"set", b"--", None, *words]

    def add(self):
        kind = self.rng.choice(list(NAMES))
        value, name = self.plain(kind), NAMES[kind]
        key = b"new.%d" % self.rng.randrange(10 ** 6)
        text = as_text(kind, value)
        if self.rng.random() < 0.5:
            value = Array(kind, [self.plain(kind) for _ in range(3)])
            kind, name = "arr", name + "[]"
            if self.rng.random() < 0.5:
                value, name = Array("arr", [value, Array(value.elem, [])]), \
                    name + "[]"
            text = as_json(self.rng, kind, value).encode()
        if text is None or key in self.model.names():
            return None
        self.model.keys.append((key, kind, value))
        return [b"set", b"--type", name.lower().encode(), b"--", None,
                key + b"=" + text]

    def add_file(self):
        value = self.plain("str") * 3
        path = os.path.join(self.folder, "value")
        with open(path, "wb") as f:
            f.write(value)
        key = b"file.%d" % self.rng.randrange(10 ** 6)
        if key in self.model.names():
            return None
        self.model.keys.append((key, "str", value))
        return [b"set", None, b"--file", key + b"=" + os.fsencode(path)]

    def align(self):
        value = 32 << self.rng.randrange(8)
        names = [key for key, _, _ in self.model.keys]
        entry = b"general.alignment", "u32", value
        if entry[0] in names:
            self.model.keys[names.index(entry[0])] = entry
        else:
            self.model.keys.append(entry)
        return [b"set", None, b"general.alignment=%d" % value]

    def remove(self):
        gone = self.rng.sample(self.model.keys,
                               min(self.rng.randrange(1, 4),
                                   len(self.model.keys)))
        gone = [key for key, _, _ in gone if key != b"general.architecture"]
        if not gone:
            return None
        self.model.keys = [k for k in self.model.keys if k[0] not in gone]
        return [b"rm", b"--", None, *gone]

    def rename(self):
        i = self.pick(lambda kind, value: True)
        if i is None:
            return None
        key, kind, value = self.model.keys[i]
        new = random_key(self.rng, self.model.names())
        self.model.keys[i] = new, kind, value
        return [b"rename", b"--", None, key, new]

    def remove_tensor(self):
        if not self.model.tensors:
            return None
        t = self.model.tensors.pop(self.rng.randrange(len(self.model.tensors)))
        return [b"rm", b"--tensor", None, t[0]]

    def rename_tensor(self):
        if not self.model.tensors:
            return None
        t = self.rng.choice(self.model.tensors)
        old, t[0] = t[0], b"t.%d" % self.rng.randrange(10 ** 9)
        return [b"rename", b"--tensor", None, old, t[0]]

    def make(self):
        how = self.rng.choice([
            self.set_scalar, self.set_scalar, self.set_array, self.set_element,
            self.set_element, self.add, self.add_file, self.align, self.remove,
            self.rename, self.remove_tensor, self.rename_tensor])
        return how()


BAD = [[b"set", None, b"new.key=1", b"general.alignment=24"],
       [b"set", None, b"new.key=1", b"nothing[3]=1"],
       [b"set", None, b"new.key=[1,"], [b"set", None, b"a=1", b"a=2"],
       [b"set", None, b"--type", b"UINT8", b"new.a=1", b"new.b=256"],
       [b"rm", None, b"general.architecture"],
       [b"rm", None, b"not.there"], [b"rm", b"--tensor", None, b"not.there"],
       [b"rename", None, b"not.there", b"x"],
       [b"rename", None, b"general.architecture", b"x"]]


class Tester:
    def __init__(self, gguf, folder):
        self.gguf, self.folder = gguf, folder
        self.path = os.path.join(folder, "model.gguf")
        self.runs = 0
        self.ways = {"anew": 0, "in place": 0, "with room": 0}

    def run(self, words, stdin=b""):
        self.runs += 1
        words = [os.fsencode(self.path) if w is None else w for w in words]
        return subprocess.run([self.gguf, *words], input=stdin, check=False,
                              capture_output=True)

    def read(self):
        with open(self.path, "rb") as f:
            return f.read()

    def expect_round_trip(self):
        """What is printed of a file says nothing new to it."""
        before = self.read()
        said = self.run([b"dump", b"--json", b"--full", None])
        assert said.returncode == 0, said
        said = self.run([b"set", None, b"--from-json", b"-"], said.stdout)
        assert said.returncode == 0, said
        assert said.stdout == b"nothing to change, nothing written\n", said
        assert self.read() == before

    def expect_failure(self, rng):
        before, files = self.read(), sorted(os.listdir(self.folder))
        said = self.run(rng.choice(BAD))
        assert said.returncode in (1, 2), said
        assert not said.stdout and said.stderr.count(b"\n") == 1, said
        assert self.read() == before
        assert sorted(os.listdir(self.folder)) == files

    def one_file(self, seed):
        rng = random.Random(seed)
        model = Model(rng)
        with open(self.path, "wb") as f:
            f.write(model.build())
        self.expect_round_trip()
        self.expect_failure(rng)
        for _ in range(8):
            words, command = None, None
            while words is None:
                command = Command(model, self.folder)
                words = command.make()
            before = self.read()
            # Some of the names are such as new keys may only have by force.
            words = [words[0], b"--force", *rng.choice(
                [(), (), (b"--rewrite",), (b"--reserve=1000",)]), *words[1:]]
            said = self.run(words, command.stdin)
            assert said.returncode == 0, (words, said)
            if said.stdout == b"nothing to change, nothing written\n":
                assert self.read() == before, words
                continue
            self.ways["with room" if b"room made" in said.stdout else
                      "in place" if b"edited in place" in said.stdout else
                      "anew"] += 1
            model.check(self.read())
        if rng.random() < 0.2:
            self.expect_round_trip()


def main(args):
    if len(args) not in (1, 2):
        raise SystemExit(__doc__)
    count = int(args[1]) if len(args) == 2 else 100
    # One is fast, in the other there may be ways to make room in a file.
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=fast) as folder, \
            tempfile.TemporaryDirectory() as other:
        testers = [Tester(args[0], folder), Tester(args[0], other)]
        for seed in range(count):
            try:
                testers[seed % 2].one_file(seed)
            except AssertionError:
                print(f"file {seed}:")
                raise
    ways = {way: sum(t.ways[way] for t in testers) for way in testers[0].ways}
    print(f"{count} files, {sum(t.runs for t in testers)} commands, {ways}")
    assert all(ways[w] for w in ("anew", "in place")), ways
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
