#!/usr/bin/env -S python3 -B
"""test_no_room.py GGUF FAULTLIB FOLDER [asan] - the disk is full.

A file system of 1 MiB (if this may mount one), a limit on the size of files,
and /dev/full: exit status 3, a message, old files as they were, no temporary.
An edit in place that the limit stops is undone under it; one that was cut off
before waits until the limit is lifted, and that is said.
"""

import os
import resource
import subprocess

import commands
import fault
import models

KIB = 1024


def fails(judge, bench, label, words, before, **fault_words):
    r = bench.run(words, **(fault_words or {"at": 0}))
    judge.check(r.code == fault.IO, label, f"exit {r.code}: {r.err!r}")
    judge.check(fault.is_message(r.err, words[0]), label, f"says {r.err!r}")
    found = bench.look()
    judge.check(found == before, label, fault.differences(found, before))
    return r


def small_disk(bench, judge):
    """How many cases; 0 if it cannot be mounted."""
    if os.geteuid() != 0 or subprocess.call(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", bench.here],
            stderr=subprocess.DEVNULL) != 0:
        return 0
    try:
        big = models.File(models.keys(), [models.Tensor(
            "t.weight", (1024, 160), "F32")]).build()
        n = 0
        for old in (None, commands.OTHER):
            files = {"in.gguf": big}
            if old:
                files["out.gguf"] = old
            bench.put(files)
            before = bench.look()
            for what, deny in (("known before", ""),
                               ("while it is copied", "fstatvfs:38"),
                               ("while it is written",
                                "fstatvfs:38,copy_file_range:38")):
                for more in ([], ["--byte-order", "big"]):
                    label = f"1 MiB, {what}, {more}, old: {old is not None}"
                    r = fails(judge, bench, label, [
                        "copy", "--force", *more, "in.gguf", "out.gguf"],
                        before, at=0, deny=deny)
                    judge.check(b"room" in r.err or b"space" in r.err, label,
                                f"says {r.err!r}")
                    n += 1
            label = f"1 MiB, dry run, old: {old is not None}"
            r = fails(judge, bench, label, ["copy", "--force", "--dry-run",
                                            "in.gguf", "out.gguf"], before)
            judge.check(b"would be written: 1 file" in r.out and
                        b"room" in r.err, label, f"says {r.out!r} {r.err!r}")
            n += 1
        return n
    finally:
        os.chdir("/")
        subprocess.call(["umount", "-l", bench.here])


class Limit:
    """No file gets longer than that, nor is written to behind it."""

    def __init__(self, limit):
        self.limit = limit
        self.old = resource.getrlimit(resource.RLIMIT_FSIZE)

    def __enter__(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.old[1]))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_FSIZE, self.old)


def size_limit(bench, judge):
    """RLIMIT_FSIZE, where a signal comes with the error."""
    n = 0
    for old in (None, commands.OTHER):
        files = {"in.gguf": models.large("in", 1)}
        if old:
            files["out.gguf"] = old
        bench.put(files)
        before = bench.look()
        for limit in (100, 5000, 200000):
            for more in ([], ["--byte-order", "big"]):
                with Limit(limit):
                    fails(judge, bench, f"at most {limit} bytes, {more}",
                          ["copy", "--force", *more, "in.gguf", "out.gguf"],
                          before)
                n += 1
    return n


EDIT = ["rename", "--in-place", "--tensor", "in.gguf", "blk.0.attn_q.weight",
        "blk.0.attn_k.weight"]
JOURNAL = ".in.gguf.ggk-journal"


def edits_under_limit(bench, judge):
    """How many edits the limit stopped; 0 if none can be made here."""
    before = {"in.gguf": models.small()}
    bench.put(before)
    if bench.run(EDIT).code != fault.DONE:
        return 0
    after, stopped, told = bench.look(), 0, 0
    limits = range(0, 1200, 9) # the last ones stop nothing
    for limit in limits:
        bench.put(before)
        was = bench.look()
        with Limit(limit):
            r = bench.run(EDIT)
        done = r.code == fault.DONE
        judge.check(done or r.code == fault.IO or
                    (r.code == fault.UNSUPPORTED and
                     (b"ulimit -f" in r.err or len(r.err) == limit)),
                    f"edit, at most {limit} bytes", f"{r.code} {r.err!r}")
        told += b"ulimit -f" in r.err
        found = bench.look()
        judge.check(found == (after if done else was),
                    f"edit, at most {limit} bytes",
                    fault.differences(found, after if done else was))
        stopped += not done
    judge.check(0 < stopped < len(limits) and told > 0, "edits",
                f"{stopped} were stopped, {told} of them were told why")
    return stopped


def cut_off_before(bench, judge):
    """At how many places the edit was cut off with the file half new."""
    cut, at, hits = 0, 0, 1
    while hits > 0:
        at += 1
        bench.put({"in.gguf": models.small()})
        hits = bench.run(EDIT, at=at, kind="before").hits
        half = bench.look()
        if JOURNAL not in half or half["in.gguf"] == models.small():
            continue
        cut += 1
        for words in (["recover", "in.gguf"], EDIT):
            with Limit(400): # more than what is said
                r = bench.run(words)
            judge.check(r.code == fault.IO and b"ulimit -f" in r.err and
                        fault.is_message(r.err, words[0]),
                        f"{words[0]}, cut off at {at}", f"{r.code} {r.err!r}")
            judge.check(bench.look() == half, f"{words[0]}, cut off at {at}",
                        fault.differences(bench.look(), half))
        r = bench.run(["recover", "in.gguf"])
        judge.check(r.code == fault.DONE and
                    bench.look() == {"in.gguf": models.small()},
                    f"lifted, cut off at {at}", f"{r.code} {r.err!r}")
    return cut


def full_device(bench, judge):
    n = 0
    bench.put(commands.IN)
    before = bench.look()
    for more in ([], ["--force"]):
        fails(judge, bench, f"copy to /dev/full {more}",
              ["copy", *more, "in.gguf", "/dev/full"], before)
        n += 1
    for command in commands.present(bench.gguf,
                                    commands.READING + commands.WRITING):
        bench.put(command.files)
        r = bench.finish(bench.start(command.words, None,
                                     command.stdin or os.devnull,
                                     out="/dev/full"))
        label = f"{command.name} > /dev/full"
        judge.check(r.code == fault.IO, label, f"exit {r.code}")
        judge.check(b"cannot write to standard output" in r.err and
                    r.err.count(b"\n") == 1, label, f"says {r.err!r}")
        judge.check(not any(map(fault.is_temporary, bench.look())), label,
                    "left a temporary")
        n += 1
    return n


def main():
    bench, judge, _ = fault.arguments("room")
    disk = small_disk(bench, judge)
    cases = size_limit(bench, judge) + full_device(bench, judge)
    edits = edits_under_limit(bench, judge)
    cut = cut_off_before(bench, judge) if edits else 0
    judge.check(cut or not edits, "edits", "none was cut off half done")
    bench.close()
    judge.end(f"{disk or 'no'} cases on a disk of 1 MiB, {cases} others, "
              f"{edits or 'no'} edits stopped, {cut} cut off")


main()
