file=$FILES/worked/worked-versions-v3.gguf
"$GGUF" keys "$file" "*.block_count"
"$GGUF" keys "$file" "general.[an]*"
"$GGUF" keys "$file" "general.[!an]*"
"$GGUF" keys "$file" "general.nam?"
"$GGUF" keys --names "$file" "*llama.*"
