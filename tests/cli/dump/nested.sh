"$GGUF" dump "$FILES/odd/d15-nested.gguf"
"$GGUF" dump "$FILES/odd/d15-nested-deeper.gguf"
"$GGUF" dump "$FILES/odd/d15-empty-str.gguf"
