"""sets.py - split sets: one model in several files, whole and broken.

Row d26 of odd.py, each set in a folder of its own. The verdict is that of
opening the path; alone, nearly every shard opens.
"""

import os

from corpus import Case
from ggufgen import File, KV, Tensor, arch

NAMES = {"no": "split.no", "count": "split.count",
         "tensors": "split.tensors.count"}
OLD = {"no": "general.split", "count": "general.split_count"}
PREFIXED = {"no": "llama.split.no", "count": "llama.split.count",
            "tensors": "llama.split.tensors.count"}


class Shard:
    """What one file of a set says, right unless it is changed."""

    def __init__(self, i, n):
        self.i, self.n = i, n
        self.no, self.count = i, n
        self.tensors = 2 * n
        self.keys = NAMES
        self.named = i == 0
        self.types = ("u16", "u16", "i32")
        self.form = {}
        self.content = [Tensor(f"blk.{i}.a.weight", [64]),
                        Tensor(f"blk.{i}.b.weight", [32, 2], "Q8_0")]
        self.lost = 0
        self.head_lost = 0

    def file(self):
        kvs = [arch()] if self.named else []
        if self.i == 0:
            kvs.append(KV("general.name", "str", "In pieces"))
        values = {"no": self.no, "count": self.count,
                  "tensors": self.tensors}
        for (what, key), kind in zip(self.keys.items(), self.types):
            kvs.append(KV(key, kind, values[what]))
        kvs += [KV(k, "u32", v) for k, v in self.form.get("kvs", ())]
        rest = {k: v for k, v in self.form.items() if k != "kvs"}
        return File(kvs, self.content, **rest)

    def build(self):
        f = self.file()
        data = f.build()
        if self.head_lost:
            return data[:f.head_end - self.head_lost]
        return data[:len(data) - self.lost]

    def place(self, where):
        f = self.file()
        f.build()
        return f.at[where]


def shards(n, **changes):
    """n shards, all changed alike."""
    result = [Shard(i, n) for i in range(n)]
    for s in result:
        for name, value in changes.items():
            setattr(s, name, value)
    return result


def path(name, i, n, stem="m"):
    return f"odd/d26-{name}/{stem}-{i + 1:05}-of-{n:05}.gguf"


def folder(name, pieces, note="", stem="m"):
    """Cases for the files of one good set."""
    return [Case(path(name, i, len(pieces), stem), s.build(), note=note)
            for i, s in enumerate(pieces)]


def missing(name, pieces, skip):
    """Cases for those that are there of a set that misses some."""
    return [Case(path(name, i, len(pieces)), s.build(), "SPLIT_MISSING",
                 alone=True, shard="*")
            for i, s in enumerate(pieces) if i not in skip]


def broken(name, pieces, bad, where, note):
    """Cases for a set in which shard `bad` contradicts its name."""
    at = pieces[bad].place(where)
    culprit = os.path.basename(path(name, bad, len(pieces)))
    return [Case(path(name, i, len(pieces)), s.build(), "SPLIT", where, note,
                 offset=at, alone=True, shard=None if i == bad else culprit)
            for i, s in enumerate(pieces)]


