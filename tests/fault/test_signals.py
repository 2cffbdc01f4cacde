#!/usr/bin/env -S python3 -B
"""test_signals.py GGUF FAULTLIB FOLDER [asan] - asked to end.

SIGINT, SIGTERM and SIGHUP at every call that concerns a file, and while a large
file is copied: the program removes its temporary and dies of that signal, or
was done. A second one ends it at once. What its parent ignored it ignores.
"""

import os
import signal
import time

import commands
import fault
import models

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def one(bench, judge, command, at, number, onward):
    r = bench.run(command.words, **command.kwargs(), at=at, onward=onward,
                  kind=f"signal:{int(number)}")
    if r.hits == 0:
        bench.put(command.files)
        return False
    label = f"{command.name}, {number.name} at call {at}, {r.hit}"
    found = bench.look()
    if r.code == fault.DONE:
        judge.check(found == command.after, label,
                    fault.differences(found, command.after))
    else:
        judge.check(r.code == -number, label, f"exit {r.code}: {r.err!r}")
        judge.check(r.err == b"", label, f"says {r.err!r}")
        if onward: # the second one came before it could clean up
            good = fault.why_not(found, command.before, command.after) == ""
        else:
            good = found in (command.before, command.after)
        judge.check(good, label, fault.differences(found, command.before))
    bench.put(command.files)
    return True


def every_call(bench, judge):
    places = 0
    for i, command in enumerate(commands.present(bench.gguf,
                                                 commands.WRITING)):
        bench.put(command.files)
        command.before = bench.look()
        bench.run(command.words, **command.kwargs())
        command.after = bench.look()
        bench.put(command.files)
        places += fault.sweep(lambda at: one(
            bench, judge, command, at, ENDS[i % 3], False))
        if i % 3 == 0:
            places += fault.sweep(lambda at: one(
                bench, judge, command, at, ENDS[i % 3], True))
    return places


def in_the_middle(bench, judge):
    """A large copy, by the clock."""
    bench.put({"in.gguf": models.large("large", 16)})
    words = "copy --byte-order big --threads 1 in.gguf out.gguf".split()
    begun = time.monotonic()
    judge.check(bench.run(words).code == fault.DONE, "large copy")
    longest = time.monotonic() - begun
    caught = 0
    for i in range(12):
        os.unlink("out.gguf") if os.path.exists("out.gguf") else None
        pid = bench.start(words)
        time.sleep(longest * (i + 1) / 14)
        number = ENDS[i % 3]
        os.kill(pid, number)
        r = bench.finish(pid)
        judge.check(r.code in (-number, fault.DONE), f"large copy, {i}",
                    f"exit {r.code}: {r.err!r}")
        caught += r.code == -number
        names = set(os.listdir(bench.here))
        judge.check(names == {"in.gguf"} or r.code == fault.DONE and
                    names == {"in.gguf", "out.gguf"}, f"large copy, {i}",
                    f"left {sorted(names)}")
    return caught


def ignored(bench, judge):
    """As by nohup."""
    command = commands.WRITING[0]
    bench.put(command.files)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    r = bench.run(command.words, at=5, onward=True,
                  kind=f"signal:{int(signal.SIGHUP)}")
    signal.signal(signal.SIGHUP, before)
    judge.check(r.code == fault.DONE and r.hits > 5, "SIGHUP is ignored",
                f"exit {r.code}, {r.hits} signals")


def main():
    bench, judge, _ = fault.arguments("signals")
    places = every_call(bench, judge)
    caught = in_the_middle(bench, judge)
    judge.check(caught > 2, "large copy", f"only {caught} were in time")
    ignored(bench, judge)
    bench.close()
    judge.end(f"signals at {places} places, {caught} in a large copy")


main()
