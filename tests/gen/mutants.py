"""mutants.py - the verdict on every way to cut or bend a features file.

The features files themselves are bent by the test; what it must find comes
in a table, one line a mutant:

    cut N      the first N bytes alone
    flip N B   bit B of byte N inverted
    set N V    byte N replaced by V (hexadecimal)

each with status, offset, where, and the digest if it opens.
"""

import os

import features
import rules

SETS = (0x00, 0x01, 0x7f, 0x80, 0xff)


def judge(data):
    try:
        m = rules.read(data)
    except rules.Bad as bad:
        return f"GGK_E_{bad.status}\t{bad.offset}\t{bad.where}\t-"
    return f"GGK_OK\t-\t-\t{rules.digest(m):08x}"


def lines(f):
    """Only the header is bent: no byte after it has a say."""
    data = f.build()
    for n in range(len(data)):
        yield f"cut {n} 0\t" + judge(data[:n])
    bent = bytearray(data)
    for n in range(f.head_end):
        for bit in range(8):
            bent[n] = data[n] ^ 1 << bit
            yield f"flip {n} {bit}\t" + judge(bent)
        for value in SETS:
            bent[n] = value
            yield f"set {n} {value:x}\t" + judge(bent)
        bent[n] = data[n]


def write(root):
    for name in features.FORMS:
        path = os.path.join(root, f"features/features-{name}.mutants.tsv")
        with open(path, "w", encoding="ascii") as out:
            for line in lines(features.form(name)):
                out.write(line + "\n")
