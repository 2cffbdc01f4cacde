#!/usr/bin/env -S python3 -B
"""make.py OUTDIR [GROUP...] - write the corpus, or some groups of it.

Groups: worked good clean odd hostile wrong features hex config words, and big,
which is only made when it is named. `make.py --expect` writes
tests/corpus/expect.tsv anew.

Every file's verdict is decided three times: by hand beside its description,
by rules.py from its bytes, and, for its place, by the generator, which
remembers where it put each field. They must agree with each other and with
expect.tsv, or nothing is made.
"""

import hashlib
import json
import os
import sys

import clean
import configs
import corpus
import features
import good
import handmade
import hostile
import mutants
import notes
import odd
import words
import worked
import wrong

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECT = os.path.join(HERE, "..", "corpus", "expect.tsv")
GROUPS = {"worked": worked.cases, "good": good.cases, "clean": clean.cases,
          "odd": odd.cases, "hostile": hostile.cases, "wrong": wrong.cases,
          "features": features.cases, "hex": handmade.cases,
          "config": configs.cases, "words": words.cases,
          "big": hostile.big_cases}
USUAL = [g for g in GROUPS if g != "big"]

# What the program that first wrote worked-written made of it.
WRITTEN_SHA256 = (
    "e04272b3b48898e366e627d180182a80"
    "ca1c709edfb0134dc90924162c632ddd")


def shared_folder():
    """Where further data may lie, or None: tests pass without it."""
    beside = os.path.join(HERE, "..", "..", "..", "shared")
    folder = os.environ.get("GGK_SHARED", beside)
    return folder if os.path.isdir(folder) else None


def llama3_tokenizer():
    shared = shared_folder()
    if shared is None:
        return None
    path = os.path.join(shared, "golden/convert/llama3-bpe-rope8",
                        "tokenizer.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def table(cases):
    rows = sorted(c.row() for c in cases)
    names = [r[0] for r in rows]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise SystemExit(f"two files are called {sorted(twice)[0]}")
    lines = ["\t".join(r).rstrip() for r in (corpus.COLUMNS, *rows)]
    return "\n".join(lines) + "\n"


def compare(made, groups):
    with open(EXPECT, encoding="utf-8") as f:
        wanted = f.read().splitlines()
    chosen = [w for w in wanted
              if w.split("/")[0] in groups or w.startswith("name\t")]
    for a, b in zip(made.splitlines() + [""], chosen + [""]):
        if a != b:
            raise SystemExit(f"expect.tsv differs:\n made  {a}\n wants {b}")


def stamp():
    """A digest of the generator: the same one makes the same files."""
    total = hashlib.sha256()
    for folder in (HERE, os.path.join(HERE, "hex")):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".hex")):
                with open(os.path.join(folder, name), "rb") as f:
                    total.update(name.encode() + f.read())
    with open(EXPECT, "rb") as f:
        total.update(f.read())
    total.update(str(shared_folder()).encode())
    return total.hexdigest()


def is_made(out, groups):
    """Whether OUT already holds just these groups, of just this make."""
    path = os.path.join(out, "made")
    text = stamp() + " " + " ".join(groups)
    if not os.path.exists(path):
        return False, path, text
    with open(path, encoding="ascii") as f:
        return f.read() == text, path, text


def make(out, groups):
    done, path, text = is_made(out, groups)
    if done:
        return
    if os.path.exists(path):
        os.remove(path)
    cases = [c for g in groups for c in GROUPS[g]()]
    compare(table(cases), groups)
    for c in cases:
        c.write(out)
    if "features" in groups:
        mutants.write(out)
    if "worked" in groups:
        written = worked.written().build()
        if hashlib.sha256(written).hexdigest() != WRITTEN_SHA256:
            raise SystemExit("worked-written is not what was written")
        tokenizer = llama3_tokenizer()
        if tokenizer is not None:
            with open(os.path.join(out, "worked/worked-llama3.gguf"),
                      "wb") as f:
                f.write(worked.llama3(tokenizer))
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def main(args):
    if args == ["--expect"]:
        everything = [c for g in GROUPS for c in GROUPS[g]()]
        notes.check([c.name for c in everything])
        with open(EXPECT, "w", encoding="utf-8") as f:
            f.write(table(everything))
        return
    if not args or args[0].startswith("-"):
        raise SystemExit(__doc__)
    groups = args[1:] or USUAL
    unknown = [g for g in groups if g not in GROUPS]
    if unknown:
        raise SystemExit(f"no group {unknown[0]}; there are "
                         + " ".join(GROUPS))
    os.makedirs(args[0], exist_ok=True)
    make(args[0], groups)


if __name__ == "__main__":
    main(sys.argv[1:])
