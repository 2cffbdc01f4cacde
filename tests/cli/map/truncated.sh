"$GGUF" map "$FILES/hostile/e58-half-missing.gguf"
"$GGUF" map --json "$FILES/hostile/e58-all-missing.gguf"
"$GGUF" map "$FILES/worked/worked-infos.gguf"
