#!/usr/bin/env -S python3 -B
"""test_edit_peers.py GGUF - what set, rm and rename write is what
gguf-new-metadata of the Python package gguf makes of the same request, key by
key and tensor by tensor; and the package, the loader of llama.cpp and
@huggingface/gguf read it. After each way of editing in place libllama loads the
model.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

import ggml
import llama
import peers

sys.path.insert(0, os.path.join(peers.HERE, "..", "gen"))
from ggufgen import Arr, File, KV  # noqa: E402
from good import llama_keys, llama_tensors, vocabulary  # noqa: E402
from test_model_loader import model as small_model  # noqa: E402

TEMPLATE = "{% for m in messages %}\n{{ m['content'] }}\u00e9\n{% endfor %}"
# What both are asked for: our words, theirs.
REQUESTS = (
    (["set", None, "general.name=New name"], ["--general-name", "New name"]),
    (["set", None, "general.description=x=[1]"],
     ["--general-description", "x=[1]"]),
    (["set", None, "--file", "tokenizer.chat_template=TEMPLATE"],
     ["--chat-template", TEMPLATE]),
    (["set", None, "--token", "eos=\u2581the"],
     ["--special-token", "eos", "\u2581the"]),
    (["set", None, "--token", "unk=3"],
     ["--special-token-by-id", "unknown", "3"]),
    (["set", None, "tokenizer.ggml.pre=llama-bpe"],
     ["--pre-tokenizer", "llama-bpe"]),
    (["rm", None, "tokenizer.ggml.merges"],
     ["--remove-metadata", "tokenizer.ggml.merges"]),
)
# What only we can do.
MORE = (
    ["set", None, "general.alignment=128"],
    ["set", None, "tokenizer.ggml.tokens[4]=X", "tokenizer.ggml.tokens[+]=Y",
     "tokenizer.ggml.scores[+]=-5", "tokenizer.ggml.token_type[+]=4"],
    ["set", None, "a.bytes=[0,255]", "--type", "UINT8[]"],
    ["set", None, "a.wide=[-9223372036854775808]", "a.f=[0.5,1e300]"],
    ["rename", None, "general.name", "general.basename"],
    ["rename", None, "--tensor", "output.weight", "head.weight"],
    ["rm", None, "--tensor", "blk.1.*"],
)
# Edits of a model that llama.cpp runs, and the way each has to take where room
# can be made in a file. None: whichever.
WAYS = (
    (None, ["set", None, "general.name=" + "x" * 200]),
    ("patch", ["set", None, "general.name=" + "y" * 200]),
    ("space", ["rm", None, "general.name"]),
    ("space", ["set", None, "general.author=me"]),
    ("insert", ["set", None, "general.description=" + "z" * 9000]),
    ("space", ["rename", None, "general.description", "general.url"]),
    ("insert", ["set", None, "--reserve", "20000"]),
)


def model():
    kvs = llama_keys() + vocabulary()
    kvs += [KV("x.u8", "arr", Arr("u8", [0, 255])),
            KV("x.i64", "arr", Arr("i64", [-2 ** 63, 2 ** 63 - 1])),
            KV("x.bool", "arr", Arr("bool", [1, 0]))]
    return File(kvs, llama_tensors()).build()


class Tester:
    def __init__(self, gguf, folder):
        self.gguf, self.folder = os.path.abspath(gguf), folder
        self.failures = self.checks = self.in_place = 0
        with open(self.path("t"), "w", encoding="utf-8") as f:
            f.write(TEMPLATE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fail(self, what):
        self.failures += 1
        print(what)

    def ours(self, path, words):
        words = [path if w is None else
                 w.replace("=TEMPLATE", "=" + self.path("t")) for w in words]
        said = subprocess.run([self.gguf, *words], check=True,
                              stdout=subprocess.PIPE).stdout
        self.in_place += said.count(b"edited in place")

    def dump(self, path):
        said = subprocess.run([self.gguf, "dump", "--json", "--full", path],
                              stdout=subprocess.PIPE, check=True).stdout
        return json.loads(said)

    def same_as_theirs(self, requests):
        mine, start, there = (self.path(n) for n in ("m", "s", "t.gguf"))
        for path in (mine, start):
            with open(path, "wb") as f:
                f.write(model())
        theirs = []
        for our_words, their_words in requests:
            self.ours(mine, our_words)
            theirs += their_words
        subprocess.run(
            [sys.executable, "-m", "gguf.scripts.gguf_new_metadata", "--force",
             *theirs, start, there], check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        a, b = self.dump(mine), self.dump(there)
        self.checks += 1
        keys = [{k["key"]: (k["type"], k.get("elem_type"), k["value"])
                 for k in d["keys"] if k["key"] != "general.padding"}
                for d in (a, b)]
        # It turns what it knows to be a list into one, and adds nothing else.
        for name in sorted({*keys[0], *keys[1]}):
            if keys[0].get(name) != keys[1].get(name):
                self.fail(f"{theirs}: {name} is {keys[0].get(name)}, "
                          f"there {keys[1].get(name)}")
        self.same_tensors(mine, there)

    def same_tensors(self, mine, there):
        from gguf import GGUFReader
        a = {t.name: t for t in GGUFReader(mine).tensors}
        b = {t.name: t for t in GGUFReader(there).tensors}
        if list(a) != list(b):
            self.fail("other tensors")
        for name in a:
            if a[name].data.tobytes() != b[name].data.tobytes():
                self.fail(f"{name} has other bytes")

    def expect_loaded(self, models):
        """After each way of editing in place libllama loads the model."""
        path, ways = self.path("ways.gguf"), []
        with open(path, "wb") as f:
            f.write(small_model().build())
        for way, words in WAYS:
            words = [path if w is None else w for w in words]
            said = subprocess.run([self.gguf, *words, "--json"], check=True,
                                  stdout=subprocess.PIPE).stdout
            did = json.loads(said).get("in_place", {}).get("way")
            ways.append(did)
            self.checks += 1
            if did not in (way, None) and way is not None:
                self.fail(f"{words[2]}: {did}, not {way}")
            verdict = models.load(path)
            if verdict != "loaded":
                self.fail(f"after {words[0]}, {did}: {verdict}")
        return ways

    def expect_readable(self, path, loader):
        from gguf import GGUFReader
        self.checks += 1
        for field in GGUFReader(path).fields.values():
            field.contents()
        if loader is not None and loader.verdict(path) != "yes":
            self.fail(f"llama.cpp does not load {path}")
        modules = peers.find("node_modules", "@huggingface", "gguf")
        if modules is None:
            return
        said = subprocess.run(
            ["node", os.path.join(peers.HERE, "hf_read.mjs"),
             os.environ["GGK_PEERS"]], input=path.encode() + b"\n",
            stdout=subprocess.PIPE, check=True).stdout
        if said != b"accept\n":
            self.fail(f"@huggingface/gguf: {said.decode()}")


def main(args):
    if len(args) != 1:
        raise SystemExit(__doc__)
    peers.need_package("gguf")
    base = peers.find_ggml()
    loader = ggml.Loader(base) if base else None
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        t = Tester(args[0], folder)
        for request in REQUESTS:
            t.same_as_theirs([request])
        t.same_as_theirs(rng.sample(REQUESTS, len(REQUESTS)))
        path = t.path("more.gguf")
        with open(path, "wb") as f:
            f.write(model())
        for words in MORE:
            t.ours(path, words)
            t.expect_readable(path, loader)
        models = llama.find_models() if base else None
        ways = t.expect_loaded(models) if models else "no libllama"
    print(f"{t.checks} checks, {t.failures} failures, {t.in_place} edits in "
          f"place; loaded after {ways}")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
