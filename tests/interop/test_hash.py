#!/usr/bin/env -S python3 -B
"""test_hash.py GGUF CORPUS - `gguf hash` and the gguf-hash of the Python package
gguf print the same digests, and the content digest is what docs/format.md makes
of the names, types, shapes and data that the package reads.

With GGK_LLAMA_GGUF_HASH naming llama.cpp's llama-gguf-hash, its lines are
compared too.
"""

import contextlib
import glob
import hashlib
import io
import json
import os
import struct
import subprocess
import sys

import peers

# What gguf-hash leaves out.
LEFT_OUT = (".attention.masked_bias", ".attention.bias", ".rotary_emb.inv_freq")
FOLDERS = ("good", "clean", "worked", "odd")  # on others it may take for ever
ALGOS = ("-a", "sha1", "-a", "sha256", "-a", "uuid")


def theirs(reader, path):
    from gguf.scripts import gguf_hash

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        gguf_hash.gguf_hash(reader, path, True, False)
    return out.getvalue().splitlines()


def content(reader):
    out = hashlib.sha256(b"ggufkit content 1\0"
                         + struct.pack("<Q", len(reader.tensors)))
    for t in sorted(reader.tensors, key=lambda t: t.name.encode()):
        name, data = t.name.encode(), t.data.tobytes()
        shape = [int(n) for n in t.shape]
        while shape and shape[-1] == 1:
            shape.pop()
        out.update(struct.pack(f"<Q{len(name)}sII{len(shape)}QQ", len(name),
                               name, int(t.tensor_type), len(shape), *shape,
                               len(data))
                   + hashlib.sha256(data).digest())
    return out.hexdigest()


def ours(gguf, *words):
    run = subprocess.run([gguf, "hash", *words], capture_output=True,
                         check=False)
    return run.stdout.decode() if run.returncode == 0 else None


def compare(gguf, path):
    """What differs; None if one of the two does not take the file."""
    from gguf import GGUFReader

    try:
        reader = GGUFReader(path)
        lines = theirs(reader, path)
    except Exception:  # whatever it makes of odd files
        return None
    mine = ours(gguf, "-t", *ALGOS, path)
    if mine is None or any(t.name.endswith(LEFT_OUT) or
                           not t.name.isprintable() for t in reader.tensors):
        return None
    if sorted(lines) != sorted(mine.splitlines()):
        return "the digests"
    document = ours(gguf, "--json", "--content", path)
    if document and json.loads(document)["model"]["content"] != content(reader):
        return "the content"
    return ""


def compare_llama(program, gguf, path):
    run = subprocess.run([program, "--all", "--uuid", path],
                         capture_output=True, check=False)
    mine = ours(gguf, "-t", "-a", "all", "-a", "uuid", path)
    if run.returncode != 0 or mine is None:
        return None
    has_xxh3 = b"xxh3 " in run.stdout
    kept = [line for line in mine.splitlines()
            if has_xxh3 or not line.startswith("xxh3 ")]
    same = run.stdout.decode(errors="replace").splitlines() == kept
    return "" if same else "what llama-gguf-hash prints"


def main(args):
    if len(args) != 2:
        raise SystemExit(__doc__)
    gguf, corpus = args
    peers.need_package("gguf")
    llama = os.environ.get("GGK_LLAMA_GGUF_HASH")
    compared = differ = 0
    for path in sorted(p for folder in FOLDERS for p in glob.glob(
            os.path.join(corpus, folder, "*.gguf"))):
        found = [compare(gguf, path)]
        if llama and "/clean/" in path:
            found.append(compare_llama(llama, gguf, path))
        for what in found:
            compared += what is not None
            if what:
                print(f"{os.path.relpath(path, corpus)}: {what}")
                differ += 1
    print(f"{compared} comparisons, {differ} differences")
    return 1 if differ or compared < 50 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
