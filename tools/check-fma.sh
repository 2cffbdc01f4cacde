#!/bin/sh
# check-fma.sh - no fused multiply-add is in the library: it rounds once where
# kernels have to round twice.
#
# usage: check-fma.sh ARCHIVE
#
# Exit 1 if there is one, 77 without objdump or on a machine that is not x86-64.
set -eu
export LC_ALL=C

if ! command -v objdump >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    echo "no objdump, or not x86-64"
    exit 77
fi

listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
objdump -d --no-show-raw-insn "$1" >"$listing"
grep -q 'ggki_kern_avx512>:' "$listing" || {
    echo "the kernels are not in $1"
    exit 1
}
if grep -nE '\bvfn?m(add|sub)' "$listing"; then
    echo "fused multiply-add in $1"
    exit 1
fi
echo "no fused multiply-add"
