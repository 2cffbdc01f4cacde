# Of a type that is not known all bytes up to the next tensor, or the end.
"$GGUF" hash --tensors "$FILES/odd/d20-opaque-last.gguf"
for f in d20-opaque-last d20-fork-types; do
    "$GGUF" copy -q "$FILES/odd/$f.gguf" $f.gguf
    "$GGUF" hash --content "$FILES/odd/$f.gguf"
    "$GGUF" hash --content $f.gguf
    "$GGUF" hash --tensors "$FILES/odd/$f.gguf" >list
    "$GGUF" hash --check list $f.gguf
done
