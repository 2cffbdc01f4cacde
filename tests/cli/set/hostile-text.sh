cp "$FILES/worked/worked-written.gguf" m.gguf
key=$(printf 'evil\033[2J\342\200\256.key')
"$GGUF" set --rewrite --force m.gguf "$key=$(printf 'a\033]0;x\007b')"
"$GGUF" set --rewrite m.gguf "$key=$(printf '\377')"
"$GGUF" set --rewrite --json m.gguf "$key=new"
"$GGUF" rename --rewrite m.gguf 'evil\x1b[2J\u{202e}.key' plain.key
"$GGUF" set --rewrite m.gguf "llama.embedding_length=$key"
