#!/usr/bin/env -S python3 -B
"""pairs.py NAME - write a.gguf and b.gguf, two models that differ in a certain
way, into the working folder. What `gguf diff` says of them is in tests/cli.
"""

import sys

from ggufgen import Arr, File, KV, Raw, Tensor, arch, strings

LAYERS = ("attn_q", "attn_k", "ffn_up")


def lines(count, **changed):
    """A template of so many lines; line "l3" may be another."""
    return "\n".join(changed.get(f"l{i}", f"{{% set x = {i} %}}")
                     for i in range(count)) + "\n"


def numbers(n, **changed):
    return Arr("i32", [changed.get(f"n{i}", i) for i in range(n)])


def long_text():
    """A text of which too many lines change to be shown."""
    return tuple(File([arch(), KV("text", "str", "".join(
        f"{name} {i}\n" for i in range(100)))]) for name in "ab")


def nested(x):
    u16, f64 = Arr("u16", [1, 2]), Arr("f64", [])
    return Arr("arr", [u16, f64, Arr("str", ["a", x])])


def keys():
    """Every way in which a key can change."""
    same = [arch(), KV("same", "f32", 0.1)]
    a = [*same, KV("gone", "str", "was here"), KV("short", "u32", 4096),
         KV("string", "str", "one"),
         KV("words", "str", "a sentence that is long enough for two lines"),
         KV("far", "str", "0123456789" * 6 + "left" + "x" * 40),
         KV("type", "u32", 7), KV("elements", "arr", Arr("u32", [1, 2])),
         KV("small", "arr", Arr("f32", [0.5, 1, 2])),
         KV("many", "arr", numbers(1000)),
         KV("longer", "arr", strings(*"abcdefg")),
         KV("shorter", "arr", numbers(20)),
         KV("both", "arr", numbers(20)),
         KV("nested", "arr", nested("x")),
         KV("tokenizer.chat_template", "str", lines(30)),
         KV("yes", "bool", 1)]
    b = [*same, KV("short", "u32", 8192), KV("string", "str", "two"),
         KV("words", "str", "a sentence that is long enough for three lines"),
         KV("far", "str", "0123456789" * 6 + "right" + "x" * 40),
         KV("type", "i32", 7), KV("elements", "arr", Arr("i32", [1, 2])),
         KV("small", "arr", Arr("f32", [0.5, 1.5, 2])),
         KV("many", "arr", numbers(1000, n500=-1, n999=-1)),
         KV("longer", "arr", strings(*"abcdefghijklmno")),
         KV("shorter", "arr", numbers(9)),
         KV("both", "arr", numbers(22, n3=-3)),
         KV("nested", "arr", nested("y")),
         KV("tokenizer.chat_template", "str",
            lines(31, l4="{% set x = 'four' %}", l20="")),
         KV("yes", "bool", 0), KV("general.license", "str", "mit")]
    return File(a), File(b)


def layers(kind, rows=4):
    result = []
    for i in range(2):
        for name in LAYERS:
            result.append(Tensor(f"blk.{i}.{name}.weight", [256, 4],
                                 "F32" if name == "ffn_up" else kind))
    return [*result, Tensor("token_embd.weight", [256, rows], "F16"),
            Tensor("output_norm.weight", [256])]


def named_data(tensors):
    """Data that goes by the name, so that it is the same in any order."""
    for t in tensors:
        first = sum(t.name.text)
        t.data = bytes((first + j) % 60 for j in range(t.size))
    return tensors


def recipe():
    """Other types, another shape, one tensor less and one more."""
    a, b = layers("F16"), layers("Q4_K", 5)
    del b[3]
    b[0].type, b[0].size = "Q6_K", 840
    b.append(Tensor("output.weight", [256, 4], "Q6_K"))
    return (File([arch()], named_data(a)), File([arch()], named_data(b)))


def changed(t, *places):
    data = bytearray(t.data)
    for place in places:
        data[place] ^= 1
    t.data = bytes(data)


def data():
    """The same header; bytes here and there."""
    pair = []
    for _ in range(2):
        t = [Tensor("f32", [64]), Tensor("half", [64], "F16"),
             Tensor("blocks", [256, 8], "Q4_0"), Tensor("same", [8]),
             Tensor("all", [32], "I8"), Tensor("own", [10], 139, size=64)]
        pair.append(named_data(t))
    changed(pair[1][0], 9, 10, 100)
    changed(pair[1][1], 127)
    changed(pair[1][2], 18, 19, 40)
    changed(pair[1][4], *range(32))
    changed(pair[1][5], 7)
    return tuple(File([arch()], t) for t in pair)


