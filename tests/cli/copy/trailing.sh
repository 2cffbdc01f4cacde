# What is no part of the model is not lost when its file is replaced.
"$GGUF" copy -q "$FILES/good/one-tensor.gguf" m.gguf
cp m.gguf alone.gguf
echo 'more than a model' >>m.gguf
cp m.gguf before
"$GGUF" copy --in-place m.gguf
echo $?
"$GGUF" copy --in-place --dry-run m.gguf
echo $?
cmp m.gguf before
"$GGUF" copy -q m.gguf out.gguf
cmp out.gguf alone.gguf
"$GGUF" copy -q --in-place --force m.gguf
cmp m.gguf alone.gguf
(printf 'x' && cat alone.gguf) >inner
"$GGUF" copy --offset 1 --in-place inner
echo $?
"$GGUF" copy --offset 1 --in-place --force inner
echo $?
wc -c <inner
