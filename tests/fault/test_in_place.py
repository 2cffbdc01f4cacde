#!/usr/bin/env -S python3 -B
"""test_in_place.py GGUF FAULTLIB FOLDER [asan] [slow] - edits in place go wrong.

Each edit ends, fails or is cut off at every call that concerns a file; is
is killed by SIGKILL, at random; and loses the power, in states made from what
faultlib.c recorded: of what was not synchronized some is on the disk, torn at
512 or 4096 bytes; of the data that an insertion moves some has moved, up to any
boundary. After that `gguf recover` must give the file of before, byte for byte,
or, if no journal is there, the one of before or after; and until then no
command may read it. Without fsync of the file, or of the folder, this must find
something wrong: else it would prove nothing.

The states of a half-done insertion are made by insertion elsewhere, in the same
file, so that its extents are those that the journal tells of. That is done
here, and on every file system that can be mounted: where room cannot be made in
a file, it must be written anew.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import commands
import fault
import models
from disk import SECTORS, apply, read_log, torn

INSERT, COLLAPSE = 0x20, 0x08
JOURNAL, TEMP = ".in.gguf.ggk-journal", ".in.gguf.ggk-tmp"
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_int64]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64,
                           ctypes.c_int64]
FATAL = ("EIO", "ENOSPC", "EDQUOT", "EAGAIN")
LONG = "x" * 3000


def change_space(path, mode, off, size):
    fd = os.open(path, os.O_RDWR)
    done = LIBC.fallocate(fd, mode, off, size)
    failed = ctypes.get_errno() if done else 0
    os.close(fd)
    if failed:
        raise OSError(failed, os.strerror(failed), path)


def padded():
    """small(), and free space behind its keys."""
    return models.File(models.keys() + [
        models.KV("general.padding", "str", " " * 500)],
        models.tensors()).build()


class Edit:
    """One edit of in.gguf, and how it is done where all is possible."""

    def __init__(self, way, words, data):
        self.way, self.words = way, words.split()
        self.name, self.data = f"{way}: {words[:60]}", data
        hole = None
        self.before, hole = data if isinstance(data, tuple) else (data, None)
        self.after = None
        self.files = {"in.gguf": data}


EDITS = [
    Edit("patch", "set --in-place in.gguf general.name=FAULTY", models.small()),
    Edit("patch", "set --in-place in.gguf general.name=FAULTY "
         "llama.context_length=257", models.small()),
    Edit("patch", "rename --in-place --tensor in.gguf blk.0.attn_q.weight "
         "blk.0.attn_k.weight", models.small()),
    Edit("space", "set --in-place in.gguf general.name=" + "y" * 99, padded()),
    Edit("space", "rm --in-place in.gguf tokenizer.chat_template",
         models.small()),
    Edit("insert", "set --in-place in.gguf general.name=" + LONG,
         models.small()),
    Edit("insert", "set --in-place in.gguf general.name=" + LONG,
         models.holes()),
    Edit("insert", "rm --in-place --reserve 20K in.gguf general.name",
         models.large("large", 1)),
]


# ------------------------------------------------------------------- basics
def path_of(bench):
    return os.path.join(bench.here, "in.gguf")


def read(bench):
    with open(path_of(bench), "rb") as f:
        return f.read()


def names(bench):
    return sorted(os.listdir(bench.here))


def put(bench, edit):
    """A new file, in several extents if it is larger."""
    bench.put({})
    with open(path_of(bench), "wb") as f:
        if not isinstance(edit.data, tuple):
            step = max(len(edit.before) // 8 // 4096 * 4096, 4096)
            for first in (0, 1):
                for at in range(first * step, len(edit.before), 2 * step):
                    f.seek(at)
                    f.write(edit.before[at:at + step])
                f.flush()
                os.fsync(f.fileno())
    if isinstance(edit.data, tuple):
        bench.put(edit.files)


def recover(bench, judge, label):
    """Undo what was cut off: was there a journal? No other command may read
    the file until then."""
    if JOURNAL not in names(bench):
        return False
    r = bench.run(["keys", "in.gguf"])
    judge.check(r.code == fault.IO and b"gguf recover" in r.err, label,
                f"a reader: exit {r.code} {r.err!r}")
    r = bench.run(["recover", "in.gguf"], at=0, sync="0")
    judge.check(r.code == fault.DONE and b"was undone" in r.out, label,
                f"recover: exit {r.code} {r.out!r} {r.err!r}")
    judge.check(JOURNAL not in names(bench), label, "the journal stays")
    return True


def judge_file(judge, label, edit, found, undone):
    wanted = (edit.before,) if undone else (edit.before, edit.after)
    judge.check(found in wanted, label,
                f"neither old nor new: {len(found)} bytes, "
                f"{len(edit.before)} before, {len(edit.after)} after")


def as_foretold(foretold, told):
    """Was it edited as a dry run said it would be? But for clusters, of which
    file systems do not tell the size."""
    if told.code != fault.DONE:
        return foretold.code == told.code and foretold.err == told.err
    would, did = (json.loads(r.out)["in_place"] for r in (foretold, told))
    if did["way"] == "insert" and did["bytes_inserted"] % 65536 == 0:
        return would["way"] == "insert"
    return would == did


def learn(bench, judge, edit):
    """What it does when nothing goes wrong; False: it cannot be done here."""
    put(bench, edit)
    foretold = bench.run([*edit.words, "--json", "--dry-run"])
    judge.check(names(bench) == ["in.gguf"] and
                read(bench) == edit.before, edit.name, "a dry run changes it")
    told = bench.run([*edit.words, "--json"])
    judge.check(as_foretold(foretold, told), edit.name,
                f"foretold {foretold.out!r} {foretold.err!r}, then "
                f"{told.out!r} {told.err!r}")
    put(bench, edit)
    ino = os.stat(path_of(bench)).st_ino
    r = bench.run(edit.words, at=0)
    if r.code == fault.UNSUPPORTED and b"cannot be edited in place" in r.err:
        judge.check(read(bench) == edit.before, edit.name, "it was changed")
        return False
    judge.check(r.code == fault.DONE and r.loaded == 1, edit.name,
                f"exit {r.code}: {r.err!r}")
    edit.after = read(bench)
    judge.check(names(bench) == ["in.gguf"], edit.name, names(bench))
    judge.check(os.stat(path_of(bench)).st_ino == ino, edit.name,
                "it is another file")
    judge.check((b"room made" in r.out) == (edit.way == "insert"),
                edit.name, f"{r.out!r}")
    put(bench, edit)
    return True


# ------------------------------------------------------- ends and failures
def cut(bench, judge, edit, at, kind):
    r = bench.run(edit.words, at=at, kind=kind)
    if r.hits == 0:
        put(bench, edit)
        return False
    label = f"{edit.name}, {kind} call {at}, {r.hit}"
    judge.check(r.code == fault.EXIT_CUT, label, f"exit {r.code}")
    undone = recover(bench, judge, label)
    judge_file(judge, label, edit, read(bench), undone)
    if read(bench) == edit.before: # a second edit tidies up
        r = bench.run(edit.words)
        judge.check(r.code == fault.DONE and read(bench) == edit.after and
                    names(bench) == ["in.gguf"], label,
                    f"again: exit {r.code} {r.err!r} {names(bench)}")
    put(bench, edit)
    return True


def fails(bench, judge, edit, at, kind, onward):
    number = fault.ERRNO.get(kind)
    r = bench.run(edit.words, at=at, onward=onward,
                  kind=f"error:{number}" if number else kind)
    if r.hits == 0 and r.calls < at:
        put(bench, edit)
        return False
    label = f"{edit.name}, {kind}{' from' if onward else ' at'} {at}, {r.hit}"
    left = JOURNAL in names(bench)
    undone = recover(bench, judge, label)
    found = read(bench)
    judge_file(judge, label, edit, found, undone)
    if r.code == fault.DONE:
        judge.check(found == edit.after and not left, label, "done, but old")
    else:
        judge.check(r.code in (fault.IO, fault.UNSUPPORTED) and
                    fault.is_message(r.err, edit.words[0]), label,
                    f"exit {r.code}: {r.err!r}")
        # What is there must not be lost by ending; after the last rename the
        # new one may stay.
        judge.check(found == edit.before or r.op in ("unlinkat", "fsync"),
                    label, "it failed, and is new")
        judge.check(not left or onward or r.op == "unlinkat", label,
                    "one failure, and it was not undone")
        judge.check((b"it was edited, but" in r.err) ==
                    (found == edit.after and not left), label,
                    f"it is {'new' if found == edit.after else 'old'}, and "
                    f"says {r.err!r}")
    judge.check(kind not in ("EINTR", "short") or r.code == fault.DONE, label,
                f"it was noticed: {r.err!r}")
    rest = [n for n in names(bench) if n != "in.gguf"]
    judge.check(not rest or onward or r.op in ("unlinkat", "flock"), label,
                f"left behind: {rest}")
    put(bench, edit)
    return True


def every_call(bench, judge, edit, i, slow):
    points = fault.sweep(lambda at: cut(bench, judge, edit, at, "before"),
                         1 if slow else i % 3 + 1, 1 if slow else 3)
    faults = 0
    for kind in (*FATAL, "EINTR", "short") if slow else (
            FATAL[i % 4], ("EINTR", "short")[i % 2]):
        for onward in (False, True):
            if onward and kind in ("EINTR", "short"):
                continue
            faults += fault.sweep(
                lambda at: fails(bench, judge, edit, at, kind, onward),
                1 if slow else i % 3 + 1, 1 if slow else 3)
    return points, faults


# ------------------------------------------------------------------ SIGKILL
def kills(bench, judge, edits, rng, n):
    killed = 0
    for k in range(n):
        edit = edits[k % len(edits)]
        put(bench, edit)
        pid = bench.start(edit.words)
        time.sleep(rng.random() * edit.seconds * 1.1)
        os.kill(pid, signal.SIGKILL)
        killed += os.WIFSIGNALED(bench.wait(pid))
        label = f"{edit.name}, kill {k}"
        undone = recover(bench, judge, label)
        judge_file(judge, label, edit, read(bench), undone)
    return killed


# --------------------------------------------------------------- power loss
class File:
    """What in.gguf may be: its bytes, and the boundary up to which nothing of
    it has moved; None: nothing was put in."""

    def __init__(self, data, gap=None):
        self.data, self.gap = data, gap


def moved(data, size, boundary):
    return data[:boundary] + bytes(size) + data[boundary:]


def boundaries(size, inserted, rng, n):
    """Where a half-done insertion may have stopped: at any block, or cluster of
    blocks."""
    unit = 65536 if inserted % 65536 == 0 else 4096
    units = size // unit + 1
    return {min(unit * rng.randrange(units + 1), size) for _ in range(n)}


def file_states(durable, steps, rng, n):
    """What the file may be, of which `steps` are not synchronized."""
    yield durable
    inserted = [s for s in steps if s.op == "insert"]
    if inserted:
        size = inserted[0].off
        for b in {0, len(durable.data),
                  *boundaries(len(durable.data), size, rng, n)}:
            yield File(moved(durable.data, size, b), b)
        return
    writes = [s for s in steps if s.op == "write"]
    if not writes:
        return
    for _ in range(n):
        data = durable.data
        for step in rng.sample(writes, len(writes)):
            pieces = torn(step, rng.choice(SECTORS), rng)
            data = apply(data, step, pieces)
        yield File(data, durable.gap)


def journal_states(durable, steps, rng, n):
    yield durable
    data = durable
    for step in steps:
        data = apply(data, step)
    yield data
    for _ in range(n if steps else 0):
        data = durable
        for step in steps:
            data = apply(data, step, torn(step, rng.choice(SECTORS), rng))
        yield data


class Disk:
    """What is there for sure, and what may be: of the file, of the journal, of
    whether that has its name."""

    def __init__(self, bench, before):
        self.folder = os.stat(bench.here).st_ino
        self.ino = os.stat(path_of(bench)).st_ino
        self.file, self.file_steps = File(before), []
        self.journal, self.journal_steps = b"", []
        self.named, self.name_steps = False, []

    def sync_file(self):
        for step in self.file_steps:
            if step.op == "insert":
                self.file = File(moved(self.file.data, step.off, 0), 0)
            elif step.op == "write":
                self.file = File(apply(self.file.data, step), self.file.gap)
        self.file_steps = []

    def do(self, step):
        if step.op == "sync" and step.ino == self.folder:
            self.named = (self.name_steps or [self.named])[-1]
            self.name_steps = []
        elif step.op == "sync" and step.ino == self.ino:
            self.sync_file()
        elif step.op == "sync":
            for s in self.journal_steps:
                self.journal = apply(self.journal, s)
            self.journal_steps = []
        elif step.op in ("write", "insert", "truncate"):
            (self.file_steps if step.ino == self.ino
             else self.journal_steps).append(step)
            if step.op == "write" and step.ino == self.ino and any(
                    s.op == "insert" for s in self.file_steps[:-1]):
                self.file_steps = [s for s in self.file_steps
                                   if s.op == "insert"] + [step]
        elif step.op == "rename":
            self.name_steps.append(True)
        elif step.op == "unlink":
            self.name_steps.append(False)

    def states(self, rng, n):
        files = list(file_states(self.file, self.file_steps, rng, n))
        journals = list(journal_states(self.journal, self.journal_steps, rng,
                                       n // 4 + 1))
        for named in {self.named, *self.name_steps}:
            for i in range(max(len(files), len(journals) if named else 1)):
                yield (files[i % len(files)],
                       journals[i % len(journals)] if named else None)


def restore(bench, edit):
    """The file of before, with its extents."""
    path = path_of(bench)
    now = read(bench)
    size = len(now) - len(edit.before)
    if size > 0:
        change_space(path, COLLAPSE, 0, size)
        now = now[size:]
    overwrite(path, now, edit.before)


def overwrite(path, now, wanted):
    """Change only the sectors that differ."""
    with open(path, "r+b", buffering=0) as f:
        for at in range(0, len(wanted), 512):
            if now[at:at + 512] != wanted[at:at + 512]:
                f.seek(at)
                f.write(wanted[at:at + 512])


def make(bench, edit, state):
    """Put a state on the disk, of the file as it was before."""
    path = path_of(bench)
    file, journal = state
    now = edit.before
    if file.gap is not None:
        size = len(file.data) - len(edit.before)
        if file.gap >= len(edit.before):
            os.truncate(path, len(file.data))
        else:
            change_space(path, INSERT, file.gap, size)
        now = moved(edit.before, size, min(file.gap, len(edit.before)))
    overwrite(path, now, file.data)
    if journal is not None:
        with open(os.path.join(bench.here, JOURNAL), "wb") as f:
            f.write(journal)


def is_good(bench, edit, state, ended):
    """Is the file old or new, once it was recovered? Else why not."""
    _, journal = state
    if journal is not None:
        r = bench.run(["recover", "in.gguf"], at=0, sync="0")
        if r.code != fault.DONE or JOURNAL in names(bench):
            return f"recover: exit {r.code} {r.out!r} {r.err!r}"
    found = read(bench)
    if ended:
        return "" if found == edit.after else "it is not new after the end"
    if found not in (edit.before, edit.after):
        return f"neither old nor new ({len(found)} bytes)"
    return ""


def explore(bench, edit, sync, rng, n):
    put(bench, edit)
    disk = Disk(bench, edit.before)
    r = bench.run(edit.words, at=0, sync=sync, log=True)
    if r.code != fault.DONE:
        return 0, [f"exit {r.code}: {r.err!r}"]
    steps = read_log(bench.log)
    states, bad = 0, []
    restore(bench, edit)
    for i in range(len(steps) + 1):
        if i > 0:
            disk.do(steps[i - 1])
        for state in disk.states(rng, n):
            states += 1
            make(bench, edit, state)
            why = is_good(bench, edit, state, i == len(steps))
            if why:
                bad.append(f"after step {i} of {len(steps)}, gap "
                           f"{state[0].gap}: {why}")
                return states, bad # the extents may be others now
            restore(bench, edit)
    return states, bad


def power_loss(bench, judge, edits, rng, n):
    states = caught = 0
    for edit in edits:
        count, bad = explore(bench, edit, "0", rng, n)
        states += count
        judge.check(not bad, f"{edit.name}, power", bad)
        for sync in ("file", "folder"):
            _, bad = explore(bench, edit, sync, rng, n)
            caught += bool(bad)
            judge.check(bad, f"{edit.name} without fsync of the {sync}",
                        "nothing bad was found")
    return states, caught


# ------------------------------------------------------------ other journals
def strangers(bench, judge, edit):
    """A journal that is not this file's changes nothing, and is left alone."""
    put(bench, edit)
    bench.run(edit.words, at=0, log=True)
    steps = read_log(bench.log)
    first = next(s for s in steps if s.op == "write")
    journal = b""
    for s in steps:
        if s.op == "write" and s.ino == first.ino:
            journal = apply(journal, s)
    path = os.path.join(bench.here, JOURNAL)
    put(bench, edit) # another inode, or at least another time of birth
    cases = {"of another file": journal, "cut": journal[:-9], "empty": b"",
             "garbage": os.urandom(200), "huge": b"GGKJRNL1" + b"\xff" * 64}
    for name, data in cases.items():
        with open(path, "wb") as f:
            f.write(data)
        r = bench.run(["recover", "in.gguf"])
        judge.check(r.code in (fault.NO, fault.IO) and
                    r.err.count(b"\n") <= 1, name, f"{r.code} {r.err!r}")
        with open(path, "rb") as f:
            judge.check(f.read() == data, name, "the journal was changed")
        judge.check(read(bench) == edit.before, name, "the file was changed")
    os.unlink(path)
    os.symlink("in.gguf", path)
    r = bench.run(["recover", "in.gguf"])
    judge.check(r.code == fault.NO and read(bench) == edit.before, "a link",
                f"{r.code} {r.err!r}")
    os.unlink(path)
    with open(path, "wb") as f:
        f.write(journal)
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
        r = bench.run(["recover", "in.gguf"])
        judge.check(r.code == fault.NO and read(bench) == edit.before,
                    "another user's", f"{r.code} {r.err!r}")
    return len(cases) + 2


