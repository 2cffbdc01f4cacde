# What cannot be repaired comes with the command that changes it.
cp "$FILES/good/llama.gguf" m.gguf
"$GGUF" set --rewrite -q m.gguf --type FLOAT32 llama.context_length=12.5 2>/dev/null
"$GGUF" check m.gguf
"$GGUF" fix m.gguf -o out.gguf
"$GGUF" set --rewrite m.gguf --type UINT32 llama.context_length=4096
"$GGUF" check m.gguf
