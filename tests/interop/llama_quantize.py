"""llama_quantize.py - llama.cpp's own quantizing, by its libllama."""

import ctypes
import os
import re

import llama

NO_TYPE = 43  # GGML_TYPE_COUNT of v0.5.0
LINE = re.compile(r"^\[ *\d+/ *\d+\] (\S+) +- \[.*?\], type = +(\w+), (.*)$",
                  re.M)


class Params(ctypes.Structure):
    """llama_model_quantize_params, and room for what follows."""
    _fields_ = [("nthread", ctypes.c_int), ("ftype", ctypes.c_int),
                ("output_type", ctypes.c_int),
                ("embedding_type", ctypes.c_int),
                ("allow_requantize", ctypes.c_bool),
                ("quantize_output", ctypes.c_bool),
                ("only_copy", ctypes.c_bool), ("pure", ctypes.c_bool),
                ("keep_split", ctypes.c_bool), ("dry_run", ctypes.c_bool),
                ("imatrix", ctypes.c_void_p), ("overrides", ctypes.c_void_p),
                ("types", ctypes.c_void_p), ("prune", ctypes.c_void_p),
                ("more", ctypes.c_int * 64)]


class TypeOverride(ctypes.Structure):
    _fields_ = [("pattern", ctypes.c_char_p), ("type", ctypes.c_int)]


class Importances(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p),
                ("data", ctypes.POINTER(ctypes.c_float)),
                ("size", ctypes.c_size_t)]


class KeyOverride(ctypes.Structure):
    """llama_model_kv_override: the tag 0 is an integer, 3 a string."""
    class Value(ctypes.Union):
        _fields_ = [("integer", ctypes.c_int64),
                    ("string", ctypes.c_char * 128)]
    _fields_ = [("tag", ctypes.c_int), ("key", ctypes.c_char * 128),
                ("value", Value)]


def key_override(key, value):
    """One entry; an empty key ends a list."""
    entry = KeyOverride(key=key.encode())
    if isinstance(value, str):
        entry.tag, entry.value.string = 3, value.encode()[:127]
    else:
        entry.value.integer = value
    return entry


def address(array):
    return ctypes.cast(array, ctypes.c_void_p)


class Quantizer:
    """llama_model_quantize of libllama, in this process."""

    def __init__(self):
        models = llama.find_models()
        models.library("libggml-base.so")
        ggml = models.library("libggml.*so")
        self.library = models.library("libllama.*so")
        kind = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p,
                                ctypes.c_void_p)
        self.lines = []
        self.log = kind(lambda _, text, __: self.lines.append(
            text.decode(errors="replace")))
        self.library.llama_log_set(self.log, None)
        ggml.ggml_backend_load_all_from_path(os.fsencode(models.folder))
        self.library.llama_model_quantize_default_params.restype = Params
        self.library.llama_model_quantize.argtypes = [
            ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(Params)]

    def run(self, path, out, ftype, types=(), importances=(), keys=(),
            pruned=(), **params):
        """Whether it was done, and what was said. `types`: pattern and type
        number; `importances`: name and values, or how many of 1; `keys`: key
        and value; `pruned`: layers that are left out."""
        p = self.library.llama_model_quantize_default_params()
        assert (p.output_type, p.embedding_type) == (NO_TYPE, NO_TYPE)
        p.nthread, p.ftype = 1, ftype
        for key, value in params.items():
            setattr(p, key, value)
        held = [(TypeOverride * (len(types) + 1))(
            *[TypeOverride(pattern.encode(), n) for pattern, n in types])]
        p.types = address(held[0]) if types else None
        data = [[1.0] * v if isinstance(v, int) else v for _, v in importances]
        data = [(ctypes.c_float * len(values))(*values) for values in data]
        held.append((Importances * (len(data) + 1))(
            *[Importances(name.encode(),
                          ctypes.cast(d, ctypes.POINTER(ctypes.c_float)),
                          len(d))
              for (name, _), d in zip(importances, data)]))
        p.imatrix = address(held[1]) if importances else None
        held.append((KeyOverride * (len(keys) + 1))(
            *[key_override(*pair) for pair in keys]))
        p.overrides = address(held[2]) if keys else None
        held.append((ctypes.c_int32 * (len(pruned) + 1))(*sorted(pruned), -1))
        p.prune = address(held[3]) if pruned else None
        self.lines.clear()
        failed = self.library.llama_model_quantize(
            os.fsencode(path), os.fsencode(out), ctypes.byref(p))
        return not failed, "".join(self.lines)

    def types(self, path, ftype, **params):
        """What a dry run says: (name, type, new type) of each tensor in its
        order, or why it fails."""
        done, text = self.run(path, os.devnull, ftype, dry_run=True, **params)
        if not done:
            return text.strip().splitlines()[-1]
        found = []
        for name, old, rest in LINE.findall(text):
            new = re.search(r"\((\w+)\)$", rest)
            found.append((name, old.upper(), (new[1] if new else old).upper()))
        return found
