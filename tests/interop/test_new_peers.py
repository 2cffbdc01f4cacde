#!/usr/bin/env -S python3 -B
"""test_new_peers.py GGUF [MODELS SEED] - random models (500 of them), written by
`gguf new` from descriptions: each is the file that tests/gen/ggufgen.py makes of
the same, byte for byte; and pip gguf, npm @huggingface/gguf and llama.cpp's own
library read in it every key, type, value, tensor, shape, offset and byte that
the description asks for.

What a peer does not read is not given to it: arrays of arrays and big-endian
files to llama.cpp; types that pip gguf does not know.
"""

import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import ggml
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
import newspec  # noqa: E402
from ggufgen import Arr, TYPES, VALUES  # noqa: E402
from seeded import Dice  # noqa: E402

LETTERS = {kind: letter for kind, (_, letter) in VALUES.items()}


class Model:
    """A model as it should be, and the file of it."""

    def __init__(self, folder, file):
        self.path = os.path.join(folder, "o.gguf")
        self.file, self.order = file, file.order
        self.bytes = file.build()
        self.nested = any(isinstance(kv.value, Arr) and kv.value.elem == "arr"
                          for kv in file.kvs)
        self.offsets = file.offsets()

    def packed(self, kind, values):
        """Numbers as they are stored."""
        return struct.pack(f"{self.order}{len(values)}{LETTERS[kind]}",
                           *values)

    def data(self, i):
        at = self.file.data_off + self.offsets[i]
        return self.bytes[at:at + self.file.tensors[i].size]


def leaves(kind, value):
    """(type, value) of all that is in it."""
    if kind != "arr":
        return [(kind, value)]
    return [leaf for v in value.items for leaf in leaves(value.elem, v)]


# ----------------------------------------------------------------- pip gguf

def pip_value(m, kv, field):
    """Whether the field holds what it should, bit for bit."""
    items = leaves(kv.type, kv.value)
    if int(field.types[0]) != VALUES[kv.type][0] or \
            len(field.data) != len(items):
        return False
    if items and not m.nested and \
            int(field.types[-1]) != VALUES[items[0][0]][0]:
        return False
    stored = [field.parts[i].tobytes() for i in field.data]
    return stored == [bytes(v) if kind == "str" else m.packed(kind, [v])
                      for kind, v in items]


def check_pip(m):
    from gguf import GGUFReader

    reader = GGUFReader(m.path)
    fields = [f for name, f in reader.fields.items()
              if not name.startswith("GGUF.")]
    if [f.name.encode() for f in fields] != [k.key.text for k in m.file.kvs]:
        return "other keys"
    for kv, field in zip(m.file.kvs, fields):
        if not pip_value(m, kv, field):
            return f"{field.name} is another"
    if reader.data_offset != m.file.data_off and m.file.tensors:
        return f"data at {reader.data_offset}"
    if len(reader.tensors) != len(m.file.tensors):
        return "other tensors"
    for i, (t, is_) in enumerate(zip(m.file.tensors, reader.tensors)):
        if (is_.name.encode(), int(is_.tensor_type), is_.shape.tolist(),
                is_.data_offset) != \
                (t.name.text, t.type_id(), t.dims,
                 m.file.data_off + m.offsets[i]):
            return f"{is_.name} is {is_.tensor_type} {is_.shape}"
        if is_.data.tobytes() != m.data(i):
            return f"{is_.name} has other data"
    return None


# -------------------------------------------------------- @huggingface/gguf

def hf_value(kind, value, in_nested=False):
    if isinstance(value, Arr):
        inside = in_nested or value.elem == "arr"
        return [hf_value(value.elem, v, inside) for v in value.items]
    if kind == "str":
        return value.decode("utf-8", "replace")
    if kind == "bool":
        return bool(value)
    if kind in ("f32", "f64") or (in_nested and not kind.endswith("64")):
        return {"f64": struct.pack(">d", value).hex()}
    return str(value)


