# What is read once from its beginning to its end is an input like any other.
# shellcheck disable=SC2016 # try expands them
"$IMPORTANCES"
"$QUANTIZABLE"
try() {
    echo "\$ $1"
    eval "$1" 2>&1
    echo "status $?"
}
"$GGUF" imatrix show prose.gguf | sed 1d >shown
try 'cat prose.gguf | "$GGUF" imatrix show - | sed 1d | cmp - shown'
mkfifo pipe
cat prose.gguf >pipe &
try '"$GGUF" imatrix show pipe | sed 1d | cmp - shown'
# A file that was read from already goes on from there.
{ printf 0123456789abcdef; cat prose.gguf; } >behind
skip() { dd bs=16 count=1 of=/dev/null 2>/dev/null; }
try '{ skip; "$GGUF" imatrix show - | sed 1d | cmp - shown; } <behind'
try '{ skip; "$GGUF" imatrix check -; } <behind'
try '{ skip; "$GGUF" imatrix convert -q - a.gguf; } <behind'
"$GGUF" imatrix convert -q prose.gguf b.gguf
try 'cat prose.gguf | "$GGUF" imatrix merge -q c.gguf -'
cmp a.gguf b.gguf
cmp c.gguf b.gguf
try '"$GGUF" imatrix show - <behind'
try '{ cat >/dev/null; "$GGUF" imatrix show -; } <behind'
try 'printf "" | "$GGUF" imatrix show -'
try '"$GGUF" imatrix show - <&-'
try '"$GGUF" imatrix show . | cat'
try 'cat imatrix.gguf | "$GGUF" quantize -q --imatrix - model.gguf d.gguf Q4_K_M'
"$GGUF" quantize -q --imatrix imatrix.gguf model.gguf e.gguf Q4_K_M
"$GGUF" diff d.gguf e.gguf
