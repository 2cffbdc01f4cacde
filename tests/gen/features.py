"""features.py - one small file with everything in it, to be cut and bent.

Its four forms are cut at every byte and changed in every bit; rules.py says
what must come of it. Small is what makes that bearable.
"""

from corpus import Case
from ggufgen import Arr, File, KV, Tensor, strings

FORMS = {"v1": {"version": 1}, "v2": {"version": 2}, "v3": {},
         "v3-big": {"big": True}}


def keys():
    scalars = (("u8", 200), ("i8", -5), ("u16", 60000), ("i16", -1234),
               ("u32", 4294967295), ("i32", -7), ("f32", 0.375), ("bool", 1),
               ("str", "llama"), ("u64", 2 ** 64 - 1), ("i64", -2 ** 62),
               ("f64", 0.1))
    arrays = (("u8", [0, 255]), ("i8", [-1]), ("u16", [1, 2]), ("i16", [-3]),
              ("u32", [7]), ("i32", [-7]), ("f32", [1.5, -0.0]),
              ("bool", [1, 0]), ("str", ["", "\u2581a"]), ("u64", [2 ** 63]),
              ("i64", [-9]), ("f64", [2.5]))
    nested = Arr("arr", [Arr("u8", [1, 2]), Arr("arr", [strings("x", "")]),
                         Arr("arr"), Arr("u16")])
    kvs = [KV("s." + t, t, v) for t, v in scalars]
    kvs += [KV("a." + t, "arr", Arr(t, v)) for t, v in arrays]
    kvs += [KV("a.arr", "arr", nested), KV("a.none", "arr", strings()),
            KV("s.u8", "u8", 1), KV("", "str", "")]
    kvs.insert(5, KV("general.alignment", "u32", 16))
    return kvs


def tensors():
    return [
        Tensor("d0", []),
        Tensor("d1", [3], "F16"),
        Tensor("d2", [32, 2], "Q8_0"),
        Tensor("d3", [2, 3, 2], "BF16"),
        Tensor("d4", [64, 1, 2, 1], "NVFP4"),
        Tensor("d5", [1, 2, 1, 2, 1], "I8"),
        Tensor("zero", [0, 2]),
        Tensor("fork", [32], 150, size=20),
        Tensor("d1", [2], "F64"),
    ]


def form(name):
    return File(keys(), tensors(), align=16, **FORMS[name])


def cases():
    return [Case(f"features/features-{name}.gguf", form(name))
            for name in FORMS]
