#!/bin/sh
# run.sh - installs into a scratch folder and uses what is there the way others
# will: by pkg-config, by find_package, by one bare command, from C and C++.
#
# usage: run.sh CMAKE BUILD-FOLDER CC
set -eu

cmake=$1 build=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage
root=$stage/usr

fail() {
    echo "FAILED: $*"
    exit 1
}

# prints COMMAND... - runs a consumer, which must name the architecture.
prints() {
    said=$("$@") || fail "$* ended with status $?"
    [ "$said" = "llama with ggufkit $version" ] || fail "$* said: $said"
    echo "ok: ${1##*/}"
}

quiet() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "$*"
    }
}

quiet env DESTDIR="$stage" "$cmake" --install "$build" --prefix /usr
outside=$(find "$stage" -type f ! -path "$root/*")
[ -z "$outside" ] || fail "installed outside the prefix: $outside"

archive=$(find "$root" -name libggufkit.a)
libdir=${archive%/*}
for file in "$root/include/ggk.h" "$libdir/libggufkit.so" \
    "$libdir"/libggufkit.so.0.*.* "$libdir/pkgconfig/ggufkit.pc" \
    "$libdir/cmake/ggufkit/ggufkit-config.cmake" \
    "$libdir/cmake/ggufkit/ggufkit-config-version.cmake" \
    "$root/bin/gguf" "$root/share/zsh/site-functions/_gguf" \
    "$root/share/bash-completion/completions/gguf" \
    "$root/share/fish/vendor_completions.d/gguf.fish" \
    "$root/share/ggufkit/types/ik_llama.tsv" \
    "$root/share/ggufkit/types/turboquant.tsv"; do
    [ -s "$file" ] || fail "not installed: ${file#"$stage"}"
done
for page in "$build"/man/*.[0-9]; do
    [ ! -e "$page" ] || cmp "$page" "$root/share/man/man${page##*.}/${page##*/}"
done
leaks=$(grep -rIl -e "$build" -e "$work" "$root" || true)
[ -z "$leaks" ] || fail "paths of the build in: $leaks"
"$root/bin/gguf" --version | grep -q '^gguf [0-9]' || fail "gguf --version"
echo "ok: the files"

# ------------------------------------------------------------- bare command
version=$(sed -n 's/^#define GGK_VERSION_STRING "\(.*\)"/\1/p' \
    "$root/include/ggk.h")
system=$(sed -n 's/^Libs.private: *//p' "$libdir/pkgconfig/ggufkit.pc")
# shellcheck disable=SC2086 # words are wanted
quiet "$cc" -I"$root/include" -o "$work/bare" "$here/consumer.c" \
    "$archive" $system
prints "$work/bare"

if command -v c++ >/dev/null; then
    # shellcheck disable=SC2086
    quiet c++ -x c++ -std=c++11 -Wall -Wextra -Werror -I"$root/include" \
        -o "$work/bare-c++" "$here/consumer.c" -x none "$archive" $system
    prints "$work/bare-c++"
fi

# --------------------------------------------------------------- pkg-config
# No sysroot, no prefix set: the file finds the rest from where it lies.
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$libdir/pkgconfig"
    pkg-config --validate ggufkit || fail "ggufkit.pc is not valid"
    [ "$(pkg-config --modversion ggufkit)" = "$version" ] ||
        fail "ggufkit.pc has another version than ggk.h"
    # shellcheck disable=SC2046 # words are wanted
    quiet "$cc" -o "$work/pkg-config" "$here/consumer.c" \
        $(pkg-config --cflags --libs ggufkit)
    prints env LD_LIBRARY_PATH="$libdir" "$work/pkg-config"
    # shellcheck disable=SC2046
    quiet "$cc" -static -o "$work/pkg-config-static" "$here/consumer.c" \
        $(pkg-config --static --cflags --libs ggufkit)
    prints "$work/pkg-config-static"
else
    echo "pkg-config is not installed"
fi

# -------------------------------------------------------------------- CMake
quiet "$cmake" -S "$here/find-package" -B "$work/find" -G Ninja \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$root" \
    -DWANT_VERSION="${version%.*}"
quiet "$cmake" --build "$work/find"
prints "$work/find/with-ggufkit"
prints "$work/find/with-static"

quiet "$cmake" -S "$here/subproject" -B "$work/sub" -G Ninja \
    -DCMAKE_C_COMPILER="$cc" -DGGUFKIT="$here/../.."
quiet "$cmake" --build "$work/sub"
prints "$work/sub/with-subproject"
quiet env DESTDIR="$work/none" "$cmake" --install "$work/sub"
[ ! -e "$work/none" ] || fail "a subproject installs something"
