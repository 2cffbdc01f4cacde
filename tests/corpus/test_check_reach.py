#!/usr/bin/env -S python3 -B
"""test_check_reach.py GGUF FOLDER [SLOWER] - gguf check takes time and memory in
proportion to the header, whatever is in it.

The files are those of tests/gen/big.py, made in FOLDER. A program that is
instrumented may be SLOWER times as slow, and is not asked about its memory.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BIG = os.path.join(HERE, "..", "gen", "big.py")
MIB = 1 << 20

# CPU seconds that each may take: 10^5 entries, 10^6, ten million strings, and
# arrays in arrays 10^5 deep, which end at the 17th.
SECONDS = {"tensors1e5": 0.2, "tensors1e6": 2.0, "keys1e5": 0.2,
           "keys1e6": 2.0, "collide": 0.2, "strings1e7": 2.0, "deep1e5": 0.1}
MOST_RATIO = 15  # of ten times as much
TOO_SHORT = 0.02  # to be compared with anything


def measure(gguf, path):
    """(exit status, CPU seconds, peak bytes), the best of three."""
    best = None
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.execv(gguf, [gguf, "check", path])
        _, status, usage = os.wait4(pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        if best is None or seconds < best[1]:
            best = (os.waitstatus_to_exitcode(status), seconds,
                    usage.ru_maxrss * 1024)
    return best


def header_bytes(name, path):
    """Of the files with tensors the rest is a hole of 32 bytes for each."""
    size = os.path.getsize(path)
    return size - 32 * int(float(name[7:])) if "tensors" in name else size


def main(args):
    if len(args) not in (2, 3):
        raise SystemExit(__doc__)
    gguf, folder = args[:2]
    slower = float(args[2]) if len(args) == 3 else 1
    subprocess.run([sys.executable, "-B", BIG, folder, *SECONDS], check=True)
    seconds, wrong = {}, 0
    for name, most in SECONDS.items():
        path = os.path.join(folder, name + ".gguf")
        status, seconds[name], peak = measure(gguf, path)
        head = header_bytes(name, path)
        print(f"{name}: {seconds[name]:.3f} s, {peak / MIB:.1f} MiB for "
              f"{head / MIB:.1f} MiB of header, exit {status}")
        wrong += status not in (0, 1) or seconds[name] > most * slower
        wrong += slower == 1 and peak > 4 * head + 16 * MIB
    for kind in ("tensors", "keys"):
        few = max(seconds[kind + "1e5"], TOO_SHORT)
        wrong += seconds[kind + "1e6"] > MOST_RATIO * few
    wrong += seconds["collide"] > 2 * max(seconds["keys1e5"], TOO_SHORT)
    print(f"{wrong} bounds broken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
