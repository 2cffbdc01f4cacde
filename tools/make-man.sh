#!/bin/sh
# make-man.sh - one manual page from its source in docs/man.
#
# usage: make-man.sh SCDOC PAGE.N.scd OUT GGUF...
#
# GGUF... is the command that runs the program. A line "@OPTIONS@" in the source
# of gguf-CMD.1 becomes what `gguf help CMD --format=scd` prints, a line
# "@COMMANDS@" what `gguf help --format=scd` prints.
set -eu

scdoc=$1 page=$2 out=$3
shift 3

name=${page##*/}
name=${name%.scd}
topic=${name%.*}
topic=${topic#gguf-}

trap 'rm -f "$out.tables" "$out.scd" "$out.new"' EXIT

if grep -qx '@OPTIONS@' "$page"; then
    "$@" help "$topic" --format=scd >"$out.tables"
elif grep -qx '@COMMANDS@' "$page"; then
    "$@" help --format=scd >"$out.tables"
else
    : >"$out.tables"
fi
sed -e "/^@OPTIONS@\$/{
r $out.tables
d
}" -e "/^@COMMANDS@\$/{
r $out.tables
d
}" "$page" >"$out.scd"
"$scdoc" <"$out.scd" >"$out.new"
mv "$out.new" "$out"
