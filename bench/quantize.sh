#!/bin/sh
# quantize.sh - gguf quantize beside llama.cpp's llama_model_quantize.
#
# usage: sh bench/quantize.sh [--quick] [--disk] [TARGET...]
#
# Prints the tables that README.md shows, in ten minutes; with --quick in two,
# of one run. What is written goes to memory, 700 MB at most, or with --disk to
# the disk. Runs `run.sh --prepare` first, which gets llama.cpp.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
work=$here/work

sh "$here/run.sh" --prepare
cc -std=c11 -O2 -D_XOPEN_SOURCE=700 "$here/llama_quantize.c" \
    -o "$work/llama_quantize" -ldl
bins=$work/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
exec python3 -B "$here/quantize.py" "$work" "$bins" "$@"
