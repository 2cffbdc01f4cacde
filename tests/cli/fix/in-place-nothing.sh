cp "$FILES/clean/llama-data.gguf" a.gguf
ln a.gguf b.gguf
"$GGUF" fix --in-place --backup a.gguf
test a.gguf -ef b.gguf && ls -A
