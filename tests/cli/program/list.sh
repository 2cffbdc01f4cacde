"$GGUF" >plain
"$GGUF" help | cmp - plain
"$GGUF" --help | cmp - plain
cat plain
