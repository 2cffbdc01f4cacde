"""llama_imatrix.py - importance matrices of llama.cpp: files as llama-imatrix
writes them, by libggml-base, and how it reads them, by common_imatrix_load of
libllama-common.
"""

import ctypes
import os
import struct

import llama

F32 = 0  # GGML_TYPE_F32
POINTER = ctypes.c_void_p
LOAD = ("_Z19common_imatrix_loadRKNSt7__cxx1112basic_stringIcSt11char_traits"
        "IcESaIcEEER14common_imatrix")


class InitParams(ctypes.Structure):
    """ggml_init_params"""
    _fields_ = [("bytes", ctypes.c_size_t), ("buffer", POINTER),
                ("no_alloc", ctypes.c_bool)]


class String(ctypes.Structure):
    """std::string of libstdc++"""
    _fields_ = [("at", POINTER), ("n", ctypes.c_size_t),
                ("here", ctypes.c_char * 16)]


class Vector(ctypes.Structure):
    """std::vector"""
    _fields_ = [("begin", POINTER), ("end", POINTER), ("room", POINTER)]


class Node(ctypes.Structure):
    """What a std::map of libstdc++ is made of."""
    _fields_ = [("color", ctypes.c_int), ("parent", POINTER),
                ("left", POINTER), ("right", POINTER)]


class Entry(ctypes.Structure):
    """A node of common_imatrix.entries."""
    _fields_ = [("node", Node), ("name", String), ("sums", Vector),
                ("counts", Vector)]


class Imatrix(ctypes.Structure):
    """common_imatrix of v0.5.0: a map of entries, datasets, numbers."""
    _fields_ = [("compare", ctypes.c_void_p), ("header", Node),
                ("n_entries", ctypes.c_size_t), ("datasets", Vector),
                ("chunk_count", ctypes.c_int32),
                ("chunk_size", ctypes.c_int32), ("is_legacy", ctypes.c_bool),
                ("has_metadata", ctypes.c_bool)]


def text_of(string):
    return ctypes.string_at(string.at, string.n).decode()


def numbers_of(vector, form, width):
    n = ((vector.end or 0) - (vector.begin or 0)) // width
    return list(struct.unpack(f"<{n}{form}",
                              ctypes.string_at(vector.begin, n * width)))


class Imatrices:
    def __init__(self):
        models = llama.find_models()
        self.ggml = models.library("libggml-base.so")
        models.library("libggml.*so")
        models.library("libllama.*so")
        self.common = models.library("libllama-common.so")
        for name, result, arguments in (
                ("ggml_init", POINTER, [InitParams]),
                ("ggml_free", None, [POINTER]),
                ("ggml_new_tensor_2d", POINTER,
                 [POINTER, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]),
                ("ggml_set_name", POINTER, [POINTER, ctypes.c_char_p]),
                ("ggml_get_data", POINTER, [POINTER]),
                ("gguf_init_empty", POINTER, []),
                ("gguf_free", None, [POINTER]),
                ("gguf_set_val_str", None,
                 [POINTER, ctypes.c_char_p, ctypes.c_char_p]),
                ("gguf_set_val_u32", None,
                 [POINTER, ctypes.c_char_p, ctypes.c_uint32]),
                ("gguf_set_arr_str", None,
                 [POINTER, ctypes.c_char_p, POINTER, ctypes.c_size_t]),
                ("gguf_add_tensor", None, [POINTER, POINTER]),
                ("gguf_write_to_file", ctypes.c_bool,
                 [POINTER, ctypes.c_char_p, ctypes.c_bool])):
            function = getattr(self.ggml, name)
            function.restype, function.argtypes = result, arguments

    def add(self, ctx, gguf, name, ne, values):
        tensor = self.ggml.ggml_new_tensor_2d(ctx, F32, *ne)
        self.ggml.ggml_set_name(tensor, name.encode())
        data = struct.pack(f"<{len(values)}f", *values)
        ctypes.memmove(self.ggml.ggml_get_data(tensor), data, len(data))
        self.ggml.gguf_add_tensor(gguf, tensor)

    def write(self, path, entries, datasets, n_chunks, chunk_size):
        """`entries`: (sums, counts) by name; the order is that of llama-imatrix
        when it saves one."""
        room = sum(4 * (len(a) + len(b)) + 2048 for a, b in entries.values())
        ctx = self.ggml.ggml_init(InitParams(room, None, False))
        gguf = self.ggml.gguf_init_empty()
        names = (ctypes.c_char_p * (len(datasets) + 1))(
            *[d.encode() for d in datasets])
        self.ggml.gguf_set_val_str(gguf, b"general.type", b"imatrix")
        self.ggml.gguf_set_arr_str(gguf, b"imatrix.datasets", names,
                                   len(datasets))
        self.ggml.gguf_set_val_u32(gguf, b"imatrix.chunk_count", n_chunks)
        self.ggml.gguf_set_val_u32(gguf, b"imatrix.chunk_size", chunk_size)
        for name in sorted(entries, key=str.encode):
            sums, counts = entries[name]
            n = len(counts)
            self.add(ctx, gguf, f"{name}.in_sum2", (len(sums) // n, n), sums)
            self.add(ctx, gguf, f"{name}.counts", (1, n), counts)
        assert self.ggml.gguf_write_to_file(gguf, os.fsencode(path), False)
        self.ggml.gguf_free(gguf)
        self.ggml.ggml_free(ctx)

    def load(self, path):
        """What common_imatrix_load reads: entries and all else; None if it
        refuses the file. Its memory is not given back."""
        load = getattr(self.common, LOAD)
        load.restype, load.argtypes = ctypes.c_bool, [POINTER, POINTER]
        imatrix = Imatrix()
        head = ctypes.addressof(imatrix) + Imatrix.header.offset
        imatrix.header.left = imatrix.header.right = head
        held = ctypes.create_string_buffer(os.fsencode(path))
        name = String(ctypes.addressof(held), len(held.value))
        if not load(ctypes.addressof(name), ctypes.addressof(imatrix)):
            return None
        entries, found = {}, []
        self.collect(imatrix.header.parent, entries)
        at = imatrix.datasets.begin or 0
        while at < (imatrix.datasets.end or 0):
            found.append(text_of(String.from_address(at)))
            at += ctypes.sizeof(String)
        return entries, {"datasets": found, "chunks": imatrix.chunk_count,
                         "chunk_size": imatrix.chunk_size,
                         "legacy": imatrix.is_legacy,
                         "complete": imatrix.has_metadata}

    def collect(self, at, entries):
        if not at:
            return
        entry = Entry.from_address(at)
        self.collect(entry.node.left, entries)
        entries[text_of(entry.name)] = (numbers_of(entry.sums, "f", 4),
                                        numbers_of(entry.counts, "q", 8))
        self.collect(entry.node.right, entries)
