# The shard is named whose tensor has a name that cannot be a file's.
"$GGUF" split -q --max-tensors 3 "$FILES/hostile/e43-name-path.gguf" part
"$GGUF" export part-00001-of-00003.gguf -o out
