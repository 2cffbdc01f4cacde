"""hostile.py - files made to break a reader.

Rows e01 to e78: the inputs behind the published vulnerabilities of GGUF
readers, and those nobody has published. Some are odd but harmless and open.
"""

from corpus import Case
from ggufgen import Arr, File, KV, Raw, Str, Tensor, arch, strings
from seeded import hostile_cases

ALIGN = "general.alignment"
MAX = 2 ** 64 - 1
TEMPLATE = "tokenizer.chat_template"


def starts():
    """e01 to e08: the first 24 bytes."""
    empty = File().build()
    rows = [("e01-empty", b"", "TRUNCATED", "header.magic", 0),
            ("e02-magic", b"GGUF", "TRUNCATED", "header.version", 4)]
    rows += [(f"e02-magic-{n}", b"GGUF"[:n], "TRUNCATED", "header.magic", 0)
             for n in (1, 2, 3)]
    cuts = ((6, "version", 4), (8, "n_tensors", 8), (12, "n_tensors", 8),
            (16, "n_kv", 16), (23, "n_kv", 16))
    rows += [(f"e03-cut-{n}", empty[:n], "TRUNCATED", "header." + field, at)
             for n, field, at in cuts]
    rows += [("e03-v1-cut-12", File(version=1).build()[:12], "TRUNCATED",
              "header.n_kv", 12),
             ("e03-v1-cut-10", File(version=1).build()[:10], "TRUNCATED",
              "header.n_tensors", 8)]
    rows += [("e04-fugg", File(magic=b"FUGG"), "MAGIC", "header.magic", 0),
             ("e04-fug", b"FUG", "TRUNCATED", "header.magic", 0),
             ("e04-fu", b"FUgg", "MAGIC", "header.magic", 0),
             ("e04-gg", b"GG\0", "MAGIC", "header.magic", 0),
             ("e04-lower", File(magic=b"gguf"), "MAGIC", "header.magic", 0),
             ("e05-lfs", b"version https://git-lfs.github.com/spec/v1\n",
              "MAGIC", "header.magic", 0),
             ("e06-version-0", File(version=0), "VERSION",
              "header.version", 4)]
    new = (4, 5, 65536, 0x01000000, 0x02000000, 0x04000000, 2 ** 32 - 1)
    rows += [(f"e06-version-{n}", File(version=n), "VERSION_NEW",
              "header.version", 4) for n in new]
    rows += [("e07-v1", File([arch()], version=1)),
             ("e08-big", File(big=True))]
    return rows


def counts():
    """e09 to e12: more entries than the file can hold."""
    tensors, kv = "header.n_tensors", "header.n_kv"
    rows = []
    for n, name in ((MAX, "max"), (2 ** 55 - 1, "2e55"), (2 ** 63, "2e63")):
        rows.append((f"e09-tensors-{name}", File(n_tensors=n), "COUNT",
                     tensors))
        rows.append((f"e11-keys-{name}", File(n_kv=n), "COUNT", kv))
    v1 = {"version": 1}
    tiny = [KV("", "u8", 7)]
    nothing = [Tensor("", [])]
    return rows + [
        ("e10-one-tensor", File(n_tensors=1), "COUNT", tensors),
        ("e10-one-too-many", File([], nothing * 3, n_tensors=4, data=False),
         "COUNT", tensors),
        ("e10-least-tensors", File([], nothing * 3, data=False)),
        ("e10-big", File(n_tensors=2 ** 40, big=True), "COUNT", tensors),
        ("e12-keys-2e40", File(n_kv=2 ** 40), "COUNT", kv),
        ("e12-one-key", File(n_kv=1), "COUNT", kv),
        ("e12-one-too-many", File(tiny * 3, n_kv=4), "COUNT", kv),
        ("e12-least-keys", File(tiny * 3)),
        ("e12-both", File(n_tensors=MAX, n_kv=MAX), "COUNT", tensors),
        ("e12-v1-tensors", File(n_tensors=2 ** 32 - 1, **v1), "COUNT",
         tensors),
        ("e12-v1-keys", File(n_kv=2 ** 32 - 1, **v1), "COUNT", kv),
        ("e12-v1-least", File(tiny * 3, nothing * 3, data=False, **v1)),
        ("e12-v1-least-tensors", File([], nothing * 3, data=False, **v1)),
        ("e12-v1-one-too-many", File([], nothing * 3, n_tensors=4,
                                     data=False, **v1), "COUNT", tensors),
        ("e12-v1-key-too-many", File(tiny * 3, n_kv=4, **v1), "COUNT", kv),
    ]


