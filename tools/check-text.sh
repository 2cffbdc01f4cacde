#!/bin/sh
# check-text.sh - what can be said of the sources by reading them alone.
#
# usage: check-text.sh format          C as clang-format writes it
#        check-text.sh names           no two C files of the same name, and none
#                                      of lib/ and cli/ that is not built
#        check-text.sh scripts         shellcheck has nothing to say
#        check-text.sh spelling        codespell has nothing to say
#        check-text.sh files [GLOB...] the files that are looked at
#
# Exit 1 if something is wrong, 77 if the tool is not installed.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."

# files [GLOB...] - our files, one a line: those git knows or would add, or all
# where there is no git.
files() {
    if git ls-files --error-unmatch tools/check-text.sh >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        find . -type f ! -path './build*' ! -path './.git/*' | sed 's|^\./||' |
            while read -r file; do
                [ $# -gt 0 ] || echo "$file"
                for glob in "$@"; do
                    # shellcheck disable=SC2254 # a pattern is what it is
                    case ${file##*/} in $glob) echo "$file" ;; esac
                done
            done
    fi | while read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}

need() {
    command -v "$1" >/dev/null || {
        echo "$1 is not installed"
        exit 77
    }
}

# Each major version writes a few things its own way.
format() {
    need clang-format
    case $(clang-format --version) in
    *'version 14.'*) ;;
    *)
        echo "not clang-format 14, whose layout is ours"
        exit 77
        ;;
    esac
    # All at once tells whether, one by one tells which.
    if files '*.c' '*.h' | xargs clang-format --dry-run -Werror 2>/dev/null
    then
        return
    fi
    files '*.c' '*.h' | while read -r file; do
        clang-format "$file" | cmp -s - "$file" ||
            echo "$file: clang-format would change it (make fmt)"
    done
    return 1
}

names() {
    twice=$(files '*.c' '*.h' | sed 's|.*/||' | sort | uniq -d)
    for name in $twice; do
        echo "several files are called $name:"
        files '*.c' '*.h' | grep -E "(^|/)$name\$" | sed 's/^/    /'
    done
    [ -z "$twice" ] || return 1
    for folder in lib cli; do
        files '*.c' | sed -n "s|^$folder/||p" | while read -r file; do
            grep -q "^ *$file)*\$" "$folder/CMakeLists.txt" ||
                echo "$folder/CMakeLists.txt does not list $file"
        done
    done | if grep .; then return 1; fi
}

scripts() {
    need shellcheck
    {
        files '*.sh'
        files | grep -v '\.[a-z]*$' | while read -r file; do
            case $(head -c 64 "$file" | tr -d '\0' | head -n 1) in
            '#!'*sh) echo "$file" ;;
            esac
        done
    } | xargs shellcheck
}

# Not what is data: models, and what the program shows of them.
spelling() {
    need codespell
    files | grep -v -e '^tests/data/' -e '\.exact$' -e '\.glob$' |
        xargs codespell --ignore-words=tools/spelling-ignore.txt
}

case ${1-} in
format | names | scripts | spelling) "$1" ;;
files)
    shift
    files "$@"
    ;;
*)
    sed -n '4,9s/^# //p' "$0" >&2
    exit 2
    ;;
esac
