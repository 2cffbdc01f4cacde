"""fault.py - what the tests of faults have in common: running the program with
something going wrong, and comparing what it left with what it may leave."""

import errno
import mmap
import os
import re
import shutil
import signal
import struct
import sys
import tempfile
import time

SKIPPED = 77
WALL_SECONDS = 60
EXIT_CUT = 86  # of faultlib.c, as the next two
HEAD_BYTES = 128
REPORT_BYTES = HEAD_BYTES + (1 << 16)

DONE, NO, USAGE, IO, UNREADABLE, UNSUPPORTED = range(6)


class Result:
    """How a program ended, what it said, and what faultlib.c counted."""

    def __init__(self, status, out, err, report):
        self.status, self.out, self.err = status, out, err
        (self.calls, self.allocs, self.hits, self.live, self.traced,
         self.loaded, self.low) = struct.unpack_from("7q", report)
        self.hit = report[56:HEAD_BYTES].split(b"\0")[0].decode()
        self.op = self.hit.split(" ")[0]
        self.trace = report[HEAD_BYTES:HEAD_BYTES + self.traced] \
            .decode(errors="replace").splitlines()

    @property
    def code(self):
        """The exit status; -N: signal N."""
        return os.waitstatus_to_exitcode(self.status) \
            if hasattr(os, "waitstatus_to_exitcode") else (
                os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status)
                else -os.WTERMSIG(self.status))


class Bench:
    """A folder to work in, `here`, and beside it what must not be counted."""

    def __init__(self, gguf, lib, made, name, sanitized=False):
        os.makedirs(made, exist_ok=True)
        self.root = os.path.realpath(
            tempfile.mkdtemp(prefix=name + ".", dir=made))
        self.gguf, self.lib = os.path.realpath(gguf), os.path.realpath(lib)
        self.sanitized = sanitized
        self.here = os.path.join(self.root, "here")
        os.mkdir(self.here)
        self.out = os.path.join(self.root, "stdout")
        self.err = os.path.join(self.root, "stderr")
        self.report = os.path.join(self.root, "report")
        self.log = os.path.join(self.root, "log")
        with open(self.report, "wb") as f:
            f.truncate(REPORT_BYTES)
        with open(self.report, "r+b") as f:
            self.shared = mmap.mmap(f.fileno(), REPORT_BYTES)
        self.env = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "/bin")}
        self.env.update({k: v for k, v in os.environ.items()
                         if k.endswith("SAN_OPTIONS")})
        self.runs = 0

    def close(self):
        self.shared.close()
        shutil.rmtree(self.root, ignore_errors=True)

    # ------------------------------------------------------------- files
    def put(self, files):
        """Make the folder hold these: {name: bytes}, a name of a folder ends
        in a slash. A tuple of bytes and (start, end) has a hole there."""
        for name in os.listdir(self.here):
            path = os.path.join(self.here, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        for name, data in files.items():
            path = os.path.join(self.here, name)
            if name.endswith("/"):
                os.mkdir(path)
                continue
            hole = None
            if isinstance(data, tuple):
                data, hole = data
            with open(path, "wb") as f:
                if hole is None:
                    f.write(data)
                    continue
                f.write(data[:hole[0]])
                f.truncate(len(data))
                f.seek(hole[1])
                f.write(data[hole[1]:])

    def look(self):
        """What the folder holds: {name: bytes}, of folders too."""
        found = {}
        for folder, folders, files in os.walk(self.here):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    found[os.path.relpath(path, self.here)] = f.read()
            for name in folders:
                found[os.path.relpath(os.path.join(folder, name),
                                      self.here) + "/"] = b""
        return found

    # -------------------------------------------------------------- runs
    def environment(self, at=0, kind="", onward=False, deny="", sync="0",
                    log=False, file=""):
        env = dict(self.env, GGK_FAULT_ROOT=self.here,
                   GGK_FAULT_REPORT=self.report, GGK_FAULT_AT=str(at),
                   GGK_FAULT_KIND=kind, GGK_FAULT_FROM="1" if onward else "0",
                   LD_PRELOAD=self.lib)
        if deny:
            env["GGK_FAULT_DENY"] = deny
        if sync:
            env["GGK_FAULT_SYNC"] = sync
        if file:
            env["GGK_FAULT_FILE"] = os.path.join(self.here, file)
        if log:
            open(self.log, "wb").close()
            env["GGK_FAULT_LOG"] = self.log
        return env

    def start(self, words, env=None, stdin=os.devnull, out=None, err=None,
              closed=()):
        """Start the program in the folder; its process. An `out` that is a
        number is a descriptor; those in `closed` are closed."""
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.path.join(self.here, stdin),
             os.O_RDONLY, 0)]
        for fd, path in ((1, out or self.out), (2, err or self.err)):
            actions.append(
                (os.POSIX_SPAWN_DUP2, path, fd) if isinstance(path, int) else
                (os.POSIX_SPAWN_OPEN, fd, path,
                 os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in closed]
        os.chdir(self.here)
        self.runs += 1
        # What Python ignores is not ignored by those who start programs.
        return os.posix_spawn(self.gguf, ["gguf", *words], env or self.env,
                              file_actions=actions,
                              setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])

    def wait(self, pid):
        def too_long(*_):
            os.kill(pid, signal.SIGKILL)
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(WALL_SECONDS)
        _, status = os.waitpid(pid, 0)
        signal.alarm(0)
        return status

    def finish(self, pid, out=None, err=None):
        status = self.wait(pid)
        with open(out or self.out, "rb") as f:
            said = f.read()
        with open(err or self.err, "rb") as f:
            told = f.read()
        return Result(status, said, told, self.shared[:])

    def stop(self, words, at):
        """Start it, and let it stop before call `at`; what to give to go_on.
        None if it has no such call."""
        self.shared[:HEAD_BYTES] = bytes(HEAD_BYTES)
        out, err = (os.path.join(self.root, n) for n in ("out.1", "err.1"))
        pid = self.start(words, self.environment(
            at=at, kind=f"signal:{int(signal.SIGSTOP)}"), os.devnull, out, err)
        _, status = os.waitpid(pid, os.WUNTRACED)
        return (pid, out, err) if os.WIFSTOPPED(status) else None

    def go_on(self, stopped):
        """Let it go on, to its end. Others that ran meanwhile were started
        without a fault: the counts are its own."""
        os.kill(stopped[0], signal.SIGCONT)
        return self.finish(*stopped)

    def run(self, words, stdin=os.devnull, **fault):
        """Run it, with a fault (see environment), or without the library."""
        self.shared[:HEAD_BYTES] = bytes(HEAD_BYTES)
        env = self.environment(**fault) if fault else None
        return self.finish(self.start(words, env, stdin))


