"$GGUF" dump --compat --markdown x.gguf
echo "$?"
"$GGUF" dump --json --markdown x.gguf
echo "$?"
"$GGUF" dump --json --compat x.gguf
echo "$?"
"$GGUF" dump --full --compat x.gguf
echo "$?"
