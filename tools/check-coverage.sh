#!/bin/sh
# check-coverage.sh - the tests reach as much of lib/ as tools/coverage.txt says
# they do.
#
# usage: check-coverage.sh [--report]
#
# Runs the unit, corpus, golden and fault tests of a build by gcc in build-cov/, or in
# $BUILD, but not those of the corpus that start the program ten thousand times.
# What no test reaches is in BUILD/coverage.txt; --report shows it without
# running anything again. Exit 1 if a test fails or too little is reached, 77 if
# gcovr is not installed.
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-cov}
wanted=$root/tools/coverage.txt
jobs=$(getconf _NPROCESSORS_ONLN)

command -v gcovr >/dev/null || {
    echo "gcovr is not installed"
    exit 77
}

# The program on all of the corpus, and what is killed before it can tell; what
# reaches nothing that the rest does not; and what fails since the counters' own
# files cannot be written.
too_long='^corpus\.cli$|^cli\.map-bytes$|^fault\.(crash|power-loss|signals)$'
too_long=$too_long'|^cli\.new-random$|^corpus\.(copy|edit|fix|mutants)$'
too_long=$too_long'|^unit\.kern_simde$|^fault\.(race|shrink)$'
in_the_way='^fault\.(kinds|no-room)$'

run_tests() {
    mkdir -p "$build"
    {
        cmake -S "$root" -B "$build" --preset cov \
            ${GGK_CORPUS:+-DGGK_CORPUS="$GGK_CORPUS"} &&
            cmake --build "$build" -j "$jobs"
    } >"$build/coverage.log" 2>&1 || {
        tail -n 40 "$build/coverage.log"
        exit 1
    }
    find "$build" -name '*.gcda' -delete
    ctest --test-dir "$build" --output-on-failure -j "$jobs" -LE slow \
        -L 'unit|corpus|cli|fault' -E "$too_long|$in_the_way" \
        >"$build/coverage.log" 2>&1 || {
        cat "$build/coverage.log"
        exit 1
    }
}

# report OPTION FILE - what gcovr says, into a file. (With several threads, 5.2
# never ends if something is wrong.)
report() {
    (
        cd "$root"
        gcovr --root . --filter lib/ --object-directory "$build" "$1" - \
            ${3+"$3"} "$build/lib" "$build/tests"
    ) >"$2"
}

case ${1-} in
--report) ;;
'') run_tests ;;
*)
    sed -n '5s/^# //p' "$0" >&2
    exit 2
    ;;
esac

report --csv "$build/coverage.csv"
report --txt "$build/coverage.txt" --branches
[ "${1-}" != --report ] || cat "$build/coverage.txt"

awk -F , -v table="$wanted" '
    function percent(part, whole) { return whole ? 100 * part / whole : 100 }
    FILENAME != table {
        sub("\r$", "")
        lines[$1] = $2; hit[$1] = $3; branches[$1] = $5; taken[$1] = $6
        lines["lib"] += $2; hit["lib"] += $3
        branches["lib"] += $5; taken["lib"] += $6
        next
    }
    /^#/ || NF == 0 { next }
    !($1 in lines) { print $1 ": nothing was measured"; bad = 1; next }
    {
        l = percent(hit[$1], lines[$1])
        b = percent(taken[$1], branches[$1])
        few = l < $2 || b < $3
        bad = bad || few
        printf "%-28s lines %6.2f of %5.1f  branches %6.2f of %5.1f%s\n", $1,
            l, $2, b, $3, few ? "  TOO FEW" : ""
    }
    END { exit bad }
' "$build/coverage.csv" FS=' ' "$wanted" || {
    echo "what is not reached: $build/coverage.txt"
    exit 1
}
