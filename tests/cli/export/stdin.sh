"$GGUF" export -q - -o out <"$FILES/good/one-tensor.gguf"
ls out
