cp "$FILES/words/words-keys.gguf" "Huge-7B-Chat-v2.0-Q4_K_M.gguf"
"$GGUF" name --json Huge-7B-Chat-v2.0-Q4_K_M.gguf
