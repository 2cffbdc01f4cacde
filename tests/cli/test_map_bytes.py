#!/usr/bin/env -S python3 -B
"""test_map_bytes.py GGUF CORPUS - `gguf map` gives every byte of every file of
the corpus to exactly one part.

The parts are laid over the file: those of tensors that overlap add up to more
than one, and parts called "overlap" take that away again. Whatever is said to
be missing lies past the end of the file. Nothing else may.
"""

import json
import os
import subprocess
import sys
import tempfile

BEFORE, AFTER = b"\x7fELF" + bytes(995), bytes(77)


class Wrong(Exception):
    """What is wrong with a map."""


def need(condition, what):
    if not condition:
        raise Wrong(what)


def inside(part, size):
    """(first byte, end) of what the part has in the file."""
    begin, length = part["offset"], part["bytes"]
    missing = min(length, max(0, begin + length - size))
    need(part.get("missing", 0) == missing, f"{missing} bytes miss in {part}")
    padding = part.get("padding", 0)
    need(padding == 0 or missing == 0, f"padding past the end: {part}")
    return begin, begin + length - missing + padding


def check_cover(parts, size):
    """Every byte of the file once, however the parts lie."""
    changes = {0: 0, size: 0}
    for part in parts:
        begin, end = inside(part, size)
        if end <= begin:
            continue
        weight = -1 if part["part"] == "overlap" else 1
        changes[begin] = changes.get(begin, 0) + weight
        changes[end] = changes.get(end, 0) - weight
    cover = 0
    for place in sorted(changes):
        cover += changes[place]
        need(cover == (0 if place == size else 1),
             f"byte {place} is in {cover} parts")


def check_order(parts):
    """Rows ascend, and an overlap follows the tensor whose it is."""
    last = None
    for part in parts:
        if part["part"] == "overlap":
            need(last and last["part"] == "tensor"
                 and last["offset"] == part["offset"]
                 and last["bytes"] >= part["bytes"], f"overlap of {last}")
        elif last:
            need(part["offset"] >= last["offset"], f"{part} after {last}")
        last = part


def total(parts, *names):
    return sum(p["bytes"] for p in parts if p["part"] in names)


def check_entries(plain, entries):
    """--entries divides two parts and leaves the others as they are."""
    for one, many in (("key-values", "key-value"),
                      ("tensor-infos", "tensor-info")):
        need(total(plain, one) == total(entries, many), f"{many} differ")
        count = sum(p["count"] for p in plain if p["part"] == one)
        need(count == len([p for p in entries if p["part"] == many]),
             f"there are not {count} of {many}")
    divided = ("key-values", "tensor-infos", "key-value", "tensor-info")
    need([p for p in plain if p["part"] not in divided]
         == [p for p in entries if p["part"] not in divided],
         "other parts differ")


def read_map(gguf, path, *options):
    """The maps of the files of a model; None if it does not open."""
    done = subprocess.run([gguf, "map", "-q", "--json", path, *options],
                          capture_output=True, check=False)
    if done.returncode in (4, 5):
        return None
    need(done.returncode == 0, f"exit {done.returncode}")
    return json.loads(done.stdout)["files"]


def check(gguf, path, *options):
    """How many files the map of the model at `path` was of."""
    maps = read_map(gguf, path, *options)
    if maps is None:
        return 0
    with_entries = read_map(gguf, path, *options, "--entries")
    need([m["file"] for m in maps] == [m["file"] for m in with_entries],
         "other files")
    for plain, entries in zip(maps, with_entries):
        size = os.path.getsize(plain["file"])
        for m in plain, entries:
            need(m["size"] == size, f"size {m['size']}, not {size}")
            check_order(m["parts"])
            check_cover(m["parts"], size)
        check_entries(plain["parts"], entries["parts"])
    return len(maps)


def main(gguf, corpus):
    checked = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        wrapped = os.path.join(scratch, "wrapped")
        for folder, _, names in sorted(os.walk(corpus)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                with open(path, "rb") as f, open(wrapped, "wb") as w:
                    w.write(BEFORE + f.read() + AFTER)
                for job in ((path,), (path, "--single"),
                            (wrapped, "--offset", str(len(BEFORE)))):
                    try:
                        checked += check(gguf, *job)
                    except Wrong as e:
                        failed += 1
                        print(f"{path} {job[1:]}: {e}")
    print(f"{checked} maps, {failed} wrong")
    return 1 if failed or checked < 500 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
