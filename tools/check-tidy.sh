#!/bin/sh
# check-tidy.sh - clang-tidy has nothing to say of lib/ and cli/ (.clang-tidy).
#
# usage: check-tidy.sh [--share N] [BUILD] [FILE...]
#
# BUILD is a build directory by clang; without one, build-tidy/ is made. Without
# files all are looked at, as many at once as there are cores: some minutes, most
# of them for clang's analyzer, which with --share looks at every Nth file only,
# at others each day. Exit 1 if something is found, 77 if clang-tidy is not
# installed.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || {
    echo "clang-tidy is not installed"
    exit 77
}

share=1
if [ "${1-}" = --share ]; then
    share=${2:?}
    shift 2
fi
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
printf '%s\n' "$@" |
    awk -v n="$share" -v today=$(($(date +%s) / 86400)) '{
        print $0; print (NR + today) % n ? "-clang-analyzer-*" : ""
    }' |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -d '\n' -n 2 \
        sh -c 'said=$(clang-tidy -quiet -p "$0" --checks="$2" "$1" 2>&1) || {
            printf "%s\n" "$said"
            exit 1
        }' "$build" || {
    echo "clang-tidy found something"
    exit 1
}
echo "clang-tidy: $# files, nothing found"
