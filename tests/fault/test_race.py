#!/usr/bin/env -S python3 -B
"""test_race.py GGUF FAULTLIB FOLDER [asan] - others work on the same files.

Eight readers while a file is replaced 200 times: each must see the one or the
other, whole. A second writer at each point of a first one's work, which is
stopped there: no update may get lost, and whoever fails must say why. Two
writers at once, often.
"""

import fcntl
import os
import time

import commands
import fault
import models

REWRITES, READERS, DUELS = 200, 8, 60
BUSY = (b"another process", b"locked", b"changed", b"the file exists")


# ---------------------------------------------------------------- readers
def read_forever(bench, i, versions, stop):
    """In a process of its own: 0, or 1 after the first wrong sight."""
    out = os.path.join(bench.root, f"stdout.{i}")
    err = os.path.join(bench.root, f"stderr.{i}")
    words = (["check", "--json", "out.gguf"] if i % 2
             else ["tensors", "--json", "out.gguf"])
    seen, n = [versions[0][words[0]], versions[1][words[0]]], 0
    while not os.path.exists(stop):
        with open("out.gguf", "rb") as f:
            if f.read() not in (versions[0]["bytes"], versions[1]["bytes"]):
                print(f"reader {i}: neither the one nor the other")
                return 1
        r = bench.finish(bench.start(words, None, os.devnull, out, err),
                         out, err)
        n += 1
        if r.code != fault.DONE or r.out not in seen:
            print(f"reader {i}, {words[0]}, time {n}: exit {r.code} {r.err!r}")
            return 1
    with open(f"{out}.n", "w", encoding="ascii") as f:
        f.write(str(n))
    return 0


def see(bench, data):
    """What the readers may see of this version."""
    bench.put({"out.gguf": data})
    return {"bytes": data, **{
        w: bench.run([w, "--json", "out.gguf"]).out
        for w in ("check", "tensors")}}


def readers(bench, judge):
    a, b = models.small("first"), models.other()
    versions = see(bench, a), see(bench, b)
    bench.put({"a.gguf": a, "b.gguf": b, "out.gguf": a})
    stop = os.path.join(bench.root, "stop")
    children = []
    for i in range(READERS):
        pid = os.fork()
        if pid == 0:
            os.nice(1)
            os._exit(read_forever(bench, i, versions, stop))
        children.append(pid)
    for i in range(REWRITES):
        r = bench.run(["copy", "--force", "ba"[i % 2] + ".gguf", "out.gguf"])
        judge.check(r.code == fault.DONE, f"rewrite {i}", repr(r.err))
    open(stop, "w").close()
    reads = 0
    for i, pid in enumerate(children):
        good = judge.check(os.waitpid(pid, 0)[1] == 0, f"reader {i}",
                           "a wrong sight")
        if good:
            with open(os.path.join(bench.root, f"stdout.{i}.n"),
                      encoding="ascii") as f:
                reads += int(f.read())
    judge.check(reads > REWRITES, "readers", f"{reads} reads only")
    return reads


# ---------------------------------------------------------------- editors
def says_why(r):
    return r.code == fault.IO and r.err.count(b"\n") == 1 and any(
        word in r.err for word in BUSY)


def second_editor(bench, judge, at, pair):
    """Stop the first editor before call `at`, let the second one work, go on.
    False if the first has no such call."""
    first, second, files, results = pair
    bench.put(files)
    stopped = bench.stop(first, at)
    if stopped is None:
        return False
    two = bench.finish(bench.start(second))
    one = bench.go_on(stopped)
    label = f"{' '.join(first)} | {' '.join(second)}, call {at}, {one.hit}"
    for r in (one, two):
        judge.check(r.code == fault.DONE or says_why(r), label,
                    f"exit {r.code}: {r.err!r}")
    done = (one.code == fault.DONE, two.code == fault.DONE)
    judge.check(any(done), label, "both failed")
    found = bench.look()
    judge.check(found in [{**files, "in.gguf": x} for x in results[done]],
                label, f"{done}, but in.gguf is of {len(found['in.gguf'])} "
                f"bytes, with {sorted(found)}")
    return True


def edited(bench, data, *lines):
    bench.put({"in.gguf": data})
    for words in lines:
        bench.run(words)
    return bench.look()["in.gguf"]


def editors(bench, judge, pair):
    first, second = (line.split() for line in pair)
    data = models.small()
    both = [edited(bench, data, first, second),
            edited(bench, data, second, first)]
    results = {(True, True): both,
               (True, False): [edited(bench, data, first)],
               (False, True): [edited(bench, data, second)],
               (False, False): [data]}
    return fault.sweep(lambda at: second_editor(
        bench, judge, at, (first, second, {"in.gguf": data}, results)))


