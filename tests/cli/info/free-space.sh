# Room for edits in place is no news about the model, but about the file.
page() { sed -n '1,/^$/p'; }
"$GGUF" copy -q "$FILES/worked/worked-written.gguf" m.gguf --reserve 4026
"$GGUF" info m.gguf | page
"$GGUF" info --json m.gguf | grep -o '"size".*"architecture"'
# Of the smallest size there is; and a key that holds something else.
"$GGUF" copy -q m.gguf n.gguf
"$GGUF" info n.gguf | page
"$GGUF" set -q --rewrite n.gguf --force general.padding=
"$GGUF" info n.gguf | page
"$GGUF" set -q n.gguf --force --type UINT8 general.padding=1 -o o.gguf
"$GGUF" info o.gguf | page
