#!/bin/sh
# check-cppcheck.sh - cppcheck has nothing to say of lib/ and cli/ but what
# stands, with a reason, in tools/cppcheck.txt. A few seconds.
#
# Of its kinds of findings "style" is off: it wants variables declared where
# they are first used, and for the rest says what clang-tidy says.
#
# Exit 1 if something is found, 77 if it is not installed.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
command -v cppcheck >/dev/null || {
    echo "cppcheck is not installed"
    exit 77
}
cppcheck -q -j "$(getconf _NPROCESSORS_ONLN)" --std=c11 --language=c \
    --library=posix --enable=warning,performance,portability --inconclusive \
    -D_POSIX_C_SOURCE=200809L -Iinclude -Ilib -Icli \
    --suppressions-list=tools/cppcheck.txt --error-exitcode=1 lib cli
