# A shard is a file like any other.
"$GGUF" dump --compat "$FILES/odd/d26-normal/m-00002-of-00003.gguf" | sed 1d
