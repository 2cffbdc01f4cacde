#!/bin/sh
# check-hardening.sh - the defences asked of the compiler are in what it made.
#
# usage: check-hardening.sh FILE...     programs and shared libraries
set -eu
export LC_ALL=C

command -v readelf >/dev/null || {
    echo "readelf is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# want PATTERN TEXT - TEXT is what is wrong if no line of readelf matches.
want() {
    grep -Eq "$1" "$work/elf" || {
        echo "$file: $2"
        status=1
    }
}

# refuse PATTERN TEXT - TEXT is what is wrong if one does.
refuse() {
    ! grep -Eq "$1" "$work/elf" || {
        echo "$file: $2"
        status=1
    }
}

for file; do
    readelf --wide --file-header --segments --dynamic --syms "$file" \
        >"$work/elf"
    want '^ *Type: +DYN' "is not position independent"
    want '^ *GNU_RELRO' "has no read-only relocations"
    want 'BIND_NOW|FLAGS_1.*NOW' "binds lazily"
    want '^ *GNU_STACK .* RW +0x' "has an executable stack"
    want 'UND __stack_chk_fail' "has no stack protector"
    want 'UND __[a-z]+_chk' "has no fortified calls"
    refuse 'TEXTREL' "has relocations in its code"
    refuse '\((RPATH|RUNPATH)\)' "looks for libraries by a path"
done
[ "$status" -ne 0 ] || echo "$# files as they should be"
exit "$status"
