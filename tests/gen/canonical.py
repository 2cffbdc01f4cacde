"""canonical.py - what any file that opens becomes when it is written anew.

A second writer, slow and plain, for tests to compare with: version 3 in the
byte order of the file, keys and tensors in their order, without gaps, padded
by zeros. It takes what rules.py reads.
"""

import struct

from ggufgen import pad_up
from rules import ARRAY, LETTER, STRING, Bad, elements


def encode_text(order, text):
    return struct.pack(order + "Q", len(text)) + text


def encode_array(m, array):
    """The array as rules.py has it: its elements of fixed size in place."""
    elem, n, items = array
    head = struct.pack(m.order + "IQ", elem, n)
    if elem == STRING:
        return head + b"".join(encode_text(m.order, s) for s in items)
    if elem == ARRAY:
        return head + b"".join(encode_array(m, a) for a in items)
    width = struct.calcsize("<" + LETTER[elem])
    return head + bytes(m.data[items:items + n * width])


def encode_value(m, kind, value, begin, end):
    if kind == STRING:
        return encode_text(m.order, value)
    if kind == ARRAY:
        return encode_array(m, value)
    return bytes(m.data[begin:end])


def is_space(key, kind, value):
    return (key.removesuffix(b"\0") == b"general.padding" and kind == STRING
            and not value.strip(b" \0"))


def keys(m):
    """[(key, type, value's bytes)] without free space."""
    return [(key, kind, encode_value(m, kind, value, begin, end))
            for key, kind, value, _, _, begin, end in m.kvs
            if not is_space(key, kind, value)]


def tensors(m):
    """[(name, dims, type, data)]; Bad if some of it is missing."""
    offsets = sorted({t[3] for t in m.tensors})
    found = []
    for name, dims, kind, offset, size, off, _, _ in m.tensors:
        begin = m.data_off + offset
        if elements(dims) == 0:
            size = 0
        elif size is None:
            later = [o for o in offsets if o > offset]
            end = m.data_off + later[0] if later else m.size
            size = max(end, begin) - begin
            if size == 0:
                raise Bad("DATA_MISSING", off, "")
        if size > 0 and begin + size > m.size:
            raise Bad("DATA_MISSING", off, "")
        found.append((name, dims, kind, bytes(m.data[begin:begin + size])))
    return found


def write(order, kvs, infos, align):
    """The bytes of the file."""
    out = bytearray(b"GGUF" + struct.pack(order + "IQQ", 3, len(infos),
                                          len(kvs)))
    for key, kind, value in kvs:
        out += encode_text(order, key) + struct.pack(order + "I", kind) + value
    offset = 0
    for name, dims, kind, data in infos:
        out += encode_text(order, name) + struct.pack(order + "I", len(dims))
        out += struct.pack(f"{order}{len(dims)}Q", *dims)
        out += struct.pack(order + "IQ", kind, offset)
        offset += pad_up(len(data), align)
    if infos:
        out += bytes(pad_up(len(out), align) - len(out))
    for _, _, _, data in infos:
        out += data + bytes(pad_up(len(data), align) - len(data))
    return bytes(out)


def copy(m):
    return write(m.order, keys(m), tensors(m), m.alignment)


def aligned(m, align):
    """The same, but aligned otherwise; 32 needs no key."""
    kvs = keys(m)
    value = struct.pack(m.order + "I", align)
    at = [i for i, kv in enumerate(kvs)
          if kv[0].removesuffix(b"\0") == b"general.alignment"]
    if align == 32:
        kvs = [kv for i, kv in enumerate(kvs) if i not in at]
        return write(m.order, kvs, tensors(m), align)
    if m.alignment == align:
        return copy(m)
    if len(at) > 1:
        raise Bad("DUPLICATE", None, "")
    if at:
        kvs[at[0]] = kvs[at[0]][0], 4, value
    else:
        kvs.append((b"general.alignment", 4, value))
    return write(m.order, kvs, tensors(m), align)
