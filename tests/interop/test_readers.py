#!/usr/bin/env -S python3 -B
"""test_readers.py GGUF CORPUS [--write] - which files of the corpus other
readers take, and which of those verdicts differ from ours.

pip gguf reads every value of a file (in a process with bounds of time and
memory), npm @huggingface/gguf its header, and the loader of llama.cpp header
and data. The first two are compared with whether gguf opens the file, the last
one with whether gguf check finds no error under llama.cpp's profile; each file
by itself, also if it is a shard.

readers.tsv lists every difference, with a reason: a difference that is not
there, or one that is there no more, is a failure. --write writes the table
anew; a difference without a reason it knows gets "?", to be looked into.
"""

import importlib.metadata
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

import ggml
import peers

TABLE = os.path.join(peers.HERE, "readers.tsv")
VERSIONS = {"pip": "0.19.", "hf": "0.4.6", "ggml": "3.22.1"}
MOST_BYTES = 1 << 21
CPU_SECONDS = 5
WALL_SECONDS = 60
MEMORY_BYTES = 2 << 30

# Why a reader refuses what we open, by its words.
REFUSALS = {
    "pip": (
        ("Duplicate|duplicated", "names must differ"),
        ("UnicodeDecodeError", "strings must be UTF-8"),
        ("Bad type for general.alignment", "alignment must be a UINT32"),
        ("Invalid alignment", "alignment must be a power of two"),
        ("magic invalid", "FUGG is not known"),
        ("appears to be version 1", "version 1 is not read"),
        ("cannot reshape|larger dtype|Maximum allowed dimension",
         "data must be there"),
        (r"np.uint32\(42\)", "a type newer than the reader"),
        ("GGMLQuantizationType", "types must be known"),
    ),
    "hf": (
        ("depth 4 exceeds", "arrays nest 4 deep at most"),
        ("dimension [0-9] is [0-9]+, which exceeds", "dimensions have a limit"),
        ("safe integer", "numbers past 2^53 are not read"),
        ("magic number", "FUGG is not known"),
    ),
}
# Why it takes what we refuse to open, by the rule that this breaks.
ACCEPTED = {
    "header-truncated": "reads past the end",
    "string-length": "reads past the end",
    "count-impossible": "reads past the end",
    "value-type": "does not check types of values",
    "array-type": "does not check types of values",
    "array-depth": "arrays may nest to any depth",
    "version-unknown": "does not check versions in big-endian order",
    "alignment-zero": "does not check alignments",
    "alignment-type": "does not check alignments",
    "alignment-differs": "does not compare repeated keys",
    "row-not-blocks": "does not compute sizes",
    "dimension-size": "does not compute sizes",
    "size-overflow": "does not compute sizes",
    "offset-range": "does not compute places",
    "dimensions": "takes any number of dimensions",
}


# --------------------------------------------------------------------- peers

def read_all(path):
    """Every value, and the place of all data, with pip gguf."""
    from gguf import GGUFReader

    reader = GGUFReader(path)
    for field in reader.fields.values():
        field.contents()
    return sum(t.data.size for t in reader.tensors)