def one_key(key_len=None, tail=b"", key="abc"):
    """A file that ends after its first key's name and `tail`."""
    return File([KV(key, 0, Raw(b""), key_len=key_len)], tail=tail)


def key_names():
    """e13 to e20."""
    key_len = "kv[0].key.len"
    stop = 2 ** 30
    alias = KV(ALIGN + "\0x", "u32", 4096)
    true = KV(ALIGN, "u32", 13)
    ends = KV(ALIGN + "\0", "u32", 64)
    five = [Tensor("a", [5])]
    return [
        ("e13-key-max", one_key(MAX), "STRLEN", key_len),
        ("e13-key-2e63", one_key(2 ** 63), "STRLEN", key_len),
        ("e13-key-gib", one_key(stop), "TRUNCATED", key_len),
        ("e13-key-over-gib", one_key(stop + 1), "STRLEN", key_len),
        ("e13-v1-key-max", File([KV("abc", "u8", 7, key_len=2 ** 32 - 1)],
                                version=1), "STRLEN", key_len),
        ("e14-key-short", one_key(1000), "TRUNCATED", key_len),
        ("e14-key-one-short", one_key(8), "TRUNCATED", key_len),
        ("e14-key-all", one_key(7), "TRUNCATED", "kv[0].type", 39),
        ("e14-no-room", File([], tail=b"\3" + bytes(7) + b"abc", n_kv=1),
         "COUNT", "header.n_kv"),
        ("e15-key-empty", File([KV("", "u32", 1)])),
        ("e16-key-long", File([KV("a" * 65536, "u32", 1)])),
        ("e17-key-space", File([KV("General Name", "str", "x")])),
        ("e18-alias-first", File([alias, true], five, align=13)),
        ("e18-alias-last", File([true, alias], five, align=13)),
        ("e18-nul-ended", File([ends], five, align=64)),
        ("e18-nul-twice", File([KV(ALIGN + "\0\0", "u32", 0)], five)),
        ("e18-nul-differs", File([ends, true], five), "ALIGN_DUP",
         "kv[1].value"),
        ("e19-key-twice", File([KV("k", "u32", 1), KV("k", "str", "2")])),
        ("e20-template-twice", File([KV(TEMPLATE, "str", "good"),
                                     KV(TEMPLATE, "str", "evil")])),
    ]


