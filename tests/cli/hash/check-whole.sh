# The digest of the whole tells of each tensor; it has changed.
cp "$FILES/worked/worked-written.gguf" model.gguf
"$GGUF" hash -t model.gguf | grep -v embd >manifest
"$GGUF" hash -c manifest model.gguf || exit 9
printf x | dd of=model.gguf bs=1 seek=700 conv=notrunc 2>/dev/null
"$GGUF" hash -c manifest model.gguf