def halfway(bench, judge, at, words):
    """Stop before call `at`; another writer gets as far as it does when it has
    exchanged the files, and stays there: its input, and ours, is its
    .ggk-old. Not if ours writes already, or has written."""
    bench.put(commands.IN)
    ino = os.stat(os.path.join(bench.here, "in.gguf")).st_ino
    stopped = bench.stop(words, at)
    if stopped is None:
        return False
    name, temp, old, theirs = (os.path.join(bench.here, n) for n in (
        "in.gguf", ".in.gguf.ggk-tmp", ".in.gguf.ggk-old", "theirs"))
    if os.listdir(bench.here) != ["in.gguf"] or os.stat(name).st_ino != ino:
        bench.go_on(stopped)
        return True
    with open(temp, "wb") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.write(commands.OTHER)
        f.flush()
        os.link(name, old)
        os.link(temp, theirs)
        os.rename(theirs, name)
        r = bench.go_on(stopped)
        label = f"{' '.join(words)}, halfway at {at}, {r.hit}"
        with open(name, "rb") as now:
            is_ours = now.read() != commands.OTHER
        judge.check(says_why(r), label, f"exit {r.code}: {r.err!r}")
        judge.check(not is_ours, label, "an update is lost")
    return True


# ---------------------------------------------------------------- strangers
def stranger(bench, judge, at, case):
    """Stop before call `at`, let another program replace a file, go on. What it
    put there must be there in the end, or what is made of it."""
    words, files, name, theirs, made = case
    bench.put(files)
    stopped = bench.stop(words, at)
    if stopped is None:
        return False
    path = os.path.join(bench.root, "theirs")
    with open(path, "wb") as f:
        f.write(theirs)
    os.rename(path, os.path.join(bench.here, name))
    r = bench.go_on(stopped)
    label = f"{' '.join(words)} | mv theirs {name}, call {at}, {r.hit}"
    found = bench.look()
    judge.check(r.code == fault.DONE or says_why(r), label,
                f"exit {r.code}: {r.err!r}")
    judge.check(found[name] == theirs or
                r.code == fault.DONE and found[name] == made, label,
                f"exit {r.code}, and {name} has {len(found[name])} bytes")
    judge.check(set(found) == set(files), label, f"{sorted(found)}")
    return True


def strangers(bench, judge):
    edit = "copy --in-place --drop blk.0.* in.gguf".split()
    over = "copy --force in.gguf out.gguf".split()
    in_set = f"set {commands.SET_1} general.name=other".split()
    theirs = models.small("theirs")
    cases = [(edit, commands.IN, "in.gguf", theirs),
             (over, commands.OVER, "out.gguf", theirs)]
    cases += [(in_set, commands.SET, *shard) for shard in
              models.split_set("set", 3, "theirs").items()]
    places = 0
    for words, files, name, theirs in cases:
        bench.put({**files, name: theirs})
        bench.run(words)
        case = (words, files, name, theirs, bench.look()[name])
        places += fault.sweep(lambda at: stranger(bench, judge, at, case))
    return places


def duels(bench, judge):
    """Two writers at once: one of them wins, whole."""
    a, b = models.large("first", 1), models.large("the second", 2)
    bench.put({"a.gguf": a, "b.gguf": b, "out.gguf": commands.OTHER})
    held = 0
    for i in range(DUELS):
        runs = []
        for x in "ab":
            out, err = (os.path.join(bench.root, n + x)
                        for n in ("stdout.", "stderr."))
            runs.append((bench.start(
                ["copy", "--force", x + ".gguf", "out.gguf"], None,
                os.devnull, out, err), out, err))
            time.sleep(i % 4 * 0.002)
        results = [bench.finish(*r) for r in runs]
        held += sum(r.code != fault.DONE for r in results)
        for r in results:
            judge.check(r.code == fault.DONE or says_why(r), f"duel {i}",
                        f"exit {r.code}: {r.err!r}")
        won = [x for x, r in zip((a, b), results) if r.code == fault.DONE]
        found = bench.look()
        judge.check(won and found["out.gguf"] in won, f"duel {i}",
                    f"{[r.code for r in results]}")
        judge.check(len(found) == 3, f"duel {i}", f"{sorted(found)}")
    return held


def main():
    bench, judge, _ = fault.arguments("race")
    reads = readers(bench, judge)
    stops = [editors(bench, judge, pair) for pair in commands.EDITORS
             if commands.has(bench.gguf, pair[0].split()[0])]
    stops += [fault.sweep(lambda at, p=pair: halfway(
        bench, judge, at, p[0].split())) for pair in commands.EDITORS]
    places = strangers(bench, judge)
    held = duels(bench, judge)
    bench.close()
    judge.end(f"{reads} reads during {REWRITES} rewrites; a second editor at "
              f"{sum(stops)} places; a stranger at {places}; {DUELS} duels, {held} refusals")


main()
