"$GGUF" fix "$FILES/odd/d11-nul-ended.gguf" out.gguf
