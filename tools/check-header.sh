#!/bin/sh
# check-header.sh - ggk.h compiles alone and without a warning, as C99, C11 and
# C++11, by every compiler that is here.
set -eu

cd "$(dirname "$0")/.."

# compile LANGUAGE STANDARD COMPILER [FLAG...] - nothing but the header.
compile() {
    language=$1 standard=$2 compiler=$3
    shift 3
    command -v "$compiler" >/dev/null || return 0
    compiled=$((compiled + 1))
    if ! echo '#include "ggk.h"' | "$compiler" -x "$language" \
        -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
        -Wundef -Werror "$@" -fsyntax-only -Iinclude -; then
        echo "ggk.h does not compile as $standard with $compiler"
        status=1
    fi
}

status=0
compiled=0
for standard in c99 c11; do
    for compiler in gcc clang; do
        compile c "$standard" "$compiler" -Wstrict-prototypes -Wc++-compat
    done
done
for compiler in g++ clang++; do
    compile c++ c++11 "$compiler" -Wold-style-cast
done
echo "compiled $compiled times"
[ "$compiled" -gt 0 ] || exit 77
exit "$status"
