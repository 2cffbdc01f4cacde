#!/usr/bin/env -S python3 -B
"""test_kinds.py GGUF FAULTLIB FOLDER [asan] - what names may stand for: links,
pipes, folders, devices, files of all modes and owners, names of all lengths.

A table: what is there, the command, its exit status, and what must be so then.
What another user does is left out where this is not root, and access control
lists where the file system has none.
"""

import fcntl
import os
import shutil
import stat
import struct
import subprocess
import tempfile

import commands
import fault

NEW = commands.SMALL  # copy writes it as it is
OLD = commands.OTHER
NOBODY = 65534
TEMP = ".out.gguf.ggk-tmp"


def data(name):
    with open(name, "rb") as f:
        return f.read()


def mode(name):
    return stat.S_IMODE(os.lstat(name).st_mode)


def is_file(name, content):
    return stat.S_ISREG(os.lstat(name).st_mode) and data(name) == content


def kind(name, test):
    return test(os.lstat(name).st_mode)


class Case:
    def __init__(self, name, setup, line, code, then, says="", user=False,
                 files=None, umask=0o022):
        self.name, self.setup, self.words = name, setup, line.split()
        self.code, self.then, self.says = code, then, says
        self.user, self.umask = user, umask
        self.files = files or {"in.gguf": NEW}


OVER = {"in.gguf": NEW, "out.gguf": OLD}
THERE = {"in.gguf": NEW, "there": OLD}
COPY, FORCE = "copy in.gguf out.gguf", "copy --force in.gguf out.gguf"
SUB = "copy in.gguf sub/out.gguf"
WITH_FILE = "set in.gguf -o out.gguf --file a.key=key --type STRING"
EXISTS, LONG = "the file exists", "n" * 250 + ".gguf"


def nothing():
    pass


def make_old(bits, uid=None):
    def do():
        os.chmod("out.gguf", bits)
        if uid is not None:
            os.chown("out.gguf", uid, uid)
            os.chmod("out.gguf", bits)
    return do


def link(to, name="out.gguf"):
    return lambda: os.symlink(to, name)


def loop():
    os.symlink("out.gguf", "b")
    os.symlink("b", "out.gguf")


def left(bits):
    """Ended when out.gguf, of that mode and nobody's, was to be replaced."""
    def do():
        for name in ("out.gguf", TEMP):
            shutil.copy("in.gguf", name)
            os.chmod(name, bits)
            os.chown(name, NOBODY, NOBODY)
    return do


def lock():
    """Another process writes to out.gguf; the lock lives as long as we."""
    f = open(TEMP, "wb")
    fcntl.flock(f, fcntl.LOCK_EX)
    LOCKS.append(f)


def nobodys(bits):
    def do():
        for name in os.listdir("."):
            os.chown(name, NOBODY, NOBODY)
        os.chmod("in.gguf", bits)
    return do


def closed_folder():
    os.mkdir("closed")
    os.chmod("closed", 0o555)


def xattr():
    try:
        os.setxattr("out.gguf", "user.note", b"mine")
    except OSError:
        pass


def acl(*entries):
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", *entry) for entry in entries)


# The owner and user 1234 may read and write, the group nothing, all within a
# mask that a mode shows as the group's.
ACL, OF_FOLDER = "system.posix_acl_access", "system.posix_acl_default"
NO_ID = 0xffffffff
USERS = acl((1, 6, NO_ID), (2, 6, 1234), (4, 0, NO_ID), (16, 6, NO_ID),
            (32, 0, NO_ID))


MANY = acl((1, 6, NO_ID), *((2, 4, 2000 + i) for i in range(1000)),
           (4, 0, NO_ID), (16, 6, NO_ID), (32, 0, NO_ID))


def with_list(name, users=USERS):
    return lambda: os.setxattr(name, ACL, users)


def in_listed_folder():
    """New files get a list there, which the old one has not."""
    os.chmod("out.gguf", 0o640)
    os.setxattr(".", OF_FOLDER, USERS)


