#!/usr/bin/env -S python3 -B
"""test_dump_json.py GGUF - `gguf dump --json --full` and the `gguf-dump --json
--json-array` of the Python package gguf agree on every value of real
vocabularies, which takes that program a minute.
"""

import argparse
import contextlib
import glob
import io
import json
import os
import struct
import subprocess
import sys

import peers


def theirs(path):
    from gguf import GGUFReader
    from gguf.scripts import gguf_dump

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        gguf_dump.dump_metadata_json(GGUFReader(path), argparse.Namespace(
            model=path, json_array=True, no_tensors=False))
    return json.loads(out.getvalue())


def ours(gguf, path):
    return json.loads(subprocess.run(
        [gguf, "dump", "--json", "--full", path],
        stdout=subprocess.PIPE, check=True).stdout)


def single(x):
    """What a FLOAT32 makes of it."""
    return struct.unpack("f", struct.pack("f", x))[0]


def equal(a, b, kind):
    """Values of that type; of single floats we print fewer digits."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(
            equal(x, y, kind) for x, y in zip(a, b))
    if kind == "FLOAT32":
        return a == single(b)
    return type(a) is type(b) and a == b


def compare(there, here):
    """What differs."""
    keys = [(k, v) for k, v in there["metadata"].items()
            if not k.startswith("GGUF.")]
    if [k for k, _ in keys] != [k["key"] for k in here["keys"]]:
        yield "the keys"
    for (name, a), b in zip(keys, here["keys"]):
        kind = a.get("array_types", [a["type"]])[-1]
        if (a["type"], kind) != (b["type"], b.get("elem_type", b["type"])):
            yield f"the type of {name}"
        elif not equal(a["value"], b["value"], kind):
            yield name
    if len(there["tensors"]) != here["n_tensors"]:
        yield "the tensors"


def main(args):
    if len(args) != 1:
        raise SystemExit(__doc__)
    shared = peers.shared_folder()
    paths = sorted(glob.glob(os.path.join(shared, "data/vocab/*.gguf"))
                   if shared else ())
    if not paths:
        peers.skip("no real vocabularies")
    peers.need_package("gguf")
    differ = 0
    for path in paths:
        for what in compare(theirs(path), ours(args[0], path)):
            print(f"{os.path.basename(path)}: {what}")
            differ += 1
    print(f"{len(paths)} files, {differ} differences")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
