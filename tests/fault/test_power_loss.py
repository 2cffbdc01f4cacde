#!/usr/bin/env -S python3 -B
"""test_power_loss.py GGUF FAULTLIB FOLDER [asan] [slow] - the machine loses its
power.

faultlib.c records what a command does to files. From that record, for each
moment, states are made in which a disk may be found: of what was not yet
synchronized, some is there and some is not, in any order, and torn at 512 or
4096 bytes; names are as they were after any of the steps since their folder
was synchronized. In each state every file must be whole, old or new; after the
command has ended well, new.

The record is of one folder, so commands that write into another are left out.
The same must find something wrong if synchronizing the file, or the folder, is
left out: else it would prove nothing.
"""

import os
import random
import time

import commands
import fault
from disk import SECTORS, apply, read_log, torn

def versions(durable, steps, rng, n):
    """What a file may hold, whose `steps` are not synchronized."""
    yield durable
    content = durable
    for step in steps:
        content = apply(content, step)
        yield content
    if not steps:
        return
    for _ in range(n):
        content = durable
        for step in rng.sample(steps, len(steps)):
            if rng.random() < 0.5:
                content = apply(content, step)
        yield content
        content = durable
        for step in steps:
            pieces = torn(step, rng.choice(SECTORS), rng)
            if step.op != "truncate" or pieces is None:
                content = apply(content, step, pieces)
        yield content


def rename(names, step):
    """The names after one step."""
    _, first, _, second = step.names
    names = dict(names)
    if step.op in ("create", "link"):
        names[second or first] = step.ino
    elif step.op == "unlink":
        names.pop(first, None)
    elif step.op == "rename":
        names[second] = names.pop(first, step.ino)
    elif step.op == "exchange":
        names[first], names[second] = names.get(second), names.get(first)
    return names


class Disk:
    """What is on it for sure, and what may be."""

    def __init__(self, here):
        self.folder = os.stat(here).st_ino
        self.names, self.files = {}, {}
        for name in os.listdir(here):
            path = os.path.join(here, name)
            ino = os.stat(path).st_ino
            self.names[name] = ino
            with open(path, "rb") as f:
                self.files[ino] = f.read()
        self.name_steps, self.file_steps = [], {}

    def do(self, step):
        if step.op == "sync" and step.ino == self.folder:
            for s in self.name_steps:
                self.names = rename(self.names, s)
            self.name_steps = []
        elif step.op == "sync":
            for s in self.file_steps.pop(step.ino, []):
                self.files[step.ino] = apply(self.files[step.ino], s)
        elif step.op in ("write", "truncate"):
            self.file_steps.setdefault(step.ino, []).append(step)
        else:
            if step.op == "create":
                self.files[step.ino] = b""
                self.file_steps.pop(step.ino, None)
            self.name_steps.append(step)

    def states(self, rng, n):
        """Ways in which it may be found: {name: content}."""
        choices = {ino: list(versions(self.files[ino], steps, rng, n))
                   for ino, steps in self.file_steps.items()}
        names = self.names
        for i in range(len(self.name_steps) + 1):
            if i > 0:
                names = rename(names, self.name_steps[i - 1])
            most = max([len(c) for c in choices.values()] or [1])
            for k in range(most):
                yield {name: choices[ino][k % len(choices[ino])]
                       if ino in choices else self.files[ino]
                       for name, ino in names.items() if ino}


def is_bad(command, state, ended):
    """Why a state must not be; "" if it may."""
    if ended and fault.recover(state) != command.after:
        return "it is not new after the end"
    return fault.why_not(state, command.before, command.after)


def explore(bench, command, sync, rng, n):
    """(states, why each bad one is bad)."""
    bench.put(command.files)
    disk = Disk(bench.here)
    r = bench.run(command.words, **command.kwargs(), at=0, sync=sync, log=True)
    if r.code != fault.DONE:
        return 0, [f"exit {r.code}: {r.err!r}"]
    command.after = bench.look()
    steps = read_log(bench.log)
    states, bad = 0, []
    for i in range(len(steps) + 1):
        if i > 0:
            disk.do(steps[i - 1])
        ended = i == len(steps)
        for state in disk.states(rng, n):
            states += 1
            why = is_bad(command, state, ended)
            if why:
                bad.append(f"after step {i} of {len(steps)}: {why}")
    return states, bad


def main():
    bench, judge, slow = fault.arguments("power")
    seed = int(os.environ.get("GGK_SEED", time.time()))
    rng = random.Random(seed)
    states = caught = 0
    for command in commands.present(bench.gguf, commands.WRITING):
        if command.into:
            continue
        bench.put(command.files)
        command.before = bench.look()
        n, bad = explore(bench, command, "0", rng, 20 if slow else 5)
        states += n
        judge.check(not bad, f"{command.name}, seed {seed}", bad[:1])
        changes = command.before != command.after
        for sync in ("file", "folder") if changes else ():
            _, bad = explore(bench, command, sync, rng, 5)
            caught += bool(bad)
            judge.check(bad, f"{command.name} without fsync of the {sync}",
                        "nothing bad was found")
    judge.check(states >= 2000, "all", f"only {states} states")
    bench.close()
    judge.end(f"{states} states, seed {seed}; {caught} variants without fsync "
              f"were caught")


main()
