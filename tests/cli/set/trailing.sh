"$GGUF" copy -q "$FILES/good/one-tensor.gguf" m.gguf
echo 'more than a model' >>m.gguf
cp m.gguf before
"$GGUF" set --rewrite m.gguf a.key=1
echo $?
cmp m.gguf before
"$GGUF" set --rewrite -q m.gguf a.key=1 -o out.gguf
"$GGUF" set --rewrite -q m.gguf a.key=1 --force
cmp m.gguf out.gguf
(printf 'x' && cat "$FILES/good/one-tensor.gguf") >inner
"$GGUF" set --rewrite --offset 1 inner a.key=1
echo $?
"$GGUF" set --rewrite -q --offset 1 inner a.key=1 -o inner.gguf
cmp inner.gguf out.gguf
