#!/usr/bin/env -S python3 -B
"""test_cli_corpus.py GGUF CORPUS EXPECT [MAX_RSS_MIB [N]] - the program on every
file of the corpus.

Each command that reads a header must end by itself with the expected status,
within bounds of time and memory; once the file comes out of a pipe. A failure
prints one line on standard error that names the place, and nothing else; no
output holds a byte that a terminal would obey; what calls itself JSON is JSON.

With N only every Nth pair of file and command is tried, another Nth each day;
GGK_SEED, which the last line tells, repeats that of another day.

The commands are started by small processes that are forked before anything
big is loaded: a child's peak memory counts that of the process it came from.
"""

import os
import signal
import sys
import tempfile
import time

# These read one file, whatever set it belongs to.
STREAM = ("info", "-")
ITSELF = ("diff", "--single", "-")  # the same file, but not by its name
ALONE = (STREAM, ITSELF, ("info", "--single"), ("dump", "--compat"))
# Further models, in the corpus.
OTHER, BIG_ENDIAN = "features/features-v3.gguf", "features/features-v3-big.gguf"
COMMANDS = (
    *ALONE, ("info",), ("info", "--json"), ("dump",), ("dump", "--json"),
    ("dump", "--full"), ("dump", "--full", "--json"), ("dump", "--no-tensors"),
    ("dump", "--markdown"), ("keys",), ("keys", "--json"), ("tensors",),
    ("tensors", "--json"), ("tensors", "--sort", "size"), ("map",),
    ("map", "--json"), ("map", "--entries"), ("map", "--entries", "--json"),
    ("vocab",), ("vocab", "--special", "--json"), ("vocab", "--merges"),
    ("template",), ("template", "--list", "--json"), ("name",),
    ("name", "--json"), ("config",), ("config", "--json"),
    ("get", "general.architecture"),
    ("get", "--json", "tokenizer.ggml.tokens"),
    ("diff", OTHER), ("diff", "--json", "-v", OTHER),
    ("diff", "-v", "--no-data", BIG_ENDIAN),
    ("diff", "--values", OTHER), ("diff", "--values", "--json", BIG_ENDIAN),
    ("export", "--dry-run", "-o", "none"),
    ("export", "--dry-run", "--dtype", "f16", "-o", "none"),
    ("export", "--dry-run", "--json", "-o", "none.safetensors"),
    ("quantize", "--dry-run", "--allow-requantize", "-o", "none", "Q4_K_M"),
    ("quantize", "--error", "--allow-requantize", "-o", "none", "Q8_0"),
    ("quantize", "--dry-run", "--allow-requantize", "--pure", "--json", "-o",
     "none", "Q5_0"),
    ("hash", "-t", "-a", "all", "-a", "uuid"), ("hash", "--content", "--json"),
    ("imatrix", "show"), ("imatrix", "check"), ("imatrix", "check", "--json"),
    ("stats",), ("stats", "--json", "--sort", "name"))
# These also answer no, that there are several of what was asked for, that data
# is missing, or that there is no such thing of this file.
ANSWERS = {"vocab": (1, 4), "template": (1, 4), "name": (1, 4),
           "config": (1, 4), "get": (1, 4), "diff": (1, 4, 5),
           "hash": (1, 4, 5), "stats": (4,), "export": (1, 4, 5),
           "quantize": (4, 5), "imatrix": (1, 3, 4, 5)}
BIG_COMMANDS = (("info",), ("keys",), ("tensors",), ("map",))
LISTS = ("keys", "tensors", "stats")
CPU_SECONDS = 2.0
WALL_SECONDS = 60
JOBS = 2

# What turns the reading direction of a terminal, or breaks its lines.
UNWANTED = {*range(0x202a, 0x202f), *range(0x2066, 0x206a), 0x200e, 0x200f,
            0x61c, 0x2028, 0x2029, 0xfeff}


