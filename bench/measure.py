#!/usr/bin/env python3
"""measure.py WORK [--quick] [--writing | --editing | --in-place] - run all
programs by turns, print the tables; only those of what writes whole models,
changes one key, or edits in place.

WORK is what run.sh made. In a round every program runs once on every file, in
an order of that round's own, and a ratio is the median of the ratios within
the rounds, so that what disturbs the machine disturbs all alike. Slow programs
are in fewer rounds, those that reach the limit in none.
"""

import json
import os
import platform
import random
import shutil
import subprocess
import sys
import time
from statistics import median

GEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests",
                   "gen")
sys.path.insert(0, GEN)
from ggufgen import File, Tensor, arch  # noqa: E402

MIB = 2 ** 20
FILES = ("llama3", "vocab256k", "model2g", "tensors1e5", "tensors1e6")
ALL_FILES = (*FILES, "one key")
PROGRAMS = {
    "info": "`gguf info`",
    "stdin": "`gguf info - <FILE`",
    "head": "`gguf info` of the header alone",
    "compat": "`gguf dump --compat`",
    "empty": "an empty program",
    "cat": "`cat` of the header",
    "ggml": "ggml, `gguf_init_from_file`",
    "hf": "`@huggingface/gguf`",
    "gguf-dump": "`gguf-dump`",
}
OURS = ("info", "stdin", "head", "compat")


def say(text):
    print(f"bench: {text}", file=sys.stderr)


class Job:
    """One program on one file, and what its runs took."""

    def __init__(self, program, file, words, stdin=os.devnull):
        self.program, self.file = program, file
        self.words, self.stdin = words, stdin
        self.seconds, self.cpu, self.peaks = [], [], []
        self.first = self.end = self.rounds = None

    def run(self, launch, limit):
        with open(self.stdin, "rb") as stdin:
            said = subprocess.run(
                [launch, str(limit), *self.words], stdin=stdin, text=True,
                stdout=subprocess.PIPE, check=True).stdout
        ns, us, kib, how, number = said.split()
        self.end = f"{how} {number}"
        return int(ns) / 1e9, int(us) / 1e6, int(kib) / 1024

    def warm_up(self, launch, limit, quick):
        """The run that does not count fills the page cache, and shows whether
        the program works and in how many rounds there is time for it."""
        self.first = self.run(launch, limit)
        seconds = self.first[0]
        if not self.good:
            self.rounds = 0
        elif seconds < 0.1:
            self.rounds = 11 if quick else 41
        elif seconds < 1 or self.program in OURS:
            self.rounds = 5 if quick else 11
        else:
            self.rounds = 1 if quick else 3

    def measure(self, launch, limit):
        seconds, cpu, peak = self.run(launch, limit)
        self.seconds.append(seconds)
        self.cpu.append(cpu)
        self.peaks.append(peak)

    @property
    def good(self):
        return self.end == "exit 0"

    @property
    def stopped(self):
        return self.end == "signal 14"

    @property
    def wall(self):
        return median(self.seconds)

    @property
    def cpu_time(self):
        return median(self.cpu)

    @property
    def peak(self):
        return median(self.peaks)

    def over(self, other):
        """How many times as long as the other job this one takes."""
        return median(a / b for a, b in zip(self.seconds, other.seconds))

    def cpu_over(self, other):
        """The same by the time of the processor."""
        return median(a / b for a, b in zip(self.cpu, other.cpu))


