#!/usr/bin/env -S python3 -B
"""test_paths.py GGUF FAULTLIB FOLDER [asan] - odd names of what is written.

A name that the user gives is taken as it is: never as a format, a pattern, an
option or a word of the shell. Files appear under it and nowhere else, which a
listing of all that lies around shows. Where the system takes no such name, or
there is no such folder, nothing appears.
"""

import os
import shutil

import commands
import fault

# Prefixes, and whether they can be made.
NAMES = [
    ("../x", True), ("../../x", True), ("a/../../x", False),
    ("sub/../x", True), ("sub/x", True), ("./x", True), (".//x", True),
    ("sub//x", True), ("no/x", False), ("..\\x", True), ("a\\..\\x", True),
    ("C:x", True), ("C:\\x", True), ("a\nb", True), ("a\rb\tc", True),
    ("~", True), ("~/x", False), ("$HOME", True), ("`id`", True),
    ("$(id)", True), ("a;id", True), ("a|id", True), ("a&b", True),
    ("%s%s%n", True), ("%d-%05d", True), ("*", True), ("?[a]", True),
    ("\x1b]0;x\x07", True), ("-rf", True), ("--force", True),
    ("x" * 300, False), ("é", True), ("\udcff\udcfe", True),
    (".", True), ("..", True), ("...", True), ("sub", True), ("", False),
    ("/", True), ("a-00001-of-00003", True), (" ", True), ("x.gguf", True),
]


def listing(root):
    found = set()
    for folder, folders, files in os.walk(root):
        found.update(os.path.relpath(os.path.join(folder, n), root)
                     for n in folders + files)
    return found


def one(bench, judge, lines, name, can):
    label = f"{lines[0]} {name!r}"
    around = os.path.dirname(os.path.dirname(bench.here))
    shutil.rmtree(around)
    os.makedirs(os.path.join(bench.here, "sub"))
    os.chdir(bench.here)
    for file, data in commands.SET.items():
        with open(file, "wb") as f:
            f.write(data)
    with open("in.gguf", "wb") as f:
        f.write(commands.SMALL)
    before = listing(around)
    words = [w.replace("NAME", name) for w in lines]
    r = bench.run(words)
    made = listing(around) - before
    # The prefix of a copy is a name of a file, that of a split is a prefix.
    stem = name[:-5] if name.endswith(".gguf") and lines[0] == "copy" else name
    path = lines[-1].replace("NAME", stem)
    if lines[0] == "split" or lines[0] == "copy" and commands.SET_1 in lines:
        wanted = [f"{path}-{i:05}-of-00003.gguf" for i in (1, 2, 3)]
    else:
        wanted = [lines[-1].replace("NAME", name)]
    wanted = {os.path.relpath(os.path.normpath(w if w.startswith("/") else
                                               f"{bench.here}/{w}"), around)
              for w in wanted}
    if r.code == fault.DONE:
        judge.check(made == wanted, label, f"made {sorted(made)}")
        judge.check(can, label, "could be made")
    else:
        judge.check(r.code in (fault.IO, fault.USAGE), label,
                    f"exit {r.code}: {r.err!r}")
        judge.check(not made, label, f"fails, and made {sorted(made)}")
    judge.check(not any(c < 32 and c != 10 for c in r.err + r.out), label,
                f"prints a control character: {r.err + r.out!r}")
    return r.code == fault.DONE


def main():
    bench, judge, _ = fault.arguments("paths")
    bench.here = os.path.join(bench.here, "a", "b")
    os.makedirs(bench.here)
    done = n = 0
    for lines in commands.NAMING:
        if not commands.has(bench.gguf, lines[0]):
            continue
        for name, can in NAMES:
            if name in ("/",): # nothing may appear there in a test
                continue
            done += one(bench, judge, lines, name, can)
            n += 1
    os.chdir("/")
    bench.close()
    judge.end(f"{n} names, {done} of which could be made")


main()
