# A dash is standard input; as an output it is no file of that name.
try() {
    "$GGUF" "$@" 2>err
    echo "$? $(head -n 1 err)"
}
cp "$FILES/good/one-tensor.gguf" m.gguf
try copy m.gguf -
try fix m.gguf -o -
try set m.gguf a.b=1 -o -
try rm m.gguf general.architecture -o -
try rename m.gguf general.architecture a.b -o -
try merge m.gguf -
try split --max-tensors 1 m.gguf -
ls
"$GGUF" copy -q m.gguf ./-
"$GGUF" copy -q - again.gguf <./-
cmp again.gguf ./-
