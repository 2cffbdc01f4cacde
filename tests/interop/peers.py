"""peers.py - the programs of others that ours is compared with.

They are used where they are installed, never fetched: in the folder that the
environment names in GGK_PEERS, with node_modules and a Python venv, as
`bench/run.sh --prepare` makes it in bench/work. A test that lacks what it needs
says so and exits 77, which CTest counts as skipped.
"""

import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def skip(why):
    print(why)
    sys.exit(SKIPPED)


def find(*parts):
    """What lies there in the folder of peers, or None."""
    folder = os.environ.get("GGK_PEERS")
    path = os.path.join(folder, *parts) if folder else None
    return path if path and os.path.exists(path) else None


def need_package(name):
    """Go on in a Python that has the package: this one, or that which the
    environment names in GGK_PEER_PYTHON, or that of the venv."""
    if importlib.util.find_spec(name):
        return
    other = os.environ.pop("GGK_PEER_PYTHON", find("venv", "bin", "python"))
    if not other or other == sys.executable:
        skip(f"no Python package {name}; GGK_PEERS may name a folder with a "
             "venv that has it")
    os.execvp(other, [other, "-B", *sys.argv])


def find_ggml():
    """libggml-base.so of npm @node-llama-cpp/linux-x64, or that which the
    environment names in GGK_GGML_BASE; None."""
    named = os.environ.get("GGK_GGML_BASE")
    modules = find("node_modules", "@node-llama-cpp")
    for folder, _, files in os.walk(modules) if modules and not named else ():
        if "libggml-base.so" in files:
            return os.path.join(folder, "libggml-base.so")
    return named


def shared_folder():
    """Where further data may lie, or None."""
    beside = os.path.join(HERE, "..", "..", "..", "shared")
    folder = os.environ.get("GGK_SHARED", beside)
    return folder if os.path.isdir(folder) else None
