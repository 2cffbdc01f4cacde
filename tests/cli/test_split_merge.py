#!/usr/bin/env -S python3 -B
"""test_split_merge.py GGUF [ROUNDS [SEED]] - random models, split and merged.

The shards that must come are built here, by tests/gen alone: cut where one
more tensor would break a limit, each laid out anew. They are compared byte for
byte; so is what merging gives, which is the model in canonical form.
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
from ggufgen import File, KV, Tensor, arch  # noqa: E402
from seeded import Dice, random_keys, random_tensors  # noqa: E402

ALIGNS = (8, 16, 24, 32, 64, 128, 4096)


class Model:
    """Keys and tensors; built as one file, or as shards."""

    def __init__(self, dice, align, big):
        self.align, self.big = align, big
        self.kvs = random_keys(dice)[:dice.below(25)]
        if dice.below(2):
            self.kvs.insert(0, arch())
        if align != 32 or dice.below(4) == 0:
            at = dice.below(len(self.kvs) + 1)
            self.kvs.insert(at, KV("general.alignment", "u32", align))
        self.tensors = random_tensors(dice)[:dice.below(11)]
        for i in range(dice.below(12)):
            self.tensors.append(Tensor(f"more.{i}", [dice.below(3000)], "I8"))
        if dice.below(3) == 0:
            self.tensors.insert(0, Tensor("scalar", []))
        for i, t in enumerate(self.tensors):
            t.data = t.content(i)  # whatever its number in a shard will be

    def file(self, kvs, tensors, **more):
        return File(kvs, tensors, big=self.big, align=self.align,
                    **more).build()

    def whole(self):
        return self.file(self.kvs, self.tensors)

    def odd(self, dice):
        """The same, not in canonical form."""
        kvs = list(self.kvs)
        if dice.below(2):
            kvs.insert(0, KV("general.split_count", "u16", 1))
        return self.file(kvs, self.tensors, last=dice.below(2) > 0,
                         version=3 if self.big else dice.choice((2, 3)),
                         tail=b"x" * dice.below(5) * 9)

    def shard(self, no, count, tensors):
        kvs = list(self.kvs) if no == 0 else []
        if no > 0 and self.align != 32:
            kvs = [KV("general.alignment", "u32", self.align)]
        kvs += [KV("split.no", "u16", no),
                KV("split.tensors.count", "i32", len(self.tensors)),
                KV("split.count", "u16", count)]
        return self.file(kvs, tensors)

    def size(self, no, tensors):
        return len(self.shard(no, 1, tensors))

    def shards(self, max_size, max_tensors, no_tensor_first):
        parts = [[]]
        for i, t in enumerate(self.tensors):
            last = parts[-1]
            full = (max_size and
                    self.size(len(parts) - 1, last + [t]) > max_size)
            if full and not last:
                # To leave the first one empty must gain something.
                full = len(parts) == 1 and self.size(0, []) > self.size(1, [])
            if (full or (max_tensors and len(last) == max_tensors)
                    or (no_tensor_first and i == 0)):
                parts.append([])
            parts[-1].append(t)
        return [self.shard(no, len(parts), part)
                for no, part in enumerate(parts)]


def limits(dice, model):
    """Some limits, mostly near those where something changes."""
    max_size = max_tensors = 0
    kind = dice.below(3)
    if kind != 0:
        n = dice.below(len(model.tensors) + 1)
        at = dice.below(len(model.tensors) - n + 1)
        max_size = max(1, model.size(dice.below(2), model.tensors[at:at + n])
                       + dice.below(3) - 1)
    if kind != 1:
        max_tensors = 1 + dice.below(len(model.tensors) + 2)
    return max_size, max_tensors, dice.below(4) == 0


def words(max_size, max_tensors, no_tensor_first):
    result = ["--max-size", str(max_size)] if max_size else []
    if max_tensors:
        result += ["--max-tensors", str(max_tensors)]
    if no_tensor_first:
        result.append("--no-tensor-first-split")
    return result


class Test:
    def __init__(self, gguf, folder):
        self.gguf, self.folder = gguf, folder
        self.n_shards = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def names(self, prefix, n):
        return [self.path(f"{prefix}-{i + 1:05d}-of-{n:05d}.gguf")
                for i in range(n)]

    def run(self, *args):
        child = subprocess.run([self.gguf, *args, "-q", "--threads", "2"],
                               capture_output=True, check=False)
        if child.returncode != 0 or child.stderr:
            raise SystemExit(f"{args}: exit {child.returncode}: "
                             f"{child.stderr[:300]!r}")

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def expect(self, what, path, data):
        with open(path, "rb") as f:
            found = f.read()
        if found != data:
            at = next((i for i, (a, b) in enumerate(zip(found, data))
                       if a != b), min(len(found), len(data)))
            raise SystemExit(f"{what}: {path} has {len(found)} bytes, not "
                             f"{len(data)}; they differ at {at}")

    def split(self, what, model, given, prefix, limit):
        expected = model.shards(*limit)
        self.run("split", given, self.path(prefix), *words(*limit))
        names = self.names(prefix, len(expected))
        there = sorted(n for n in os.listdir(self.folder)
                       if n.startswith(prefix + "-"))
        if there != [os.path.basename(n) for n in names]:
            raise SystemExit(f"{what}: {there}, not {names}")
        for name, data in zip(names, expected):
            self.expect(what, name, data)
        self.n_shards += len(names)
        return names

    def model(self, what, dice, align, big):
        model = Model(dice, align, big)
        given = self.write("in.gguf", model.odd(dice))
        first, second = limits(dice, model), limits(dice, model)
        names = self.split(f"{what}, {first}", model, given, "a", first)
        some = names if dice.below(2) else [dice.choice(names)]
        self.run("merge", *some, self.path("out.gguf"))
        self.expect(what, self.path("out.gguf"), model.whole())
        again = self.split(f"{what}, {first}, {second}", model,
                           dice.choice(names), "b", second)
        self.run("merge", "--force", dice.choice(again),
                 self.path("out.gguf"))
        self.expect(what, self.path("out.gguf"), model.whole())
        for name in os.listdir(self.folder):
            os.remove(self.path(name))


def main(args):
    if not 1 <= len(args) <= 3:
        raise SystemExit(__doc__)
    rounds = int(args[1]) if len(args) > 1 else 4
    seed = int(args[2]) if len(args) > 2 else 1
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        test = Test(args[0], folder)
        for turn in range(rounds):
            for align in ALIGNS:
                for big in (False, True):
                    test.model(f"seed {seed}, align {align}, big {big}",
                               Dice(seed), align, big)
                    seed += 1
    print(f"{rounds * 2 * len(ALIGNS)} models, {test.n_shards} shards")


if __name__ == "__main__":
    main(sys.argv[1:])
