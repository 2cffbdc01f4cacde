#!/bin/sh
# readme.sh - what README.md shows is what is printed.
#
# usage: readme.sh [--update] GGUF LIBRARY CC
#
# Every `console` block is run, line by line, in a folder that holds the example
# of the `c` block, compiled and linked with LIBRARY (an archive), and
# model.gguf, the file of the worked example that tests/gen makes. --update
# writes README.md anew with what is printed now: read it then.
set -eu

update=''
if [ "$1" = --update ]; then
    update=yes
    shift
fi
gguf=$1 library=$2 cc=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in jq python3; do
    command -v "$tool" >/dev/null || {
        echo "$tool is not installed"
        exit 77
    }
done
python3 -B "$root/tests/gen/make.py" "$work/files" worked
mkdir "$work/run" "$work/bin"
cp "$work/files/worked/worked-written.gguf" "$work/run/model.gguf"
(cd "$work/files" && python3 -B "$root/tests/gen/quantizable.py")
cp "$work/files/narrow.gguf" "$work/run"
ln -s "$(cd "$(dirname "$gguf")" && pwd)/${gguf##*/}" "$work/bin/gguf"

awk '/^```/ { inside = ($0 == "```c"); next } inside' "$root/README.md" \
    >"$work/example.c"
"$cc" -std=c99 -Wall -Wextra -Werror -I"$root/include" -o "$work/run/example" \
    "$work/example.c" "$library" -lm -lpthread

# The commands of all blocks become one script, so that $? and files last; and
# what each prints goes into a file of its own.
awk '
/^```/ { inside = ($0 == "```console"); next }
inside && /^\$ / { n++; print "{ " substr($0, 3) "\n} >../out." n " 2>&1" }
END { print "exit 0"; exit n == 0 }
' "$root/README.md" >"$work/script"
(
    cd "$work/run"
    PATH=$work/bin:$PATH
    export PATH
    sh ../script
)

# README.md with what was printed in the place of what it says.
awk -v work="$work" '
/^```/ { inside = ($0 == "```console") }
!inside || /^```/ { print; next }
/^\$ / {
    print
    file = work "/out." ++n
    while ((getline line <file) > 0)
        print line
    close(file)
}
' "$root/README.md" >"$work/README.md"
if [ -n "$update" ]; then
    cp "$work/README.md" "$root/README.md"
else
    diff -u "$root/README.md" "$work/README.md"
    echo "$(grep -c . "$work/script") lines of commands print what is shown"
fi
