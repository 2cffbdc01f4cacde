"""test_edit.py - every file of the corpus, edited in its place.

usage: test_edit.py GGUF CORPUS [PARTS]

A key is added and removed again: then the file is what tests/gen/canonical.py
makes of it. What does not open, or lacks data, or has more bytes behind its
tensors than belong to it, must be refused, stay as it was, and leave nothing
beside it. One file of PARTS is taken, another one each day, or as GGK_SEED says.
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
KEY = "test.added"

# What is no fault of the content.
EXIT = {"VERSION_NEW": 5}


def files(corpus):
    for folder, _, names in sorted(os.walk(corpus)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".gguf") and os.path.getsize(path) <= LARGEST:
                yield path


def expected(data):
    """(exit status, bytes or None); a status of None: it is too large."""
    try:
        m = rules.read(data)
        if m.alignment > LARGEST:
            return None, None
        return 0, canonical.copy(m)
    except rules.Bad as bad:
        return EXIT.get(bad.status, 4), None


class Failure(Exception):
    """What is wrong, in words."""


class Editor:
    def __init__(self, gguf, folder):
        self.gguf, self.folder = gguf, folder
        self.path = os.path.join(folder, "model.gguf")

    def read(self):
        with open(self.path, "rb") as f:
            return f.read()

    def run(self, *words):
        """(exit status, messages); the file is there, and nothing else is."""
        command, *rest = words
        done = subprocess.run(
            [self.gguf, command, "-q", "--single", self.path, *rest],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        left = os.listdir(self.folder)
        if left != ["model.gguf"]:
            raise Failure(f"{command} left {left}")
        if done.stdout:
            raise Failure(f"{command} said {done.stdout}")
        if (done.returncode != 0) != (done.stderr.count(b"\n") == 1):
            raise Failure(f"{command}: {done.returncode}, {done.stderr}")
        return done.returncode, done.stderr.decode()

    def refused(self, data, statuses, *words):
        got, said = self.run(*words)
        if got not in statuses:
            raise Failure(f"{words}: status {got}, not {statuses}: {said}")
        if self.read() != data:
            raise Failure(f"{words} fails, and changes the file")

    def done(self, *words):
        got, said = self.run(*words)
        if got != 0:
            raise Failure(f"{words}: status {got}: {said}")

    def edit(self, data):
        """True if the file could be edited."""
        status, made = expected(data)
        if status is None:
            return False
        with open(self.path, "wb") as f:
            f.write(data)
        if status != 0:
            self.refused(data, [status], "set", KEY + "=1", "--force")
            self.refused(data, [status], "set", KEY + "=1", "--force",
                         "--dry-run")
            # What is cut in its data is opened, and has no such key.
            self.refused(data, [status, 1], "rm", KEY)
            self.refused(data, [status, 1], "rename", KEY, "x")
            return False
        self.refused(data, [1], "rm", KEY, "--force")
        self.refused(data, [1], "rename", KEY, "x", "--force")
        self.refused(data, [1], "rename", "--tensor", KEY, "x", "--force")
        self.refused(data, [2], "set", KEY + "=1", "--type", "UINT8", "a.b=256",
                     "--force")
        got, _ = self.run("set", "--rewrite", KEY + "=1")
        if got == 2:  # there is more than a model
            if self.read() != data:
                raise Failure("set refuses, and changes the file")
            self.done("set", "--rewrite", KEY + "=1", "--force")
        elif got != 0:
            raise Failure(f"set: status {got}")
        self.done("rename", "--rewrite", KEY, KEY + ".renamed")
        self.done("rm", "--rewrite", KEY + ".renamed")
        if self.read() != made:
            raise Failure("it is not what it was")
        # The same in place, as far as that can be done; written anew it is
        # rid of free space.
        with open(self.path, "wb") as f:
            f.write(data)
        self.done("set", KEY + "=1", "--force")
        self.done("rename", "--force", KEY, KEY + ".renamed")
        self.done("set", KEY + ".renamed=2", "--force")
        self.done("rm", "--force", "--rewrite", KEY + ".renamed")
        if self.read() != made:
            raise Failure("after edits in place it is not what it was")
        return True


def main(args):
    if len(args) not in (3, 4):
        sys.exit(__doc__)
    parts = int(args[3]) if len(args) == 4 else 1
    seed = int(os.environ.get("GGK_SEED", time.time() // 86400))
    failed = edited = n = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        editor = Editor(os.path.abspath(args[1]), folder)
        for path in itertools.islice(files(args[2]), seed % parts, None, parts):
            with open(path, "rb") as f:
                data = f.read()
            try:
                n += 1
                edited += editor.edit(data)
            except Failure as why:
                failed += 1
                print(f"{path}: {why}")
    print(f"{n} files, {edited} edited, {failed} wrong"
          + (f", GGK_SEED={seed}" if parts > 1 else ""))
    return failed > 0 or edited < 100 // parts


sys.exit(main(sys.argv))
