cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set m.gguf general.name=New -o out.gguf
"$GGUF" set m.gguf general.name=New -o out.gguf
echo $?
"$GGUF" set m.gguf general.name=java-written -o same.gguf
cmp m.gguf same.gguf
"$GGUF" set m.gguf general.name=New -o m.gguf
echo $?
cmp m.gguf "$FILES/worked/worked-written.gguf"
