"$QUANTIZABLE"
head -c 20000 model.gguf >cut.gguf
"$GGUF" stats cut.gguf