class Bench:
    def __init__(self, work, quick):
        self.work, self.quick = work, quick
        self.limit = 20 if quick else 60
        self.launch = self.path("launch")
        self.gguf = self.path("build/gguf")
        self.dump = self.path("venv/bin/gguf-dump")
        self.header = {}
        self.jobs = {}

    def path(self, *parts):
        return os.path.join(self.work, *parts)

    # --------------------------------------------------------------- set-up

    def peers(self):
        """The words to start each peer that is here with, but for FILE."""
        result = {}
        lib = self.path("node_modules/@node-llama-cpp/linux-x64/bins",
                        "linux-x64/libggml-base.so")
        if os.path.exists(lib):
            result["ggml"] = [self.path("ggml_open"), lib]
        if os.path.exists(self.path("node_modules/@huggingface/gguf")):
            script = os.path.join(os.path.dirname(__file__), "hf_open.mjs")
            result["hf"] = ["node", script, self.work]
        if os.path.exists(self.dump):
            result["gguf-dump"] = [self.dump]
        return result

    def has_dump(self):
        return subprocess.run([self.gguf, "dump", "--help"],
                              capture_output=True, check=False).returncode == 0

    def make_header(self, file, path):
        """The bytes of the file before its data, as a file of its own."""
        said = subprocess.run([self.gguf, "info", "--json", path], check=True,
                              capture_output=True).stdout
        self.header[file] = json.loads(said)["files"][0]["data_offset"]
        head = self.path("files", file + ".head")
        with open(path, "rb") as f, open(head, "wb") as out:
            out.write(f.read(self.header[file]))
        return head

    def add(self, program, file, words, **more):
        self.jobs[file, program] = Job(program, file, words, **more)

    def add_file(self, file, peers):
        path = self.path("files", file + ".gguf")
        if not os.path.exists(path):
            say(f"without {file}, which could not be made")
            return
        head = self.make_header(file, path)
        self.add("info", file, [self.gguf, "info", path])
        self.add("stdin", file, [self.gguf, "info", "-"], stdin=path)
        if file == "model2g":
            self.add("head", file, [self.gguf, "info", head])
        self.add("empty", file, [self.path("empty")])
        self.add("cat", file, ["cat", head])
        for name, words in peers.items():
            self.add(name, file, [*words, path])
        if file == "llama3" and self.has_dump():
            self.add("compat", file, [self.gguf, "dump", "--compat", path])

    def add_all(self):
        peers = self.peers()
        for file in FILES:
            self.add_file(file, peers)
        tiny = self.path("corpus/good/one-key.gguf")
        self.add("info", "one key", [self.gguf, "info", tiny])
        self.add("empty", "one key", [self.path("empty")])

    def compare_dumps(self):
        """Both dumps must print the same. Gives the number of bytes, or None
        if there are not both."""
        keys = [("llama3", "gguf-dump"), ("llama3", "compat")]
        if not all(key in self.jobs for key in keys):
            return None
        said = [subprocess.run(self.jobs[key].words, capture_output=True,
                               check=True).stdout for key in keys]
        if said[0] != said[1]:
            raise SystemExit("bench: on llama3, gguf-dump and gguf dump "
                             "--compat do not print the same")
        return len(said[0])

    # ------------------------------------------------------------ measuring

    def measure(self):
        for job in self.jobs.values():
            job.warm_up(self.launch, self.limit, self.quick)
            say(f"{job.file}, {job.program}: {job.first[0]:.3f} s, {job.end}")
        rounds = max(j.rounds for j in self.jobs.values())
        for i in range(rounds):
            turn = [j for j in self.jobs.values() if i < j.rounds]
            random.Random(i).shuffle(turn)
            say(f"round {i + 1} of {rounds}: {len(turn)} programs")
            for job in turn:
                job.measure(self.launch, self.limit)

    def measure_hostile(self):
        """The slowest and the largest of three runs on each hostile file."""
        folder = self.path("corpus/hostile")
        jobs = []
        for name in sorted(os.listdir(folder)):
            job = Job("info", name,
                      [self.gguf, "info", os.path.join(folder, name)])
            for _ in range(3):
                job.measure(self.launch, self.limit)
            if job.end not in ("exit 0", "exit 4", "exit 5"):
                raise SystemExit(f"bench: gguf info {name}: {job.end}")
            jobs.append(job)
        return jobs


# ------------------------------------------------------------------ writing

WRITERS = {
    "cp": "`cp` and `sync` of its copy",
    "copy": "`gguf copy`",
    "split": "`gguf split --max-size 500M`",
    "merge": "`gguf merge` of these",
}


def balanced(items, i):
    """Row i of a square in which each item follows each other once (for an even
    number of them)."""
    n = len(items)
    order = [0] + [k // 2 + 1 if k % 2 == 0 else n - 1 - k // 2
                   for k in range(n - 1)]
    return [items[(k + i) % n] for k in order]


