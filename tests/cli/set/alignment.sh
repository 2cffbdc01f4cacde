cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf general.alignment=4096
"$GGUF" tensors m.gguf
"$GGUF" rm --rewrite m.gguf general.alignment
"$GGUF" copy -q m.gguf copy.gguf
cmp copy.gguf "$FILES/worked/worked-written.gguf" || "$GGUF" map m.gguf
