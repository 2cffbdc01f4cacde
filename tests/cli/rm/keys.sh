cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rm --rewrite m.gguf general.name 'tokenizer*'
"$GGUF" rm --rewrite m.gguf llama.embedding_length nothing
echo $?
"$GGUF" rm --rewrite m.gguf 'nothing*'
echo $?
"$GGUF" rm --rewrite m.gguf general.architecture
echo $?
"$GGUF" rm --rewrite m.gguf '*'
echo $?
"$GGUF" rm --rewrite m.gguf 'llama.*' llama.embedding_length --dry-run
"$GGUF" rm --rewrite m.gguf '*' --force
"$GGUF" keys m.gguf
