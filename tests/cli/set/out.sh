cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf general.name=New -o out.gguf
"$GGUF" set --rewrite m.gguf general.name=New -o out.gguf
echo $?
"$GGUF" set --rewrite m.gguf general.name=java-written -o same.gguf
cmp m.gguf same.gguf
"$GGUF" set --rewrite m.gguf general.name=New -o m.gguf
echo $?
cmp m.gguf "$FILES/worked/worked-written.gguf"
