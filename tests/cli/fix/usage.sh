"$GGUF" fix
"$GGUF" fix a.gguf
"$GGUF" fix --in-place a.gguf b.gguf
"$GGUF" fix --in-place a.gguf -o b.gguf
"$GGUF" fix --in-place --offset 512 a.gguf
"$GGUF" fix --in-place -
