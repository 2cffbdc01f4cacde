# Standard input can be read once.
try() {
    "$GGUF" "$@" <"$FILES/good/one-tensor.gguf"
    echo $?
}
try set - --file k=- -o out.gguf
try set - --from-json - -o out.gguf
try set "$FILES/good/one-tensor.gguf" --file a=- --file b=- -o out.gguf
ls
