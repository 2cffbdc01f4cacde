#!/usr/bin/env -S python3 -B
"""test_io_faults.py GGUF FAULTLIB FOLDER [asan] [slow] - every call that
concerns a file fails, or is cut short.

Each command runs with call n going wrong, for n = 1, 2, ... until two further
ones are not reached: by EIO, ENOSPC, EDQUOT, EAGAIN, which must leave all files
as they were, no temporary behind, exit status 3 and one line of a message; by
EINTR, and by moving one byte only, which must not be noticed. All that under a
kernel and a file system as they are here, and under some that lack what not
all have. Unless it is slow each day has its share.
"""

import itertools

import commands
import fault

FATAL = ("EIO", "ENOSPC", "EDQUOT", "EAGAIN")
SHORT = ("EINTR", "short")

# What may fail without anybody being the worse for it: advice, what has another
# way, and closing what was only read or is safe on the disk already.
OPTIONAL = {"close", "closedir", "lseek", "fstatfs", "fstatvfs", "fchown",
            "sync_file_range", "mmap", "stat", "flock", "fcntl",
            "fgetxattr"}
# Once the new file has its name, this can no longer be undone.
TOO_LATE = {"fsync folder", "unlinkat"}

# Machines: {operation: errno}.
PLAIN = ""
OLD_KERNEL = "renameat2:22,copy_file_range:38,fallocate:95"
NO_LINKS = "renameat2:22,linkat:1,copy_file_range:18,flock:37"
NO_CALLS = "renameat2:38,linkat:38,copy_file_range:38,flock:38"
MACHINES = (OLD_KERNEL, NO_LINKS, NO_CALLS)


def judge_failure(judge, label, command, r, found):
    """It ended with the exit status for that."""
    if r.op == "lseek" and r.code == fault.UNSUPPORTED: # taken for a pipe
        return judge.check(found == command.before, label,
                           fault.differences(found, command.before))
    late = any(r.hit.startswith(op) for op in TOO_LATE) or (
        r.op == "fsync" and r.hit.endswith("folder"))
    judge.check(r.code == fault.IO, label, f"exit {r.code}: {r.err!r}")
    judge.check(fault.is_message(r.err, command.words[0]), label,
                f"says {r.err!r}")
    if found == command.before:
        return judge.check(True, label)
    if r.op == "flock": # as if another process had taken the temporary over,
        left = {k: v for k, v in found.items() # and with it the new folder
                if not fault.is_temporary(k) and
                (k in command.before or not k.endswith("/"))}
        return judge.check(left == command.before, label,
                           fault.differences(left, command.before))
    if late:
        found = {k: v for k, v in found.items()
                 if not fault.is_temporary(k)}
        return judge.check(found == command.after, label,
                           fault.differences(found, command.after))
    return judge.check(False, label,
                       fault.differences(found, command.before))


def judge_success(judge, label, command, r, found, kind):
    retried = r.op in ("open", "openat") and kind == "EAGAIN"
    # To keep a name there is another way; to remove one that is not there,
    # nothing has to be done.
    other_way = r.op in ("linkat", "unlinkat") and r.hit.endswith(".ggk-old")
    # Whether shards of another split lie beside is only warned of; whether a
    # journal has an old name of the file is told where it can be.
    beside = command.words[0] in ("merge", "check", "set", "rm", "rename",
                                  "copy", "fix") and \
        r.op in ("opendir", "readdir")
    fell_back = command.maps and r.op in ("open", "fstat")
    judge.check(kind in SHORT or r.hits == 0 or r.op in OPTIONAL or retried or
                fell_back or other_way or beside,
                label, "nobody noticed")
    judge.check(r.out == command.out and r.err == b"", label,
                f"prints other things than usual: {r.err!r}")
    if r.op == "unlinkat" or r.op == "flock":
        found = {k: v for k, v in found.items() if not fault.is_temporary(k)}
    judge.check(found == command.after, label,
                fault.differences(found, command.after))


def one(bench, judge, command, at, kind, onward, machine):
    number = fault.ERRNO.get(kind)
    r = bench.run(command.words, **command.kwargs(), at=at, onward=onward,
                  kind=f"error:{number}" if number else kind, deny=machine)
    if r.hits == 0 and r.calls < at:
        bench.put(command.files)
        return False
    label = (f"{command.name}, {kind}{' from' if onward else ' at'} call {at}, "
             f"{r.hit}{', ' + machine if machine else ''}")
    found = bench.look()
    if r.hits == 0 or kind in SHORT or r.code == fault.DONE:
        judge_success(judge, label, command, r, found, kind)
    else:
        judge_failure(judge, label, command, r, found)
    if found != command.before:
        bench.put(command.files)
    return True


def learn(bench, judge, command, machine):
    """What it does when nothing goes wrong."""
    bench.put(command.files)
    command.before = bench.look()
    r = bench.run(command.words, **command.kwargs(), at=0, deny=machine)
    command.after, command.out = bench.look(), r.out
    judge.check(r.code == fault.DONE and r.loaded == 1, command.name,
                f"exit {r.code}: {r.err!r}")
    bench.put(command.files)
    return r.calls


def all_of(bench, judge, command, kinds, machine=PLAIN, step=1, first=0):
    calls = learn(bench, judge, command, machine)
    faults = 0
    for i, kind in enumerate(kinds):
        faults += fault.sweep(
            lambda at: one(bench, judge, command, at, kind, False, machine),
            (first + i) % step + 1, step)
    # Every transfer moves one byte; that takes long for much.
    if sum(map(len, command.before.values())) < 100000:
        one(bench, judge, command, 1, "short", True, machine)
    judge.check(faults >= (calls // step - 1) * len(kinds), command.name,
                f"{faults} faults in {calls} calls")
    return faults


def share(turn, *choices):
    """One of each; all combinations have their turn."""
    combinations = tuple(itertools.product(*choices))
    return combinations[turn % len(combinations)]


def main():
    bench, judge, slow = fault.arguments("io")
    seed = fault.seed_of_the_day()
    writing = commands.present(bench.gguf, commands.WRITING)
    reading = [c for c in commands.present(bench.gguf, commands.READING)
               if c.reads]
    faults = 0
    for i, command in enumerate(writing):
        if slow:
            faults += all_of(bench, judge, command, FATAL + SHORT)
            for machine in MACHINES:
                faults += all_of(bench, judge, command,
                                 ("EIO", "ENOSPC", *SHORT), machine)
            continue
        # A fatal one at each call; the others at every second.
        turn = seed + i
        faults += all_of(bench, judge, command, (FATAL[turn % 4],))
        faults += all_of(bench, judge, command, SHORT, PLAIN, 2, turn)
        # A backup is a second link, where there are some.
        backup = "--backup" in command.words
        if turn % 3 == 2 or backup:
            machine, kind = share(turn if backup else turn // 3, MACHINES,
                                  FATAL + SHORT)
            faults += all_of(bench, judge, command, (kind,), machine)
    for turn, command in enumerate(reading, seed):
        faults += all_of(bench, judge, command, FATAL + SHORT if slow
                         else share(turn, FATAL, SHORT))
    bench.close()
    judge.end(f"{len(writing) + len(reading)} commands, {faults} faults in "
              f"{bench.runs} runs, GGK_SEED={seed}")


main()