def feed(path):
    """A pipe that the file comes out of."""
    there, here = os.pipe()
    if os.fork() == 0:
        try:
            os.close(there)
            with open(path, "rb") as f, os.fdopen(here, "wb") as pipe:
                pipe.write(f.read())
        finally:
            os._exit(0)
    os.close(here)
    return there


def run(stdin, command, out, err):
    """(wait status, CPU seconds, peak KiB) of one command."""
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(feed(stdin[1:]) if stdin.startswith("|") else
                    os.open(stdin or os.devnull, os.O_RDONLY), 0)
            for fd, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
                                0o600), fd)
            signal.alarm(WALL_SECONDS)
            os.execv(command[0], command)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def serve(requests, answers, folder):
    """Run what comes in, a command a line, parted by tabs: the file for its
    standard input, after a "|" if by a pipe, or nothing, and its words."""
    out, err = os.path.join(folder, "out"), os.path.join(folder, "err")
    for line in requests:
        stdin, *command = line.rstrip("\n").split("\t")
        status, seconds, peak = run(stdin, command, out, err)
        answers.write(f"{status} {seconds:.3f} {peak}\n")
        answers.flush()


class Worker:
    """A small process that runs commands."""

    def __init__(self, root):
        self.folder = tempfile.mkdtemp(dir=root)
        there, to = os.pipe()
        back, here = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(to)
            os.close(back)
            with os.fdopen(there) as requests, os.fdopen(here, "w") as answers:
                serve(requests, answers, self.folder)
            os._exit(0)
        os.close(there)
        os.close(here)
        self.to, self.back = os.fdopen(to, "w"), os.fdopen(back)

    def ask(self, gguf, corpus, name, words):
        path = os.path.join(corpus, name)
        more = [os.path.join(corpus, w) if w in (OTHER, BIG_ENDIAN) else w
                for w in words[1:]]
        if words == STREAM:
            request = "|" + path, gguf, *words
        else:
            n = 1 if words[0] == "imatrix" else 0 # its action comes first
            request = (path if words == ITSELF else "", gguf, words[0],
                       *more[:n], path, *more[n:])
        self.to.write("\t".join(request) + "\n")
        self.to.flush()

    def answer(self):
        status, seconds, peak = self.back.readline().split()
        texts = []
        for name in ("out", "err"):
            with open(os.path.join(self.folder, name), "rb") as f:
                texts.append(f.read())
        return int(status), float(seconds), int(peak), *texts


