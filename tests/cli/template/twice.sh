"$GGUF" template --list "$FILES/hostile/e20-template-twice.gguf"
