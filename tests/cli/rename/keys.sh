cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rename --rewrite m.gguf general.name general.title
"$GGUF" rename --rewrite m.gguf general.title llama.embedding_length
echo $?
"$GGUF" rename --rewrite m.gguf nothing something
echo $?
"$GGUF" rename --rewrite m.gguf general.title general.title
"$GGUF" rename --rewrite m.gguf general.title ''
echo $?
"$GGUF" rename --rewrite m.gguf general.title general.padding
echo $?
"$GGUF" rename --rewrite m.gguf general.title general.alignment
echo $?
"$GGUF" rename --rewrite m.gguf general.architecture x
echo $?
"$GGUF" rename --rewrite m.gguf general.title
echo $?
"$GGUF" rename --rewrite --json m.gguf general.title general.name
cmp m.gguf "$FILES/worked/worked-written.gguf"
