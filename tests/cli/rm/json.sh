cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rm --rewrite --json m.gguf general.name
"$GGUF" rm --rewrite --json --tensor m.gguf '*norm*' -o out.gguf
"$GGUF" tensors out.gguf
