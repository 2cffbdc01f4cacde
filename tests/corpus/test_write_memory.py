#!/usr/bin/env -S python3 -B
"""test_write_memory.py GGUF FOLDER - commands that write take little memory.

Of a model with 10^6 tensors, made by tests/gen/big.py in FOLDER, each command
may take 64 MiB and twice the header: which it holds once as it was, with the
places and the names of its tensors; the plan; and once more as it is checked.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BIG = os.path.join(HERE, "..", "gen", "big.py")
MIB = 1 << 20
N_TENSORS = 10 ** 6
BYTES = 32 * N_TENSORS  # of the tensors, with their padding

# In this order: some take what those before them have written.
COMMANDS = (
    "copy IN -o OUT/copy.gguf",
    "copy IN -o OUT/none.gguf --dry-run",
    "set IN general.name=x -o OUT/set.gguf",
    "set OUT/set.gguf general.name=y general.description=z",
    "set OUT/set.gguf general.name=x --rewrite",
    "set OUT/set.gguf general.name=longer --dry-run",
    "rename OUT/set.gguf general.name general.title",
    "rename --tensor IN blk.000005.weight a -o OUT/rename.gguf",
    "rm OUT/set.gguf general.title",
    "rm --tensor IN blk.000005.weight -o OUT/rm.gguf",
    "split IN --max-size 10M -o OUT/small",
    "split IN --max-tensors 1000000 --no-tensor-first-split -o OUT/large",
    "split IN --max-size 10M -o OUT/none --dry-run",
    "merge OUT/large-00001-of-00002.gguf -o OUT/merge.gguf",
    "fix IN -o OUT/fix.gguf",
    "fix IN -o OUT/none.gguf --dry-run",
)


def measure(gguf, words):
    """(exit status, peak bytes)"""
    with subprocess.Popen([gguf, *words], stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss * 1024


def main(args):
    if len(args) != 2:
        raise SystemExit(__doc__)
    gguf, folder = args
    out = os.path.join(folder, "out")
    model = os.path.join(folder, "tensors1e6.gguf")
    subprocess.run([sys.executable, "-B", BIG, folder, "tensors1e6"],
                   check=True)
    subprocess.run(["rm", "-rf", out], check=True)
    os.mkdir(out)
    most = 64 * MIB + 2 * (os.path.getsize(model) - BYTES)
    wrong = 0
    for command in COMMANDS:
        status, peak = measure(gguf, [
            word.replace("OUT", out, 1) if word.startswith("OUT") else
            model if word == "IN" else word for word in command.split()])
        print(f"{command}: {peak / MIB:.1f} MiB, exit {status}")
        wrong += status != 0 or peak > most
    print(f"{wrong} bounds broken, of {most / MIB:.1f} MiB")
    subprocess.run(["rm", "-rf", out], check=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
