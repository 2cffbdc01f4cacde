# Free space is shown as such, except where bytes are asked for.
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set -q --rewrite --reserve 100 m.gguf general.name=x
"$GGUF" get m.gguf general.padding
"$GGUF" get m.gguf general.padding --raw | wc -c | tr -d ' '
"$GGUF" get m.gguf general.padding --json | grep -c '"value":"   '
"$GGUF" keys m.gguf 'general.pad*'
"$GGUF" dump --no-tensors m.gguf | grep padding
"$GGUF" dump --no-tensors --full m.gguf | grep padding
"$GGUF" dump --no-tensors --markdown m.gguf | grep padding
"$GGUF" dump --no-tensors --compat m.gguf | grep -c "padding = '   "