def in_folder(bits, gid=None, users=None):
    """in.gguf has these bits, sub this group, which new files get, and list."""
    def do():
        os.mkdir("sub")
        if gid is not None:
            os.chown("sub", -1, gid)
            os.chmod("sub", 0o2755)
        if users is not None:
            os.setxattr("sub", OF_FOLDER, users)
        os.chmod("in.gguf", bits)
    return do


def two_groups():
    with open("key", "w", encoding="ascii") as f:
        f.write("value")
    for name, gid in (("in.gguf", 0), ("key", 1234)):
        os.chown(name, -1, gid)
        os.chmod(name, 0o660)


def has_lists(folder, users=USERS):
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as f:
            os.setxattr(f.name, ACL, users)
    except OSError:
        return False
    return True


def list_of(name):
    try:
        return os.getxattr(name, ACL)
    except OSError:
        return None


SHM = "/dev/shm"  # where a list may have more than a block
LOCKS = []
CASES = [
    # ------------------------------------------------------- what OUT may be
    Case("OUT is new", nothing, COPY, 0,
         lambda: is_file("out.gguf", NEW) and mode("out.gguf") == 0o644),
    Case("OUT is new, umask 0777", nothing, COPY, 0,
         lambda: mode("out.gguf") == 0, umask=0o777),
    Case("OUT is there", nothing, COPY, 3,
         lambda: is_file("out.gguf", OLD), EXISTS, files=OVER),
    Case("OUT is a link", link("there"), COPY, 3,
         lambda: os.readlink("out.gguf") == "there" and data("there") == OLD,
         EXISTS, files=THERE),
    Case("OUT is a link, --force", link("there"), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and data("there") == OLD,
         files=THERE),
    Case("OUT is a dangling link", link("nowhere"), COPY, 3,
         lambda: os.readlink("out.gguf") == "nowhere" and
         not os.path.exists("nowhere"), EXISTS),
    Case("OUT is a dangling link, --force", link("nowhere"), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and not os.path.exists("nowhere")),
    Case("OUT is a loop of links", loop, COPY, 3,
         lambda: os.readlink("out.gguf") == "b", EXISTS),
    Case("OUT is a loop of links, --force", loop, FORCE, 0,
         lambda: is_file("out.gguf", NEW)),
    Case("OUT is a hard link, --force",
         lambda: os.link("there", "out.gguf"), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and data("there") == OLD,
         files=THERE),
    Case("OUT is a FIFO", lambda: os.mkfifo("out.gguf"), FORCE, 3,
         lambda: kind("out.gguf", stat.S_ISFIFO), "not a regular file"),
    Case("OUT is a folder", lambda: os.mkdir("out.gguf"), FORCE, 3,
         lambda: kind("out.gguf", stat.S_ISDIR), "Is a directory"),
    Case("OUT ends in a slash", nothing, "copy in.gguf out/", 3,
         lambda: not os.path.exists("out"), "cannot"),
    Case("OUT is /dev/zero", nothing, "copy --force in.gguf /dev/zero", 3,
         lambda: kind("/dev/zero", stat.S_ISCHR), "not a regular file"),
    Case("OUT is in no folder", nothing, "copy in.gguf no/out.gguf", 3,
         lambda: not os.path.exists("no"), "No such file"),
    Case("OUT is in a file", nothing, "copy in.gguf in.gguf/out.gguf", 3,
         lambda: data("in.gguf") == NEW, "Not a directory"),
    # ------------------------------------------------------------- temporary
    Case("a temporary was left", lambda: shutil.copy("in.gguf", TEMP), COPY, 0,
         lambda: is_file("out.gguf", NEW)),
    Case("a temporary of mode 0444 was left, by nobody", left(0o444), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and mode("out.gguf") == 0o444,
         user="nobody", files=OVER),
    Case("a temporary of mode 0200 was left, by nobody", left(0o200), FORCE, 0,
         lambda: is_file("out.gguf", NEW), user="nobody", files=OVER),
    Case("the temporary is being written", lock, COPY, 3,
         lambda: not os.path.exists("out.gguf") and os.path.exists(TEMP),
         "another process is writing"),
    Case("the temporary is a link", link("there", TEMP), COPY, 3,
         lambda: data("there") == OLD and os.readlink(TEMP) == "there",
         "temporary", files=THERE),
    Case("the temporary is a FIFO", lambda: os.mkfifo(TEMP), COPY, 3,
         lambda: kind(TEMP, stat.S_ISFIFO), "temporary"),
    Case("the temporary is a folder", lambda: os.mkdir(TEMP), COPY, 3,
         lambda: kind(TEMP, stat.S_ISDIR), "temporary"),
    # -------------------------------------------------------- what IN may be
    Case("IN is a link", link("in.gguf", "link.gguf"),
         "copy link.gguf out.gguf", 0, lambda: is_file("out.gguf", NEW)),
    Case("IN is a dangling link", link("nowhere", "link.gguf"),
         "copy link.gguf out.gguf", 3,
         lambda: not os.path.lexists("out.gguf"), "No such file"),
    Case("IN is a FIFO", lambda: os.mkfifo("fifo"), "copy fifo out.gguf", 3,
         lambda: not os.path.lexists("out.gguf"), "not a regular file"),
    Case("IN is /dev/zero", nothing, "copy /dev/zero out.gguf", 3,
         lambda: not os.path.lexists("out.gguf"), "not a regular file"),
    Case("IN is an empty folder", lambda: os.mkdir("folder"),
         "copy folder out.gguf", 4,
         lambda: not os.path.lexists("out.gguf"), "the folder holds no"),
    # ------------------------------------------------------------ IN is OUT
    Case("IN is OUT by name", nothing, "copy --force in.gguf in.gguf", 2,
         lambda: data("in.gguf") == NEW, "this is the input"),
    Case("IN is OUT by ./", nothing, "copy --force in.gguf ./in.gguf", 2,
         lambda: data("in.gguf") == NEW, "this is the input"),
    Case("IN is OUT by a link", link("in.gguf"), FORCE, 2,
         lambda: os.readlink("out.gguf") == "in.gguf", "this is the input"),
    Case("IN is a link to OUT", link("in.gguf", "link.gguf"),
         "copy --force link.gguf in.gguf", 2,
         lambda: data("in.gguf") == NEW, "this is the input"),
    Case("IN is OUT by a hard link", lambda: os.link("in.gguf", "out.gguf"),
         FORCE, 2, lambda: data("out.gguf") == NEW, "this is the input"),
    Case("in place, by a link", link("in.gguf", "link.gguf"),
         "copy --in-place --align 64 link.gguf", 0,
         lambda: is_file("link.gguf", data("link.gguf")) and
         data("in.gguf") == NEW and data("link.gguf") != NEW),
    Case("in place, with a hard link", lambda: os.link("in.gguf", "two.gguf"),
         "copy --in-place --align 64 in.gguf", 0,
         lambda: data("two.gguf") == NEW and data("in.gguf") != NEW),
    # ------------------------------------------------------- modes and owners
    Case("OUT may only be read", make_old(0o400), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and mode("out.gguf") == 0o400,
         files=OVER),
    Case("OUT of mode 0000", make_old(0), FORCE, 0,
         lambda: mode("out.gguf") == 0, files=OVER),
    Case("OUT of mode 0640, umask 0777", make_old(0o640), FORCE, 0,
         lambda: mode("out.gguf") == 0o640, files=OVER, umask=0o777),
    Case("OUT has set-uid bits", make_old(0o6755), FORCE, 0,
         lambda: mode("out.gguf") == 0o6755, files=OVER),
    Case("OUT has attributes, which a new file has not", xattr, FORCE, 0,
         lambda: is_file("out.gguf", NEW) and
         "user.note" not in os.listxattr("out.gguf"), files=OVER),
    Case("OUT has an access control list", with_list("out.gguf"), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and list_of("out.gguf") == USERS and
         mode("out.gguf") == 0o660, files=OVER, user="lists"),
    Case("IN has an access control list", with_list("in.gguf"), COPY, 0,
         lambda: mode("out.gguf") == 0o600 and list_of("out.gguf") is None,
         user="lists", umask=0),
    Case("IN has an access control list, edited by a new file",
         with_list("in.gguf"), "set --rewrite in.gguf a.key=1", 0,
         lambda: data("in.gguf") != NEW and list_of("in.gguf") == USERS,
         user="lists"),
    Case("OUT has an access control list of 1000 users",
         with_list("out.gguf", MANY), FORCE, 0,
         lambda: is_file("out.gguf", NEW) and list_of("out.gguf") == MANY,
         files=OVER, user="long lists"),
    Case("IN has one, edited in place or anew",
         with_list("in.gguf", MANY), "set in.gguf a.key=1", 0,
         lambda: data("in.gguf") != NEW and list_of("in.gguf") == MANY,
         user="long lists"),
    Case("a folder has an access control list, OUT has none", in_listed_folder,
         FORCE, 0, lambda: is_file("out.gguf", NEW) and
         mode("out.gguf") == 0o640 and list_of("out.gguf") is None, files=OVER,
         user="lists"),
    Case("a folder of another group, IN of 0660", in_folder(0o660, 1234), SUB, 0,
         lambda: os.stat("sub/out.gguf").st_gid == 1234 and
         mode("sub/out.gguf") == 0o600 and is_file("sub/out.gguf", NEW),
         user="root"),
    Case("a folder of another group, IN of 0664", in_folder(0o664, 1234), SUB, 0,
         lambda: mode("sub/out.gguf") == 0o644, user="root", umask=0),
    Case("a folder of the same group, IN of 0660, umask 027", in_folder(0o660),
         SUB, 0, lambda: mode("sub/out.gguf") == 0o640, umask=0o027),
    Case("a folder of the same group, IN of 0660, umask 0", in_folder(0o660),
         SUB, 0, lambda: mode("sub/out.gguf") == 0o660 and
         os.listdir("sub") == ["out.gguf"], umask=0),
    Case("a folder has an access control list, IN is of 0660",
         in_folder(0o660, users=USERS), SUB, 0,
         lambda: mode("sub/out.gguf") == 0o600, user="lists", umask=0),
    Case("a folder has an access control list, IN is of 0664",
         in_folder(0o664, users=USERS), SUB, 0,
         lambda: mode("sub/out.gguf") == 0o640, user="lists", umask=0),
    Case("inputs of two groups", two_groups, WITH_FILE, 0,
         lambda: mode("out.gguf") == 0o600, user="root", umask=0),
    Case("OUT belongs to another", make_old(0o640, 1234), FORCE, 0,
         lambda: os.stat("out.gguf").st_uid == 1234 and
         mode("out.gguf") == 0o640 and is_file("out.gguf", NEW), files=OVER,
         user="root"),
    Case("OUT belongs to another, with set-uid bits", make_old(0o6755, 1234),
         FORCE, 0, lambda: os.stat("out.gguf").st_uid == 1234 and
         mode("out.gguf") == 0o6755, files=OVER, user="root"),
    Case("OUT is root's, by nobody", make_old(0o6770), FORCE, 0,
         lambda: os.stat("out.gguf").st_uid == NOBODY and
         mode("out.gguf") == 0o700 and is_file("out.gguf", NEW), files=OVER,
         user="nobody"),
    Case("IN of mode 0000, by nobody", nobodys(0), COPY, 3,
         lambda: not os.path.lexists("out.gguf"), "Permission denied",
         user="nobody"),
    Case("IN of mode 0400, by nobody", nobodys(0o400), COPY, 0,
         lambda: is_file("out.gguf", NEW), user="nobody"),
    Case("IN of mode 0400, in place, by nobody", nobodys(0o400),
         "copy --in-place --align 64 in.gguf", 0,
         lambda: mode("in.gguf") == 0o400 and data("in.gguf") != NEW,
         user="nobody"),
    Case("a folder that may only be read, by nobody", closed_folder,
         "copy in.gguf closed/out.gguf", 3, lambda: not os.listdir("closed"),
         "Permission denied", user="nobody"),
    # ----------------------------------------------------------------- names
    Case("a name of 255 bytes", nothing, f"copy in.gguf {LONG}", 0,
         lambda: is_file(LONG, NEW)),
    Case("a name of 255 bytes, again", lambda: shutil.copy("in.gguf", LONG),
         f"copy --force in.gguf {LONG}", 0, lambda: is_file(LONG, NEW)),
    Case("a name of 256 bytes", nothing, f"copy in.gguf n{LONG}", 3,
         lambda: os.listdir(".") == ["in.gguf"], "too long"),
    Case("a path of 5000 bytes", nothing, "copy in.gguf " + "a/" * 2500 + "x", 3,
         lambda: os.listdir(".") == ["in.gguf"], "too long"),
    Case("names that begin with -",
         lambda: os.rename("in.gguf", "-in.gguf"),
         "copy -- -in.gguf -out.gguf", 0, lambda: is_file("-out.gguf", NEW)),
    Case("a name that begins with -, by ./", nothing,
         "copy in.gguf ./-rf", 0, lambda: is_file("-rf", NEW)),
]


