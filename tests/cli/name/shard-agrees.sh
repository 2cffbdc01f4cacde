cp "$FILES/words/words-shard.gguf" "Tiny-1M-v1.0-00002-of-00003.gguf"
"$GGUF" name --single Tiny-1M-v1.0-00002-of-00003.gguf
