cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rm --json m.gguf general.name
"$GGUF" rm --json --tensor m.gguf '*norm*' -o out.gguf
"$GGUF" tensors out.gguf
