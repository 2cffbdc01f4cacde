#!/bin/sh
# check-memory.sh - valgrind finds nothing in the unit tests, nor in the program
# when it is given a sample of the corpus: good files, odd ones and hostile ones.
#
# usage: check-memory.sh [--every N]
#
# Every Nth file of the corpus is taken, 31st if nothing is said, and each is
# given to three commands. Built in build-memory/, or in $BUILD: by gcc, as
# valgrind 3.19 does not understand what clang 14 notes for debuggers, and
# without the hardening that fills what nobody has set. Exit 1 if something is
# found, 77 if valgrind is not installed.
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-memory}
corpus=${GGK_CORPUS:-$build/tests/corpus/files}
jobs=$(getconf _NPROCESSORS_ONLN)

command -v valgrind >/dev/null || {
    echo "valgrind is not installed"
    exit 77
}

# watch COMMAND... - 0 if valgrind finds nothing and no signal ends COMMAND.
watch() {
    status=0
    said=$(valgrind -q --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite,possible "$@" 2>&1 </dev/null) ||
        status=$?
    [ "$status" -eq 99 ] || [ "$status" -gt 127 ] || return 0
    printf '%s: status %d\n%s\n' "$*" "$status" "$said" | tr -d '\033'
    return 1
}

# unit TEST - a unit test, which has to pass too.
unit() {
    watch "$1" || return 1
    [ "$status" -eq 0 ] || {
        printf '%s: fails under valgrind\n%s\n' "$1" "$said"
        return 1
    }
}

# file NUMBER PATH - the program with a file, by commands that take turns.
file() {
    gguf=$build/gguf
    watch "$gguf" check "$2" || return 1
    case $(($1 % 5)) in
    0) watch "$gguf" dump --full --json "$2" ;;
    1) watch "$gguf" dump "$2" ;;
    2) watch "$gguf" dump --markdown "$2" ;;
    3) watch "$gguf" map --entries "$2" ;;
    4) watch "$gguf" dump --compat "$2" ;;
    esac || return 1
    case $(($1 % 7)) in
    0) watch "$gguf" vocab --json "$2" ;;
    1) watch "$gguf" template --list "$2" ;;
    2) watch "$gguf" info --json "$2" ;;
    3) watch "$gguf" config "$2" ;;
    4) watch "$gguf" tensors --sort name "$2" ;;
    5) watch "$gguf" keys "$2" ;;
    6) watch "$gguf" name "$2" ;;
    esac
}

case ${1-} in
--unit)
    unit "$2"
    exit
    ;;
--file)
    file "${2%% *}" "${2#* }"
    exit
    ;;
esac

every=31
case ${1-} in
--every) every=${2:?} ;;
'') ;;
*)
    sed -n '5s/^# //p' "$0" >&2
    exit 2
    ;;
esac

mkdir -p "$build"
{
    cmake -S "$root" -B "$build" --preset dev -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_C_FLAGS_DEBUG='-O1 -g' -DGGK_BUILD_SHARED=OFF &&
        cmake --build "$build" -j "$jobs" --target unit_tests gguf
    python3 -B "$root/tests/gen/make.py" "$corpus"
} >"$build/memory.log" 2>&1 || {
    tail -n 40 "$build/memory.log"
    exit 1
}

# all OPTION - this script with OPTION and each line of the input.
all() {
    BUILD=$build xargs -P "$jobs" -d '\n' -n 1 sh "$0" "$1"
}

# Not those that try a million things, each the same way: minutes here. Nor what
# rounds 64-bit integers to floats, which valgrind 3.19 rounds twice.
status=0
units=$(find "$build/tests" -maxdepth 1 -type f -name 'test_*' -perm -u+x |
    grep -v -e '/test_scribble$' -e '/test_file_name$' -e '/test_round_trip$' \
        -e '/test_digests$' -e '/test_kern_golden$' -e '/test_kern_lanes$' -e '/test_kern_float$' \
        -e '/test_kern_simde$' | sort)
echo "$units" | all --unit || status=1
files=$(find "$corpus" -type f -name '*.gguf' | sort |
    awk -v n="$every" 'NR % n == 0 { print i++, $0 }')
echo "$files" | all --file || status=1
printf '%d unit tests, %d files of the corpus\n' \
    "$(echo "$units" | wc -l)" "$(echo "$files" | wc -l)"
exit "$status"
