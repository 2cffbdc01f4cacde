cp "$FILES/words/words-titled.gguf" "Foo-2M-v3.1-i1-Q8_0.gguf"
"$GGUF" name --build Foo-2M-v3.1-i1-Q8_0.gguf
