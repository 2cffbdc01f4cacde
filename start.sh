#!/bin/sh
# start.sh - from nothing to a result, on Debian and its like.
#
# usage: sh start.sh          installs what the build needs and is missing,
#                             builds gguf and shows its built-in model
#        sh start.sh FILE     shows FILE instead
#        sh start.sh test     installs what the tests need too, builds, and runs
#                             all tests but the slow ones
#
# May be run any number of times: what is there is not done again. The build is
# in build/, what it says in build/start.log. Elsewhere than on Debian nothing
# is installed, but what is missing is named. All processors are used, or as many
# as CMAKE_BUILD_PARALLEL_LEVEL says. GGK_WERROR=ON: a warning is an error.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
build=$root/build
log=$build/start.log

say() { echo "start.sh: $*" >&2; }
die() {
    say "$@"
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
pc() { pkg-config --exists "$@" 2>/dev/null; }

# Wherever the system keeps its headers.
header() {
    echo "#include <$1>" | cc -E - >/dev/null 2>&1
}

# want PACKAGE PROBE... - PACKAGE goes on the list if PROBE fails.
missing=''
want() {
    package=$1
    shift
    "$@" || missing="$missing $package"
}

want_to_build() {
    want gcc have cc
    want libc6-dev header stdio.h
    want cmake have cmake
    want ninja-build have ninja
    want pkg-config have pkg-config
    want libpopt-dev pc popt
    want libjson-c-dev pc json-c
    want libxxhash-dev header xxhash.h
    want openssl have openssl
    want scdoc have scdoc
}

# Links a program with both, which needs clang's run-time libraries.
sanitizers() {
    echo 'int main(void) { return 0; }' |
        clang -x c -fsanitize=address,fuzzer-no-link - -o /dev/null 2>/dev/null
}

want_to_test() {
    want g++ have c++
    want binutils have readelf
    want libcmocka-dev pc cmocka
    want libsimde-dev header simde/x86/avx512.h
    want python3 have python3
    want clang have clang
    want libclang-rt-dev sanitizers
    want clang-format have clang-format
    want shellcheck have shellcheck
    want codespell have codespell
    want mandoc have mandoc
    want valgrind have valgrind
    want jq have jq
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq \
        -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1
}

# get PACKAGE... - installs them; one by one only if not all can be had.
get() {
    have apt-get || die "please install (Debian's names): $*"
    [ "$(id -u)" -eq 0 ] || have sudo ||
        die "please run, as root: apt-get install $*"
    say "installing $*"
    apt_get update || say "apt-get update failed: going by the lists as they are"
    apt_get install -y --no-install-recommends "$@" && return
    for package; do
        apt_get install -y --no-install-recommends "$package" ||
            say "$package cannot be had; see $log"
    done
}

# provide LIST - gets what LIST, one of the functions above, finds missing.
provide() {
    missing=''
    "$1"
    # shellcheck disable=SC2086 # words, not one name
    [ -z "$missing" ] || get $missing
}

build() {
    [ -e "$build/build.ninja" ] || say "building in $build"
    {
        cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DGGK_WERROR="${GGK_WERROR:-OFF}" &&
            cmake --build "$build"
    } >>"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        die "the build failed; all it said is in $log"
    }
}

mkdir -p "$build"
: >"$log"
provide want_to_build
for tool in cc cmake ninja pkg-config; do
    have "$tool" || die "cannot build without $tool"
done

case ${1-} in
test)
    provide want_to_test
    build
    exec ctest --test-dir "$build" --output-on-failure -LE slow \
        -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)}"
    ;;
'')
    build
    exec "$build/gguf" info --demo
    ;;
*)
    build
    exec "$build/gguf" info "$1"
    ;;
esac
