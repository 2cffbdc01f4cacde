"""disk.py - what a command did to files, as faultlib.c recorded it, and what of a
write may be on the disk when the power goes."""

import struct

RECORD = struct.Struct("16s5Q2I")
SECTORS = (512, 4096)


class Step:
    def __init__(self, op, ino, off, names, data):
        self.op, self.ino, self.off = op, ino, off
        self.names, self.data = names, data


def read_log(path):
    steps = []
    with open(path, "rb") as f:
        log = f.read()
    at = 0
    while at < len(log):
        op, ino, folder, to, off, size, n, m = RECORD.unpack_from(log, at)
        at += RECORD.size
        first, second = log[at:at + n], log[at + n:at + n + m]
        data = log[at + n + m:at + n + m + size]
        at += n + m + size
        steps.append(Step(op.rstrip(b"\0").decode(), ino, off,
                          (folder, first.decode(), to, second.decode()),
                          data))
    return steps


def apply(content, step, pieces=None):
    """The content of a file after one step, or some pieces of it."""
    if step.op == "truncate":
        return content[:step.off] + bytes(max(0, step.off - len(content)))
    for start, data in pieces if pieces is not None else ((0, step.data),):
        end = step.off + start + len(data)
        content = content.ljust(end, b"\0")
        content = content[:step.off + start] + data + content[end:]
    return content


def torn(step, size, rng):
    """Some of the sectors of a write."""
    if step.op == "truncate":
        return None if rng.random() < 0.5 else ()
    pieces, start = [], 0
    while start < len(step.data):
        end = (step.off + start) // size * size + size - step.off
        if rng.random() < 0.5:
            pieces.append((start, step.data[start:end]))
        start = end
    return pieces
