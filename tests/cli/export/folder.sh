# Made if it is missing, and gone again if nothing comes of it.
"$GGUF" export "$FILES/good/one-tensor.gguf" -o a/b
echo $?
"$GGUF" export -q "$FILES/good/one-tensor.gguf" -o a//
"$GGUF" export -q "$FILES/good/one-tensor.gguf" -o a/b
mkdir -p c/w.npy
"$GGUF" export -q --force "$FILES/good/one-tensor.gguf" -o c
echo $?
"$GGUF" export -q "$FILES/odd/d26-data-cut" -o d
echo $?
: >file
"$GGUF" export -q "$FILES/good/one-tensor.gguf" -o file
echo $?
ln -s nowhere link
"$GGUF" export -q "$FILES/good/one-tensor.gguf" -o link
echo $?
find . | sort