def scalars():
    """e21 to e27."""
    value_len = "kv[0].value.len"

    def text(length, tail=b""):
        return File([KV("k", "str", Str("abc", length))], tail=tail)

    def kind(n):
        return File([KV("k", n, Raw(b"\1"))])

    escape = "\x1b]0;pwn\7\x1b[2J\x1b]8;;http://x"
    rows = [(f"e21-type-{n}", kind(n), "KV_TYPE", "kv[0].type")
            for n in (13, 99, 2 ** 31, 2 ** 32 - 1)]
    full = File([arch(), KV("k", "f64", 0.0)]).build()
    end = len(full)
    rows += [
        ("e21-type-cut", full[:end - 9], "TRUNCATED", "kv[1].type", end - 12),
        ("e21-value-cut", full[:end - 1], "TRUNCATED", "kv[1].value",
         end - 8),
        ("e21-value-gone", full[:end - 8], "TRUNCATED", "kv[1].value",
         end - 8),
        ("e22-bool", File([KV("k", "bool", 2)])),
        ("e23-bools", File([KV("k", "arr", Arr("bool", [255, 1, 2, 0]))])),
        ("e24-string-2e63", text(2 ** 63), "STRLEN", value_len),
        ("e24-string-max", text(MAX), "STRLEN", value_len),
        ("e24-string-2e62", text(2 ** 62), "STRLEN", value_len),
        ("e24-string-gib", text(2 ** 30), "TRUNCATED", value_len),
        ("e24-string-over-gib", text(2 ** 30 + 1), "STRLEN", value_len),
        ("e24-string-short", text(4), "TRUNCATED", value_len),
        ("e25-utf8", File([KV("k", "str", b"\xff\xfe\xc0\xaf")])),
        ("e26-nul", File([arch("llama\0evil")])),
        ("e27-escape", File([KV("general.name", "str", escape)])),
    ]
    cut = text(3).build()
    rows.append(("e24-length-cut", cut[:len(cut) - 4], "TRUNCATED",
                 value_len, len(cut) - 11))
    return rows


def nest(levels, inmost=None):
    """Arrays in arrays, one in each."""
    a = inmost or Arr("u32", [1])
    for _ in range(levels - 1):
        a = Arr("arr", [a])
    return a


def deep(levels):
    """The same by bytes, for more levels than Python can count."""
    head = b"\x09\0\0\0" + b"\1" + bytes(7)
    return Raw(head * (levels - 1) + bytes(12))


def arrays():
    """e28 to e33."""
    count, elem = "kv[0].value.count", "kv[0].value.elem_type"

    def array(kind, n, items=(), tail=b"", **form):
        return File([KV("k", "arr", Arr(kind, items, n))], tail=tail, **form)

    def holds(a):
        return File([KV("k", "arr", a)])

    at_17 = "kv[0].value" + "[0]" * 16 + ".elem_type"
    begin = 24 + 8 + 1 + 4
    bad_inner = holds(Arr("arr", [Arr("u8"), Arr(99)]))
    long_inner = holds(Arr("arr", [Arr("u8"), Arr("u8", [], MAX)]))
    token = holds(strings("a", Str("b", 1000)))
    cut = holds(Arr("u16", [1, 2, 3])).build()
    rows = [
        ("e28-u32-max", array("u32", MAX), "COUNT", count),
        ("e28-u32-2e62", array("u32", 2 ** 62), "COUNT", count),
        ("e28-u64-2e61", array("u64", 2 ** 61), "COUNT", count),
        ("e28-u8-2e63", array("u8", 2 ** 63), "COUNT", count),
        ("e29-u8-2e30", array("u8", 2 ** 30, tail=bytes(51)), "COUNT", count),
        ("e29-u8-one-short", array("u8", 52, tail=bytes(51)), "COUNT", count),
        ("e29-u8-all", array("u8", 51, tail=bytes(51))),
        ("e29-bool-short", array("bool", 4, [1, 1]), "COUNT", count),
        ("e30-str-2e27", array("str", 2 ** 27, tail=bytes(64)), "COUNT",
         count),
        ("e30-str-8", array("str", 8, tail=bytes(64))),
        ("e30-str-9", array("str", 9, tail=bytes(64)), "COUNT", count),
        ("e30-v1-str-16", array("str", 16, tail=bytes(64), version=1)),
        ("e30-v1-str-17", array("str", 17, tail=bytes(64), version=1),
         "COUNT", count),
        ("e30-arr-2e27", array("arr", 2 ** 27, tail=bytes(64)), "COUNT",
         count),
        ("e30-arr-5", array("arr", 5, tail=bytes(60))),
        ("e30-arr-6", array("arr", 6, tail=bytes(64)), "COUNT", count),
        ("e30-v1-arr-8", array("arr", 8, tail=bytes(64), version=1)),
        ("e30-v1-arr-9", array("arr", 9, tail=bytes(64), version=1), "COUNT",
         count),
        ("e30-token-long", token, "TRUNCATED", "kv[0].value[1].len"),
        ("e31-nested", holds(nest(2))),
        ("e32-depth-16", holds(nest(16))),
        ("e32-depth-16-empty", holds(nest(16, Arr("arr")))),
        ("e32-depth-17", holds(nest(17)), "DEPTH", at_17),
        ("e32-depth-5000", File([KV("k", "arr", deep(5000))]), "DEPTH",
         at_17, begin + 16 * 12),
        ("e32-depth-100000", File([KV("k", "arr", deep(100000))]), "DEPTH",
         at_17, begin + 16 * 12),
        ("e33-elem-99", array(99, 1, tail=b"\1"), "ELEM_TYPE", elem),
        ("e33-elem-13", array(13, 0), "ELEM_TYPE", elem),
        ("e33-elem-max", array(2 ** 32 - 1, 0), "ELEM_TYPE", elem),
        ("e33-inner-elem", bad_inner, "ELEM_TYPE",
         "kv[0].value[1].elem_type"),
        ("e33-inner-count", long_inner, "COUNT", "kv[0].value[1].count"),
    ]
    rows += [(f"e33-cut-{n}", cut[:begin + n], "TRUNCATED", where,
              begin + at) for n, where, at in
             ((0, elem, 0), (3, elem, 0), (4, count, 4), (11, count, 4))]
    rows += [(f"e33-cut-{n}", cut[:begin + n], "COUNT", count, begin + 4)
             for n in (12, 17)]
    return rows


