#!/usr/bin/env -S python3 -B
"""test_crash.py GGUF FAULTLIB FOLDER [asan] [slow] - the program ends in the
middle.

First at every call that concerns a file, before it and after it; unless it is
slow each day has its share. Then by SIGKILL, at random. Each file must be what it was or what it should become,
each other one a temporary, and the same command once more must succeed and
leave nothing behind.
"""

import os
import random
import signal
import time

import commands
import fault

OLD_KERNEL = "renameat2:22,copy_file_range:38"
KINDS = ("before", "after")


def whole(bench, judge, command):
    bench.put(command.files)
    command.before = bench.look()
    r = bench.run(command.words, **command.kwargs(), at=0)
    judge.check(r.code == fault.DONE, command.name, f"{r.code} {r.err!r}")
    command.after = bench.look()
    bench.put(command.files)


def judge_left(judge, label, command, found):
    """Is all old, or new, or plainly unfinished?"""
    why = fault.why_not(found, command.before, command.after)
    judge.check(why == "", label, why)


def judge_again(bench, judge, label, command):
    done = fault.lasting(bench.look()) == command.after
    if command.once and done:
        return
    if "--in-place" in command.again: # which has to be opened first
        bench.put(fault.recover(bench.look()))
    r = bench.run(command.again, **command.kwargs())
    judge.check(r.code == fault.DONE, label + ", again",
                f"exit {r.code}: {r.err!r}")
    found = bench.look()
    if done: # so that there was nothing to write
        found = fault.lasting(found)
    judge.check(found == command.after, label + ", again",
                fault.differences(found, command.after))


def cut(bench, judge, command, at, kind, machine):
    r = bench.run(command.words, **command.kwargs(), at=at, kind=kind,
                  deny=machine)
    if r.hits == 0:
        bench.put(command.files)
        return False
    label = f"{command.name}, {kind} call {at}, {r.hit}, {machine}"
    judge.check(r.code == fault.EXIT_CUT, label, f"exit {r.code}")
    found = bench.look()
    judge_left(judge, label, command, found)
    judge_again(bench, judge, label, command)
    bench.put(command.files)
    return True


def sweep(bench, judge, command, machine, turn):
    """Turn None: at every call; else at each second one, before or after it."""
    points = 0
    for kind in KINDS if turn is None else (KINDS[turn // 2 % 2],):
        points += fault.sweep(
            lambda at: cut(bench, judge, command, at, kind, machine),
            1 if turn is None else turn % 2 + 1, 1 if turn is None else 2)
    return points


def every_call(bench, judge, chosen, first):
    points = 0
    for i, command in enumerate(chosen):
        turn = None if first is None else first + i
        whole(bench, judge, command)
        points += sweep(bench, judge, command, "", turn)
        if turn is None:
            points += sweep(bench, judge, command, OLD_KERNEL, None)
        elif turn % 8 == 4:
            points += sweep(bench, judge, command, OLD_KERNEL, turn // 8)
    return points


def kill_once(bench, judge, command, longest, label):
    pid = bench.start(command.words)
    time.sleep(random.random() * longest)
    os.kill(pid, signal.SIGKILL)
    status = bench.wait(pid)
    found = bench.look()
    judge_left(judge, label, command, found)
    judge_again(bench, judge, label, command)
    bench.put(command.files)
    return os.WIFSIGNALED(status)


def at_random(bench, judge, seed):
    """SIGKILL: how many of the processes it found alive."""
    random.seed(seed)
    chosen = commands.present(bench.gguf, commands.KILLED)
    killed, n = 0, 1000
    for i, command in enumerate(chosen):
        bench.put(command.files)
        command.before = bench.look()
        begun = time.monotonic()
        r = bench.run(command.words)
        longest = (time.monotonic() - begun) * 1.1
        judge.check(r.code == fault.DONE, command.name, f"{r.err!r}")
        command.after = bench.look()
        bench.put(command.files)
        share = n // len(chosen) + (i < n % len(chosen))
        for k in range(share):
            killed += kill_once(bench, judge, command, longest,
                                f"{command.name}, seed {seed}, kill {k}")
    return n, killed


def main():
    bench, judge, slow = fault.arguments("crash")
    seed = fault.seed_of_the_day()
    points = every_call(bench, judge,
                        commands.present(bench.gguf, commands.WRITING),
                        None if slow else seed)
    n, killed = at_random(bench, judge, seed)
    judge.check(killed > n // 4, "SIGKILL", f"{killed} of {n} were alive")
    bench.close()
    judge.end(f"{points} places to crash at; {n} times SIGKILL, {killed} in "
              f"time, GGK_SEED={seed}")


main()