def cut_off(bench, edit):
    """Edit until there is a journal, and no further."""
    for at in range(1, 200):
        put(bench, edit)
        bench.run(edit.words, at=at, kind="before")
        if JOURNAL in names(bench):
            return
    sys.exit(f"{edit.name}: it never has a journal")


def write_over(path, data, mode):
    """In the same blocks ("r+b"), or in whichever there are ("wb")."""
    with open(path, mode) as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())


def written_over(bench, judge, edit):
    """Another content of the same length, since the edit was cut off: undoing
    that would be to lose it."""
    places = 0
    for at in range(1, 400):
        put(bench, edit)
        bench.run(edit.words, at=at, kind="before")
        if JOURNAL not in names(bench):
            if places > 0:
                break
            continue
        places += 1
        other = os.urandom(os.path.getsize(path_of(bench)))
        for mode in ("r+b", "wb"):
            write_over(path_of(bench), other, mode)
            for words in (["recover", "--dry-run", "in.gguf"],
                          ["recover", "in.gguf"], edit.words):
                label = f"{edit.name}, cut off at {at}, {mode}, {words[:2]}"
                r = bench.run(words)
                judge.check(r.code == fault.IO, label, f"{r.code} {r.err!r}")
                judge.check(read(bench) == other, label, "bytes are lost")
                judge.check(JOURNAL in names(bench), label, "no journal")
    return places