def whole_sets():
    empty = shards(3)
    empty[0].content = []
    aligned = shards(2)
    aligned[1].form = {"kvs": [("general.alignment", 64)], "align": 64}
    fewer = shards(2)
    for s in fewer:
        s.tensors = 7
    repeated = shards(2)
    repeated[1].content[0] = Tensor("blk.0.a.weight", [64])
    cut = shards(2)
    cut[1].lost = 100
    opaque = shards(2)
    opaque[0].content.append(Tensor("blk.0.c.weight", [32], 144, size=40))
    big = shards(2, form={"big": True})
    second = shards(2)
    second[1].types = ("u32", "u16", "i32")
    unnumbered = shards(2)
    for s in unnumbered:
        s.keys = {"count": "split.count", "tensors": "split.tensors.count"}
        s.types = ("u16", "i32")
    mixed = shards(2)
    mixed[1].form = {"version": 2}
    old = shards(2, keys=OLD, types=("u8", "u8"))
    return [
        folder("normal", shards(3)),
        folder("one", shards(1), note="a set of one"),
        folder("u32", shards(2, types=("u32", "u32", "u32"))),
        folder("u64", shards(2, types=("u64", "u64", "u64"))),
        folder("second-u32", second),
        folder("unnumbered", unnumbered, note="no split.no"),
        folder("old-keys", old, note="the first tool's names, in u8"),
        folder("arch-keys", shards(2, keys=PREFIXED, named=True),
               note="as Ollama reads them: every shard names the architecture"),
        folder("empty-first", empty, note="no tensor in the first shard"),
        folder("alignments", aligned, note="shards aligned differently"),
        folder("tensor-count", fewer, note="split.tensors.count is wrong"),
        folder("tensor-twice", repeated, note="one tensor in two shards"),
        folder("opaque", opaque),
        folder("data-cut", cut, note="second shard lacks data"),
        folder("big", big, note="big-endian"),
        folder("versions", mixed, note="version 3, then 2"),
        folder("odd-stem", shards(2), stem="a-00001-of-00002"),
    ]


def broken_sets():
    other = shards(3)
    other[1].count = 4
    same = shards(3)
    same[2].no = 1
    past = shards(2)
    past[1].no = 5
    named = shards(2)
    for s in named:
        s.count = 3
    no, count, first_count = "kv[0].value", "kv[1].value", "kv[3].value"
    return [
        missing("missing", shards(3), (1,)),
        missing("missing-first", shards(2), (0,)),
        missing("missing-most", shards(300), range(1, 300)),
        broken("other-export", other, 1, count,
               "one shard counts 4, the others 3"),
        broken("same-no", same, 2, no, "two shards numbered 1"),
        broken("past-no", past, 1, no, "shard 5 of 2"),
        broken("name-count", named, 0, first_count,
               "the names say 2, the keys 3"),
    ]


def stale():
    """Beside a set of two a shard is left of three."""
    return folder("stale", shards(2)) + missing("stale", shards(3), (0, 1))


def cut_header():
    """Of two shards the second ends three bytes before its header does."""
    first, second = shards(2)
    second.head_lost = 3
    data = second.build()
    verdict = "TRUNCATED", "tensor[1].offset"
    at = len(data) - 5
    name = "header-cut"
    return [
        Case(path(name, 0, 2), first.build(), *verdict, offset=at,
             alone=True, shard="m-00002-of-00002.gguf"),
        Case(path(name, 1, 2), data, *verdict, offset=at)]


def renamed():
    shard = Shard(0, 2)
    wide = Shard(0, 1)
    wide.count, wide.types = 65536, ("u16", "u32", "i32")
    none = Shard(0, 1)
    none.count = 0
    texts = Shard(0, 1)
    texts.no, texts.count, texts.tensors = "1", "2", "4"
    texts.types = ("str", "str", "str")
    merged = Shard(0, 1)
    merged.count, merged.keys, merged.types = 0, OLD, ("u8", "u8")

    def c(name, what, *rest, **more):
        return Case(f"odd/d26-renamed/{name}.gguf", what, *rest, **more)

    return [
        c("model", shard.file(), "SPLIT", "kv[3].value", alone=True,
          note="a shard under another name"),
        c("count-65536", wide.file(), "SPLIT", "kv[3].value", alone=True),
        c("count-0", none.build()),
        c("merged", merged.build(), note="the first tool left count 0"),
        c("texts", texts.build(), note="split keys that are strings"),
    ]


def cases():
    result = []
    for part in whole_sets() + broken_sets():
        result += part
    for kind in ("Q8_0", "Q4_K"):
        for i, s in enumerate(shards(2)):
            name = f"odd/d27-folders/{kind}/m-{i + 1:05}-of-00002.gguf"
            result.append(Case(name, s.build(), note="a folder per type"))
    return result + stale() + cut_header() + renamed()
