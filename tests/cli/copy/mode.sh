# What is made of a private file is private; but may be written to.
umask 022
cp "$FILES/good/llama.gguf" open.gguf
cp open.gguf private.gguf && chmod 400 private.gguf
cp open.gguf group.gguf && chmod 640 group.gguf
for name in open private group; do
    "$GGUF" copy -q $name.gguf $name-copy.gguf
    "$GGUF" split -q --max-tensors 11 $name.gguf $name
    "$GGUF" copy -q - $name-stdin.gguf <$name.gguf
    stat -c '%a %n' $name-*
done
