"$GGUF" map "$FILES/odd/d02-overlap.gguf"
"$GGUF" map "$FILES/odd/d02-same-place.gguf"
"$GGUF" map --json "$FILES/odd/d02-overlap.gguf"
