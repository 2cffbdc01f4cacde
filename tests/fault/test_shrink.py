#!/usr/bin/env -S python3 -B
"""test_shrink.py GGUF FAULTLIB FOLDER [asan] - the input changes while it is
read.

At every call that concerns a file the input is cut, or a byte of it changes;
then it is cut at random moments, 200 times. It must end by itself. What writes
says that the file changed and leaves nothing, or had read all it needed.
"""

import os
import random
import time

import commands
import fault
import models

TIMES = 200
SAYS = (b"changed", b"shrank", b"cut short", b"are left", b"is empty",
        b"file ends", b"bytes", b"another process")


def made_of(bench, command, files):
    """What it makes of the input as it is now."""
    bench.put({k: v for k, v in files.items() if not k.startswith(".")})
    bench.run(command)
    return bench.look()


def judge_end(bench, judge, label, r, command, before, after):
    """After the input was hurt: how did it end?"""
    words, victim = command
    answers = (fault.DONE, fault.IO, fault.UNREADABLE,
               *([fault.NO] if words[0] in ("check", "diff") else []))
    judge.check(r.code in answers, label, f"exit {r.code}: {r.err!r}")
    found = bench.look()

    def rest(files):
        return {k: v for k, v in files.items() if k != victim}

    if r.code in (fault.DONE, fault.NO):
        if found != after and rest(found) != rest(after):
            # It may have begun only then.
            after = made_of(bench, words, {**before, victim: found[victim]})
        judge.check(rest(found) == rest(after), label,
                    fault.differences(found, after))
        return
    last = r.err.splitlines()[-1:] or [b""]
    judge.check(any(s in last[0] for s in SAYS), label, f"says {r.err!r}")
    judge.check(words[0] != "copy" or r.err.count(b"\n") <= 2, label,
                f"says {r.err!r}")
    judge.check(rest(found) == rest(before), label,
                fault.differences(found, before))


def one(bench, judge, command, at, kind):
    victim = command.victim
    r = bench.run(command.words, at=at, kind=kind, file=victim)
    if r.hits == 0:
        bench.put(command.files)
        return False
    label = f"{command.name}, {kind} at call {at}, {r.hit}"
    judge_end(bench, judge, label, r, (command.words, victim), command.before,
              command.after)
    bench.put(command.files)
    return True


def every_call(bench, judge):
    places = 0
    for command in commands.present(bench.gguf, commands.SHRINKING):
        bench.put(command.files)
        command.before = bench.look()
        r = bench.run(command.words)
        judge.check(r.code == fault.DONE, command.name, repr(r.err))
        command.after = bench.look()
        bench.put(command.files)
        size = len(command.before[command.victim])
        for kind in (f"shrink:{size // 2}", "shrink:100", "shrink:0",
                     f"shrink:{size - 1}", f"scribble:{size - 10}"):
            places += fault.sweep(
                lambda at: one(bench, judge, command, at, kind))
    return places


def at_random(bench, judge, seed):
    """How many of the times it had to give up."""
    random.seed(seed)
    given_up = 0
    data = models.large("large", 4)
    lines = ("copy in.gguf out.gguf", "copy --byte-order big in.gguf out.gguf",
             "check in.gguf", "dump --full in.gguf", "hash -t -a all in.gguf",
             "diff in.gguf same.gguf")
    longest = {}
    for i in range(TIMES):
        words = lines[i % len(lines)].split()
        files = {"in.gguf": data}
        if words[0] == "diff":
            files["same.gguf"] = data
        bench.put(files)
        if lines[i % len(lines)] not in longest:
            begun = time.monotonic()
            bench.run(words)
            after = bench.look()
            longest[lines[i % len(lines)]] = time.monotonic() - begun, after
            bench.put(files)
        seconds, after = longest[lines[i % len(lines)]]
        pid = bench.start(words)
        time.sleep(random.random() * seconds)
        os.truncate(os.path.join(bench.here, "in.gguf"),
                    random.randrange(len(data)))
        r = bench.finish(pid)
        given_up += r.code != fault.DONE
        judge_end(bench, judge, f"{' '.join(words)}, seed {seed}, time {i}", r,
                  (words, "in.gguf"), files, after)
    return given_up


def main():
    bench, judge, _ = fault.arguments("shrink")
    seed = int(os.environ.get("GGK_SEED", time.time()))
    places = every_call(bench, judge)
    given_up = at_random(bench, judge, seed)
    bench.close()
    judge.end(f"{places} places; {TIMES} times at random, seed {seed}, "
              f"{given_up} of which it gave up")


main()
