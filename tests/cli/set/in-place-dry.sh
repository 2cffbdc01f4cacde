# needs: leases
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set m.gguf --dry-run general.name=New
"$GGUF" set m.gguf --in-place --dry-run general.name=java-WRITTEN
"$GGUF" set m.gguf --json --dry-run --in-place general.name=New
cmp m.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" set m.gguf --json general.name=New
"$GGUF" set m.gguf --json general.name=Old
"$GGUF" rm m.gguf --json general.name
ln m.gguf other.gguf
"$GGUF" rename m.gguf --json llama.embedding_length llama.length
"$GGUF" set m.gguf --json --rewrite a.key=1
ls -A
