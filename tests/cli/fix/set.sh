"$GGUF" fix "$FILES/odd/d26-old-keys" -o out.gguf
"$GGUF" keys out-00002-of-00002.gguf --single
