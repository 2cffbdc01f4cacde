#!/bin/sh
# check-symbols.sh - the names and the memory that the library brings along.
#
# usage: check-symbols.sh libggufkit.a libggufkit.so
#
#   Global names of the archive begin with ggk_ or ggki_.
#   The shared library exports the functions of ggk.h and nothing else.
#   There is no writable data, so that the library has no state: what two
#   threads do with two models cannot meet. Tables that only the loader writes
#   (.data.rel.ro) are constants.
set -eu
export LC_ALL=C

archive=$1 shared=$2
here=$(cd "$(dirname "$0")" && pwd)

# Writable all the same: lists of which points of a grid are near others, made
# under a lock when they are needed first, and never changed (grid_lists.c); and
# what the processor can do, which is asked once (dispatch.c).
allowed='places lists making made best_known'

command -v objdump >/dev/null || {
    echo "objdump is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# report TEXT - says TEXT over the names on standard input, if there are any.
report() {
    sed 's/^/    /' >"$work/names"
    if [ -s "$work/names" ]; then
        echo "$1"
        cat "$work/names"
        status=1
    fi
}

nm --defined-only --extern-only "$archive" |
    awk 'NF == 3 && $3 !~ /^ggki?_/ { print $3 }' >"$work/strange"
report "global names without our prefix:" <"$work/strange"

nm --dynamic --defined-only --format=posix "$shared" |
    awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort >"$work/exported"
(cd "$here/../include" && awk -f "$here/strip-c.awk" ggk.h) | cut -d: -f3- |
    grep -v '^ *#' | tr '\n' ' ' | tr ';' '\n' |
    awk '/GGK_API/ && match($0, /ggk_[a-z0-9_]+\(/) {
        print substr($0, RSTART, RLENGTH - 1)
    }' | sort >"$work/declared"
[ -s "$work/declared" ] || {
    echo "no function found in ggk.h" >&2
    exit 2
}
comm -23 "$work/declared" "$work/exported" >"$work/absent"
report "in ggk.h, but not exported:" <"$work/absent"
comm -13 "$work/declared" "$work/exported" >"$work/extra"
report "exported, but not in ggk.h:" <"$work/extra"

# VALUE FLAGS SECTION SIZE NAME; sections themselves have size 0.
objdump --syms "$archive" |
    awk -v allowed=" $allowed " '
        match($0, /(\.t?data|\.t?bss|\*COM\*)[^ \t]*\t/) {
            section = substr($0, RSTART, RLENGTH - 1)
            name = $NF
            sub(/\.[0-9]+$/, "", name)
            sub(/^.*\./, "", name) # clang: FUNCTION.NAME
            if (section !~ /^\.data\.rel\.ro/ && $(NF - 1) !~ /^0+$/ &&
                index(allowed, " " name " ") == 0)
                print name " in " section
        }' >"$work/writable"
report "writable data:" <"$work/writable"

echo "$(wc -l <"$work/declared") functions in ggk.h," \
    "$(wc -l <"$work/exported") exported"
exit "$status"
