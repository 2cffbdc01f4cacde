"$GGUF" dump --compat "$FILES/good/types.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/good/dims.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/odd/d17-5d.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/odd/d20-fork-types.gguf" | sed 1d
