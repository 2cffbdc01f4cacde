#!/bin/sh
# make.sh - what the Makefile asks of cmake and ctest, above all how many jobs.
#
# usage: make.sh
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
command -v make >/dev/null || {
    echo "make is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir "$work/bin" "$work/build"
: >"$work/build/build.ninja"
for tool in cmake ctest; do
    printf '#!/bin/sh\necho %s "$@"\n' "$tool" >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done

failed=0

# wants LINES ARGUMENT... - what make, given the arguments, has to run.
wants() {
    wanted=$1
    shift
    got=$(cd "$root" &&
        PATH=$work/bin:$PATH make -s BUILD="$work/build" "$@" |
        sed "s|$work/||g")
    [ "$got" = "$wanted" ] || {
        echo "make $*: $got, not $wanted"
        failed=1
    }
}

ctest='--test-dir build --output-on-failure'
wants "cmake --build build --"
wants "cmake --build build --" -j
wants "cmake --build build -- -j1" -j1
wants "cmake --build build -- -j3" -kj3
wants "cmake --build build -- -j1
ctest -j1 $ctest -LE slow" -j1 check
wants "cmake --build build --
ctest $ctest" check-all
exit $failed