def undone_in_part(bench, judge, edit, step):
    """Once all was written and the journal was there still, undoing it is cut
    off, or fails, at every call: then it is undone by the next one."""
    late = 0
    for at in range(1, 200):
        put(bench, edit)
        bench.run(edit.words, at=at, kind="before")
        if JOURNAL in names(bench):
            late = at
        elif late:
            break

    def cut_there(at, kind):
        put(bench, edit)
        bench.run(edit.words, at=late, kind="before")
        judge.check(read(bench) == edit.after, edit.name, "it is not new")
        r = bench.run(["recover", "in.gguf"], at=at, kind=kind)
        if r.hits == 0:
            return False
        label = f"{edit.name}, undone, {kind} at {at}, {r.hit}"
        again = recover(bench, judge, label)
        judge.check(read(bench) == edit.before, label,
                    f"not undone: {r.code} {r.err!r}")
        judge.check(names(bench) == ["in.gguf"] or not again, label,
                    names(bench))
        r = bench.run(edit.words) # what was left of the lock goes
        judge.check(r.code == fault.DONE and read(bench) == edit.after and
                    names(bench) == ["in.gguf"], label,
                    f"edited again: {r.code} {r.err!r} {names(bench)}")
        return True
    return sum(fault.sweep(lambda at, k=kind: cut_there(at, k), 1, step)
               for kind in ("before", "after",
                            f"error:{errno.EIO}", f"error:{errno.ENOSPC}"))


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def run_as(bench, before, words):
    return subprocess.run([*before, bench.gguf, *words], cwd=bench.here,
                          env=bench.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


def refused(bench, judge, label, says, before=()):
    """A journal that is the file's own, but may not be applied: nobody reads
    the file, or changes it, and it is told why."""
    found = read(bench)
    anew = ["set", "--rewrite", "in.gguf", "a.key=1"]
    for words in (["keys", "in.gguf"], ["copy", "in.gguf", "new.gguf"], anew,
                  ["set", "--in-place", "in.gguf", "a.key=1"]):
        r = run_as(bench, before, words)
        judge.check(r.returncode == fault.IO and says in r.stderr, label,
                    f"{words}: {r.returncode} {r.stderr!r}")
    judge.check(read(bench) == found and "new.gguf" not in names(bench), label,
                "written")


def not_recovered(bench, judge, label, says):
    found = read(bench)
    for words in (["recover", "in.gguf"], ["recover", "--discard", "in.gguf"]):
        r = bench.run(words)
        judge.check(r.code == fault.NO and says in r.out + r.err, label,
                    f"{words}: {r.code} {r.out!r} {r.err!r}")
    judge.check(read(bench) == found and JOURNAL in names(bench), label,
                "recovered")


def hindered(bench, judge, edit):
    """The journal of a file that was cut off gets a second name, or another
    owner than the file."""
    journal = os.path.join(bench.here, JOURNAL)
    cut_off(bench, edit)
    os.link(journal, os.path.join(bench.here, "second"))
    refused(bench, judge, "a second name", b"2 names (hard links)")
    not_recovered(bench, judge, "a second name", b"2 names (hard links)")
    os.unlink(os.path.join(bench.here, "second"))
    judge.check(recover(bench, judge, "one name") and
                read(bench) == edit.before, "one name", "not recovered")
    if os.geteuid() != 0:
        return
    cut_off(bench, edit)
    os.chown(path_of(bench), 65534, 65534)
    refused(bench, judge, "chown", b"(chown)")
    not_recovered(bench, judge, "chown", b"(chown)")
    os.chmod(bench.root, 0o755)
    if shutil.which("setpriv") and \
            run_as(bench, AS_NOBODY, ["version"]).returncode == 0:
        refused(bench, judge, "chown, by nobody", b"(chown)", AS_NOBODY)
        planted(bench, judge, journal)
    os.chown(journal, 65534, 65534)
    judge.check(recover(bench, judge, "chown of both") and
                read(bench) == edit.before, "chown of both", "not recovered")
    os.chmod(bench.here, 0o755)


def planted(bench, judge, journal):
    """A third user keeps nobody from a file in a folder like /tmp; where he
    could remove the file itself, he does."""
    os.chown(journal, 12345, 12345)
    os.chmod(journal, 0o644)
    for mode, code in ((0o1777, fault.DONE), (0o1755, fault.IO),
                       (0o777, fault.IO)):
        os.chmod(bench.here, mode)
        r = run_as(bench, AS_NOBODY, ["keys", "in.gguf"])
        judge.check(r.returncode == code, f"planted, folder {mode:o}",
                    f"{r.returncode} {r.stderr!r}")


# ------------------------------------------------- access control lists
# The owner and user 1234 may read and write.
USERS = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, who) for tag, rights, who in (
        (1, 6, 0xffffffff), (2, 6, 1234), (4, 0, 0xffffffff),
        (16, 6, 0xffffffff), (32, 0, 0xffffffff)))


