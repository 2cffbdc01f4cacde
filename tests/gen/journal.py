#!/usr/bin/env -S python3 -B
"""journal.py BEFORE FILE [--set FIELD=VALUE]... [--flip AT] [--cut N]

Write the journal of an edit in place that was interrupted when FILE, which was
BEFORE, had become what it is now; both are of one length. It lies beside FILE
(lib/io/journal.h).

--set gives another value to a field of the header, or to "at" or "bytes" of the
run of old bytes, and keeps the sum right; --flip and --cut then damage what is
there: a bit of a byte, counted from the end if below 0, and all but the first N
bytes.
"""

import argparse
import os
import struct

FIELDS = ("length", "inode", "seconds", "nanoseconds", "size", "inserted",
          "extents", "runs", "rest_bytes", "rest")
NOT_KNOWN = 2 ** 64 - 1


def differing(before, now):
    """The bytes from the first to the last that is another."""
    assert len(before) == len(now)
    places = [i for i, (a, b) in enumerate(zip(before, now)) if a != b] or [0]
    return places[0], before[places[0]:places[-1] + 1]


def stir(number):
    number = number * 0x9e3779b97f4a7c15 % 2 ** 64
    return number ^ number >> 32


def checksum(data):
    """lib/base/sum.h: words in turn into four lanes."""
    data += bytes(-len(data) % 32)
    lanes, total = [stir(lane + 1) for lane in range(4)], 0
    for i, (word,) in enumerate(struct.iter_unpack("<Q", data)):
        lanes[i % 4] = stir(lanes[i % 4] ^ word)
    for lane in lanes:
        total = stir(total ^ lane)
    return total


def header(inode, size, inserted, extents, runs, old):
    length = 96 + 24 * len(extents) + 16 * len(runs) + 2 * len(old)
    return dict(zip(FIELDS, (length, inode, 0, NOT_KNOWN, size, inserted,
                             len(extents), len(runs), 0, 0)))


def encode(fields, extents, runs, old, new=None):
    """A journal: `fields` are those of its header, `old` and `new` are the bytes
    of all runs."""
    numbers = [*fields.values(), *(n for x in (*extents, *runs) for n in x)]
    data = b"GGKJRNL1" + struct.pack(f"<{len(numbers)}Q", *numbers) + old + (
        old if new is None else new)
    return bytearray(data + struct.pack("<Q", checksum(data)))


def journal(before, now, inode, changes):
    at, old = differing(before, now)
    fields = header(inode, len(before), 0, (), [(at, len(old))], old)
    fields.update(at=at, bytes=len(old))
    for change in changes:
        name, value = change.split("=")
        assert name in fields, name
        fields[name] = int(value, 0)
    run = fields.pop("at"), fields.pop("bytes")
    return encode(fields, (), [run], old, now[at:at + len(old)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("file")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--flip", type=int)
    parser.add_argument("--cut", type=int)
    args = parser.parse_args()
    with open(args.before, "rb") as before, open(args.file, "rb") as now:
        data = journal(before.read(), now.read(), os.stat(args.file).st_ino,
                       args.set)
    if args.flip is not None:
        data[args.flip] ^= 1
    folder, name = os.path.split(args.file)
    with open(os.path.join(folder, f".{name}.ggk-journal"), "wb") as out:
        out.write(data[:args.cut])


if __name__ == "__main__":
    main()
