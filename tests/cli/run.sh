#!/bin/sh
# run.sh - golden tests of the program.
#
# usage: run.sh [--update] GGUF FILES [GROUP[/NAME]]...
#
# GGUF is the program, FILES the folder that tests/gen/make.py made. A test is
# GROUP/NAME.sh beside this script: command lines that sh runs in a new, empty
# folder. What it has to print stands in GROUP/NAME.stdout.exact, byte for byte,
# or .stdout.glob, a shell pattern for all of it; likewise .stderr; and its exit
# status in .exit. Without these it prints nothing, and its status is 0.
# --update writes the exact ones anew, from what is printed now: read them then.
#
# A test uses "$GGUF"; "$FILES/...", a short relative path, so that it may show
# up in what is printed; "$SHARED", further data, of which there may be none;
# "$PAIRS" NAME, which writes a.gguf and b.gguf; and "$ON_TERMINAL" COLUMNS
# COMMAND..., which gives the command a terminal; "$JOURNAL" BEFORE FILE, which
# writes a journal as an edit in place leaves it (tests/gen/journal.py);
# "$QUANTIZABLE", which writes models to be quantized; "$IMPORTANCES", which
# writes importance matrices. If its first line is "# needs: shared", "terminal"
# or "leases", it is skipped where there is none.
set -eu
export LC_ALL=C TERM=xterm
unset COLUMNS NO_COLOR

here=$(cd "$(dirname "$0")" && pwd)
update=false
if [ "${1-}" = --update ]; then
    update=true
    shift
fi
if [ $# -lt 2 ]; then
    sed -n '4s/^# //p' "$0" >&2
    exit 2
fi
GGUF=$(cd "$(dirname "$1")" && pwd)/${1##*/}
files=$(cd "$2" && pwd)
shared=${GGK_SHARED-$here/../../../shared}
shift 2

root=$(mktemp -d "${TMPDIR:-/tmp}/ggk-cli.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' HUP INT TERM
ln -s "$files" "$root/files"
FILES=../files
SHARED=
if [ -d "$shared" ]; then
    ln -s "$(cd "$shared" && pwd)" "$root/shared"
    SHARED=../shared
fi
ON_TERMINAL=$here/on_terminal.py
PAIRS=$here/../gen/pairs.py
JOURNAL=$here/../gen/journal.py
QUANTIZABLE=$here/../gen/quantizable.py
IMPORTANCES=$here/../gen/importances.py
export GGUF FILES SHARED ON_TERMINAL PAIRS JOURNAL QUANTIZABLE IMPORTANCES

# leases - can a file be had alone here, to be edited in place?
leases() {
    python3 -c 'import fcntl, sys
with open(sys.argv[1], "w+b") as f:
    fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)' "$root/alone" 2>/dev/null
}

# lacks TEST - print what the test needs and we do not have, if anything.
lacks() {
    read -r first <"$1.sh" || :
    case $first in
    '# needs: shared') [ -n "$SHARED" ] || echo 'no shared data' ;;
    '# needs: terminal') command -v python3 >/dev/null || echo 'no python3' ;;
    '# needs: leases') leases || echo 'no leases in this file system' ;;
    esac
}

# same STREAM TEST - compare what was printed with what should have been.
same() {
    if [ -f "$2.$1.exact" ]; then
        diff -u "$2.$1.exact" "$root/$1"
    elif [ -f "$2.$1.glob" ]; then
        pattern=$(cat "$2.$1.glob")
        # shellcheck disable=SC2254 # a pattern is what it is
        case $(cat "$root/$1") in
        $pattern) return 0 ;;
        esac
        echo "$1 does not match the pattern:"
        cat "$root/$1"
        return 1
    elif [ -s "$root/$1" ]; then
        echo "nothing expected on $1:"
        cat "$root/$1"
        return 1
    fi
}

# same_status STATUS TEST
same_status() {
    wanted=0
    [ ! -f "$2.exit" ] || wanted=$(cat "$2.exit")
    [ "$1" = "$wanted" ] || {
        echo "exit status $1, not $wanted"
        return 1
    }
}

# accept STATUS TEST - make what happened what is expected.
accept() {
    for stream in stdout stderr; do
        [ ! -f "$2.$stream.glob" ] || continue
        rm -f "$2.$stream.exact"
        [ ! -s "$root/$stream" ] || cp "$root/$stream" "$2.$stream.exact"
    done
    rm -f "$2.exit"
    [ "$1" = 0 ] || echo "$1" >"$2.exit"
}

# run TEST - its path without .sh; sets `status`.
run() {
    mkdir "$root/folder"
    status=0
    (cd "$root/folder" && exec sh "$1.sh") </dev/null >"$root/stdout" \
        2>"$root/stderr" || status=$?
    chmod -R u+w "$root/folder"
    rm -rf "$root/folder"
}

passed=0 failed=0 skipped=0

# judge TEST
judge() {
    name=${1#"$here/"}
    lack=$(lacks "$1")
    if [ -n "$lack" ]; then
        skipped=$((skipped + 1))
        echo "skip $name: $lack"
        return
    fi
    run "$1"
    if $update; then
        accept "$status" "$1"
    fi
    if said=$(same_status "$status" "$1" && same stdout "$1" &&
        same stderr "$1"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s\n%s\n' "$name" "$said"
        [ ! -s "$root/stderr" ] || sed 's/^/stderr: /' "$root/stderr"
    fi
}

# judge_group GROUP - all its tests; expectations of none are left over.
judge_group() {
    for file in "$here/$1"/*; do
        test=${file%.exact}
        test=${test%.glob}
        test=${test%.std*}
        test=${test%.exit}
        if [ "$test" != "$file" ] && [ ! -f "$test.sh" ]; then
            failed=$((failed + 1))
            echo "FAIL ${file#"$here/"}: there is no such test"
        fi
    done
    for file in "$here/$1"/*.sh; do
        judge "${file%.sh}"
    done
}

if [ $# -eq 0 ]; then
    for folder in "$here"/*/; do
        folder=${folder%/}
        set -- "$@" "${folder##*/}"
    done
fi
for what in "$@"; do
    if [ -f "$here/$what.sh" ]; then
        judge "$here/$what"
    elif [ -d "$here/$what" ]; then
        judge_group "$what"
    else
        failed=$((failed + 1))
        echo "FAIL $what: there is no such test"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