def reachable(bench):
    """May nobody start the program and work in the folder?"""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    os.chmod(bench.root, 0o755)
    os.chmod(bench.here, 0o777)
    return subprocess.call([*AS_NOBODY, bench.gguf, "version"],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL) == 0


AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
             "--clear-groups"]


def one(bench, judge, case):
    bench.put(case.files)
    os.chdir(bench.here)
    case.setup()
    names = set(os.listdir("."))
    old = os.umask(case.umask)
    before = [] if case.user != "nobody" else AS_NOBODY
    run = subprocess.run([*before, bench.gguf, *case.words], env=bench.env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=fault.WALL_SECONDS,
                         check=False)
    os.umask(old)
    judge.check(run.returncode == case.code, case.name,
                f"exit {run.returncode}, not {case.code}: {run.stderr!r}")
    judge.check(case.says.encode() in run.stderr, case.name,
                f"says {run.stderr!r}")
    judge.check(case.code == 0 or fault.is_message(run.stderr, "copy"),
                case.name, f"says {run.stderr!r}")
    try:
        judge.check(case.then(), case.name,
                    f"is not as it should be: {sorted(os.listdir('.'))}")
    except OSError as e:
        judge.check(False, case.name, str(e))
    if case.code != 0:
        judge.check(set(os.listdir(".")) == names, case.name,
                    f"left {sorted(set(os.listdir('.')) ^ names)}")
    else:
        judge.check(not any(map(fault.is_temporary, os.listdir("."))),
                    case.name, "left a temporary")
    while LOCKS:
        LOCKS.pop().close()
    if case.setup is in_listed_folder:
        os.removexattr(".", OF_FOLDER)


def main():
    bench, judge, _ = fault.arguments("kinds")
    users = {False: True, "root": os.geteuid() == 0,
             "nobody": reachable(bench), "lists": has_lists(bench.root)}
    in_memory = fault.Bench(bench.gguf, bench.lib,
                            SHM if os.access(SHM, os.W_OK) else bench.root,
                            "kinds")
    users["long lists"] = has_lists(in_memory.root, MANY)
    done = [c for c in CASES if users[c.user]]
    for case in done:
        one(in_memory if case.user == "long lists" else bench, judge, case)
    os.chdir("/")
    in_memory.close()
    bench.close()
    left = ", no access control lists here" if not users["lists"] else ""
    judge.end(f"{len(done)} of {len(CASES)} cases{left}")


main()
