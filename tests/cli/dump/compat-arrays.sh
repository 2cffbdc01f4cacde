"$GGUF" dump --compat "$FILES/good/arrays.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/odd/d15-nested.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/odd/d15-nested-deeper.gguf" | sed 1d
