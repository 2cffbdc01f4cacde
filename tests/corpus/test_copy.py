"""test_copy.py - every file of the corpus, copied, to the byte.

usage: test_copy.py GGUF CORPUS [PARTS]

What `gguf copy` has to write is made by tests/gen/canonical.py, which shares
nothing with the library. What does not open, or lacks data, must be refused
and leave nothing behind. Of PARTS parts of the corpus one is taken, another each
day; GGK_SEED repeats one.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "gen"))

import canonical  # noqa: E402
import rules  # noqa: E402

LARGEST = 4 << 20  # of a file, and of what it becomes
ALIGNMENTS = 1, 8, 32, 64, 4096, 65536

# What is no fault of the content.
EXIT = {"VERSION_NEW": 5}


def files(corpus):
    for folder, _, names in sorted(os.walk(corpus)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".gguf") and os.path.getsize(path) <= LARGEST:
                yield path


def expected(data, align):
    """(exit status, bytes or None)"""
    try:
        m = rules.read(data)
        if m.alignment > LARGEST:
            return None, None
        made = canonical.aligned(m, align) if align else canonical.copy(m)
        return 0, made
    except rules.Bad as bad:
        return EXIT.get(bad.status, 4), None


def run(gguf, path, out, align):
    words = [gguf, "copy", "-q", "--single", path, out]
    if align:
        words += ["--force", "--align", str(align)]
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def check(gguf, path, folder, align):
    """What is wrong, or None."""
    out = os.path.join(folder, "out.gguf")
    with open(path, "rb") as f:
        data = f.read()
    status, made = expected(data, align)
    if status is None:
        return None
    got, stdout, stderr = run(gguf, path, out, align)
    left = os.listdir(folder)
    if left == ["out.gguf"]:
        with open(out, "rb") as f:
            data = f.read()
        os.unlink(out)
    elif left or got == 0:
        return f"left {left}, status {got}"
    if got != status:
        return f"status {got}, not {status}: {stderr.decode()}"
    if stdout or (got != 0) != (stderr.count(b"\n") == 1 and b": " in stderr):
        return f"said {stdout + stderr}"
    if got == 0 and data != made:
        at = next((i for i, (a, b) in enumerate(zip(data, made)) if a != b),
                  min(len(data), len(made)))
        return f"{len(data)} bytes, not {len(made)}; other from byte {at} on"
    return None


def main(args):
    if len(args) not in (3, 4):
        sys.exit(__doc__)
    parts = int(args[3]) if len(args) == 4 else 1
    seed = int(os.environ.get("GGK_SEED", time.time() // 86400))
    gguf, corpus = os.path.abspath(args[1]), args[2]
    failed = copied = 0
    # In memory, where waiting for the disk takes no time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for number, path in itertools.islice(
                enumerate(files(corpus)), seed % parts, None, parts):
            for align in 0, ALIGNMENTS[number % len(ALIGNMENTS)]:
                wrong = check(gguf, path, folder, align)
                copied += 1
                if wrong is not None:
                    failed += 1
                    print(f"{path} (alignment {align}): {wrong}")
    print(f"{copied} copies, {failed} wrong"
          + (f", GGK_SEED={seed}" if parts > 1 else ""))
    return failed > 0 or copied < 500 // parts


sys.exit(main(sys.argv))
