"$GGUF" name --json --parse mmproj-F16.gguf