def read_in_child(path, pipe):
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.alarm(WALL_SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        read_all(path)
        answer = "accepts"
    except MemoryError:
        answer = "hangs"
    except BaseException as e:  # whatever it fails with, it refuses
        answer = f"rejects {type(e).__name__}: {e}"
    os.write(pipe, answer[:300].encode("utf-8", "replace"))
    os._exit(0)


class Pip:
    """pip gguf; a process for each file, which reads it."""

    def __init__(self):
        import gguf  # noqa: F401 - once, for all of the processes

    def verdict(self, path):
        there, here = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(there)
            read_in_child(path, here)
        os.close(here)
        with os.fdopen(there, "rb") as answer:
            text = answer.read().decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code in (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
            return "hangs"
        return text if code == 0 and text else "crashes"


class HuggingFace:
    """npm @huggingface/gguf; one process as long as it lives."""

    def __init__(self, node):
        self.node, self.child = node, None

    def start(self):
        script = os.path.join(peers.HERE, "hf_read.mjs")
        self.child = subprocess.Popen(
            [self.node, "--max-old-space-size=512", script,
             os.environ["GGK_PEERS"]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def verdict(self, path):
        if self.child is None:
            self.start()
        old = signal.signal(signal.SIGALRM, lambda *_: self.child.kill())
        signal.alarm(WALL_SECONDS)
        self.child.stdin.write(path + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        late = signal.alarm(0) == 0
        signal.signal(signal.SIGALRM, old)
        if line:
            return line.strip().replace("accept", "accepts", 1).replace(
                "reject ", "rejects ", 1)
        self.child.wait()
        self.child = None
        return "hangs" if late else "crashes"


class Ggml:
    """The loader, with header and data."""

    def __init__(self, library):
        self.loader = ggml.Loader(library)

    def verdict(self, path):
        found = self.loader.verdict(path)
        return {"no": "rejects", "metadata": "rejects", "yes": "accepts",
                "crash": "crashes"}.get(found, found)


def npm_version(*name):
    package = peers.find("node_modules", *name, "package.json")
    if package is None:
        return None
    with open(package, encoding="utf-8") as f:
        return json.load(f)["version"]


def find_peers():
    """Those that are there, in the version that the table is about."""
    found = {"pip": importlib.metadata.version("gguf"),
             "hf": npm_version("@huggingface", "gguf"),
             "ggml": npm_version("@node-llama-cpp", "linux-x64")}
    node = shutil.which("node")
    if node is None:
        found["hf"] = None
    for name, version in found.items():
        if version is None or not version.startswith(VERSIONS[name]):
            print(f"left out: {name}, which is {version}, not "
                  f"{VERSIONS[name]}")
    wanted = [n for n, v in found.items() if v and v.startswith(VERSIONS[n])]
    make = {"pip": Pip, "hf": lambda: HuggingFace(node),
            "ggml": lambda: Ggml(peers.find_ggml())}
    return {n: make[n]() for n in wanted}


# ---------------------------------------------------------------------- ours

def names_of(corpus):
    for folder, _, files in sorted(os.walk(corpus)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            if folder != corpus and not name.endswith(".tsv") \
                    and os.path.getsize(path) <= MOST_BYTES:
                yield os.path.relpath(path, corpus)


def opens(gguf, path):
    return subprocess.run([gguf, "keys", "--single", "-q", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def check(gguf, corpus, names):
    """The findings of each."""
    child = subprocess.run([gguf, "check", "--single", "--json",
                            *(os.path.join(corpus, n) for n in names)],
                           stdout=subprocess.PIPE, check=False)
    if child.returncode not in (0, 1):
        raise SystemExit(f"gguf check: exit {child.returncode}")
    reports = json.loads(child.stdout)["files"]
    return {n: r["findings"] for n, r in zip(names, reports)}


def read_table(path):
    with open(path, encoding="ascii") as f:
        lines = [x for x in f.read().splitlines() if not x.startswith("#")]
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


# --------------------------------------------------------------- differences

def reason(peer, ours, theirs, broken):
    """Of a difference, from what the peer says and the rules broken."""
    if ours == "opens":
        for words, why in REFUSALS[peer]:
            if re.search(words, theirs):
                return why
    elif ours == "refuses":
        for rule, why in ACCEPTED.items():
            if rule in broken["spec"]:
                return why
    elif ours == "faulty":
        return "does not look at " + ", ".join(broken["llama_cpp"])
    elif "padding-missing" in broken["warnings"]:
        return "wants the padding, which check only warns of"
    return "?"


def rules_of(findings, profile, weight):
    return sorted({f["rule"] for f in findings if f[profile] == weight})


def differences(gguf, corpus, found):
    """(file, peer) -> (ours, theirs, why)."""
    result = {}
    names = list(names_of(corpus))
    for name, findings in check(gguf, corpus, names).items():
        path = os.path.join(corpus, name)
        broken = {"spec": rules_of(findings, "spec", "error"),
                  "llama_cpp": rules_of(findings, "llama_cpp", "error"),
                  "warnings": rules_of(findings, "llama_cpp", "warning")}
        opened = "opens" if opens(gguf, path) else "refuses"
        clean = "faulty" if broken["llama_cpp"] else "clean"
        for peer, reader in found.items():
            ours = clean if peer == "ggml" else opened
            theirs = reader.verdict(path)
            word = theirs.split()[0]
            if (ours in ("opens", "clean")) == (word == "accepts") \
                    and word in ("accepts", "rejects"):
                continue
            why = reason(peer, ours, theirs, broken)
            result[name, peer] = ours, word, why
            if why == "?":
                print(f"{name}, {peer}: {ours}, {theirs}")
    return result


def write_table(found):
    with open(TABLE, "w", encoding="ascii") as f:
        f.write("# Files of the corpus of which another reader's verdict "
                "differs from ours:\n# pip gguf 0.19 and npm "
                "@huggingface/gguf 0.4.6 from opening, the loader of\n# "
                "llama.cpp (npm @node-llama-cpp 3.22.1) from check.\n"
                "file\tpeer\tours\ttheirs\treason\n")
        for (name, peer), what in sorted(found.items()):
            f.write("\t".join((name, peer, *what)) + "\n")


def main(args):
    write = args[2:] == ["--write"]
    if len(args) != 2 + write:
        raise SystemExit(__doc__)
    peers.need_package("gguf")
    found = find_peers()
    if not found:
        peers.skip("no other reader")
    now = differences(args[0], args[1], found)
    if write:
        write_table(now)
        return 0
    table = {(r["file"], r["peer"]): (r["ours"], r["theirs"])
             for r in read_table(TABLE) if r["peer"] in found}
    wrong = 0
    for key in sorted({*now, *table}):
        here = now[key][:2] if key in now else "no difference"
        if table.get(key, "no difference") != here:
            print(f"{key}: {here}, the table says "
                  f"{table.get(key, 'no difference')}")
            wrong += 1
    wrong += sum("?" in r["reason"] for r in read_table(TABLE))
    print(f"{len(now)} differences to {', '.join(found)}; {wrong} wrong")
    return 1 if wrong or not now else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
