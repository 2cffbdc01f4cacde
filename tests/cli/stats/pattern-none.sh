"$QUANTIZABLE"
"$GGUF" stats --json model.gguf nothing