def same_numbers(a, b):
    """All NaNs are one; the sign of zero is kept."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_numbers, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        x, y = (struct.unpack(">d", bytes.fromhex(v["f64"]))[0]
                for v in (a, b))
        return a == b or (x != x and y != y)
    return a == b


def check_hf(m, said):
    if "error" in said:
        return said["error"]
    keys = [(k, v) for k, v in said["keys"].items()
            if k not in ("version", "tensor_count", "kv_count")]
    if [k.encode() for k, _ in keys] != [kv.key.text for kv in m.file.kvs]:
        return "other keys"
    for kv, (name, is_) in zip(m.file.kvs, keys):
        sub = VALUES[kv.value.elem][0] if kv.type == "arr" else None
        if (is_["type"], is_.get("subType")) != (VALUES[kv.type][0], sub) or \
                not same_numbers(hf_value(kv.type, kv.value), is_["value"]):
            return f"{name} is {is_}"
    wanted = [{"name": t.name.text.decode(), "shape": t.dims,
               "type": t.type_id(), "offset": m.offsets[i]}
              for i, t in enumerate(m.file.tensors)]
    if said["tensors"] != wanted:
        return f"other tensors: {said['tensors']}"
    if m.file.tensors and said["dataOffset"] != m.file.data_off:
        return f"data at {said['dataOffset']}"
    return None


def read_hf(node, models):
    """In one process: a report for each."""
    said = subprocess.run(
        [node, os.path.join(peers.HERE, "hf_values.mjs"),
         os.environ["GGK_PEERS"]],
        input="".join(m.path + "\n" for m in models).encode(),
        stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in said.splitlines()]


# ---------------------------------------------------------------- llama.cpp

POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
CALLS = {  # result, then arguments after the context
    "gguf_get_n_kv": (NUMBER,), "gguf_get_key": (ctypes.c_char_p, NUMBER),
    "gguf_get_kv_type": (ctypes.c_int, NUMBER),
    "gguf_get_arr_type": (ctypes.c_int, NUMBER),
    "gguf_get_arr_n": (ctypes.c_size_t, NUMBER),
    "gguf_get_arr_data": (POINTER, NUMBER),
    "gguf_get_arr_str": (ctypes.c_char_p, NUMBER, ctypes.c_size_t),
    "gguf_get_val_str": (ctypes.c_char_p, NUMBER),
    "gguf_get_val_data": (POINTER, NUMBER),
    "gguf_get_data_offset": (ctypes.c_size_t,),
    "gguf_get_n_tensors": (NUMBER,),
    "gguf_get_tensor_name": (ctypes.c_char_p, NUMBER),
    "gguf_get_tensor_type": (ctypes.c_int, NUMBER),
    "gguf_get_tensor_offset": (ctypes.c_size_t, NUMBER),
    "gguf_get_tensor_size": (ctypes.c_size_t, NUMBER),
    "gguf_free": (None,),
    "ggml_get_tensor": (POINTER, ctypes.c_char_p),
    "ggml_get_data": (POINTER,), "ggml_nbytes": (ctypes.c_size_t,),
    "ggml_n_dims": (ctypes.c_int,), "ggml_free": (None,),
}


class Library:
    """What libggml-base says of a file."""

    def __init__(self, path):
        self.library = ggml.Loader(path).library
        for name, (result, *arguments) in CALLS.items():
            function = getattr(self.library, name)
            function.restype = result
            function.argtypes = [POINTER, *arguments]

    def check(self, m):
        lib, tensors = self.library, POINTER()
        gguf = lib.gguf_init_from_file(
            os.fsencode(m.path),
            ggml.InitParams(False, ctypes.pointer(tensors)))
        if not gguf:
            return "it does not load"
        wrong = self.keys(m, gguf) or self.tensors(m, gguf, tensors)
        lib.gguf_free(gguf)
        lib.ggml_free(tensors)
        return wrong

    def value(self, m, kv, gguf, i):
        """Strings end at a NUL here."""
        lib = self.library
        if kv.type == "str":
            return lib.gguf_get_val_str(gguf, i) == kv.value.split(b"\0")[0]
        if kv.type != "arr":
            wanted = m.packed(kv.type, [kv.value])
            return ctypes.string_at(lib.gguf_get_val_data(gguf, i),
                                    len(wanted)) == wanted
        items, n = kv.value.items, lib.gguf_get_arr_n(gguf, i)
        if lib.gguf_get_arr_type(gguf, i) != VALUES[kv.value.elem][0] or \
                n != len(items):
            return False
        if kv.value.elem == "str":
            return [lib.gguf_get_arr_str(gguf, i, k) for k in range(n)] == \
                [s.split(b"\0")[0] for s in items]
        wanted = m.packed(kv.value.elem, items)
        return n == 0 or ctypes.string_at(lib.gguf_get_arr_data(gguf, i),
                                          len(wanted)) == wanted

    def keys(self, m, gguf):
        lib = self.library
        if lib.gguf_get_n_kv(gguf) != len(m.file.kvs):
            return "other keys"
        for i, kv in enumerate(m.file.kvs):
            if lib.gguf_get_key(gguf, i) != kv.key.text or \
                    lib.gguf_get_kv_type(gguf, i) != VALUES[kv.type][0] or \
                    not self.value(m, kv, gguf, i):
                return f"key {i}, {kv.key.text}, is another"
        return None

    def tensors(self, m, gguf, context):
        lib = self.library
        if lib.gguf_get_n_tensors(gguf) != len(m.file.tensors):
            return "other tensors"
        if m.file.tensors and \
                lib.gguf_get_data_offset(gguf) != m.file.data_off:
            return "the data is elsewhere"
        for i, t in enumerate(m.file.tensors):
            name = lib.gguf_get_tensor_name(gguf, i)
            if (name, lib.gguf_get_tensor_type(gguf, i),
                    lib.gguf_get_tensor_offset(gguf, i),
                    lib.gguf_get_tensor_size(gguf, i)) != \
                    (t.name.text, t.type_id(), m.offsets[i], t.size):
                return f"tensor {i}, {t.name.text}, is another"
            at = lib.ggml_get_tensor(context, name)
            if self.shape(at) != (t.dims + [1] * 3)[:4] or \
                    ctypes.string_at(lib.ggml_get_data(at), t.size) != \
                    m.data(i):
                return f"tensor {i}, {t.name.text}, has another shape or data"
        return None

    @staticmethod
    def shape(tensor):
        """ggml.h, struct ggml_tensor: a type and a pointer come before ne."""
        return list((ctypes.c_int64 * 4).from_address(tensor + 16))


# ---------------------------------------------------------------------- all

def common_types():
    """Those that all know: not Q8_1, which is smaller than pip gguf says."""
    from gguf import GGML_QUANT_SIZES

    sizes = {int(t): size for t, size in GGML_QUANT_SIZES.items()}
    return [name for name, (number, *size) in sorted(TYPES.items())
            if sizes.get(number) == tuple(size)]


def make(gguf, folder, seed, types):
    os.mkdir(folder)
    m = Model(folder, newspec.model(Dice(seed), folder, types))
    child = subprocess.run(
        [gguf, "new", "-q", "--force", m.path, "--spec",
         os.path.join(folder, "spec.json")], stderr=subprocess.PIPE,
        check=False)
    if child.returncode != 0:
        return m, child.stderr.decode()
    with open(m.path, "rb") as f:
        same = f.read() == m.bytes
    return m, None if same else "it is not as it should be"


def find_readers(models):
    """Name -> what it says of a model: None, or what is wrong."""
    node, base = shutil.which("node"), peers.find_ggml()
    readers = {"pip gguf": check_pip}
    if node and peers.find("node_modules", "@huggingface", "gguf"):
        reports = dict(zip((m.path for m in models), read_hf(node, models)))
        readers["@huggingface/gguf"] = lambda m: check_hf(m, reports[m.path])
    if base:
        library = Library(base)
        readers["llama.cpp"] = lambda m: None if m.nested or m.order == ">" \
            else library.check(m)
    return readers


def main(args):
    if len(args) not in (1, 3):
        raise SystemExit(__doc__)
    peers.need_package("gguf")
    n, seed = map(int, args[1:] or (500, 1))
    wrong, models, types = 0, [], common_types()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(seed, seed + n):
            m, failure = make(os.path.abspath(args[0]),
                              os.path.join(folder, str(i)), i, types)
            models.append(m)
            if failure:
                print(f"model {i}: {failure}")
                wrong += 1
        readers = find_readers(models) if wrong == 0 else {}
        for name, check in readers.items():
            for i, m in enumerate(models):
                failure = check(m)
                if failure:
                    print(f"model {seed + i}: {name}: {failure}")
                    wrong += 1
    keys = sum(len(m.file.kvs) for m in models)
    tensors = sum(len(m.file.tensors) for m in models)
    print(f"{n} models, {keys} keys, {tensors} tensors, as read by "
          f"{', '.join(readers)}: {wrong} wrong")
    return 1 if wrong or not keys or not tensors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
