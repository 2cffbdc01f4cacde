#!/bin/sh
# instructions.sh - counts the instructions of gguf info for each string of a
# vocabulary and for each tensor, which no noise disturbs.
#
# usage: sh bench/instructions.sh [N]     N: functions to list, usually 12
#
# Needs valgrind. Runs `run.sh --prepare` first.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
work=$here/work
functions=${1:-12}

command -v valgrind >/dev/null || {
    echo "bench: valgrind is not installed" >&2
    exit 1
}
sh "$here/run.sh" --prepare

# count FILE - the instructions of one gguf info, start-up and all.
count() {
    rm -f "$work/callgrind.out"
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" \
        "$work/build/gguf" info "$1" >/dev/null 2>"$work/callgrind.log" || {
        cat "$work/callgrind.log" >&2
        exit 1
    }
    sed -n 's/^totals: *//p' "$work/callgrind.out"
}

# fact FILE FIELD... - the sum of fields of gguf info --json.
fact() {
    file=$1
    shift
    for field; do
        "$work/build/gguf" info --json "$file" |
            sed -n "s/.*\"$field\":\([0-9]*\).*/\1/p"
    done | awk '{ sum += $1 } END { print sum }'
}

# row FILE WHAT FIELD... - one line of the table, above what start-up takes.
row() {
    file=$work/files/$1.gguf what=$2
    shift 2
    [ -e "$file" ] || return 0
    all=$(count "$file")
    n=$(fact "$file" "$@")
    name=${file##*/}
    awk -v name="${name%.gguf}" -v all="$all" -v least="$least" -v n="$n" \
        -v what="$what" 'BEGIN {
            printf "| %s | %d | %d %s | %.1f |\n", name, all, n, what,
                   (all - least) / n
        }'
    callgrind_annotate "$work/callgrind.out" |
        sed -n 's/^ *\([0-9,]\{1,\}\) *([ 0-9.]*%) */\1 /p' |
        sed 1d | head -n "$functions" >"$work/profile.${name%.gguf}"
}

rm -f "$work"/profile.*
least=$(count "$work/corpus/good/one-key.gguf")
echo "| file | instructions | of | each |"
echo "| --- | ---: | ---: | ---: |"
echo "| one key | $least | | |"
row llama3 strings n_tokens n_merges
row vocab256k strings n_tokens n_merges
row tensors1e5 tensors n_tensors
for profile in "$work"/profile.*; do
    printf '\n%s\n' "${profile##*.}:"
    sed 's/^/    /' "$profile"
done
