#!/usr/bin/env -S python3 -B
"""test_export_names.py GGUF [ROUNDS [SEED]] - odd names of tensors, exported.

Whatever a tensor is called, its file lies in the folder that was named and
nowhere else, which a listing of all that lies around shows; it has the name
that is computed here, and the tensor's bytes. What cannot be a file is refused,
and then nothing is made. In safetensors the names come back as they were.
"""

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
from ggufgen import File, Tensor, arch  # noqa: E402

PLAIN = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            b"._-")
NAMES = [
    b"../x", b"../../../x", b"/x", b"//x", b"/tmp/x", b"a/../../x", b"a/b",
    b".", b"..", b"...", b".hidden", b"-rf", b"--force", b"~", b"~/x",
    b"..\\x", b"C:\\x", b"C:x", b"a\nb", b"a\rb\tc", b"a\0b", b"\0", b"%",
    b"%2F", b"%2e%2e%2fx", b"%s%s%n", b"$HOME", b"`id`", b"$(id)", b"a;id",
    b"a|b", b"*", b"?[a]", b"\x1b]0;x\x07", b" ", b"x ", b"CON", b"nul.txt",
    b"\xff\xfe", b"\xc3\xa9", b"\xe2\x80\xae", b"x.npy", b"'\"\\", b"\x7f",
    b"__metadata__", b"a" * 251, b"a" * 252, b"/" * 83, b"/" * 84, b"",
]


def file_name(name):
    """The name of its file, without the ending."""
    return "".join(chr(c) if c in PLAIN and not (i == 0 and c in b".-")
                   else f"%{c:02X}" for i, c in enumerate(name))


def is_text(name):
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def fits(name):
    return name != b"" and len(file_name(name)) + 4 <= 255


def listing(root):
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), root)] = None
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, root)] = f.read()
    return found


class Bench:
    def __init__(self, gguf, root):
        self.gguf, self.root = gguf, root
        self.failures = self.checks = 0

    def check(self, right, *words):
        self.checks += 1
        if not right:
            self.failures += 1
            print(*words)

    def export(self, names, *words):
        """The exit status, and what is new around the model."""
        shutil.rmtree(self.root)
        here = os.path.join(self.root, "a", "b")
        os.makedirs(here)
        tensors = [Tensor(n, [8], "I8") for n in names]
        for i, t in enumerate(tensors):
            t.data = bytes((i * 8 + k) % 256 for k in range(8))
        with open(os.path.join(here, "in.gguf"), "wb") as f:
            f.write(File([arch()], tensors).build())
        before = listing(self.root)
        run = subprocess.run([self.gguf, "export", *words, "in.gguf", "-o"] +
                             (["out.safetensors"] if not words else ["out"]),
                             cwd=here, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        said = run.stdout + run.stderr
        self.check(not any(c < 32 and c != 10 or c == 127 for c in said),
                   "a control character:", names, said)
        after = listing(self.root)
        return run.returncode, tensors, {
            k[4:]: v for k, v in after.items() if k not in before}

    def alone(self, names):
        status, tensors, made = self.export(names, "--raw")
        able = all(map(fits, names)) and len(set(names)) == len(names)
        wanted = {"out": None}
        wanted.update((f"out/{file_name(n)}.bin", t.data)
                      for n, t in zip(names, tensors))
        self.check(status == (0 if able else 4 if all(map(fits, names))
                              else 5), names, "exit", status)
        self.check(made == (wanted if able else {}), names, "made", [*made])

    def together(self, names):
        status, tensors, made = self.export(names)
        able = all(map(is_text, names)) and b"__metadata__" not in names
        bare = {n[:-1] if n.endswith(b"\0") else n for n in names}
        if not able or len(bare) != len(names):
            self.check(status in (4, 5) and not made, names, "exit", status)
            return
        self.check(status == 0 and [*made] == ["out.safetensors"], names,
                   "exit", status)
        data = made.get("out.safetensors", bytes(8))
        n, = struct.unpack_from("<Q", data)
        self.check(n % 8 == 0, names, "a header of", n, "bytes")
        header = json.loads(data[8:8 + n])
        for name, t in zip(names, tensors):
            begin, end = header[name.decode()]["data_offsets"]
            self.check(data[8 + n + begin:8 + n + end] == t.data, name)
        self.check(len(header) == len(names), names, [*header])


def random_name(rng):
    letters = rng.choice((b"ab", b"./", b"/.\\%\0", bytes(range(256)),
                          "é\u202e\U0001f600\"\\\n".encode()))
    if rng.random() < 0.1:
        return rng.choice(NAMES)
    n = rng.choice((1, 2, 3, 8, rng.randrange(1, 90), rng.randrange(240, 260)))
    return bytes(rng.choice(letters) for _ in range(n))


def main():
    gguf = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.getrandbits(32)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "root")
        os.mkdir(root)
        bench = Bench(gguf, root)
        for name in NAMES:
            bench.alone([name])
            bench.together([name])
        good = [n for n in NAMES if fits(n)]
        bench.alone(good)
        bench.together([n for n in NAMES
                        if is_text(n) and n != b"__metadata__"])
        bench.alone([b"a", b"b", b"a"])
        for _ in range(rounds):
            names = [random_name(rng) for _ in range(rng.randrange(1, 6))]
            bench.alone(names)
            bench.together(names)
    print(f"{len(NAMES)} names, {rounds} rounds, seed {seed}: "
          f"{bench.checks} checks, {bench.failures} failures")
    sys.exit(bench.failures != 0)


main()