def unlisted(bench, judge, edit):
    """The journal is its owner's alone, whoever may read the file, and what
    the folder gives to new ones."""
    acl, journal = "system.posix_acl_", os.path.join(bench.here, JOURNAL)
    plain, found = os.stat(bench.here).st_mode & 0o777, []

    def cut_there(at):
        put(bench, edit)
        os.setxattr(path_of(bench), acl + "access", USERS)
        r = bench.run(edit.words, at=at, kind="before")
        if os.path.exists(journal):
            found.append(at)
            judge.check(acl + "access" not in os.listxattr(journal) and
                        os.stat(journal).st_mode & 0o777 == 0o600,
                        f"{edit.name}, cut at {at}",
                        f"the journal has a list: {os.listxattr(journal)}")
        return r.hits > 0
    put(bench, edit)
    try:
        os.setxattr(path_of(bench), acl + "access", USERS)
        os.setxattr(bench.here, acl + "default", USERS)
    except OSError:
        return # there are none here
    fault.sweep(cut_there)
    judge.check(found, edit.name, "there is no journal")
    os.removexattr(bench.here, acl + "default")
    os.chmod(bench.here, plain)


# ------------------------------------------------------------ temporaries
def left_behind(bench, judge, edit):
    """A run that wrote the file anew was ended just after the exchange: its
    temporary is the file itself, and goes."""
    temp = os.path.join(bench.here, TEMP)
    anew = ["set", "--rewrite", "in.gguf", "a.key=1"]
    found = []

    def cut_there(at):
        put(bench, edit)
        r = bench.run(anew, at=at, kind="before")
        if r.hits and os.path.exists(temp) and \
                os.path.samefile(temp, path_of(bench)):
            found.append(at)
            r = bench.run(["set", "--in-place", "in.gguf", "a.key=2"])
            judge.check(r.code == fault.DONE and TEMP not in names(bench),
                        f"{edit.name}, ended at {at}",
                        f"{r.code} {r.err!r} {names(bench)}")
            r = bench.run(["set", "--rewrite", "in.gguf", "a.key=3"])
            judge.check(r.code == fault.DONE and names(bench) == ["in.gguf"],
                        f"{edit.name}, ended at {at}, and written anew",
                        f"{r.code} {r.err!r} {names(bench)}")
        return r.hits > 0
    fault.sweep(cut_there)
    judge.check(found, edit.name, "the temporary is never the file")
    cut_off(bench, edit)
    os.link(path_of(bench), temp)
    judge.check(recover(bench, judge, "with a temporary") and
                read(bench) == edit.before and names(bench) == ["in.gguf"],
                "with a temporary", names(bench))