def alignments():
    """e34 to e38."""
    value, kind = "kv[0].value", "kv[0].type"
    five = [Tensor("a", [5])]

    def key(t, n, tensors=five, align=32):
        return File([KV(ALIGN, t, n)], tensors, align=align, data=False,
                    tail=bytes(64))

    rows = [(f"e34-zero-{t}", key(t, 0), "ALIGN", value)
            for t in ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")]
    rows += [(f"e34-minus-{t}", key(t, -1), "ALIGN", value)
             for t in ("i8", "i16", "i32", "i64")]
    rows += [(f"e35-align-{n}", key("u32", n)) for n in (13, 24, 1, 4)]
    rows += [(f"e36-align-2e{n}", key("u32", 2 ** n, [])) for n in (16, 17, 20)]
    rows += [(f"e37-{t}", key(t, 32)) for t in ("i32", "u64")]
    rows += [(f"e37-{t}", key(t, v), "ALIGN_TYPE", kind)
             for t, v in (("f32", 32.0), ("f64", 32.0), ("bool", 1),
                          ("str", "32"), ("arr", Arr("u32", [32])))]
    both = File([KV(ALIGN, "u32", 0), KV(ALIGN, "str", "x")])
    first = File([KV(ALIGN, "str", "x"), KV(ALIGN, "u32", 0)])
    late = File([KV(ALIGN, "u32", 0), KV("k", 13, Raw(b"\0"))])
    third = File([KV(ALIGN, "u32", 32), KV(ALIGN, "u8", 32),
                  KV(ALIGN, "u32", 33)])
    rows += [
        ("e37-zero-then-string", both, "ALIGN", value),
        ("e37-string-then-zero", first, "ALIGN_TYPE", kind),
        ("e37-later-key-first", late, "KV_TYPE", "kv[1].type"),
        ("e37-third-differs", third, "ALIGN_DUP", "kv[2].value"),
        ("e38-2e31", key("u32", 2 ** 31)),
        ("e38-2e31-no-tensor", key("u32", 2 ** 31, [])),
        ("e38-2e63-no-tensor", key("u64", 2 ** 63, [])),
        ("e38-max-no-tensor", key("u64", MAX, [])),
        ("e38-2e63", key("u64", 2 ** 63), "OVERFLOW", "tensor[0].offset"),
        ("e38-max", key("u64", MAX), "OVERFLOW", "tensor[0].offset"),
        ("e38-max-nothing", key("u64", MAX, [Tensor("z", [0])])),
        ("e38-2e62", key("u64", 2 ** 62)),
    ]
    return rows


def tensor_names():
    """e39 to e43."""
    def named(*names):
        return File([arch()], [Tensor(n, [5]) for n in names])

    def length(n):
        return File([], [Tensor("abc", [5], name_len=n)], data=False)

    where = "tensor[0].name.len"
    rows = [(f"e39-name-{n}", named("n" * n)) for n in (63, 64, 65)]
    return rows + [
        ("e39-name-max", length(MAX), "STRLEN", where),
        ("e39-name-2e63", length(2 ** 63), "STRLEN", where),
        ("e39-name-1000", length(1000), "TRUNCATED", where),
        ("e40-name-empty", named("")),
        ("e41-name-twice", named("a", "a")),
        ("e42-name-nul", named("a\0b", "a\0c")),
        ("e43-name-path", named("../../etc/passwd", "C:\\x", "/abs", "%s%n",
                                "-rf", "~", ".", "a\nb", "n" * 300)),
        ("e43-name-paths", named("../../etc/passwd", "C:\\x", "/abs")),
        ("e72-name-index", named("direction.536870912")),
    ]


def shapes():
    """e44 to e56: dimensions and types."""
    def shape(dims, kind="I8", **more):
        return File([], [Tensor("t", dims, kind, size=0, **more)],
                    data=False)

    def after(dims):
        return File([], [Tensor("s", [64]), Tensor("t", dims, size=0)])

    whole = File([], [Tensor("t", [5, 3])], data=False).build()
    end = len(whole)
    product, dim, size = "OVERFLOW", "DIM", "OVERFLOW"
    n_dims, ne = "tensor[0].n_dims", "tensor[0].ne"
    big, max_dim = 2 ** 32, 2 ** 63 - 1
    rows = [
        ("e44-0d", File([], [Tensor("t", [])])),
        ("e44-0d-block", shape([], "Q4_0"), "BLOCK", n_dims),
        ("e44-0d-unknown", shape([], 99)),
        ("e45-5d", File([], [Tensor("t", [1, 2, 1, 2, 1])])),
        ("e45-9d", shape([1] * 9), "NDIMS", n_dims),
        ("e45-n-dims-9", shape([1], n_dims=9), "NDIMS", n_dims),
        ("e45-n-dims-max", shape([1], n_dims=2 ** 32 - 1), "NDIMS", n_dims),
        ("e46-zero", File([], [Tensor("t", [0])])),
        ("e46-zero-rows", File([], [Tensor("t", [8, 0])])),
        ("e47-dim-max", shape([MAX]), dim, ne + "[0]"),
        ("e47-dim-2e63", shape([2 ** 63]), dim, ne + "[0]"),
        ("e47-dim-second", shape([8, 2 ** 63]), dim, ne + "[1]"),
        ("e47-dim-of-zero", shape([0, MAX]), dim, ne + "[1]"),
        ("e47-dim-max-ok", shape([max_dim])),
        ("e48-product", shape([big, big]), product, ne + "[1]"),
        ("e48-2e33", shape([2 ** 33, 2 ** 33]), product, ne + "[1]"),
        ("e48-2e63", shape([big, 2 ** 31]), product, ne + "[1]"),
        ("e48-unknown-type", shape([big, big], 99), product, ne + "[1]"),
        ("e49-product", shape([max_dim, 2]), product, ne + "[1]"),
        ("e49-blocks", shape([big, 2 ** 31], "Q8_0"), product, ne + "[1]"),
        ("e49-third", shape([max_dim, 1, 2]), product, ne + "[2]"),
        ("e50-f32-2e62", shape([2 ** 62 - 1], "F32"), size, ne),
        ("e50-f64-2e61", shape([2 ** 61 - 1], "F64"), size, ne),
        ("e50-f32-pad", after([4, 2 ** 30 - 1, 2 ** 30 + 1]), size,
         "tensor[1].ne"),
        ("e51-bytes", shape([1024, 1024, 2 ** 42 + 1, 1], "F32"), size, ne),
        ("e52-q4-0", shape([1024819115206086208], "Q4_0")),
        ("e52-q8-0", shape([542551296285575072], "Q8_0")),
        ("e52-q8-0-max", shape([2 ** 63 - 32], "Q8_0")),
        ("e52-f32-max", shape([2 ** 62 - 2 ** 4], "F32"), "OVERFLOW",
         "tensor[0].offset"),
        ("e53-zero-strides", shape([0] + [2 ** 62] * 3), product, ne + "[2]"),
        ("e53-zero-last", shape([2 ** 62, 2 ** 62, 0]), product, ne + "[1]"),
        ("e53-zero-fits", shape([0, 2 ** 62])),
        ("e56-q4-0", shape([31], "Q4_0"), "BLOCK", ne + "[0]"),
        ("e56-q4-k", shape([32], "Q4_K"), "BLOCK", ne + "[0]"),
        ("e56-q4-k-rows", shape([128, 2], "Q4_K"), "BLOCK", ne + "[0]"),
        ("e56-nvfp4", shape([32], "NVFP4"), "BLOCK", ne + "[0]"),
    ]
    rows += [(f"e55-type-{n}", File([], [Tensor("t", [7, 3], n, size=64)]))
             for n in (4, 31, 43, 2 ** 31, 2 ** 32 - 1)]
    rows += [(f"e45-cut-{lost}", whole[:end - lost], "TRUNCATED", where,
              end - at)
             for lost, where, at in (
                 (1, "tensor[0].offset", 8), (8, "tensor[0].offset", 8),
                 (9, "tensor[0].type", 12), (13, ne + "[1]", 20))]
    return rows


def places():
    """e54 and e57 to e60: where data lies, and whether it is there."""
    half = 0x7fffffffffffffc0
    pair = [Tensor("t0", [half], "I8", size=0),
            Tensor("t1", [half], "I8", size=0, offset=half)]
    wide = [KV("general.name", "str", "moves the data beyond 128")]

    def at(offset, n=64):
        return File([arch()], [Tensor("a", [n], offset=offset, size=0)],
                    data=False, tail=bytes(64))

    def alone(tensors):
        return File([arch()], tensors).build()

    five = [Tensor("a", [5])]
    data = alone([Tensor("a", [64])])
    where = "tensor[0].offset"
    # The data begins at 128, so this is the last place of 32 bytes whose end
    # still has a number.
    last = 2 ** 64 - 192
    return [
        ("e54-sum-fits", File([], pair, data=False)),
        ("e54-sum", File(wide, pair, data=False), "OVERFLOW",
         "tensor[1].offset"),
        ("e57-offset-1", at(1)),
        ("e57-offset-32", at(2 ** 64 - 32), "OFFSET", where),
        ("e57-offset-max", at(MAX), "OFFSET", where),
        ("e57-offset-2e63", at(2 ** 63)),
        ("e57-end", at(2 ** 64 - 256), "OVERFLOW", where),
        ("e57-end-fits", at(last, 8)),
        ("e57-end-padded", at(last, 9), "OVERFLOW", where),
        ("e57-opaque-offset", File([], [Tensor("a", [5], 99, offset=MAX)],
                                   data=False), "OFFSET", where),
        ("e58-byte-missing", data[:-1]),
        ("e58-all-missing", data[:len(data) - 256]),
        ("e58-half-missing", data[:len(data) - 128]),
        ("e59-no-padding", File([arch()], five, last=False)),
        ("e60-trailing", File([arch()], five, tail=b"MZ" + bytes(2998))),
        ("e60-padding", File([arch()], five, pad=0xaa)),
    ]


def believed():
    """e61 to e77: what a reader might believe once the frame is right."""
    def llama(key, kind, value):
        return File([arch(), KV("llama." + key, kind, value)])

    tokens = KV("tokenizer.ggml.tokens", "arr", strings("a", "b", "c"))
    scores = KV("tokenizer.ggml.scores", "arr", Arr("i8", [1, 2]))
    one = File([], [Tensor("t" * 40, [64], data=b"\xff" * 256)], n_tensors=2)
    zipped = (b"PK\5\6" + bytes(18))

    def split(no, count, tensors, *kinds):
        return File([KV("split.no", kinds[0], no),
                     KV("split.count", kinds[1], count),
                     KV("split.tensors.count", kinds[2], tensors)],
                    [Tensor("a", [8])])

    usual = "u16", "u16", "i32"
    lines = "line\n" * 20000 + "x" * 5000
    rows = [(f"e68-block-count-{n}", llama("block_count", "u32", n))
            for n in (0, 513, 2 ** 32 - 1)]
    return rows + [
        ("e61-data-as-info", one, "STRLEN", "tensor[1].name.len", 96),
        ("e65-newlines", File([KV("general.name", "str", lines),
                               KV(lines, "u32", 1)])),
        ("e66-scores", File([tokens, scores])),
        ("e66-scores-short", File([tokens, KV(
            "tokenizer.ggml.scores", "arr", Arr("f32", [1.0, 2.0]))])),
        ("e66-types-long", File([tokens, KV(
            "tokenizer.ggml.token_type", "arr", Arr("i32", [1] * 4))])),
        ("e66-tokens-bytes", File([KV("tokenizer.ggml.tokens", "arr",
                                      Arr("u8", [1, 2]))])),
        ("e69-head-count", llama("attention.head_count", "u32", 0)),
        ("e70-bos", File([tokens, KV("tokenizer.ggml.bos_token_id", "u32",
                                     3)])),
        ("e70-bos-max", File([tokens, KV("tokenizer.ggml.bos_token_id", "u32",
                                         2 ** 32 - 1)])),
        ("e71-nan", llama("rope.freq_base", "f32", float("nan"))),
        ("e71-inf", llama("rope.freq_base", "f32", float("inf"))),
        ("e73-split", split(7, 1, -5, *usual)),
        ("e73-split-no-1", split(1, 1, 1, *usual)),
        ("e73-split-tensors", split(0, 1, 2, *usual)),
        ("e73-split-strings", split("0", "1", "1", "str", "str", "str")),
        ("e73-split-wide", split(0, 1, 1, "u32", "u64", "u32")),
        ("e73-split-arrays", split(*[Arr("u16", [1])] * 3, *["arr"] * 3)),
        ("e73-split-65536", split(0, 65536, 1, "u16", "u32", "i32"), "SPLIT",
         "kv[1].value"),
        ("e77-zip", File([arch()], [Tensor("a", [5])], tail=zipped)),
    ]


def cases():
    result = []
    for rows in (starts, counts, key_names, scalars, arrays, alignments,
                 tensor_names, shapes, places, believed):
        for name, what, *bad in rows():
            bad += ["OK", None, None][len(bad):]
            status, where, offset = bad
            result.append(Case(f"hostile/{name}.gguf", what, status, where,
                               offset=offset,
                               alone=status in ("OK", "SPLIT")))
    return result + hostile_cases()


def big_cases():
    """Files of a size that only a hole makes bearable."""
    tebi = File([arch()], [Tensor("a", [2 ** 40], "I8", size=0)]).build()
    token = File([KV("tokenizer.ggml.tokens", "arr",
                     strings(Str("", 2 ** 31 + 16)))])
    past = File([arch()], [Tensor("a", [2 ** 32 + 64], "I8", size=0),
                           Tensor("b", [64], offset=2 ** 32 + 64, size=0)],
                data=False)
    return [
        Case("big/e19-past-4gib.gguf", past.build(),
             size=past.data_off + 2 ** 32 + 64 + 256),
        Case("big/e67-token-2e31.gguf", token, size=2 ** 31 + 2 ** 20),
        Case("big/e78-one-tebibyte.gguf", tebi, size=2 ** 40 + 4096),
    ]
