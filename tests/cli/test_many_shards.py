#!/usr/bin/env -S python3 -B
"""test_many_shards.py GGUF - gguf merge and split take time in proportion to
the number of shards that they read.

CPU times are compared with each other only: four times as many shards are to
take four times as long, more or less; each with each it would be 16 times.
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
from ggufgen import File, KV, Tensor, arch  # noqa: E402

FEW, MANY, MOST_TIMES = 500, 2000, 8


def shard(i, n):
    """Shard `i` of `n`, with one tensor and, as all of them, a key."""
    return File([arch(), KV("general.name", "str", "many"),
                 KV("split.no", "u16", i), KV("split.count", "u16", n),
                 KV("split.tensors.count", "i32", n)],
                [Tensor(f"t.{i}", [8], "F32")]).build()


def write_set(folder, n):
    """The path of the first shard."""
    os.mkdir(folder)
    for i in range(n):
        with open(f"{folder}/m-{i + 1:05}-of-{n:05}.gguf", "wb") as f:
            f.write(shard(i, n))
    return f"{folder}/m-00001-of-{n:05}.gguf"


def seconds(words):
    """CPU time of a dry run that must succeed, the best of five."""
    times = []
    for _ in range(5):
        with subprocess.Popen(words + ["--dry-run"],
                              stdout=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{words[1]} failed")
        times.append(usage.ru_utime + usage.ru_stime)
    return min(times)


def main(args):
    if len(args) != 1:
        raise SystemExit(__doc__)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        few = write_set(f"{folder}/few", FEW)
        many = write_set(f"{folder}/many", MANY)
        for command in (["merge"], ["split", "--max-tensors", "10"]):
            words = [args[0], *command]
            ratio = (seconds(words + [many, f"{folder}/out"])
                     / seconds(words + [few, f"{folder}/out"]))
            print(f"{command[0]}: {MANY} shards take {ratio:.1f} times as "
                  f"long as {FEW}")
            wrong += ratio > MOST_TIMES
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
