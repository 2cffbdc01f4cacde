#!/usr/bin/env -S python3 -B
"""test_values.py GGUF [COUNT [SEED]] - what gguf tells of the numbers of
tensors is what Python computes from the same bytes: of random models, in
either byte order, with any number of threads.
"""

import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
from ggufgen import TYPES, File, Tensor, arch  # noqa: E402

BINS = 64


# ------------------------------------------------------------------- numbers
def f16(data):
    return list(struct.unpack(f"<{len(data) // 2}e", data))


def bf16(data):
    return list(struct.unpack(f"<{len(data) // 2}f", b"".join(
        b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))))


def single(x):
    """As a float has it."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def q8_0(data):
    out = []
    for i in range(0, len(data), 34):
        scale = f16(data[i:i + 2])[0]
        out += [single(scale * q) if math.isfinite(scale) else scale * q
                for q in struct.unpack("<32b", data[i + 2:i + 34])]
    return out


def q4_1(data):
    out = []
    for i in range(0, len(data), 20):
        d, m = f16(data[i:i + 4])
        quants = [b & 15 for b in data[i + 4:i + 20]]
        quants += [b >> 4 for b in data[i + 4:i + 20]]
        out += [single(single(q * d) + m) if math.isfinite(d + m) else q * d + m
                for q in quants]
    return out


# Numbers that struct knows.
PLAIN = {"F32": "f", "F64": "d", "I8": "b", "I16": "h", "I32": "i", "I64": "q"}


def plain(kind):
    width = struct.calcsize("<" + PLAIN[kind])
    return lambda d: list(map(float, struct.unpack(
        f"<{len(d) // width}{PLAIN[kind]}", d)))


DECODE = {**{kind: plain(kind) for kind in PLAIN},
          "F16": f16, "BF16": bf16, "Q8_0": q8_0, "Q4_1": q4_1}
# Words of a block that are swapped in a big-endian file: bytes of each.
WORDS = {**{kind: [struct.calcsize("<" + PLAIN[kind])] for kind in PLAIN},
         "F16": [2], "BF16": [2], "Q8_0": [2] + [1] * 32,
         "Q4_1": [2, 2] + [1] * 16}


def swapped(data, kind):
    out, at = [], 0
    while at < len(data):
        for width in WORDS[kind]:
            out.append(data[at:at + width][::-1])
            at += width
    return b"".join(out)


def random_data(rng, kind, n):
    """Of so many numbers; now and then with NaN, infinities and zeros."""
    odd = rng.random() < 0.3
    if rng.random() < 0.15:
        return same_data(rng, kind, n)
    if kind in PLAIN and kind[0] == "I":
        # Of I64 those that a double holds.
        most = 2 ** min(8 * TYPES[kind][2] - 1, 52)
        return struct.pack(f"<{n}{PLAIN[kind]}",
                           *(rng.randrange(-most, most) for _ in range(n)))
    if kind in PLAIN:
        scale = 10.0 ** (rng.randrange(-30, 30) * (1 if kind == "F32" else 4))
        x = [rng.gauss(0, 1) * scale for _ in range(n)]
        for _ in range(3 if odd and n else 0):
            x[rng.randrange(n)] = rng.choice((math.nan, math.inf, -math.inf,
                                              0.0, -0.0))
        return struct.pack(f"<{n}{PLAIN[kind]}", *x)
    size, block = TYPES[kind][2], TYPES[kind][1]
    data = bytearray(rng.randbytes(n // block * size))
    for i in range(0, len(data), size):
        for k in range(0, 4 if kind == "Q4_1" else 2, 2):
            if kind == "BF16":
                continue
            bits = 0x2000 + rng.randrange(0x1000)
            if odd and rng.random() < 0.01:
                bits = rng.choice((0x7c00, 0x7e01, 0xfc00))
            struct.pack_into("<H", data, i + k, bits)
    if kind == "BF16" and not odd:
        data = bytearray(b"".join(struct.pack("<H", 0x3c00 + rng.randrange(99))
                                  for _ in range(n)))
    return bytes(data)


def same_data(rng, kind, n):
    """All numbers are the same."""
    size, block = TYPES[kind][2], TYPES[kind][1]
    one = {**{k: struct.pack("<" + c, rng.choice((0, 3)))
              for k, c in PLAIN.items()},
           "F32": struct.pack("<f", rng.choice((0.0, -0.0, 1.5))),
           "F64": struct.pack("<d", rng.choice((0.0, -0.0, 1e-200))),
           "F16": struct.pack("<e", rng.choice((0.0, -2.0))),
           "BF16": struct.pack("<H", rng.choice((0, 0x3f80))),
           "Q8_0": struct.pack("<e32b", rng.choice((0.0, 3.0)), *[5] * 32),
           "Q4_1": struct.pack("<ee", 0.0, rng.choice((0.0, 0.25))) +
           rng.randbytes(16)}[kind]
    assert len(one) == size
    return one * (n // block)


class Model:
    def __init__(self, rng, big, shapes=None):
        self.tensors = list(shapes or ())
        for i in range(0 if shapes else rng.randrange(1, 6)):
            kind = rng.choice(list(DECODE))
            dims = [32 * rng.choice((1, 2, 5, 40)),
                    rng.choice((0, 1, 3, 50))][:rng.randrange(1, 3)]
            self.tensors.append((f"t.{i}", kind, dims))
        self.data = {name: random_data(rng, kind, math.prod(dims))
                     for name, kind, dims in self.tensors}
        self.bytes = self.build(big)

    def build(self, big):
        return File([arch()], [
            Tensor(name, dims, kind, data=swapped(self.data[name], kind)
                   if big else self.data[name])
            for name, kind, dims in self.tensors], big=big).build()

    def numbers(self, name):
        kind = {n: k for n, k, _ in self.tensors}[name]
        return DECODE[kind](self.data[name])


# --------------------------------------------------------------------- checks
def run(gguf, *words, status=0):
    child = subprocess.run([gguf, *words], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    if child.returncode != status:
        print(words, "exit status", child.returncode, child.stderr.decode())
        sys.exit(1)
    return child.stdout


def expect(right, *words):
    if not right:
        print(*words)
        sys.exit(1)


def near(is_, wanted, size):
    return abs(is_ - wanted) <= 1e-12 * size


def expect_stats(told, x):
    real = [v for v in x if math.isfinite(v)]
    expect(told["elements"] == len(x), told, "elements", len(x))
    expect(told["zeros"] == sum(v == 0 for v in x), told, "zeros")
    expect(told["nan"] == sum(math.isnan(v) for v in x), told, "nan")
    expect(told["infinite"] == sum(math.isinf(v) for v in x), told, "infinite")
    if not real:
        expect("mean" not in told, told, "mean of nothing")
        return
    expect((told["min"], told["max"]) == (min(real), max(real)), told, "range")
    mean = math.fsum(real) / len(real)
    size = math.fsum(map(abs, real)) / len(real)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in real) / len(real))
    expect(near(told["mean"], mean, size), told, "mean", mean)
    expect(near(told["deviation"], deviation, size), told, deviation)
    expect_bins(told, real)


def expect_bins(told, real):
    width = 2.0 ** -126
    while max(map(abs, real)) >= BINS // 2 * width:
        width *= 2
    bins = [0] * BINS
    for v in real:
        k = math.floor(abs(v) / width)
        bins[BINS // 2 - 1 - k if v < 0 else BINS // 2 + k] += 1
    expect(told["bin_width"] == width, told, "width", width)
    expect(told["bins"] == bins, told, "bins", bins)


def check_stats(gguf, model):
    with open("a.gguf", "wb") as f:
        f.write(model.bytes)
    texts = {run(gguf, "stats", "--json", "--threads", str(n), "a.gguf")
             for n in (1, 2, 7)}
    expect(len(texts) == 1, "not the same with other threads")
    for told in json.loads(texts.pop())["tensors"]:
        expect_stats(told, model.numbers(told["name"]))


def odd_scales(kind, data):
    """Numbers of blocks whose scales are NaN or infinite."""
    size, n = TYPES[kind][2], {"Q8_0": 1, "Q4_1": 2}[kind]
    return [i // size for i in range(0, len(data), size)
            if not all(map(math.isfinite, f16(data[i:i + 2 * n])))]


def expected_findings(model, name, kind, dims):
    """Rule, how many, and the number of the first."""
    x = model.numbers(name)
    if TYPES[kind][1] > 1:
        bad = odd_scales(kind, model.data[name])
        if bad:
            yield "numbers-scale", len(bad), bad[0] * TYPES[kind][1], kind
    else:
        for rule, test in (("nan", math.isnan), ("infinite", math.isinf)):
            bad = [i for i, v in enumerate(x) if test(v)]
            if bad:
                yield f"numbers-{rule}", len(bad), bad[0], kind
    if len(x) > 1 and all(v == x[0] for v in x):
        yield ("numbers-constant" if x[0] else "numbers-zero"), len(x), 0, kind


def check_findings(gguf, model):
    wanted, told = [], []
    for name, kind, dims in model.tensors:
        for rule, n, first, _ in expected_findings(model, name, kind, dims):
            byte = first // TYPES[kind][1] * TYPES[kind][2]
            wanted.append((rule, name, n, first, byte, dims[0]))
    texts = set()
    for n in (1, 3):
        child = subprocess.run([gguf, "check", "--data", "--json", "--max",
                                "999", "--threads", str(n), "a.gguf"],
                               stdout=subprocess.PIPE)
        expect(child.returncode == 1, "exit status", child.returncode)
        texts.add(child.stdout)
    expect(len(texts) == 1, "not the same with other threads")
    where = {t["name"]: t["offset"] for t in json.loads(run(
        gguf, "tensors", "--json", "a.gguf"))["tensors"]}
    found = [f for f in json.loads(texts.pop())["files"][0]["findings"]
             if f["rule"].startswith("numbers-")]
    expect(len(found) == len(wanted), found, wanted)
    for f, (rule, name, n, first, byte, ne0) in zip(found, wanted):
        expect(f["rule"] == rule and f["offset"] == where[name] + byte, f, name)
        expect(f["text"].startswith(f'"{name}": ') and str(n) in f["text"],
               f, n)
        expect((f["tensor"], f["count"], f["row"], f["column"], f["slice"]) ==
               (name, n, first // ne0, first % ne0, 0), f, name, n, first)
        expect(rule[8:] in ("zero", "constant") or f["text"].endswith(
            f"row {first // ne0}, column {first % ne0}"), f, first)


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def in_range(numbers):
    """(numbers, e): the same in parts of 2^e, so that squares of them are in
    range."""
    e = math.frexp(max(map(abs, numbers), default=0))[1]
    return [math.ldexp(x, -e) for x in numbers], e


def expect_distance(told, a, b):
    finite = [(x, y) for x, y in zip(a, b)
              if math.isfinite(x) and math.isfinite(y)]
    odd = [(x, y) for x, y in zip(a, b)
           if not (math.isfinite(x) and math.isfinite(y))]
    lost = sum(not same(x, y) for x, y in odd)
    differ = lost + sum(x != y for x, y in finite)
    expect((told["elements"], told["differ"], told["not_finite"],
            told["lost"]) == (len(a), differ, len(odd), lost), told, "counts")
    of_a, e_a = in_range([x for x, _ in finite])
    of_b, _ = in_range([y for _, y in finite])
    apart, e = in_range([x - y for x, y in finite])
    squares = math.fsum(z * z for z in apart)
    aa = math.fsum(x * x for x in of_a)
    bb = math.fsum(y * y for y in of_b)
    rmse = math.ldexp(math.sqrt(squares / len(finite)), e) if finite else 0
    expect(near(told["rmse"], rmse, rmse), told, "rmse", rmse)
    if squares and not aa:
        expect(told["relative"] == "inf", told, "relative")
    else:
        relative = (math.ldexp(math.sqrt(squares / aa), e - e_a) if squares
                    else 0)
        expect(near(told["relative"], relative, relative), told, relative)
    far = [abs(x - y) if math.isfinite(x) and math.isfinite(y) else 0
           for x, y in zip(a, b)]
    expect(told["max"] == max(far, default=0), told, "max", max(far, default=0))
    expect(not far or told["max_at"] == far.index(max(far)), told, "max_at")
    size = math.sqrt(aa) * math.sqrt(bb)
    cosine = (math.fsum(x * y for x, y in zip(of_a, of_b)) / size if size
              else float(aa == bb))
    expect(abs(told["cosine"] - cosine) < 1e-12, told, "cosine", cosine)


def check_distances(gguf, rng, a, big):
    """The same shapes and names, in other types and other order."""
    b = Model(rng, big, [(name, kind if rng.random() < 0.4 else
                          rng.choice(list(DECODE)), dims)
                         for name, kind, dims in a.tensors[::-1]])
    for name, kind, dims in b.tensors:
        if rng.random() < 0.3 and (name, kind, dims) in a.tensors:
            b.data[name] = a.data[name]
    with open("b.gguf", "wb") as f:
        f.write(b.build(big))
    pairs = {name: (a.numbers(name), b.numbers(name))
             for name, _, _ in a.tensors}
    equal = all(same(x, y) for p in pairs.values() for x, y in zip(*p))
    texts = {run(gguf, "diff", "--values", "--json", "--threads", str(n),
                 "a.gguf", "b.gguf", status=0 if equal else 1)
             for n in (1, 3)}
    expect(len(texts) == 1, "not the same with other threads")
    document = json.loads(texts.pop())
    expect(document["equal"] == equal, "equal", document)
    told = document["tensors"]
    expect(sorted(t["name"] for t in told) == sorted(pairs), told)
    for t in told:
        expect_distance(t, *pairs[t["name"]])
    ranks = [(t["lost"], float(t["relative"])) for t in told]
    expect(ranks == sorted(ranks, reverse=True), "not ranked", ranks)


def check_long(gguf):
    """More than a chunk, so that several are put together."""
    rng = random.Random(5)
    x = [rng.gauss(3, 1) for _ in range(1000)] + [1000.0] + [-2.0] * 99
    data = struct.pack("<1100f", *x) * 700
    x = DECODE["F32"](data)
    with open("long.gguf", "wb") as f:
        f.write(File([arch()], [Tensor("long", [1100, 700],
                                       data=data)]).build())
    texts = {run(gguf, "stats", "--json", "--threads", str(n), "long.gguf")
             for n in (1, 2, 5)}
    expect(len(texts) == 1, "not the same with other threads")
    expect_stats(json.loads(texts.pop())["tensors"][0], x)


def main(args):
    if len(args) not in (1, 2, 3):
        raise SystemExit(__doc__)
    gguf = os.path.abspath(args[0])
    count = int(args[1]) if len(args) > 1 else 40
    rng = random.Random(int(args[2]) if len(args) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(count):
            model = Model(rng, big=i % 3 == 2)
            check_stats(gguf, model)
            check_findings(gguf, model)
            check_distances(gguf, rng, model, big=i % 2 == 1)
        check_long(gguf)
        os.chdir(HERE)
    print(f"{count} models")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
