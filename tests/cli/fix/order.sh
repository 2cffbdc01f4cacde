"$GGUF" fix "$FILES/odd/d02-reversed.gguf" -o out.gguf &&
"$GGUF" check -q out.gguf
