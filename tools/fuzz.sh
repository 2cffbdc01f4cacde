#!/bin/sh
# fuzz.sh - fuzz every target, or those named, for a while.
#
# usage: fuzz.sh [--minutes N | --seconds N] [--jobs N] [TARGET...]
#
# Without a time a minute each; as many at once as there are cores. Built in
# build-fuzz/, or in $BUILD, where all that is found stays: inputs that reach
# something new in corpus/, to go on from next time, and what went wrong in
# finds/. Exit 1 if anything did.
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-fuzz}
fuzz=$root/tests/fuzz

# one SECONDS TARGET - run one target; what it says goes into its log.
one() {
    seconds=$1 target=$2
    log=$build/$target.log
    mkdir -p "$build/corpus/$target" "$build/finds"
    status=0
    "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=4096 \
        -timeout=10 -rss_limit_mb=1024 -dict="$fuzz/gguf.dict" \
        -artifact_prefix="$build/finds/$target-" -print_final_stats=1 \
        "$build/corpus/$target" "$fuzz/seeds" "$fuzz/regress" \
        >"$log" 2>&1 </dev/null || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "$target: ${runs:-0} runs, ${reached:-0} edges"
    [ "$status" -eq 0 ] || tail -n 40 "$log"
    return "$status"
}

build() {
    mkdir -p "$build"
    {
        cmake -S "$root" -B "$build" --preset fuzz &&
            cmake --build "$build" --target fuzz_tests
    } >"$build/build.log" 2>&1 || {
        tail -n 40 "$build/build.log"
        exit 1
    }
}

usage() {
    sed -n '4s/^# //p' "$0" >&2
    exit 2
}

if [ "${1-}" = --one ]; then
    one "$2" "$3"
    exit
fi

seconds=60 jobs=$(getconf _NPROCESSORS_ONLN)
while [ $# -gt 0 ]; do
    case $1 in
    --minutes) seconds=$((${2-x} * 60)) ;;
    --seconds) seconds=${2-x} ;;
    --jobs) jobs=${2-x} ;;
    -*) usage ;;
    *) break ;;
    esac
    shift 2 || usage
done

build
targets=${*:-$(
    find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x |
        sed 's/.*fuzz_//' | sort
)}
status=0
# shellcheck disable=SC2086 # words, not one name
printf '%s\n' $targets |
    BUILD=$build xargs -P "$jobs" -n 1 sh "$0" --one "$seconds" || status=1
finds=$(find "$build/finds" -type f)
if [ -n "$finds" ]; then
    echo "found:"
    echo "$finds" | sed 's/^/    /'
    echo "run it: $build/tests/fuzz/fuzz_TARGET FILE"
    echo "when it is mended, keep it in tests/fuzz/regress/"
    status=1
fi
exit "$status"