def in_the_way(bench, judge, edit):
    """What lies under the name of the temporary keeps the file from being
    edited, and from being written anew: the reason is told as it is."""
    temp = os.path.join(bench.here, TEMP)
    put(bench, edit)
    with open(temp, "wb") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        busy = bench.run(edit.words)
    os.unlink(temp)
    os.mkfifo(temp)
    fifo = bench.run(edit.words)
    for r, says in ((busy, b"another process is writing to this file right now;"
                           b" try again when it is done"),
                    (fifo, b"cannot make a temporary beside it")):
        judge.check(r.code == fault.IO and says in r.err, "in the way",
                    f"{r.code} {r.err!r}")
    judge.check(read(bench) == edit.before, "in the way", "it was changed")


# ----------------------------------------------------------------- other ends
def by_signals(bench, judge, edit, step):
    """The first SIGTERM at any call leaves no journal; the program dies of it,
    or was done."""
    def told(at):
        put(bench, edit)
        r = bench.run(edit.words, at=at, kind=f"signal:{int(signal.SIGTERM)}")
        if r.hits == 0:
            return False
        label = f"{edit.name}, SIGTERM at {at}, {r.hit}"
        judge.check(r.code in (-signal.SIGTERM, fault.DONE), label,
                    f"{r.code} {r.err!r}")
        judge.check(names(bench) == ["in.gguf"], label, names(bench))
        judge.check(read(bench) in (edit.before, edit.after), label, "neither")
        return True
    return fault.sweep(told, 1, step)


