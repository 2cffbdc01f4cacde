cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rm m.gguf general.name 'tokenizer*'
"$GGUF" rm m.gguf llama.embedding_length nothing
echo $?
"$GGUF" rm m.gguf 'nothing*'
echo $?
"$GGUF" rm m.gguf general.architecture
echo $?
"$GGUF" rm m.gguf '*'
echo $?
"$GGUF" rm m.gguf 'llama.*' llama.embedding_length --dry-run
"$GGUF" rm m.gguf '*' --force
"$GGUF" keys m.gguf
