#!/usr/bin/env -S python3 -B
"""test_new_random.py GGUF [MODELS SEED] - random descriptions (300 of them):
what `gguf new` writes is what tests/gen/ggufgen.py makes of the same, byte for
byte; and what `gguf dump` prints of that is a description of it, too, and sets
the keys of another file to the same.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
import newspec  # noqa: E402
from ggufgen import TYPES  # noqa: E402
from seeded import Dice  # noqa: E402


def run(*words, **more):
    return subprocess.run(words, stderr=subprocess.PIPE, check=False, **more)


def wrong_file(child, path, wanted):
    """What is wrong with what was written, or None."""
    if child.returncode != 0:
        return child.stderr.decode()
    with open(path, "rb") as f:
        return None if f.read() == wanted else "it is not as it should be"


def try_model(gguf, folder, seed):
    file = newspec.model(Dice(seed), folder, sorted(TYPES))
    wanted = file.build()
    first, again = (os.path.join(folder, n) for n in ("a.gguf", "b.gguf"))
    child = run(gguf, "new", "-q", "--force", first, "--spec",
                os.path.join(folder, "spec.json"))
    wrong = wrong_file(child, first, wanted)
    if wrong:
        return wrong
    dump = run(gguf, "dump", "--json", "--full", first,
               stdout=subprocess.PIPE).stdout
    child = run(gguf, "new", "-q", "--force", again, "--spec", "-", input=dump)
    return wrong_file(child, again, wanted) or set_keys(gguf, folder, dump)


def set_keys(gguf, folder, dump):
    """Keys from `dump`, into a file without any: what is wrong, or None."""
    path = os.path.join(folder, "c.gguf")
    run(gguf, "new", "-q", path, "--spec", "-", input=b"{}")
    child = run(gguf, "set", "-q", "--force", "--rewrite", path,
                "--from-json", "-", input=dump)
    if child.returncode != 0:
        return child.stderr.decode()
    again = run(gguf, "dump", "--json", "--full", path,
                stdout=subprocess.PIPE).stdout
    if json.loads(again)["keys"] != json.loads(dump)["keys"]:
        return "set --from-json made other keys"
    return None


def main(args):
    if len(args) not in (1, 3):
        raise SystemExit(__doc__)
    n, seed = map(int, args[1:] or (300, 1000))
    failures = 0
    for i in range(seed, seed + n):
        with tempfile.TemporaryDirectory() as folder:
            wrong = try_model(os.path.abspath(args[0]), folder, i)
        if wrong:
            print(f"model {i}: {wrong}")
            failures += 1
    print(f"{n} models, {failures} failures")
    return 1 if failures or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
