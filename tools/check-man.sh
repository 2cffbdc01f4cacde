#!/bin/sh
# check-man.sh - mandoc has nothing to say about the manual pages, but for what
# scdoc always does: a paragraph too many, titles as they are written, and lines
# that grow as words are set in bold.
#
# usage: check-man.sh PAGE...
set -eu

command -v mandoc >/dev/null || {
    echo "mandoc is not installed"
    exit 77
}
# The exit status counts everything, so what is said decides.
said=$(mandoc -Tlint -Wstyle "$@" 2>&1 | grep -v \
    -e 'skipping paragraph macro: PP' \
    -e 'lower case character in document title' \
    -e 'input text line longer than 80 bytes' || true)
[ -z "$said" ] || {
    printf '%s\n' "$said"
    exit 1
}
echo "$# pages"
