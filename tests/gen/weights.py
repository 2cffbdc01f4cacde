"""weights.py - random weights for models, and importances for them."""

import random
import struct

POOL = 1 << 16


class Weights:
    """Random numbers, near to those of a real model: some rows are larger, and
    a few numbers stand out."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        numbers = [self.random.gauss(0, 0.02) for _ in range(POOL)]
        for i in range(0, POOL, 97):
            numbers[i] *= self.random.uniform(1, 20)
        for i in range(0, POOL, 1024):
            numbers[i:i + 64] = [0.0] * 64
        f32 = struct.pack(f"<{POOL}f", *numbers)
        self.pools = {
            "F32": (4, f32), "F16": (2, struct.pack(f"<{POOL}e", *numbers)),
            "BF16": (2, b"".join(f32[i:i + 2]
                                 for i in range(2, len(f32), 4)))}

    def fill(self, tensor):
        """A piece of the pool, from any number on, and again from its start."""
        width, pool = self.pools[tensor.type]
        tensor.size = tensor.natural_size()
        start = self.random.randrange(POOL) * width
        turns = tensor.size // len(pool) + 1
        tensor.data = (pool[start:] + pool * turns)[:tensor.size]

    def importances(self, n):
        return [self.random.choice((0.0, 1.0, self.random.expovariate(2)))
                for _ in range(n)]


def save_imatrix(path, importances):
    """As "imatrix.dat": the sums of one call each."""
    with open(path, "wb") as out:
        out.write(struct.pack("<i", len(importances)))
        for name, values in importances:
            out.write(struct.pack("<i", len(name)) + name.encode())
            out.write(struct.pack(f"<ii{len(values)}f", 1, len(values),
                                  *values))
        out.write(struct.pack("<ii", 7, 8) + b"some.txt")