def restored(bench, judge, edit):
    """Somebody has written another content of the same size into the file since
    it was interrupted: it is left alone."""
    def cut_there(at):
        put(bench, edit)
        r = bench.run(edit.words, at=at, kind="before")
        if JOURNAL in names(bench):
            other = bytearray(edit.before)
            other[len(other) // 2:] = bytes(len(other) - len(other) // 2)
            other[300] ^= 1
            with open(path_of(bench), "wb") as f:
                f.write(other)
            again = bench.run(["recover", "in.gguf"])
            label = f"{edit.name}, restored after {at}"
            judge.check(again.code in (fault.IO, fault.NO), label,
                        f"{again.code} {again.out!r}")
            judge.check(read(bench) == other, label, "it was changed")
        return r.hits > 0
    return fault.sweep(cut_there, 1, 1)


def appended(bench, judge, edit):
    """Somebody has appended to the file since, or cut it: nobody reads it, and
    neither it nor its journal is touched, whatever is asked for."""
    for change in (b"x", b"x" * 5000, None):
        cut_off(bench, edit)
        with open(path_of(bench), "ab") as f:
            if change is None:
                f.truncate(f.tell() - 1)
            else:
                f.write(change)
        found, label = read(bench), f"{edit.name}, then {change and change[:9]}"
        for words in (["keys"], ["recover"], ["recover", "--dry-run"],
                      ["recover", "--discard"], ["set", "a.key=1"]):
            r = bench.run([words[0], "in.gguf", *words[1:]])
            judge.check(r.code == fault.IO and b"interrupted" in r.err, label,
                        f"{words}: {r.code} {r.out!r} {r.err!r}")
            judge.check(words[0] != "recover" or b"changed since" in r.err and
                        re.search(rb"the edit (can have )?left,? \d", r.err),
                        label, f"{words}: {r.err!r}")
        judge.check(read(bench) == found and
                    names(bench) == [JOURNAL, "in.gguf"], label, "touched")
        with open(path_of(bench), "r+b") as f:
            f.truncate(len(edit.before))
        if change is not None:
            judge.check(recover(bench, judge, label) and
                        read(bench) == edit.before, label, "not recovered")


def exchanged(bench, judge, edit, step):
    """While a journal is in use, another takes its name: that one stays, but if
    it comes between the last look at the name and its removal."""
    path = os.path.join(bench.here, JOURNAL)

    def swapped(words, at, prepare):
        prepare(bench, edit)
        stopped = bench.stop(words, at)
        if stopped is None:
            return False
        ours = os.path.exists(path)
        if ours:
            with open(path + ".new", "wb") as f:
                f.write(b"theirs")
            os.rename(path + ".new", path)
        r = bench.go_on(stopped)
        label = f"{words[0]}, journal exchanged at {at}, {r.hit}"
        if ours and "unlink" not in r.hit:
            judge.check(JOURNAL in names(bench), label, f"removed: {r.err!r}")
        return True
    return sum(fault.sweep(lambda at, w=words, p=prepare: swapped(w, at, p),
                           1, step)
               for words, prepare in ((edit.words, put),
                                      (["recover", "in.gguf"], cut_off)))


def replaced(bench, judge, edit, step):
    """While it is edited nobody of us puts another file in its place; if some
    other program does, the edit fails, and is undone. Only what comes after
    its last look at the name comes after the edit."""
    theirs = models.small("theirs")
    late = []

    def under_way(at, words):
        put(bench, edit)
        with open(os.path.join(bench.here, "theirs"), "wb") as f:
            f.write(theirs)
        stopped = bench.stop(edit.words, at)
        if stopped is None:
            return False
        begun = JOURNAL in names(bench)
        kept = path_of(bench) + ".2"
        other = None
        if begun and words:
            other = bench.finish(bench.start(words))
        elif begun:
            os.rename(path_of(bench), kept)
            os.rename(os.path.join(bench.here, "theirs"), path_of(bench))
        one = bench.go_on(stopped)
        label = f"{edit.name} stopped at {at}, {one.hit}; {words or 'mv'}"
        if begun and words:
            judge.check(other.code == fault.IO and
                        b"another process" in other.err, label,
                        f"{other.code} {other.err!r}")
            judge.check(one.code == fault.DONE and read(bench) == edit.after,
                        label, f"the editor: {one.code} {one.err!r}")
        elif begun and one.code == fault.DONE:
            late.append(at)
        elif begun:
            judge.check(one.code == fault.IO and b"replaced" in one.err, label,
                        f"{one.code} {one.err!r}")
            with open(kept, "rb") as f:
                judge.check(f.read() == edit.before, label, "not undone")
        if begun:
            judge.check(JOURNAL not in names(bench) and
                        TEMP not in names(bench), label, names(bench))
        return True
    places = 0
    for words in ("copy --force theirs in.gguf",
                  "set --force theirs -o in.gguf a.key=1", ""):
        places += fault.sweep(lambda at, w=words: under_way(at, w.split()), 1,
                              step)
    judge.check(len(late) <= 2, edit.name, f"mv unnoticed, {late}")
    return places


def backed_up(bench, judge, edit):
    """What is half edited does not become a backup, which nothing would tell
    from a whole one."""
    words = "set --force --backup theirs -o in.gguf a.key=1".split()

    def refused_as(label, says):
        with open(os.path.join(bench.here, "theirs"), "wb") as f:
            f.write(models.small("theirs"))
        r = bench.finish(bench.start(words))
        judge.check(r.code == fault.IO and says in r.err, label,
                    f"{r.code} {r.err!r}")
        judge.check(names(bench) == [JOURNAL, "in.gguf", "theirs"], label,
                    names(bench))
        os.unlink(os.path.join(bench.here, "theirs"))
    cut_off(bench, edit)
    refused_as("backup of what was interrupted", b"was interrupted")
    judge.check(recover(bench, judge, "backup") and
                read(bench) == edit.before, "backup", "not recovered")
    for at in range(1, 200):
        put(bench, edit)
        stopped = bench.stop(edit.words, at)
        if stopped is None:
            sys.exit(f"{edit.name}: it never has a journal")
        begun = JOURNAL in names(bench)
        if begun:
            refused_as("backup of what is edited", b"another process")
        bench.go_on(stopped)
        if begun:
            break


# ------------------------------------------------------------------- links
def by_link(bench, judge, edit, step):
    """Cut off when the file was named by a symbolic link: it is known by both
    names."""
    def cut_there(at):
        put(bench, edit)
        real = os.path.join(bench.here, "real.gguf")
        os.rename(path_of(bench), real)
        os.symlink("real.gguf", path_of(bench))
        r = bench.run(edit.words, at=at, kind="before")
        if r.hits == 0:
            return False
        label = f"{edit.name}, by a link, cut at {at}, {r.hit}"
        left = ".real.gguf.ggk-journal" in names(bench)
        judge.check(JOURNAL not in names(bench), label, "beside the link")
        for name in ("in.gguf", "real.gguf"):
            code = bench.run(["keys", name]).code
            judge.check(not left or code == fault.IO, label, f"{name}: {code}")
        r = bench.run(["recover", "in.gguf"])
        judge.check(r.code == fault.DONE and (b"undone" in r.out) == left,
                    label, f"{r.code} {r.out!r} {r.err!r}")
        judge_file(judge, label, edit, read(bench), left)
        return True
    return fault.sweep(cut_there, 1, step)


# ------------------------------------------------------------------ leases
def without_leases(bench, judge, edit):
    """However a lease is refused, the file is written anew; or not at all."""
    anew = [w for w in edit.words if w != "--in-place"]
    for number in (errno.EAGAIN, errno.EINVAL, errno.ENOSYS, errno.EPERM,
                   errno.EACCES, errno.EIO, errno.ENOLCK):
        for words, code in ((edit.words, fault.UNSUPPORTED),
                            (anew, fault.DONE)):
            put(bench, edit)
            ino = os.stat(path_of(bench)).st_ino
            r = bench.run(words, at=0, deny=f"lease:{number}")
            label = f"{edit.name}, no lease: {errno.errorcode[number]}"
            judge.check(r.code == code and b"in place: " in r.out + r.err,
                        label, f"{r.code} {r.out!r} {r.err!r}")
            judge.check((os.stat(path_of(bench)).st_ino == ino) ==
                        (code != fault.DONE), label, "the file")
            judge.check(names(bench) == ["in.gguf"] and
                        (read(bench) == edit.before) == (code != fault.DONE),
                        label, names(bench))


# ---------------------------------------------------------------- company
def map_file(path, size):
    """Where a file is mapped, and not open: as engines have a model."""
    fd = os.open(path, os.O_RDONLY)
    at = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    os.close(fd)
    if at == ctypes.c_void_p(-1).value:
        sys.exit("mmap failed")
    return at


def company(bench, judge, edit, step):
    """Somebody has the file open, or mapped; it has another name; it is a link:
    then it is written anew, and with --in-place not at all."""
    def attempt(label, words, code, same):
        ino = os.stat(path_of(bench)).st_ino
        r = bench.run(words)
        judge.check(r.code == code, label, f"exit {r.code} {r.err!r}")
        judge.check((os.stat(path_of(bench)).st_ino == ino) == same, label,
                    "in place" if not same else "written anew")
    anew = [w for w in edit.words if w != "--in-place"]
    put(bench, edit)
    attempt("alone", anew, fault.DONE, True)
    put(bench, edit)
    attempt("--rewrite", [*anew, "--rewrite"], fault.DONE, False)
    for label in ("open", "mapped", "a second name", "a link"):
        put(bench, edit)
        fd = at = None
        if label == "open":
            fd = os.open(path_of(bench), os.O_RDONLY)
        elif label == "mapped":
            at = map_file(path_of(bench), len(edit.before))
        elif label == "a second name":
            os.link(path_of(bench), path_of(bench) + ".2")
        else:
            os.rename(path_of(bench), path_of(bench) + ".2")
            os.symlink("in.gguf.2", path_of(bench))
        if label in ("open", "mapped"):
            attempt(label, edit.words, fault.UNSUPPORTED, True)
        attempt(label, anew, fault.DONE, False)
        if at is not None:
            judge.check(ctypes.string_at(at, len(edit.before)) == edit.before,
                        label, "the reader sees a change")
            LIBC.munmap(at, len(edit.before))
        elif fd is not None:
            judge.check(os.pread(fd, len(edit.before), 0) == edit.before,
                        label, "the reader sees a change")
            os.close(fd)
            edit.anew = read(bench)  # with the free space there was
        else:
            with open(path_of(bench) + ".2", "rb") as f:
                judge.check(f.read() == edit.before, label, "it was changed")

    # An editor that is stopped anywhere: readers wait or are told, and see the
    # old or the new one; a second editor does not disturb it.
    def stopped(at, words):
        put(bench, edit)
        first = bench.stop(anew, at)
        if first is None:
            return False
        other = bench.finish(bench.start(words))
        one = bench.go_on(first)
        label = f"{edit.name} stopped at {at}, {one.hit}; {words[0]}"
        for r in (one, other):
            judge.check(r.code in (fault.DONE, fault.IO) and
                        r.err.count(b"\n") <= 1, label,
                        f"{r.code} {r.err!r}")
        judge.check(fault.DONE in (one.code, other.code), label,
                    f"both failed: {one.err!r} {other.err!r}")
        r = bench.run(["get", "in.gguf", "general.author"])
        found = read(bench)
        if words[0] == "set":
            judge.check((r.out == b"second\n") == (other.code == fault.DONE),
                        label, "an update is lost")
        else:
            judge.check(found in (edit.before, edit.after, edit.anew), label,
                        "neither old nor new")
        judge.check(names(bench) == ["in.gguf"], label, names(bench))
        return True
    stops = 0
    for words in (["check", "in.gguf"],
                  ["set", "in.gguf", "general.author=second"]):
        stops += fault.sweep(lambda at: stopped(at, words), 1, step)
    return stops


# --------------------------------------------------------------- file systems
SYSTEMS = [("ext4, 1 KiB", ["mkfs.ext4", "-q", "-F", "-b", "1024"]),
           ("ext4, 4 KiB", ["mkfs.ext4", "-q", "-F", "-b", "4096"]),
           ("ext4, clusters of 64 KiB",
            ["mkfs.ext4", "-q", "-F", "-O", "bigalloc", "-C", "65536"]),
           ("xfs", ["mkfs.xfs", "-q", "-f"]),
           ("btrfs", ["mkfs.btrfs", "-q", "-f"])]


def mounted(words, image, folder):
    """"" if a new file system is mounted there; else why not."""
    if not shutil.which(words[0]):
        return f"no {words[0]}"
    if os.geteuid() != 0:
        return "not root"
    with open(image, "wb") as f:
        f.truncate(400 << 20)
    for command in ([*words, image], ["mount", "-o", "loop", image, folder]):
        r = subprocess.run(command, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, check=False)
        if r.returncode != 0:
            return f"{command[0]}: {r.stderr.decode().strip()[:100]}"
    return ""


def on_system(bench, judge, rng, name):
    """A short run there: how many states and points; whether room was made."""
    edits = [e for e in (EDITS[0], EDITS[3], EDITS[6])]
    inserts = states = 0
    for edit in edits:
        if not learn(bench, judge, edit):
            anew = [w for w in edit.words if w != "--in-place"]
            r = bench.run(anew)
            judge.check(r.code == fault.DONE and names(bench) == ["in.gguf"],
                        name, f"{edit.name}: exit {r.code} {r.err!r}")
            continue
        inserts += edit.way == "insert"
        count, bad = explore(bench, edit, "0", rng, 6)
        states += count
        judge.check(not bad, f"{name}: {edit.name}", bad)
        fault.sweep(lambda at: cut(bench, judge, edit, at, "before"), 1, 3)
    if inserts and name != "tmpfs":
        no_room(bench, judge, name)
    if name == "xfs":
        reflinked(bench, judge, name, rng)
    return states, inserts


def reflinked(bench, judge, name, rng):
    """Somebody copies the file once room was made in it, all or a part: the
    copy and it share their places, and it is undone nevertheless."""
    edit = EDITS[7]
    put(bench, edit)
    bench.run(edit.words)
    size = len(read(bench)) - len(edit.before)
    for part in (True, False):
        cut_off(bench, edit)
        b = min(boundaries(len(edit.before), size, rng, 3)) if part else 0
        change_space(path_of(bench), INSERT, b, size)
        copy = os.path.join(bench.here, "copy")
        r = subprocess.run(["cp", "--reflink=always", path_of(bench), copy],
                           check=False, stderr=subprocess.PIPE)
        judge.check(r.returncode == 0, name, r.stderr)
        label = f"{name}, copied, gap at {b}"
        judge.check(recover(bench, judge, label) and
                    read(bench) == edit.before, label, "not undone")
        for words in ([*edit.words, "--dry-run"], edit.words):
            r = bench.run(words)
            judge.check(r.code == fault.UNSUPPORTED and
                        b"no place of their own" in r.err, label,
                        f"{words}: {r.code} {r.err!r}")


def no_room(bench, judge, name):
    """With so many bytes free on the disk, from none on: done, or as before."""
    edit, done, filler = EDITS[6], 0, os.path.join(bench.root, "filler")
    put(bench, edit)
    with open(filler, "wb", buffering=0) as f:
        for size in (1 << 20, 4096, 512):
            try:
                while f.write(os.urandom(size)):
                    pass
            except OSError as e:
                assert e.errno == errno.ENOSPC, e
        os.fsync(f.fileno())
    for i in range(30):
        free = 4096 << max(i - 15, 0)
        os.truncate(filler, max(os.path.getsize(filler) - free, 0))
        r = bench.run(edit.words)
        label = f"{name}, {free} bytes more free, step {i}"
        judge.check(r.code in (fault.DONE, fault.IO, fault.UNSUPPORTED), label,
                    f"exit {r.code} {r.err!r}")
        judge.check(read(bench) == (edit.after if r.code == fault.DONE
                                    else edit.before), label,
                    f"exit {r.code}, {names(bench)}")
        judge.check(names(bench) == ["in.gguf"], label, names(bench))
        done += r.code == fault.DONE
        if r.code == fault.DONE:
            break
    os.unlink(filler)
    judge.check(done, name, "never done")


def systems(bench, judge, rng):
    told = []
    for name, words in SYSTEMS:
        image = os.path.join(bench.root, "image")
        folder = tempfile.mkdtemp(dir=bench.root)
        why = mounted(words, image, folder)
        if not why:
            there = fault.Bench(bench.gguf, bench.lib, folder, "there")
            try:
                states, inserts = on_system(there, judge, rng, name)
            finally:
                os.chdir("/")
                there.close()
                subprocess.run(["umount", folder], check=False)
            judge.check(bool(inserts) == (not name.startswith("btrfs")), name,
                        f"{inserts} insertions")
            why = f"{states} states"
        told.append(f"{name}: {why}")
    if os.access("/dev/shm", os.W_OK):
        there = fault.Bench(bench.gguf, bench.lib,
                            tempfile.mkdtemp(dir="/dev/shm"), "there")
        states, inserts = on_system(there, judge, rng, "tmpfs")
        os.chdir("/")
        shutil.rmtree(os.path.dirname(there.root))
        judge.check(not inserts, "tmpfs", "room was made in a file")
        told.append(f"tmpfs: {states} states")
    return told


def main():
    bench, judge, slow = fault.arguments("inplace")
    seed = int(os.environ.get("GGK_SEED", time.time()))
    rng = random.Random(seed)
    edits = [e for e in EDITS if learn(bench, judge, e)]
    if not edits:
        print("files cannot be edited in place here (no leases)")
        sys.exit(fault.SKIPPED)
    points = faults = stops = 0
    for i, edit in enumerate(edits):
        put(bench, edit)
        begun = time.monotonic()
        bench.run(edit.words)
        edit.seconds = time.monotonic() - begun
        put(bench, edit)
        more = every_call(bench, judge, edit, i, slow)
        points, faults = points + more[0], faults + more[1]
    n = 1000 if slow else 100
    killed = kills(bench, judge, edits, rng, n)
    states, caught = power_loss(bench, judge, edits, rng, 160 if slow else 12)
    for edit in edits[::3]:
        strangers(bench, judge, edit)
        hindered(bench, judge, edit)
        unlisted(bench, judge, edit)
        left_behind(bench, judge, edit)
        in_the_way(bench, judge, edit)
        stops += by_signals(bench, judge, edit, 1 if slow else 3)
        restored(bench, judge, edit)
        appended(bench, judge, edit)
        points += undone_in_part(bench, judge, edit, 1 if slow else 3)
        points += by_link(bench, judge, edit, 1 if slow else 4)
        stops += exchanged(bench, judge, edit, 1 if slow else 3)
        backed_up(bench, judge, edit)
        stops += replaced(bench, judge, edit, 1 if slow else 3)
        without_leases(bench, judge, edit)
        stops += company(bench, judge, edit, 3 if slow else 12)
    for edit in edits[::3] + edits[-3:]:
        points += written_over(bench, judge, edit)
    told = systems(bench, judge, rng) if slow else []
    bench.close()
    for line in told:
        print(line)
    judge.check(len(edits) < len(EDITS) or states >= (2000 if slow else 150),
                "power", f"only {states} states")
    judge.end(f"{len(edits)} edits, {points} places to crash at, {faults} "
              f"faults, {killed} of {n} killed in time, {states} states of "
              f"power loss, {caught} variants without fsync were caught, "
              f"stopped at {stops} places, seed {seed}")


main()
