"""ggufgen.py - builds GGUF files byte by byte, the right ones and the wrong.

Written from the description of the format alone: nothing here comes from the
C library, neither code nor numbers, so that a mistake made there cannot be
made here and pass unseen. Every field can be given a false value, and the
place of every field is remembered under the name by which an error would
call it ("kv[3].value.len"), so that a test can say where a reader must stop.
"""

import struct

# The 13 value types: number, and the struct letter of the fixed-size ones.
VALUES = {
    "u8": (0, "B"), "i8": (1, "b"), "u16": (2, "H"), "i16": (3, "h"),
    "u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "B"),
    "str": (8, ""), "arr": (9, ""), "u64": (10, "Q"), "i64": (11, "q"),
    "f64": (12, "d"),
}

# Tensor types: number, elements of a block, bytes of a block.
TYPES = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18),
    "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24),
    "Q8_0": (8, 32, 34), "Q8_1": (9, 32, 36), "Q2_K": (10, 256, 84),
    "Q3_K": (11, 256, 110), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176),
    "Q6_K": (14, 256, 210), "Q8_K": (15, 256, 292), "IQ2_XXS": (16, 256, 66),
    "IQ2_XS": (17, 256, 74), "IQ3_XXS": (18, 256, 98), "IQ1_S": (19, 256, 50),
    "IQ4_NL": (20, 32, 18), "IQ3_S": (21, 256, 110), "IQ2_S": (22, 256, 82),
    "IQ4_XS": (23, 256, 136), "I8": (24, 1, 1), "I16": (25, 1, 2),
    "I32": (26, 1, 4), "I64": (27, 1, 8), "F64": (28, 1, 8),
    "IQ1_M": (29, 256, 56), "BF16": (30, 1, 2), "TQ1_0": (34, 256, 54),
    "TQ2_0": (35, 256, 66), "MXFP4": (39, 32, 17), "NVFP4": (40, 64, 36),
    "Q1_0": (41, 128, 18), "Q2_0": (42, 64, 18),
}
REMOVED = (4, 5, 31, 32, 33, 36, 37, 38)


