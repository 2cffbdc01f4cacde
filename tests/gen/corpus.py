"""corpus.py - a file of the corpus and what a reader must say about it."""

import os

import notes
import rules

# Exit status of a command that meets this status; 4 for all others.
EXITS = {"OK": 0, "VERSION_NEW": 5}
COLUMNS = ("name", "exit", "status", "offset", "where", "file", "sum", "moved",
           "note")
MOVED = 517


class Case:
    """One file, and the verdict on it that was decided by hand.

    `what` is a File (its places are then known by name) or plain bytes.
    `status` and `where` are what opening the path must answer. A shard can
    fail to open because of its set: then `alone` is True, and by itself it
    opens; `shard` names the other file, if the error is in it. `size` makes
    the file longer by a hole.
    """

    def __init__(self, name, what, status="OK", where=None, note="",
                 offset=None, alone=None, shard=None, size=None):
        self.name, self.what, self.note = name, what, note
        self.status, self.where, self.offset = status, where, offset
        self.data = what if isinstance(what, bytes) else what.build()
        if where and offset is None:
            self.offset = what.at[where]
        self.shard = shard
        self.alone = status == "OK" if alone is None else alone
        self.size = len(self.data) if size is None else size

    def check(self):
        """Compare the verdict with that of the rules; give the digest."""
        found = rules.verdict(self.data, self.size)
        wanted = (("OK", None, None) if self.alone
                  else (self.status, self.offset, self.where))
        if found != wanted:
            raise SystemExit(f"{self.name}: expected {wanted}, "
                             f"the rules say {found}")
        if not self.alone:
            return "-"
        return f"{rules.digest(rules.read(self.data, self.size)):08x}"

    def moved(self):
        """The verdict when the file begins at MOVED in another: the same
        further on, unless a number then ends past 2^64."""
        at_0 = rules.verdict(self.data, self.size)
        data = bytes(MOVED) + self.data
        status, offset, where = rules.verdict(data, MOVED + self.size, MOVED)
        same = (status, offset and offset - MOVED, where)
        if same == at_0:
            return "="
        return "GGK_E_" + " ".join((status, str(offset), where))

    def row(self):
        """Its line of expect.tsv. "*" is "anything", "-" nothing."""
        status = "GGK_OK" if self.status == "OK" else "GGK_E_" + self.status
        offset = "-" if self.offset is None else str(self.offset)
        return (self.name, str(EXITS.get(self.status, 4)), status, offset,
                self.where or "-", self.shard or "-", self.check(),
                self.moved(), self.note or notes.note(self.name))

    def write(self, root):
        path = os.path.join(root, self.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(self.data)
            if self.size != len(self.data):
                f.truncate(self.size)
