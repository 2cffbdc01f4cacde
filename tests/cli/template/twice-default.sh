"$GGUF" template "$FILES/hostile/e20-template-twice.gguf"
