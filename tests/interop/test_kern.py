#!/usr/bin/env -S python3 -B
"""test_kern.py - our kernels and those of ggml on the same numbers.

usage: test_kern.py KERN_PEER [NUMBERS [TYPE...]]

KERN_PEER is the program of kern_peer.c, which tells what the rest means.
"""

import os
import sys

import peers

ggml = peers.find_ggml()
if ggml is None:
    peers.skip("no libggml-base.so: GGK_PEERS may name a folder that has it")
os.execv(sys.argv[1], [sys.argv[1], ggml, *sys.argv[2:]])
