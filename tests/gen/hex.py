"""hex.py - assembles the hand-written files of hex/.

A line is an offset, a colon, bytes in hexadecimal, and a comment after "#":

    24: 01 00 00 00 00 00 00 00    # kv[0].key.len = 1

The offset is decimal and optional; one that is not true is an error, so that
what the comments say about places can be believed.
"""

import os
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hex")


def assemble(text, name="?"):
    out = bytearray()
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("#")[0]
        if ":" in code:
            offset, code = code.split(":")
            if int(offset) != len(out):
                raise SystemExit(f"{name}:{number}: this is byte "
                                 f"{len(out)}, not {offset.strip()}")
        out += bytes.fromhex(code)
    return bytes(out)


def names():
    return sorted(n[:-4] for n in os.listdir(HERE) if n.endswith(".hex"))


def load(name):
    with open(os.path.join(HERE, name + ".hex"), encoding="utf-8") as f:
        return assemble(f.read(), name)


if __name__ == "__main__":
    sys.stdout.buffer.write(load(sys.argv[1]))
