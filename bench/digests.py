#!/usr/bin/env -S python3 -B
"""digests.py GGUF FILE [ROUNDS] - `gguf hash` beside other programs that hash.

By turns, each on the same file, which lies in the page cache. GGK_LLAMA_GGUF_HASH
names llama.cpp's llama-gguf-hash; what is not there is left out. A ratio is the
median of those within the rounds.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from statistics import median


def programs(gguf):
    llama = os.environ.get("GGK_LLAMA_GGUF_HASH")
    found = {
        "gguf hash": [gguf, "hash"],
        "gguf hash --threads 1": [gguf, "hash", "--threads", "1"],
        "xxhsum -H1": ["xxhsum", "-H1"],
        "gguf hash -t -a sha256": [gguf, "hash", "-t", "-a", "sha256"],
        "gguf hash --content": [gguf, "hash", "--content"],
        "openssl dgst -sha256": ["openssl", "dgst", "-sha256"],
    }
    if llama:
        found["llama-gguf-hash --sha256"] = [llama, "--sha256"]
    return {name: words for name, words in found.items()
            if shutil.which(words[0])}


def run(words, path):
    """(wall, CPU) seconds."""
    begun = time.monotonic()
    child = subprocess.Popen([*words, path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    wall = time.monotonic() - begun
    if status != 0:
        raise SystemExit(f"{words}: status {status}")
    return wall, usage.ru_utime + usage.ru_stime


def ratio(taken, one, other, which):
    if one not in taken or other not in taken:
        return None
    return median(a[which] / b[which] for a, b in zip(taken[one],
                                                      taken[other]))


def main(args):
    if len(args) not in (2, 3):
        raise SystemExit(__doc__)
    gguf, path = args[:2]
    jobs = programs(gguf)
    taken = {name: [] for name in jobs}
    with open(path, "rb") as f:
        while f.read(1 << 20):
            pass
    for _ in range(int(args[2]) if len(args) == 3 else 5):
        for name in random.sample(list(jobs), len(jobs)):
            taken[name].append(run(jobs[name], path))
    size = os.path.getsize(path) / 1e9
    print(f"{size:.2f} GB, load {os.getloadavg()[0]:.1f}\n")
    print("| program | wall time | CPU time |\n| --- | ---: | ---: |")
    for name, runs in taken.items():
        print(f"| `{name}` | {median(r[0] for r in runs):.2f} s "
              f"| {median(r[1] for r in runs):.2f} s |")
    print("\n| how many times as fast | by wall time | by CPU time |\n"
          "| --- | ---: | ---: |")
    for other, one in (("xxhsum -H1", "gguf hash"),
                       ("llama-gguf-hash --sha256", "gguf hash -t -a sha256"),
                       ("openssl dgst -sha256", "gguf hash -t -a sha256"),
                       ("openssl dgst -sha256", "gguf hash --content")):
        if ratio(taken, other, one, 0) is not None:
            print(f"| `{one}` over `{other}` "
                  f"| {ratio(taken, other, one, 0):.2f} "
                  f"| {ratio(taken, other, one, 1):.2f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
