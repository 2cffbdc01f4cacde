"""peers.py - the programs of others that ours is compared with.

They are used where they are installed, never fetched. A test that lacks what
it needs says so and exits 77, which CTest counts as skipped.
"""

import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def need_package(name):
    """Go on in a Python that has the package: this one, or that which the
    environment names in GGK_PEER_PYTHON."""
    if importlib.util.find_spec(name):
        return
    other = os.environ.pop("GGK_PEER_PYTHON", None)
    if not other:
        skip(f"no Python package {name}; GGK_PEER_PYTHON may name a Python "
             "that has it")
    os.execvp(other, [other, "-B", *sys.argv])


def shared_folder():
    """Where further data may lie, or None."""
    beside = os.path.join(HERE, "..", "..", "..", "shared")
    folder = os.environ.get("GGK_SHARED", beside)
    return folder if os.path.isdir(folder) else None
