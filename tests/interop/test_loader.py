#!/usr/bin/env python3
"""test_loader.py GGUF FOLDER - what `gguf check` foretells of llama.cpp's loader
against what the loader does: libggml-base of npm @node-llama-cpp/linux-x64.

Every file of FOLDER is given to the real gguf_init_from_file, header only and
with its data, each in a process of its own. Exit status 77 without the library.
"""
import ctypes
import json
import os
import subprocess
import sys

# Files with the verdict that was foretold and the one that was given, where
# both are known to differ, and why.
EXPLAINED = {
}

LIBRARY = "libggml-base.so"


class InitParams(ctypes.Structure):
    _fields_ = [("no_alloc", ctypes.c_bool), ("ctx", ctypes.POINTER(ctypes.c_void_p))]


def find_library():
    """The library by GGK_GGML_BASE, or in a folder of node modules."""
    named = os.environ.get("GGK_GGML_BASE")
    if named:
        return named
    root = os.environ.get("GGK_PEERS", "/tmp/peers")
    for folder, _, files in os.walk(os.path.join(root, "node_modules", "@node-llama-cpp")):
        if LIBRARY in files:
            return os.path.join(folder, LIBRARY)
    return None


def load(ggml, path, with_data):
    """In a child: 0 if the loader takes the file, 1 if not, else it died."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        tensors = ctypes.c_void_p()
        params = InitParams(not with_data, ctypes.pointer(tensors) if with_data else None)
        os._exit(0 if ggml.gguf_init_from_file(os.fsencode(path), params) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def verdict(ggml, path):
    """no, metadata, yes, or crash."""
    answers = (load(ggml, path, False), load(ggml, path, True))
    return {(1, 1): "no", (0, 1): "metadata", (0, 0): "yes"}.get(answers, f"{answers}")


def open_library():
    ggml = ctypes.CDLL(find_library())
    ggml.gguf_init_from_file.argtypes = [ctypes.c_char_p, InitParams]
    ggml.gguf_init_from_file.restype = ctypes.c_void_p
    return ggml


def foretold(gguf, path):
    child = subprocess.run([gguf, "check", "--single", "--json", path],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if child.returncode not in (0, 1):
        return f"exit {child.returncode}"
    return json.loads(child.stdout)["files"][0]["llama_cpp_loads"]


def main():
    gguf, folder = sys.argv[1:]
    if find_library() is None:
        print("no libggml-base.so: npm install @node-llama-cpp/linux-x64@3.22.1")
        return 77
    ggml = open_library()
    wrong = 0
    counts = {}
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            path = os.path.join(root, name)
            if not name.endswith(".gguf") or os.path.getsize(path) > 1 << 24:
                continue
            ours, theirs = foretold(gguf, path), verdict(ggml, path)
            counts[theirs] = counts.get(theirs, 0) + 1
            key = os.path.relpath(path, folder)
            if ours != theirs and EXPLAINED.get(key, (None,))[:2] != (ours, theirs):
                print(f"{key}: foretold {ours}, the loader says {theirs}")
                wrong += 1
    print(f"the loader's verdicts: {counts}; {wrong} foretold wrongly")
    return 1 if wrong or len(counts) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
