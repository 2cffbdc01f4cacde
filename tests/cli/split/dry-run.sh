# What it would write is what it writes.
"$GGUF" split --dry-run --max-size 1K "$FILES/good/llama.gguf" part >plan
ls
"$GGUF" split --max-size 1K -q "$FILES/good/llama.gguf" part
sed -n 's/^\(part[^ ]*\) .* \([0-9]*\)$/\2 \1/p' plan >planned
wc -c part-*.gguf | sed 's/^ *//' | grep -v total | cmp - planned
