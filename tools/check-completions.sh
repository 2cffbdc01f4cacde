#!/bin/sh
# check-completions.sh - each shell that is here can read its completions.
#
# usage: check-completions.sh FOLDER     the folder with bash/, zsh/ and fish/
set -eu

folder=$1
status=0
read_by=''
for shell in bash zsh fish; do
    command -v "$shell" >/dev/null || continue
    read_by="$read_by $shell"
    for file in "$folder/$shell"/*; do
        "$shell" -n "$file" || status=1
    done
done
[ -n "$read_by" ] || exit 77
echo "read by$read_by"
exit "$status"
