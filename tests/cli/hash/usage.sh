try() {
    "$GGUF" hash "$@" "$FILES/good/llama.gguf"
    echo "$?"
}
try -t --content
try -t -a uuid
try -t -c manifest
try -a content
try -a ''
"$GGUF" hash -c - -
"$GGUF" hash
