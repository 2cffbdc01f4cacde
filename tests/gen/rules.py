"""rules.py - the verdict that the format's rules give on a run of bytes.

A second reader, slow and plain, that knows the rules of docs/format.md and
nothing of the C library. It answers for any bytes whatever: does this open,
and if not, which status, at which byte, in which field? The corpus is checked
against it when it is generated, and it judges the mutants, of which there are
too many to judge by hand.
"""

import struct
import zlib

from ggufgen import TYPES, VALUES, pad_up

U64 = 2 ** 64 - 1
MAX_ELEMENTS = 2 ** 63 - 1
MAX_DIMS = 8
MAX_DEPTH = 16
SANE_STRING = 2 ** 30

STRING, ARRAY = VALUES["str"][0], VALUES["arr"][0]
LETTER = {number: letter for number, letter in VALUES.values()}
INTEGERS = {VALUES[k][0] for k in
            ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")}
BLOCKS = {number: (block, size) for number, block, size in TYPES.values()}
WIDTH = {n: struct.calcsize("<" + s) for n, s in LETTER.items() if s}


class Bad(Exception):
    """This does not open."""

    def __init__(self, status, offset, where):
        super().__init__(status, offset, where)
        self.status, self.offset, self.where = status, offset, where


class Reader:
    """A bounded cursor. `size` may exceed the bytes: the rest is zeros that
    nobody may need."""

    def __init__(self, data, size, base):
        self.data, self.size, self.base = data, size, base
        self.pos = base
        self.order = "<"
        self.v1 = False

    def left(self):
        return self.size - self.pos

    def need(self, n, where):
        if n > self.left():
            raise Bad("TRUNCATED", self.pos, where)

    def take(self, letter, where):
        width = struct.calcsize("<" + letter)
        self.need(width, where)
        value, = struct.unpack_from(self.order + letter, self.data, self.pos)
        self.pos += width
        return value

    def length(self, where):
        return self.take("I" if self.v1 else "Q", where)

    def text(self, where):
        at = self.pos
        n = self.length(where + ".len")
        if n > self.left():
            status = "STRLEN" if n > SANE_STRING else "TRUNCATED"
            raise Bad(status, at, where + ".len")
        begin = self.pos
        self.pos += n
        return bytes(self.data[begin:self.pos])


class Model:
    """What was read: see read()."""


def read_start(r, m):
    head = bytes(r.data[r.base:r.base + min(4, r.left())])
    if len(head) < 4 and (b"GGUF".startswith(head)
                          or b"FUGG".startswith(head)):
        raise Bad("TRUNCATED", r.base, "header.magic")
    if head not in (b"GGUF", b"FUGG"):
        raise Bad("MAGIC", r.base, "header.magic")
    r.pos += 4
    at = r.pos
    little = r.take("I", "header.version")
    big = int.from_bytes(little.to_bytes(4, "little"), "big")
    if little == 0:
        raise Bad("VERSION", at, "header.version")
    if big == 3:
        r.order = ">"
    elif head == b"FUGG" and little <= 3:
        raise Bad("MAGIC", r.base, "header.magic")
    elif little > 3:
        raise Bad("VERSION_NEW", at, "header.version")
    m.version = min(little, big)
    r.v1 = m.version == 1


def read_counts(r, m):
    at_tensors = r.pos
    m.n_tensors = r.length("header.n_tensors")
    at_kv = r.pos
    m.n_kv = r.length("header.n_kv")
    if m.n_tensors > r.left() // (20 if r.v1 else 24):
        raise Bad("COUNT", at_tensors, "header.n_tensors")
    if m.n_kv > r.left() // (9 if r.v1 else 13):
        raise Bad("COUNT", at_kv, "header.n_kv")


def read_array(r, where, depth):
    """(element type, count, items): an item is a string, an array, or for
    elements of fixed size the whole run is one position."""
    if depth > MAX_DEPTH:
        raise Bad("DEPTH", r.pos, where + ".elem_type")
    at = r.pos
    elem = r.take("I", where + ".elem_type")
    if elem not in LETTER:
        raise Bad("ELEM_TYPE", at, where + ".elem_type")
    at = r.pos
    n = r.length(where + ".count")
    least = WIDTH.get(elem, 0)
    if elem == STRING:
        least = 4 if r.v1 else 8
    elif elem == ARRAY:
        least = 8 if r.v1 else 12
    if n > r.left() // least:
        raise Bad("COUNT", at, where + ".count")
    if elem == STRING:
        return elem, n, [r.text(f"{where}[{j}]") for j in range(n)]
    if elem == ARRAY:
        return elem, n, [read_array(r, f"{where}[{j}]", depth + 1)
                         for j in range(n)]
    begin = r.pos
    r.pos += n * least
    return elem, n, begin


def read_kv(r, i):
    where = f"kv[{i}]"
    off = r.pos
    key = r.text(where + ".key")
    type_at = r.pos
    kind = r.take("I", where + ".type")
    if kind not in LETTER:
        raise Bad("KV_TYPE", type_at, where + ".type")
    begin = r.pos
    if kind == STRING:
        value = r.text(where + ".value")
    elif kind == ARRAY:
        value = read_array(r, where + ".value", 1)
        begin += 8 if r.v1 else 12
    else:
        value = r.take(LETTER[kind], where + ".value")
    return key, kind, value, off, type_at, begin, r.pos


def judge_alignment(m):
    m.alignment = None
    m.align_at = None
    for i, (key, kind, value, _, type_at, begin, _) in enumerate(m.kvs):
        if key not in (b"general.alignment", b"general.alignment\0"):
            continue
        if kind not in INTEGERS:
            raise Bad("ALIGN_TYPE", type_at, f"kv[{i}].type")
        if value <= 0:
            raise Bad("ALIGN", begin, f"kv[{i}].value")
        if m.alignment not in (None, value):
            raise Bad("ALIGN_DUP", begin, f"kv[{i}].value")
        if m.alignment is None:
            m.alignment, m.align_at = value, (begin, f"kv[{i}].value")
    if m.alignment is None:
        m.alignment = 32


def read_dims(r, where):
    at = r.pos
    n_dims = r.take("I", where + ".n_dims")
    if n_dims > MAX_DIMS:
        raise Bad("NDIMS", at, where + ".n_dims")
    dims, product = [], 1
    for d in range(n_dims):
        at_ne = r.pos
        n = r.take("I" if r.v1 else "Q", f"{where}.ne[{d}]")
        if n >= 2 ** 63:
            raise Bad("DIM", at_ne, f"{where}.ne[{d}]")
        product *= max(n, 1)
        if product > MAX_ELEMENTS:
            raise Bad("OVERFLOW", at_ne, f"{where}.ne[{d}]")
        dims.append(n)
    return dims, at


def elements(dims):
    n = 1
    for d in dims:
        n *= d
    return n


def read_tensor(r, m, i):
    where = f"tensor[{i}]"
    off = r.pos
    name = r.text(where + ".name")
    dims, dims_at = read_dims(r, where)
    kind = r.take("I", where + ".type")
    offset_at = r.pos
    offset = r.take("Q", where + ".offset")
    size = None
    if kind in BLOCKS:
        block, width = BLOCKS[kind]
        ne0 = dims[0] if dims else 1
        if ne0 % block:
            if dims:
                raise Bad("BLOCK", dims_at + 4, where + ".ne[0]")
            raise Bad("BLOCK", dims_at, where + ".n_dims")
        size = elements(dims) // block * width
        if pad_up(size, m.alignment) > U64:
            raise Bad("OVERFLOW", dims_at + 4, where + ".ne")
    return name, dims, kind, offset, size, off, offset_at, r.pos


def judge_layout(m, base):
    m.data_off = base + pad_up(m.head_end - base, m.alignment)
    if m.data_off > U64:
        raise Bad("OVERFLOW", *m.align_at)
    for i, (_, _, _, offset, size, _, at, _) in enumerate(m.tensors):
        if m.data_off + offset > U64:
            raise Bad("OFFSET", at, f"tensor[{i}].offset")
        if size is None:
            continue
        end = offset + size
        if m.data_off + pad_up(end, m.alignment) > U64:
            raise Bad("OVERFLOW", at, f"tensor[{i}].offset")


def read(data, size=None, base=0):
    """The model in these bytes; Bad if they do not open.

    m.kvs are tuples (key, type, value, entry, type field, value, end), the
    last four being places, that of an array its first element's; m.tensors
    (name, dims, type, offset, bytes or None, entry, offset field, end).
    """
    size = len(data) if size is None else size
    r, m = Reader(data, size, base), Model()
    read_start(r, m)
    m.big = r.order == ">"
    m.order = r.order
    read_counts(r, m)
    m.kvs = [read_kv(r, i) for i in range(m.n_kv)]
    judge_alignment(m)
    m.info_off = r.pos
    m.tensors = [read_tensor(r, m, i) for i in range(m.n_tensors)]
    m.head_end = r.pos
    judge_layout(m, base)
    m.data, m.size = data, size
    return m


def verdict(data, size=None, base=0):
    """(status, offset, where) of these bytes."""
    try:
        read(data, size, base)
    except Bad as bad:
        return bad.status, bad.offset, bad.where
    return "OK", None, None


# The digest: one number over everything a reader can be asked about a model.
# tests/corpus/digest.c makes the same number out of the library's answers.

def u64(*values):
    return b"".join(struct.pack("<Q", v & U64) for v in values)


def put_scalar(out, kind, value):
    if kind in (VALUES["f32"][0], VALUES["f64"][0]):
        bits, = struct.unpack("<Q", struct.pack("<d", value))
        out.append(u64(1, kind, U64 if value != value else bits))
    elif kind == STRING:
        out.append(u64(1, kind, len(value)) + value)
    else:
        out.append(u64(1, kind, value))


def put_array(out, m, array):
    elem, n, items = array
    out.append(u64(2, elem, n))
    if elem == ARRAY:
        for item in items:
            put_array(out, m, item)
    elif elem == STRING:
        for item in items:
            put_scalar(out, elem, item)
    else:
        run = struct.unpack_from(f"{m.order}{n}{LETTER[elem]}", m.data, items)
        for item in run:
            put_scalar(out, elem, item)
    out.append(u64(3))


def opaque_bytes(m, start):
    """Up to the next tensor, else up to the end of the file."""
    later = [m.data_off + t[3] for t in m.tensors
             if m.data_off + t[3] > start]
    return (min(later) if later else max(m.size, start)) - start


def digest(m):
    out = [u64(m.version, m.big, m.alignment, m.info_off, m.head_end,
               m.data_off)]
    for key, kind, value, off, _, begin, end in m.kvs:
        out.append(u64(len(key)) + key + u64(kind, off, begin, end))
        if kind == ARRAY:
            put_array(out, m, value)
        else:
            put_scalar(out, kind, value)
    for name, dims, kind, offset, size, off, _, end in m.tensors:
        start = m.data_off + offset
        opaque = size is None
        size = opaque_bytes(m, start) if opaque else size
        ne = dims + [1] * (MAX_DIMS - len(dims))
        out.append(u64(len(name)) + name + u64(
            kind, len(dims), *ne, elements(dims), size, offset, start, off,
            end, opaque))
    return zlib.crc32(b"".join(out))
