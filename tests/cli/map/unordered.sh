"$GGUF" map "$FILES/odd/d02-unordered.gguf"
"$GGUF" map "$FILES/odd/d02-reversed.gguf"
"$GGUF" map "$FILES/odd/d02-unaligned.gguf"
