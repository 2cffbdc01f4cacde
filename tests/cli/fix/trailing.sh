# What is no part of the model is not lost when its file is replaced.
cp "$FILES/odd/d07-trailing.gguf" a.gguf
"$GGUF" fix --in-place a.gguf
echo $?
cmp a.gguf "$FILES/odd/d07-trailing.gguf"
"$GGUF" fix --dry-run a.gguf
"$GGUF" fix -q --in-place --force a.gguf
echo $?
"$GGUF" info a.gguf | sed -n 4p
"$GGUF" fix --offset 513 --in-place "$FILES/odd/d08-embedded.gguf"
echo $?
