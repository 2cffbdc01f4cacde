#!/usr/bin/env -S python3 -B
"""test_check_reach.py GGUF FOLDER [--instrumented] - gguf check takes time and
memory in proportion to the header, whatever is in it.

The files are those of tests/gen/big.py, made in FOLDER. Times are compared with
each other only. A program that is instrumented is not asked about its memory.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BIG = os.path.join(HERE, "..", "gen", "big.py")
MIB = 1 << 20

# All with exit status 1: of their architecture llama.cpp makes no model.
NAMES = ("tensors1e5", "tensors1e6", "keys1e5", "keys1e6", "collide",
         "strings1e7", "deep1e5")

# File, what it is compared with, and how many times its CPU time it may take.
# Ten times as much is to take ten times as long, more or less; each with each
# it would be a hundred times. Names that collide are to be as good as others.
RATIOS = (("tensors1e6", "tensors1e5", 25), ("keys1e6", "keys1e5", 25),
          ("collide", "keys1e5", 4))


def measure(gguf, path):
    """(exit status, CPU seconds, peak bytes), the best of five."""
    runs = []
    for _ in range(5):
        with subprocess.Popen([gguf, "check", path],
                              stdout=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        runs.append((usage.ru_utime + usage.ru_stime, child.returncode,
                     usage.ru_maxrss * 1024))
    seconds, status, peak = min(runs)
    return status, seconds, peak


def header_bytes(name, path):
    """Of the files with tensors the rest is a hole of 32 bytes for each."""
    size = os.path.getsize(path)
    return size - 32 * int(float(name[7:])) if "tensors" in name else size


def main(args):
    if len(args) not in (2, 3) or args[2:] not in ([], ["--instrumented"]):
        raise SystemExit(__doc__)
    gguf, folder = args[:2]
    subprocess.run([sys.executable, "-B", BIG, folder, *NAMES], check=True)
    seconds, wrong = {}, 0
    for name in NAMES:
        path = os.path.join(folder, name + ".gguf")
        status, seconds[name], peak = measure(gguf, path)
        head = header_bytes(name, path)
        print(f"{name}: {seconds[name]:.3f} s, {peak / MIB:.1f} MiB for "
              f"{head / MIB:.1f} MiB of header, exit {status}")
        wrong += status != 1
        wrong += not args[2:] and peak > 4 * head + 16 * MIB
    for name, other, most in RATIOS:
        ratio = seconds[name] / seconds[other]
        print(f"{name} takes {ratio:.1f} times as long as {other}")
        wrong += ratio > most
    print(f"{wrong} bounds broken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