class Sparse:
    """A model of ten tensors of so many rows, nearly all hole: a few bytes of
    data within each."""

    DATA, AT = b"data", 12345

    def __init__(self, rows):
        self.tensors = [Tensor(f"t{i}", [2 ** 20, rows], "F16")
                        for i in range(10)]
        self.head = File([arch()], self.tensors, data=False, start=True).build()
        self.size = self.tensors[0].size

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.head)
            for i in range(len(self.tensors)):
                f.seek(len(self.head) + i * self.size + self.AT)
                f.write(self.DATA)
            f.truncate(len(self.head) + len(self.tensors) * self.size)

    def is_there(self, path):
        """Is the last tensor's data where the end of the file says?"""
        with open(path, "rb") as f:
            f.seek(os.path.getsize(path) - self.size + self.AT)
            return f.read(len(self.DATA)) == self.DATA


class Writing:
    """Programs that write all of a model with 1.9 GiB of data, beside cp. The
    model is in the page cache; what was written before is on the disk."""

    def __init__(self, bench):
        self.bench = bench
        self.folder = bench.path("writing")
        self.model = self.out("model2g.gguf")
        self.jobs = {}

    def out(self, name):
        return os.path.join(self.folder, name)

    def prepare(self):
        if not os.path.exists(self.model):
            subprocess.run([sys.executable, "-B", os.path.join(GEN, "big.py"),
                            self.folder, "model2g"], check=True)
        self.clear("kept-")
        gguf, shards = self.bench.gguf, self.out("kept-00001-of-00005.gguf")
        subprocess.run([gguf, "split", "-q", "--max-size", "500M", self.model,
                        self.out("kept")], check=True)
        copy = f'cp "{self.model}" "{self.out("o")}" && sync "{self.out("o")}"'
        for program, words in (
                ("cp", ["sh", "-c", copy]),
                ("copy", [gguf, "copy", "-q", self.model, self.out("o")]),
                ("split", [gguf, "split", "-q", "--max-size", "500M",
                           self.model, self.out("o")]),
                ("merge", [gguf, "merge", "-q", shards, self.out("o")])):
            self.jobs[program] = Job(program, "model2g", words)

    def clear(self, prefix):
        for name in os.listdir(self.folder):
            if name.startswith(prefix):
                os.remove(self.out(name))

    def warm(self):
        """The model and its shards into the page cache."""
        for name in os.listdir(self.folder):
            subprocess.run(["cat", self.out(name)], check=True,
                           stdout=subprocess.DEVNULL)

    def measure(self):
        self.prepare()
        for i in range(4 if self.bench.quick else 12):
            # Each program comes after each other equally often: what one has
            # left the disk to do must not always be the same one's loss.
            turn = balanced(list(self.jobs.values()), i)
            say(f"writing, round {i + 1}")
            for job in turn:
                self.clear("o")
                os.sync()
                self.warm()
                job.measure(self.bench.launch, 600)
                if not job.good:
                    raise SystemExit(f"bench: {job.words}: {job.end}")
        self.clear("o")

    def holes(self):
        """A model of 20 GB, nearly all hole, split and merged: (peak MiB, MiB
        of disk that the largest result takes)."""
        gguf, path = self.bench.gguf, self.out("o-sparse.gguf")
        Sparse(1000).write(path)
        split = Job("split", "sparse", [gguf, "split", "-q", "--max-size", "6G",
                                        path, self.out("o-part")])
        merge = Job("merge", "sparse", [
            gguf, "merge", "-q", self.out("o-part-00001-of-00005.gguf"),
            self.out("o-whole.gguf")])
        for job in (split, merge):
            job.measure(self.bench.launch, 600)
            if not job.good:
                raise SystemExit(f"bench: {job.words}: {job.end}")
        disk = max(os.stat(self.out(n)).st_blocks * 512
                   for n in os.listdir(self.folder) if n.startswith("o-"))
        self.clear("o")
        return max(split.peak, merge.peak), disk / MIB

    def print(self):
        cp = self.jobs["cp"]
        print_table(("file", "program", "runs", "wall time", "peak MiB",
                     "time / `cp`"),
                    [("model2g", WRITERS[p], str(len(j.seconds)),
                      duration(j.wall), f"{j.peak:.1f}", times(j.over(cp)))
                     for p, j in self.jobs.items()])

    def print_targets(self, holes):
        rows = Targets(self.bench)
        for program in ("split", "merge"):
            job = self.jobs[program]
            ratio = job.over(self.jobs["cp"])
            rows.add(f"model2g: `gguf {program}`, time against `cp`",
                     "at most 1.1 times", f"{times(ratio)} times",
                     ratio <= 1.1)
            rows.add(f"model2g: `gguf {program}`, peak memory",
                     "at most 64 MiB", f"{job.peak:.1f} MiB", job.peak <= 64)
        rows.add("20 GB of hole, split and merged: peak memory",
                 "at most 64 MiB", f"{holes[0]:.1f} MiB", holes[0] <= 64)
        rows.add("20 GB of hole, split and merged: room on the disk",
                 "at most 1 MiB", f"{holes[1]:.2f} MiB", holes[1] <= 1)
        print_table(("what", "target", "reached", "met"), rows.rows)


