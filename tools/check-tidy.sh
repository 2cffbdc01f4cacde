#!/bin/sh
# check-tidy.sh - clang-tidy has nothing to say of lib/ and cli/ (.clang-tidy).
#
# usage: check-tidy.sh [BUILD] [FILE...]
#
# BUILD is a build directory by clang; without one, build-tidy/ is made. Without
# files all are looked at, as many at once as there are cores: a minute or two.
# Exit 1 if something is found, 77 if clang-tidy is not installed.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || {
    echo "clang-tidy is not installed"
    exit 77
}

build=${1:-build-tidy}
[ $# -eq 0 ] || shift
if [ ! -e "$build/compile_commands.json" ]; then
    cmake --preset dev -B "$build" -DCMAKE_C_COMPILER=clang \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
fi
# shellcheck disable=SC2046 # words, not one name
[ $# -gt 0 ] || set -- $(sh tools/check-text.sh files 'lib/*.c' 'cli/*.c')

# One file at a time: clang-tidy 14 takes the va_list of a second one for
# uninitialized.
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 \
    sh -c 'said=$(clang-tidy -quiet -p "$0" "$1" 2>&1) || {
        printf "%s\n" "$said"
        exit 1
    }' "$build" || {
    echo "clang-tidy found something"
    exit 1
}
echo "clang-tidy: $# files, nothing found"