def pad_up(n, align):
    """n rounded up to a multiple of align."""
    return -(-n // align) * align


def as_bytes(s):
    return s.encode() if isinstance(s, str) else bytes(s)


class Str:
    """A string that says it is `length` bytes long."""

    def __init__(self, text, length=None):
        self.text = as_bytes(text)
        self.length = len(self.text) if length is None else length


class Raw:
    """Bytes that are written as they stand, whatever the type says."""

    def __init__(self, data):
        self.data = bytes(data)


class Arr:
    """An array of `items` that says it has `count` elements."""

    def __init__(self, elem, items=(), count=None):
        self.elem = elem
        self.items = items
        self.count = count


class KV:
    """A key-value; `type` is a name of VALUES or any number."""

    def __init__(self, key, type, value, key_len=None):
        self.key = Str(key, key_len)
        self.type = type
        self.value = value


class Tensor:
    """A tensor info, and the data that belongs to it.

    Without `offset` it follows its predecessor; without `data` it gets as
    many bytes of a pattern as it needs, or `size` of them.
    """

    def __init__(self, name, dims, type="F32", offset=None, size=None,
                 data=None, n_dims=None, name_len=None):
        self.name = Str(name, name_len)
        self.dims = list(dims)
        self.n_dims = len(self.dims) if n_dims is None else n_dims
        self.type = type
        self.offset = offset
        self.data = data
        if data is not None:
            self.size = len(data)
        else:
            self.size = self.natural_size() if size is None else size

    def type_id(self):
        return TYPES[self.type][0] if self.type in TYPES else self.type

    def natural_size(self):
        if self.type not in TYPES:
            return 0
        _, block, size = TYPES[self.type]
        n = 1
        for d in self.dims:
            n *= d
        return n // block * size

    def content(self, i):
        """Its bytes: all below 64, so that no float type is NaN or huge."""
        if self.data is not None:
            return self.data
        turn = bytes((i * 11 + j * 5) & 63 for j in range(64))
        return (turn * (self.size // 64 + 1))[:self.size]


class File:
    """One GGUF. build() gives its bytes and fills `at`, field name -> place.

    align   what the layout uses; the key general.alignment is not implied
    data    False: nothing is written after the tensor infos
    start   the header is padded up to where data would start, also if none is
            written
    last    False: the last tensor is not padded
    pad     the byte that padding is made of
    tail    bytes after everything
    """

    def __init__(self, kvs=(), tensors=(), version=3, big=False, magic=None,
                 n_kv=None, n_tensors=None, align=32, data=True, start=False,
                 last=True, pad=0, tail=b""):
        self.kvs = list(kvs)
        self.tensors = list(tensors)
        self.version = version
        self.order = ">" if big else "<"
        self.magic = b"GGUF" if magic is None else magic
        self.n_kv = len(self.kvs) if n_kv is None else n_kv
        self.n_tensors = (len(self.tensors) if n_tensors is None
                          else n_tensors)
        self.align = align
        self.data = data
        self.start = start
        self.last = last
        self.pad = bytes([pad])
        self.tail = tail
        self.at = {}
        self.head_end = self.data_off = 0

    # Fields.

    def mark(self, where):
        self.at[where] = len(self.out)

    def put(self, letter, value, where=None):
        if where:
            self.mark(where)
        self.out += struct.pack(self.order + letter, value)

    def put_len(self, value, where):
        """A length or count: 32 bits wide in version 1, else 64."""
        self.put("I" if self.version == 1 else "Q", value, where)

    def put_str(self, s, where):
        s = s if isinstance(s, Str) else Str(s)
        self.put_len(s.length, where + ".len")
        self.out += s.text

    def put_value(self, kind, value, where):
        if isinstance(value, Raw):
            self.mark(where)
            self.out += value.data
        elif kind == "str":
            self.put_str(value, where)
        elif kind == "arr":
            self.put_array(value, where)
        else:
            self.put(VALUES[kind][1], value, where)

    def put_array(self, a, where):
        number = VALUES[a.elem][0] if a.elem in VALUES else a.elem
        self.put("I", number, where + ".elem_type")
        count = len(a.items) if a.count is None else a.count
        self.put_len(count, where + ".count")
        letter = VALUES[a.elem][1] if a.elem in VALUES else ""
        if letter:
            self.out += struct.pack(
                f"{self.order}{len(a.items)}{letter}", *a.items)
            return
        for j, item in enumerate(a.items):
            self.put_value(a.elem, item, f"{where}[{j}]")

    # Parts.

    def put_header(self):
        self.mark("header.magic")
        self.out += self.magic
        self.put("I", self.version, "header.version")
        self.put_len(self.n_tensors, "header.n_tensors")
        self.put_len(self.n_kv, "header.n_kv")

    def put_kv(self, i, kv):
        self.put_str(kv.key, f"kv[{i}].key")
        number = VALUES[kv.type][0] if kv.type in VALUES else kv.type
        self.put("I", number, f"kv[{i}].type")
        self.put_value(kv.type, kv.value, f"kv[{i}].value")

    def put_tensor(self, i, t, offset):
        where = f"tensor[{i}]"
        self.put_str(t.name, where + ".name")
        self.put("I", t.n_dims, where + ".n_dims")
        self.mark(where + ".ne")
        for d, n in enumerate(t.dims):
            self.put("I" if self.version == 1 else "Q", n,
                     f"{where}.ne[{d}]")
        self.put("I", t.type_id(), where + ".type")
        self.put("Q", offset, where + ".offset")

    def offsets(self):
        """Where each tensor says it begins, after the start of the data."""
        result, end = [], 0
        for t in self.tensors:
            begin = end if t.offset is None else t.offset
            result.append(begin)
            end = pad_up(begin + t.size, self.align)
        return result

    def put_data(self, offsets):
        """Every tensor at its place, in whatever order they come."""
        section = bytearray()
        for i, (t, begin) in enumerate(zip(self.tensors, offsets)):
            if len(section) < begin:
                section += self.pad * (begin - len(section))
            section[begin:begin + t.size] = t.content(i)
        if self.last:
            room = pad_up(len(section), self.align) - len(section)
            section += self.pad * room
        self.out += self.pad * (self.data_off - len(self.out)) + section

    def build(self):
        self.out = bytearray()
        self.put_header()
        for i, kv in enumerate(self.kvs):
            self.put_kv(i, kv)
        offsets = self.offsets()
        for i, t in enumerate(self.tensors):
            self.put_tensor(i, t, offsets[i])
        self.head_end = len(self.out)
        self.data_off = pad_up(self.head_end, self.align)
        if self.data and self.tensors:
            self.put_data(offsets)
        elif self.start:
            self.out += self.pad * (self.data_off - self.head_end)
        self.out += self.tail
        return bytes(self.out)


def arch(name="llama"):
    """The key that every real file begins with."""
    return KV("general.architecture", "str", name)


def strings(*items):
    return Arr("str", items)
