#!/usr/bin/env -S python3 -B
"""test_alloc_faults.py GGUF FAULTLIB FOLDER [slow] - no memory, at every place.

Each command runs with allocation n failing, alone and with all that follow,
for n = 1, 2, ... until two further ones are not reached. It must end with exit
status 3 and one line that says what was short, or do without; free all that it
had; and leave the folder as it was, or as it should become. Unless it is slow,
all that follow fail for some commands each day.
"""

import sys

import commands
import fault

# What popt says before it ends the process.
BY_POPT = b"virtual memory exhausted.\n"


def one(bench, judge, command, whole, at, onward):
    label = f"{command.name}, allocation {at}{' and on' if onward else ''}"
    r = bench.run(command.words, **command.kwargs(), at=at, kind="memory",
                  onward=onward)
    found = bench.look()
    wanted = whole.files if r.code == fault.DONE else command.files_there
    judge.check(found == wanted, label, fault.differences(found, wanted))
    if found != command.files_there:
        bench.put(command.files)
    if r.code == fault.DONE:
        judge.check(r.out == whole.out and r.err == whole.err, label,
                    f"prints other things than usual: {r.err!r}")
    else:
        judge.check(r.code == fault.IO, label, f"exit {r.code}: {r.err!r}")
        judge.check(r.err == BY_POPT or
                    b"memory" in r.err and r.err.count(b"\n") == 1 and
                    r.err.startswith(b"gguf"), label, f"says {r.err!r}")
    # Where its copy of the words cannot grow, popt does without, and loses it.
    if r.live == 1 and r.code == fault.DONE:
        command.lost.add(at)
    lost_by_popt = r.live == 1 and at in command.lost
    judge.check(r.live == 0 or r.err == BY_POPT or lost_by_popt, label,
                f"{r.live} blocks are not freed")
    return r.hits > 0, r.code == fault.DONE and r.hits > 0


def all_of(bench, judge, command, modes):
    """How many allocations were made to fail, and how many were got over."""
    bench.put(command.files)
    command.files_there = bench.look()
    whole = bench.run(command.words, **command.kwargs(), at=0)
    whole.files = bench.look()
    judge.check(whole.loaded == 1, command.name, "faultlib was not loaded")
    judge.check(whole.code == fault.DONE and whole.live == 0, command.name,
                f"exit {whole.code}, {whole.live} blocks: {whole.err!r}")
    bench.put(command.files)
    command.lost = set()
    failed = got_over = 0
    for onward in modes:
        def run(at):
            nonlocal got_over
            hit, over = one(bench, judge, command, whole, at, onward)
            got_over += over
            return hit
        failed += fault.sweep(run)
    judge.check(failed >= len(modes) * (whole.allocs - 2) and whole.allocs > 0,
                command.name, f"{failed} of {whole.allocs} allocations failed")
    return failed, got_over


def main():
    bench, judge, slow = fault.arguments("alloc")
    if bench.sanitized:
        print("the sanitizer has an allocator of its own")
        sys.exit(fault.SKIPPED)
    # json-c does not survive it (0.16: a node that it cannot make is used), and
    # dlopen, by which version looks for libcrypto and patterns for PCRE2, loses
    # blocks.
    chosen = [c for c in commands.present(
        bench.gguf, commands.WRITING + commands.READING)
              if c.words[0] not in ("new", "version")
              and "--tensor-type-file" not in c.words]
    failed = got_over = 0
    seed = fault.seed_of_the_day()
    for turn, command in enumerate(chosen, seed):
        modes = (False, True) if slow or turn % 8 == 1 else (False,)
        f, o = all_of(bench, judge, command, modes)
        failed, got_over = failed + f, got_over + o
    bench.close()
    judge.end(f"{len(chosen)} commands, {failed} failed allocations, of which "
              f"{got_over} were got over, GGK_SEED={seed}")


main()
