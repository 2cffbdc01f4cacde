"$GGUF" dump --full "$FILES/good/many.gguf" | head -c1 >/dev/null
