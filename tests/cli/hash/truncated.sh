# Nothing is printed: neither of a file nor of a set.
"$GGUF" hash "$FILES/hostile/e58-half-missing.gguf"
echo "$?"
"$GGUF" hash "$FILES/hostile/e58-half-missing.gguf" -c "$FILES/good/llama.gguf"
echo "$?"
"$GGUF" hash -t "$FILES/hostile/e58-all-missing.gguf"
