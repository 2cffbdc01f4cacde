"$GGUF" fix "$FILES/odd/d02-same-place.gguf" -o out.gguf
