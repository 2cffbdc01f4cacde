#!/usr/bin/env -S python3 -B
"""test_streams.py GGUF FAULTLIB FOLDER [asan] - standard streams that are
closed, or that nobody reads.

Whatever is closed, no file is ever opened as descriptor 0, 1 or 2, where it
could be read or written for a stream; files are as they were or as they should
become; nothing hangs.
"""

import itertools
import os
import signal

import commands
import fault


def whole(bench, command):
    bench.put(command.files)
    command.before = bench.look()
    bench.run(command.words, **command.kwargs())
    command.after = bench.look()
    bench.put(command.files)


def intact(bench, judge, label, command, code):
    found = bench.look()
    judge.check(found == command.after or
                code != fault.DONE and found == command.before, label,
                fault.differences(found, command.after))
    if found != command.before:
        bench.put(command.files)


def closed_pipe(bench, judge, command):
    """Nobody reads what it prints."""
    there, here = os.pipe()
    os.close(there)
    r = bench.finish(bench.start(command.words, None,
                                 command.stdin or os.devnull, out=here))
    os.close(here)
    label = f"{command.name} | :"
    judge.check(r.code in (-signal.SIGPIPE, fault.IO), label, f"exit {r.code}")
    judge.check(r.err == b"", label, f"says {r.err!r}")
    intact(bench, judge, label, command, r.code)


def closed(bench, judge, command, fds):
    bench.shared[:fault.HEAD_BYTES] = bytes(fault.HEAD_BYTES)
    r = bench.finish(bench.start(
        command.words, bench.environment(at=0), command.stdin or os.devnull,
        closed=fds))
    label = f"{command.name}, without {fds}"
    judge.check(r.loaded == 1 and r.low == 0, label,
                f"{r.low} files are opened as a stream")
    # Standard output is missed by whoever prints, standard input by its
    # readers, standard error by those who have something to say.
    missed = 1 in fds or 0 in fds and command.stdin is not None
    judge.check(r.code == (fault.IO if missed else fault.DONE) or
                2 in fds and r.code == fault.IO or
                0 in fds and command.stdin is not None and
                r.code == fault.UNSUPPORTED, label, # as a pipe is
                f"exit {r.code}: {r.err!r}")
    judge.check(1 not in fds or r.out == b"", label, f"prints {r.out!r}")
    intact(bench, judge, label, command, r.code)


def main():
    bench, judge, _ = fault.arguments("streams")
    sets = [fds for n in (1, 2, 3)
            for fds in itertools.combinations(range(3), n)]
    chosen = commands.present(bench.gguf, commands.READING + commands.WRITING)
    for command in chosen:
        whole(bench, command)
        closed_pipe(bench, judge, command)
        for fds in sets:
            closed(bench, judge, command, fds)
    bench.close()
    judge.end(f"{len(chosen)} commands without {len(sets)} sets of streams, "
              "and into a closed pipe")


main()
