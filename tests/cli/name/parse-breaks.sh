"$GGUF" name --parse not-a-known-arrangement.gguf