# ------------------------------------------------------------------ editing

EDITORS = {
    "set": "`gguf set FILE general.name=x -o OUT`",
    "new-metadata": "`gguf-new-metadata --general-name x FILE OUT`",
}


def measure_editing(bench):
    """One key of a file that is nearly all header, into another file; ours
    waits until that is on the disk."""
    source = os.path.join(bench.work, "files", "vocab256k.gguf")
    out = bench.path("edited.gguf")
    jobs = {
        "set": Job("set", "vocab256k", [
            bench.gguf, "set", "-q", source, "general.name=x", "-o", out]),
        "new-metadata": Job("new-metadata", "vocab256k", [
            bench.path("venv/bin/gguf-new-metadata"), "--general-name", "x",
            source, out]),
    }
    results = []
    for i in range(3 if bench.quick else 7):
        say(f"editing, round {i + 1}")
        for job in random.Random(i).sample(list(jobs.values()), len(jobs)):
            job.measure(bench.launch, 600)
            if not job.good:
                raise SystemExit(f"bench: {job.words}: {job.end}")
            results.append(output_of(bench.gguf, "get", out, "general.name"))
            os.remove(out)
    if set(results) != {"x"}:
        raise SystemExit(f"bench: the name is {set(results)}")
    theirs = jobs["new-metadata"]
    print_table(("file", "program", "runs", "wall time", "peak MiB",
                 "time / `gguf set`"),
                [("vocab256k", EDITORS[p], str(len(j.seconds)),
                  duration(j.wall), f"{j.peak:.1f}", times(j.over(jobs["set"])))
                 for p, j in jobs.items()])
    rows = Targets(bench)
    ratio = theirs.over(jobs["set"])
    rows.add("vocab256k: one key changed, faster than `gguf-new-metadata`",
             "at least 200 times", f"{times(ratio)} times", ratio >= 200)
    print_table(("what", "target", "reached", "met"), rows.rows)


