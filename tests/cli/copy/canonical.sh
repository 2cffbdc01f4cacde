"$GGUF" copy "$FILES/odd/d01-gap.gguf" out.gguf
"$GGUF" copy -q out.gguf again.gguf
cmp out.gguf again.gguf
ls -A
