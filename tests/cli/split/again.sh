# A set is split anew, whichever of its shards is named.
"$GGUF" split --max-tensors 1 "$FILES/odd/d26-normal/m-00002-of-00003.gguf" new
"$GGUF" merge -q new-*.gguf a.gguf
"$GGUF" merge -q "$FILES/odd/d26-normal" b.gguf
cmp a.gguf b.gguf