class Judge:
    """Counts what was looked at, and what was wrong."""

    def __init__(self):
        self.checks = self.failures = 0
        self.begun = time.monotonic()

    def check(self, right, label, why=""):
        self.checks += 1
        if right:
            return True
        self.failures += 1
        if self.failures <= 60:
            print(f"{label}: {why}")
        return False

    def end(self, figures):
        """Print the last line, and leave."""
        print(f"{figures}; {self.checks} checks, {self.failures} failures, "
              f"{time.monotonic() - self.begun:.1f} s")
        sys.exit(self.failures != 0)


def is_message(err, command):
    """One line, which says who speaks."""
    return (err.endswith(b"\n") and err.count(b"\n") == 1 and
            err.startswith(f"gguf {command}: ".encode()))


def differences(found, wanted):
    """In words."""
    words = []
    for name in sorted({*found, *wanted}):
        if name not in found:
            words.append(f"{name} is missing")
        elif name not in wanted:
            words.append(f"{name} is left behind")
        elif found[name] != wanted[name]:
            words.append(f"{name} is another ({len(found[name])} bytes)")
    return ", ".join(words)


def is_temporary(name):
    base = os.path.basename(name)
    return base.startswith(".") and base.endswith((".ggk-tmp", ".ggk-old"))


def lasting(found):
    """The folder without temporaries."""
    return {k: v for k, v in found.items() if not is_temporary(k)}


def recover(found):
    """The folder without temporaries, and with every set back in its place of
    which the first shard was set aside and its new one is not there yet, as
    the next run has it. What both names have is the new file."""
    files = lasting(found)
    for name in found:
        first = re.fullmatch(r"\.(.*-00001-of-(\d{5})\.gguf)\.ggk-old", name)
        if first is None or first[1] in found or \
                f".{first[1]}.ggk-tmp" not in found:
            continue
        for kept in found:
            old = re.fullmatch(r"\.(.*-\d{5}-of-(\d{5})\.gguf)\.ggk-old", kept)
            if old is not None and old[2] == first[2] and (
                    old[1] not in found or
                    found.get(f".{old[1]}.ggk-tmp") != found[kept]):
                files[old[1]] = found[kept]
    return files


def why_not(found, before, after):
    """Why a program that was ended must not leave this; "" if it may: all is
    old, or all is new, or each file is one of both and no set is whole."""
    for name in found:
        if name not in before and name not in after and not is_temporary(name):
            return f"{name} is left behind"
    files = recover(found)
    if files in (before, after):
        return ""
    for name in sorted({*files, *before, *after}):
        if files.get(name) not in (before.get(name), after.get(name)):
            return f"{name} is neither old nor new"
        first = re.sub(r"-\d{5}-of-", "-00001-of-", name)
        if files.get(name) != before.get(name) and first != name and \
                files.get(first) not in (None, after.get(first)):
            return f"{name} is new, {first} is old"
        if files.get(name) == before.get(name) != after.get(name) and \
                first != name and files.get(first) is not None and \
                files[first] != before.get(first):
            return f"{name} is old, {first} is new"
    return ""


def sweep(run, first=1, step=1):
    """Call run(1), run(2), ... until two in a row were not reached, that is,
    return False. How many were; it must be some."""
    n, missed, reached = first, 0, 0
    while missed < 2:
        if run(n):
            missed, reached = 0, reached + 1
        else:
            missed += 1
        n += step
    if reached == 0:
        sys.exit("a sweep reached nothing: did the program start at all?")
    return reached


def arguments(name):
    """What tests/fault/CMakeLists.txt gives every test: the program, the
    library, a folder, and words."""
    if len(sys.argv) < 4:
        sys.exit(f"usage: {name} GGUF FAULTLIB FOLDER [asan] [slow]")
    words = sys.argv[4:]
    return (Bench(*sys.argv[1:4], name, "asan" in words), Judge(),
            "slow" in words)


def seed_of_the_day():
    """What a test that runs in part takes today, so that within days it has
    taken all; GGK_SEED repeats another day's."""
    return int(os.environ.get("GGK_SEED", time.time() // 86400))


ERRNO = {n: getattr(errno, n)
         for n in ("EIO", "ENOSPC", "EINTR", "EAGAIN", "EDQUOT")}