class Judge:
    """Compares what came with what should have."""

    def __init__(self, max_rss_kib):
        import json
        self.json = json
        self.max_rss_kib = max_rss_kib
        self.checks = self.failures = 0
        self.peak = 0

    def fail(self, what):
        self.failures += 1
        if self.failures <= 100:
            print(what)

    def judge(self, case, words, result):
        status, seconds, peak, out, err = result
        label = f"gguf {' '.join(words)} {case['name']}"
        self.checks += 1
        self.peak = max(self.peak, peak)
        if not os.WIFEXITED(status):
            return self.fail(f"{label}: signal {os.WTERMSIG(status)}")
        code, wanted = os.WEXITSTATUS(status), int(case["exit"])
        if words[0] == "imatrix":  # none of the files is one
            wanted = 0
        if case["sum"] != "-" and (words in ALONE or words[0] == "name"):
            wanted = 0
        if words == ITSELF and code == 1:
            return self.fail(f"{label}: differs from itself")
        if wanted == 0 and code in ANSWERS.get(words[0], ()):
            if out and "--json" in words:
                self.document(label, out)
            self.text(label + ", stdout", out)
            return self.text(label + ", stderr", err)
        if code != wanted:
            return self.fail(f"{label}: exit {code}, not {wanted}: "
                             f"{err[:200]!r}")
        if seconds > CPU_SECONDS:
            self.fail(f"{label}: {seconds} s")
        if peak > self.max_rss_kib:
            self.fail(f"{label}: {peak} KiB")
        self.text(label + ", stderr", err)
        if code != 0:
            self.refusal(label, case, words, out, err)
        elif "--json" in words:
            self.document(label, out)
        else:
            if not out and words[0] not in LISTS:
                self.fail(f"{label}: says nothing")
            self.text(label + ", stdout", out)

    def refusal(self, label, case, words, out, err):
        if out:
            self.fail(f"{label}: fails, and prints {out[:80]!r}")
        if err.count(b"\n") != 1 or not err.endswith(b"\n"):
            self.fail(f"{label}: not one line on stderr: {err[:200]!r}")
        if not err.startswith(f"gguf {words[0]}: ".encode()):
            self.fail(f"{label}: does not say who speaks: {err[:80]!r}")
        if words == STREAM:
            return
        place = f"(at byte {case['offset']}, field {case['where']})\n"
        if case["offset"] == "-":
            if b"(at byte" in err:
                self.fail(f"{label}: names a place: {err[-80:]!r}")
        elif not err.endswith(place.encode()):
            self.fail(f"{label}: does not end with {place!r}: {err[-80:]!r}")

    def text(self, label, data):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as e:
            return self.fail(f"{label}: {e}")
        bad = [c for c in set(text)
               if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160
                                 or ord(c) in UNWANTED)]
        if bad:
            self.fail(f"{label}: holds {sorted(bad)!r}")

    def document(self, label, out):
        def no_constant(name):
            raise ValueError(f"{name} is no JSON")

        def no_repeats(pairs):
            if len(dict(pairs)) != len(pairs):
                raise ValueError("a member occurs twice")
            return dict(pairs)

        try:
            found = self.json.loads(out.decode("utf-8"),
                                    parse_constant=no_constant,
                                    object_pairs_hook=no_repeats)
        except (ValueError, RecursionError) as e:
            return self.fail(f"{label}: {e}: {out[:80]!r}")
        if not isinstance(found, dict) or found.get("schema") != 1:
            self.fail(f"{label}: has no schema 1")


def read_cases(expect, corpus):
    """The files that were made: big ones are not, as a rule."""
    with open(expect, encoding="utf-8") as f:
        columns = f.readline().rstrip("\n").split("\t")
        for line in f:
            case = dict(zip(columns, line.rstrip("\n").split("\t")))
            big = case["name"].startswith("big/")
            made = os.path.isdir(os.path.join(corpus, "big"))
            if big == made:
                yield case, BIG_COMMANDS if big else COMMANDS


def every_nth(n, seed, cases):
    """The pairs of file and command whose turn it is. (A file's pairs begin
    elsewhere than those of the one before, whatever the number of commands.)"""
    for i, (case, commands) in enumerate(cases):
        for j, words in enumerate(commands):
            if (i + j + seed) % n == 0:
                yield case, words


def main(args):
    if len(args) not in (3, 4, 5):
        raise SystemExit(__doc__)
    gguf, corpus, expect = args[:3]
    parts = int(args[4]) if len(args) == 5 else 1
    seed = int(os.environ.get("GGK_SEED", time.time() // 86400))
    os.environ["LC_ALL"] = "C.UTF-8"
    with tempfile.TemporaryDirectory() as root:
        workers = [Worker(root) for _ in range(JOBS)]
        judge = Judge(1024 * int(args[3] if len(args) > 3 else 16))
        asked = []
        for case, words in every_nth(parts, seed, read_cases(expect, corpus)):
            if len(asked) == len(workers):
                worker, *what = asked.pop(0)
                judge.judge(*what, worker.answer())
            else:
                worker = workers[len(asked)]
            worker.ask(gguf, corpus, case["name"], words)
            asked.append((worker, case, words))
        for worker, *what in asked:
            judge.judge(*what, worker.answer())
    print(f"{judge.checks} checks, {judge.failures} failures, "
          f"at most {judge.peak} KiB"
          + (f", GGK_SEED={seed}" if parts > 1 else ""))
    return 1 if judge.failures or not judge.checks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
