"$GGUF" name --parse Mixtral-8x7B-Instruct-v0.1-Q4_K_M-00002-of-00003.gguf
