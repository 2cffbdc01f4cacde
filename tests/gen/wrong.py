"""wrong.py - what people open in place of a GGUF."""

import struct

from corpus import Case
from ggufgen import File
from good import llama_keys, llama_tensors

HTML = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n"
LFS = (b"version https://git-lfs.github.com/spec/v1\n"
       b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24"
       b"d17e2393\nsize 4920739232\n")
SAFETENSORS = (b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}')


def starts():
    """Beginnings of other kinds of files."""
    pickle = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
    pytorch = b"PK\3\4\0\0\0\0\x08\x08" + bytes(16) + b"\x10\0\x12\0"
    return {
        "empty": b"",
        "zeros": bytes(4096),
        "html.gguf": HTML,
        "html-space.gguf": b"\n  <html><body>404</body></html>",
        "html-bom.gguf": b"\xef\xbb\xbf" + HTML,
        "lfs-pointer.gguf": LFS,
        "json-error.gguf": b'{"error":"Repository not found"}',
        "text.gguf": b"Entry not found",
        "zip.gguf": b"PK\3\4\x14\0\0\0\x08\0" + bytes(64),
        "pytorch.pt": pytorch + b"archive/data.pkl" + bytes(32),
        "pickle.pt": pickle + bytes(32),
        "gzip.gguf": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + bytes(32),
        "zstd.gguf": b"\x28\xb5\x2f\xfd" + bytes(32),
        "xz.gguf": b"\xfd7zXZ\0" + bytes(32),
        "7z.gguf": b"7z\xbc\xaf\x27\x1c" + bytes(32),
        "tar.gguf": b"model.gguf" + bytes(247) + b"ustar\00000" + bytes(247),
        "safetensors.gguf": struct.pack("<Q", len(SAFETENSORS)) + SAFETENSORS
        + bytes(8),
        "npy.gguf": b"\x93NUMPY\1\0" + bytes(32),
        "elf.gguf": b"\x7fELF\2\1\1" + bytes(57),
        "llamafile.gguf": b"MZqFpD='\n" + bytes(64),
        "ggml.bin": b"lmgg" + bytes(32),
        "ggmf.bin": b"fmgg" + struct.pack("<I", 1) + bytes(32),
        "ggjt.bin": b"tjgg" + struct.pack("<I", 3) + bytes(32),
        "ggla.bin": b"algg" + struct.pack("<I", 1) + bytes(32),
        "almost.gguf": b"GGUE" + File().build()[4:],
        "space.gguf": b" " + File().build(),
        "binary.gguf": bytes(range(255, -1, -1)),
        "escape.gguf": b"\x1b]0;pwn\7\x1b[2J",
    }


def cases():
    whole = File(llama_keys(), llama_tensors())
    data = whole.build()
    half = len(data) // 2
    assert half > whole.data_off
    result = []
    for name, content in starts().items():
        status = "MAGIC" if content else "TRUNCATED"
        result.append(Case(f"wrong/{name}", content, status, "header.magic",
                           offset=0))

    def c(name, content, *rest, **more):
        result.append(Case(f"wrong/{name}", content, *rest, **more))

    no_magic = "MAGIC", "header.magic"
    for first, second in (("x.gguf.part1of2", "x.gguf.part2of2"),
                          ("x-split-a", "x-split-b")):
        c(first, data[:half], note="raw first half")
        c(second, data[half:], *no_magic, offset=0, note="raw second half")
    c("at-512.gguf", bytes(512) + data, *no_magic, offset=0,
      note="a GGUF that starts later")
    c("truncated-data.gguf", data[:half])
    c("truncated-header.gguf", data[:whole.head_end - 1], "TRUNCATED",
      f"tensor[{len(whole.tensors) - 1}].offset", offset=whole.head_end - 8)
    c("truncated-keys.gguf", data[:whole.at["kv[3].type"] + 2], "COUNT",
      "header.n_tensors", offset=8)
    c("appended.gguf", data[:half] + data,
      note="a download that began again")
    return result
