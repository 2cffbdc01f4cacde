# An OUT that ends in .npy or .bin is the file of the only tensor.
"$GGUF" export "$FILES/good/types.gguf" t.I8 -o one.npy
"$GGUF" export -q "$FILES/good/types.gguf" t.I8 -o one.bin
"$GGUF" export -q "$FILES/good/types.gguf" t.I8 --raw -o two.bin
"$GGUF" export -q "$FILES/good/types.gguf" t.I8 -o folder.npy/
cmp one.npy folder.npy/t.I8.npy
cmp one.bin two.bin
tail -c 6 one.npy | cmp - one.bin
"$GGUF" export "$FILES/good/types.gguf" 't.I*' -o some.npy
echo $?
"$GGUF" export "$FILES/good/types.gguf" no -o some.npy
echo $?
"$GGUF" export "$FILES/good/types.gguf" t.I8 -o one.npy
echo $?
"$GGUF" export "$FILES/good/types.gguf" t.I8 -o folder.npy
echo $?
"$GGUF" export "$FILES/good/types.gguf" t.I8 --raw -o raw.npy
"$GGUF" export "$FILES/good/types.gguf" t.I8 --npy -o npy.bin
"$GGUF" export --json "$FILES/good/types.gguf" t.I8 -o three.npy
ls