def form():
    """The same model, in another version and alignment."""
    key = KV("general.alignment", "u32", 64)
    return (File([arch()], named_data(layers("F16")), version=2),
            File([arch(), key], named_data(layers("F16")), align=64))


def swapped(t, width):
    """The numbers of a tensor in the other byte order."""
    t.data = b"".join(t.data[i:i + width][::-1]
                      for i in range(0, t.size, width))


def order(*more):
    """The same numbers, big-endian."""
    pair = [named_data([Tensor("f32", [64]), Tensor("half", [8, 8], "F16"),
                        Tensor("bytes", [8], "I8"), Tensor("wide", [8], "F64"),
                        Tensor("scaled", [32], "Q8_0"),
                        *(Tensor(*t) for t in more)])
            for _ in range(2)]
    for t, width in zip(pair[1], (4, 2, 1, 8)):
        swapped(t, width)
    scaled = pair[1][4]
    scaled.data = scaled.data[1::-1] + scaled.data[2:]
    kvs = [arch(), KV("list", "arr", numbers(10)), KV("f", "f64", 0.1)]
    return (File(kvs, pair[0]), File(kvs, pair[1], big=True))


def order_blocks():
    """Blocks that nobody can swap."""
    return order(("blocks", [256], "IQ2_XXS"))


def layout():
    """The same things in another order."""
    kvs = [arch(), KV("x", "u32", 1), KV("y", "u32", 2),
           KV("general.padding", "str", " " * 100)]
    tensors = named_data(layers("F16"))
    return File(kvs, tensors), File(kvs[2::-1], tensors[::-1])


def evil(text, second, **more):
    return File([arch(), KV("\x1b[31mred\u202e", "str", text),
                 KV("twice", "u32", 1), KV("twice", "u32", second),
                 KV("lines", "str", f"\x1b]0;title\x07\n{text}\n\xff"),
                 KV("bad", "str", b"\xff\xfe" + text.encode()),
                 *(KV("twice", "u32", n) for n in more.get("keys", ()))],
                named_data([Tensor("\x1b[2J\n", [4]), Tensor("dup", [4]),
                            Tensor("dup", [4]),
                            *(Tensor("dup", [n])
                              for n in more.get("tensors", ()))]))


def hostile():
    """Names and values that a terminal would obey, and repeated names."""
    a, b = evil("one", 2), evil("\x1b[0mtwo", 9, keys=(3,), tensors=(4,))
    for i in (0, 2):
        changed(b.tensors[i], 3)
    return a, b


def equal():
    return tuple(File([arch()], named_data(layers("Q4_0"))) for _ in range(2))


def cut():
    a, b = equal()
    return a, b.build()[:-40]


def shards():
    """A set of two files, and the same in one."""
    tensors = named_data(layers("F16"))
    kvs = [arch(), KV("x", "u32", 1)]

    def shard(no, part):
        split = [KV("split.no", "u16", no), KV("split.count", "u16", 2),
                 KV("split.tensors.count", "i32", len(tensors))]
        return File((kvs if no == 0 else []) + split, part)

    for no, part in enumerate((tensors[:3], tensors[3:])):
        write(f"a-0000{no + 1}-of-00002.gguf", shard(no, part))
    return File(kvs, tensors), File(kvs, tensors)


def bools():
    """What is true is equal, whatever byte it is."""
    return tuple(File([arch(), KV("b", "bool", Raw(bytes([yes]))),
                       KV("l", "arr", Arr("bool", [0, yes]))])
                 for yes in (1, 3))


PAIRS = {f.__name__.replace("_", "-"): f
         for f in (keys, long_text, recipe, data, form, order, order_blocks,
                   layout, hostile, equal, cut, shards, bools)}


def write(path, file):
    with open(path, "wb") as f:
        f.write(file if isinstance(file, bytes) else file.build())


def main(args):
    if len(args) != 1 or args[0] not in PAIRS:
        raise SystemExit(f"{__doc__}\nNAME: {' '.join(PAIRS)}")
    for path, file in zip(("a.gguf", "b.gguf"), PAIRS[args[0]]()):
        write(path, file)


if __name__ == "__main__":
    main(sys.argv[1:])
