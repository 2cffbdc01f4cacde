"$GGUF" fix "$FILES/hostile/e73-split-65536.gguf" -o out.gguf
"$GGUF" keys out.gguf