class InPlace:
    """Edits that move no tensor data. Every run changes something, and is on
    the disk at its end."""

    KEY = "llama.block_count"

    def __init__(self, bench):
        self.bench, self.rows = bench, []
        self.folder = bench.path("in-place")
        os.makedirs(self.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, job, words):
        job.words = words
        job.measure(self.bench.launch, 600)
        if not job.good:
            raise SystemExit(f"bench: {words}: {job.end}")

    def same_length(self):
        """One number, by us and by gguf-set-metadata; the ratio."""
        file = self.path("vocab256k.gguf")
        shutil.copy(os.path.join(self.bench.work, "files", "vocab256k.gguf"),
                    file)
        ours, theirs = Job("set", "vocab256k", []), Job("other", "vocab256k", [])
        for i in range(3 if self.bench.quick else 7):
            say(f"in place, round {i + 1}")
            value = str(100 + 2 * i)
            self.run(theirs, [self.bench.path("venv/bin/gguf-set-metadata"),
                              "--force", file, self.KEY, value])
            self.seen(file, self.KEY, value)
            value = str(101 + 2 * i)
            self.run(ours, [self.bench.gguf, "set", "-q", "--in-place", file,
                            f"{self.KEY}={value}"])
            self.seen(file, self.KEY, value)
        ratio = theirs.over(ours)
        self.add("vocab256k", "`gguf set FILE KEY=N`", ours, 1)
        self.add("vocab256k", "`gguf-set-metadata FILE KEY N`", theirs, ratio)
        os.remove(file)
        return ratio

    def seen(self, file, key, value):
        found = output_of(self.bench.gguf, "get", file, key)
        if found != value:
            raise SystemExit(f"bench: {key} is {found!r:.50}, not {value!r:.50}")

    def add(self, file, program, job, ratio=None):
        self.rows.append((file, program, str(len(job.seconds)),
                          duration(job.wall), f"{job.peak:.1f}",
                          times(ratio) if ratio else ""))

    def sparse(self):
        """50 GB, nearly all hole, get a longer chat template."""
        model = Sparse(2500)
        file, job = self.path("sparse.gguf"), Job("set", "sparse", [])
        for i in range(3 if self.bench.quick else 7):
            model.write(file)
            os.sync()
            self.run(job, [self.bench.gguf, "set", "-q", "--in-place", file,
                           "tokenizer.chat_template=" + "x" * 20000])
            if not model.is_there(file):
                raise SystemExit("bench: the data is elsewhere")
        os.remove(file)
        self.add("50 GB, nearly all hole", "`gguf set`, a longer template", job)
        return job.wall

    def dense(self):
        """2 GB of data: in the page cache; just written, not on the disk."""
        writing = Writing(self.bench)
        writing.prepare()
        file = self.path("dense.gguf")
        for state in ("in the page cache", "not yet on the disk"):
            job = Job("set", "model2g", [])
            for i in range(3 if self.bench.quick else 5):
                if os.path.exists(file):
                    os.remove(file)
                os.sync()
                subprocess.run(["cp", writing.model, file], check=True)
                if state.startswith("in"):
                    os.sync()
                self.run(job, [self.bench.gguf, "set", "-q", "--in-place", file,
                               "tokenizer.chat_template=" + "x" * 20000])
            self.add(f"model2g, {state}", "`gguf set`, a longer template", job)
        os.remove(file)


def measure_in_place(bench):
    edits = InPlace(bench)
    ratio, seconds = edits.same_length(), edits.sparse()
    edits.dense()
    print_table(("file", "program", "runs", "wall time", "peak MiB",
                 "time / `gguf set`"), edits.rows)
    rows = Targets(bench)
    rows.add("vocab256k: one number changed, faster than `gguf-set-metadata`",
             "at least 500 times", f"{times(ratio)} times", ratio >= 500)
    rows.add("50 GB, nearly all hole: a longer chat template",
             "under 250 ms", duration(seconds), seconds < 0.25)
    print_table(("what", "target", "reached", "met"), rows.rows)


def measure_writing(bench):
    writing = Writing(bench)
    writing.measure()
    writing.print()
    writing.print_targets(writing.holes())


# ------------------------------------------------------------------- tables

def duration(seconds):
    if seconds >= 1:
        return f"{seconds:.2f} s"
    ms = seconds * 1e3
    return f"{ms:.0f} ms" if ms >= 100 else f"{ms:.3g} ms"


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if i < 2 else "---:"
                            for i in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def result_row(bench, job):
    info = bench.jobs[job.file, "info"]
    name = PROGRAMS[job.program]
    if job.stopped:
        limit = bench.limit
        return (job.file, name, "1", f"> {limit} s, stopped",
                f"> {job.first[2]:.1f}", "> " + times(limit / info.wall))
    if not job.good:
        return job.file, name, "1", f"fails: {job.end}", "", ""
    return (job.file, name, str(len(job.seconds)), duration(job.wall),
            f"{job.peak:.1f}", "1" if job is info else times(job.over(info)))


def print_results(bench):
    rows = [result_row(bench, bench.jobs[file, program])
            for file in ALL_FILES for program in PROGRAMS
            if (file, program) in bench.jobs]
    print_table(("file", "program", "runs", "wall time", "peak MiB",
                 "time / `gguf info`"), rows)


