"""handmade.py - the files of hex/, and the same files from the generator.

Two ways to the same bytes: a mistake in one shows.
"""

import hex as hexfile
from corpus import Case
from ggufgen import Arr, File, KV, Str, Tensor, strings
import worked

SCALARS = (("u8", 200), ("i8", -5), ("u16", 60000), ("i16", -1234),
           ("u32", 4294967295), ("i32", -7), ("f32", 1e-5), ("bool", 1),
           ("str", "llama"), ("u64", 2 ** 64 - 1), ("i64", -9000000000),
           ("f64", 0.1))


def generated():
    """What the generator makes of the same descriptions."""
    nested = Arr("arr", [Arr("u32", [1, 2]), Arr("arr", [strings("x")])])
    return {
        "minimal": File(),
        "layout": worked.layout(),
        "version-1": File(
            [KV("a", "str", "hi"), KV("b", "arr", Arr("u16", [1, 2, 3]))],
            [Tensor("t", [2, 1], "F16", data=b"\0\x3c\0\xc0")], version=1,
            last=False),
        "version-2": File(
            [KV("general.alignment", "u32", 8)],
            [Tensor("t", [3], "I8", data=b"\1\xff\x7f")], version=2, align=8),
        "big-endian": File(
            [KV("a", "f32", 1.5), KV("b", "arr", Arr("i32", [-2, 256]))],
            [Tensor("t", [2], data=b"\x3f\x80\0\0\xc0\0\0\0")], big=True),
        "fugg": File([KV("k", "u16", 0x1234)], big=True, magic=b"FUGG"),
        "scalars": File([KV(k, *s) for k, s in zip("abcdefghijkl", SCALARS)]),
        "arrays": File([
            KV("a", "arr", Arr("bool", [1, 0, 1])),
            KV("b", "arr", strings("", "\0", "\u2581")),
            KV("c", "arr", Arr("u64")), KV("d", "arr", nested)]),
        "string-cut": File([KV("k", "str", Str("abc", 4))]),
        "shard": File([KV("split.no", "u16", 1), KV("split.count", "u16", 2),
                       KV("split.tensors.count", "i32", 5)]),
    }


def cases():
    bad = {"string-cut": ("TRUNCATED", "kv[0].value.len", 37),
           "shard": ("SPLIT", "kv[1].value", 69)}
    result = []
    twins = generated()
    if sorted(twins) != hexfile.names():
        raise SystemExit("hex/ and handmade.py do not name the same files")
    for name, twin in twins.items():
        data = hexfile.load(name)
        if data != twin.build():
            raise SystemExit(f"hex/{name}.hex is not what ggufgen makes")
        status, where, offset = bad.get(name, ("OK", None, None))
        result.append(Case(f"hex/{name}.gguf", data, status, where,
                           offset=offset, alone=status in ("OK", "SPLIT")))
    return result
