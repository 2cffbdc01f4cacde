#!/bin/sh
# kernels.sh - how fast the kernels of quantization are beside ggml's.
#
# usage: sh bench/kernels.sh [TYPE...]
#
# Prints a table, in three minutes for all types. Runs `run.sh --prepare` first,
# which gets ggml. CC chooses the compiler.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$here/..
work=$here/work

sh "$here/run.sh" --prepare
cmake -S "$root" -B "$work/kernels" -DCMAKE_BUILD_TYPE=Release \
    -DGGK_BUILD_CLI=OFF -DGGK_BUILD_SHARED=OFF >>"$work/log" 2>&1
cmake --build "$work/kernels" --target ggufkit_static >>"$work/log" 2>&1
"${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -I"$root/lib" \
    -I"$root/include" "$here/kernels.c" "$work/kernels/lib/libggufkit.a" \
    -lm -ldl -pthread -o "$work/kernels/kernels"
bins=$work/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
exec "$work/kernels/kernels" "$bins/libggml-base.so" "$@"
