#!/usr/bin/env -S python3 -B
"""test_all_calls.py GGUF FAULTLIB FOLDER [asan] - nothing goes round faultlib.

What the system saw, by strace, of calls that concern the files must be what
faultlib.c counted. Without strace: the program imports no function for files
that faultlib.c does not have.
"""

import re
import shutil
import subprocess
import sys

import commands
import fault

# What the kernel calls what libc offers.
SAME = {"newfstatat": "stat", "fstat": "stat", "fstatat": "stat",
        "stat": "stat", "lstat": "stat", "open": "openat",
        "opendir": "openat", "pread64": "pread", "pwrite64": "pwrite",
        "fstatvfs": "fstatfs", "rename": "renameat2", "renameat": "renameat2",
        "renameat2": "renameat2", "link": "linkat", "unlink": "unlinkat",
        "readdir": "", "getdents64": "", "closedir": "close", "munmap": "",
        "mkdir": "mkdirat", "dup3": ""}
LINE = re.compile(r"^(?:\d+ +)?([a-z_0-9]+)\((.*)$")

# That have to do with files, and that a program could use instead.
OTHER = """fopen fopen64 freopen fdopen readv writev preadv pwritev preadv2
pwritev2 sendfile sendfile64 splice vmsplice tee truncate truncate64 remove
mkstemp tmpfile mkostemp utime utimes futimens utimensat chmod chown lchown
fchmodat fchownat symlink symlinkat mknod creat64 setxattr lsetxattr lgetxattr removexattr openat2
syscall aio_read aio_write io_submit msync scandir glob nftw fts_open
readlink realpath access faccessat rmdir""".split()
# realpath and readlink are for symbolic links, of which no more than a message
# depends; futimens for an edit that was undone; access is popt's.
ALLOWED = {"realpath", "readlink", "futimens", "access"}


def counted(trace):
    names = {}
    for line in trace:
        op = line.split(" ")[0]
        if op == "opendir": # libc looks whether it is one
            names["stat"] = names.get("stat", 0) + 1
        op = SAME.get(op, op)
        if op:
            names[op] = names.get(op, 0) + 1
    return names


def seen(path, here):
    """Those of strace -y that name a file below the folder."""
    names = {}
    mark = f"{here}/"
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            match = LINE.match(line)
            if not match or match[1] in ("execve", "getcwd", "chdir",
                                         "readlink"):
                continue
            args = re.sub(r"AT_FDCWD<[^>]*>", "AT_FDCWD", match[2])
            if "F_GETFD" in args: # changes nothing
                continue
            inside = mark in args or f"<{here}>" in args or re.search(
                r'(^|AT_FDCWD, )"[^/]', args)
            op = SAME.get(match[1], match[1])
            if inside and op:
                names[op] = names.get(op, 0) + 1
    return names


def by_strace(bench, judge, chosen):
    for command in chosen:
        bench.put(command.files)
        r = bench.run(command.words, **command.kwargs(), at=0, sync="")
        wanted = counted(r.trace)
        bench.put(command.files)
        log = bench.out + ".strace"
        stdin = open(command.stdin, "rb") if command.stdin \
            else subprocess.DEVNULL
        subprocess.run(["strace", "-f", "-y", "-s", "0", "-o", log,
                        "-e", "trace=%file,%desc", bench.gguf,
                        *command.words], cwd=bench.here, stdin=stdin,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=bench.env, check=False)
        found = seen(log, bench.here)
        judge.check(found == wanted, command.name,
                    f"strace saw {found}, faultlib {wanted}")
    return sum(1 for _ in chosen)


def main():
    bench, judge, _ = fault.arguments("calls")
    chosen = commands.present(bench.gguf, commands.WRITING + commands.READING)
    how = "by their imports"
    if shutil.which("nm"):
        text = subprocess.run(["nm", "-D", "--undefined-only", bench.gguf],
                              stdout=subprocess.PIPE, check=True).stdout
        names = {w.split("@")[0] for w in text.decode().split()}
        if not bench.sanitized: # whose runtime uses what it likes
            for name in OTHER:
                judge.check(name not in names or name in ALLOWED, "imports",
                            name)
    ptrace = shutil.which("strace") and subprocess.run(
        ["strace", "-o", bench.out, "true"], check=False).returncode == 0
    if ptrace and not bench.sanitized:
        by_strace(bench, judge, chosen)
        how = "as strace saw them"
    elif not shutil.which("nm"):
        print("neither strace nor nm")
        sys.exit(fault.SKIPPED)
    bench.close()
    judge.end(f"the calls of {len(chosen)} commands, {how}")


main()