class Targets:
    """What was promised, and what was reached."""

    def __init__(self, bench):
        self.jobs, self.header = bench.jobs, bench.header
        self.rows = []

    def good(self, *keys):
        return all(k in self.jobs and self.jobs[k].good for k in keys)

    def add(self, what, target, reached, met):
        self.rows.append((what, target, reached, "yes" if met else "NO"))

    def at_least(self, what, file, program, least, base="info"):
        """At least so many times as fast as another program."""
        if not self.good((file, program), (file, base)):
            return
        ratio = self.jobs[file, program].over(self.jobs[file, base])
        self.add(what, f"at least {least} times", f"{times(ratio)} times",
                 ratio >= least)

    def memory(self, file):
        if not self.good((file, "info")):
            return
        over = self.jobs[file, "info"].peak - self.header[file] / MIB
        self.add(f"{file}: peak memory", "at most 5 MiB above the header",
                 f"{over:+.1f} MiB", over <= 5)

    def growth(self):
        info, head = (self.jobs["model2g", p] for p in ("info", "head"))
        grown = info.peak - head.peak
        self.add("model2g: memory, against its header alone",
                 "no growth: within 0.5 MiB", f"{grown:+.1f} MiB",
                 abs(grown) <= 0.5)
        ratio = info.over(head)
        self.add("model2g: time, against its header alone",
                 "no growth: at most 1.2 times", f"{times(ratio)} times",
                 ratio <= 1.2)

    def scaling(self):
        ratio = self.jobs["tensors1e6", "info"].over(
            self.jobs["tensors1e5", "info"])
        self.add("tensors: time for 10^6 against 10^5", "at most 15 times",
                 f"{times(ratio)} times", ratio <= 15)

    def start_up(self):
        info, empty = (self.jobs["one key", p] for p in ("info", "empty"))
        more = median(a - b for a, b in zip(info.seconds, empty.seconds))
        self.add("one key: start-up, above an empty program",
                 "less than 1 ms", duration(more), more < 1e-3)

    def hostile(self, jobs):
        wall = max(j.wall for j in jobs)
        peak = max(j.peak for j in jobs)
        files = f"{len(jobs)} hostile files: "
        self.add(files + "the slowest", "less than 10 ms", duration(wall),
                 wall < 10e-3)
        self.add(files + "the most memory", "less than 16 MiB",
                 f"{peak:.1f} MiB", peak < 16)


def print_targets(bench, hostile, dumped):
    t = Targets(bench)
    t.at_least("llama3: faster than ggml", "llama3", "ggml", 14)
    t.at_least("llama3: faster than `gguf-dump`", "llama3", "gguf-dump", 2000)
    t.at_least("llama3: as fast as `cat`", "llama3", "cat", 1)
    t.memory("llama3")
    t.memory("vocab256k")
    t.growth()
    t.scaling()
    t.hostile(hostile)
    t.start_up()
    t.at_least(f"llama3: the {dumped} bytes that `gguf-dump` prints, faster",
               "llama3", "gguf-dump", 20, "compat")
    print_table(("what", "target", "reached", "met"), t.rows)


def output_of(*words):
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    return said.stdout.strip()


def print_machine(bench):
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    here = os.path.dirname(os.path.abspath(__file__))
    commit = output_of("git", "-C", here, "describe", "--always", "--dirty")
    node = output_of("node", "--version") if shutil.which("node") else "none"
    print(f"{time.strftime('%Y-%m-%d')}: {output_of(bench.gguf, '--version')}"
          f" ({commit or 'no commit'}), {os.cpu_count()} x {model}, "
          f"{platform.system()} {platform.release()}, "
          f"Python {platform.python_version()}, node {node}, "
          f"load {os.getloadavg()[0]:.1f}\n")


def main(args):
    quick = "--quick" in args
    folders = [a for a in args if not a.startswith("--")]
    if len(folders) != 1:
        raise SystemExit(__doc__)
    bench = Bench(folders[0], quick)
    for option, measure in (("--writing", measure_writing),
                            ("--editing", measure_editing),
                            ("--in-place", measure_in_place)):
        if option in args:
            print_machine(bench)
            measure(bench)
            return
    bench.add_all()
    dumped = bench.compare_dumps()
    bench.measure()
    hostile = bench.measure_hostile()
    print_machine(bench)
    print_results(bench)
    print_targets(bench, hostile, dumped)
    measure_editing(bench)
    measure_in_place(bench)
    measure_writing(bench)


if __name__ == "__main__":
    main(sys.argv[1:])
