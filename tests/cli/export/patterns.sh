# Several patterns: what any of them matches, once; each has to match.
"$GGUF" export "$FILES/good/types.gguf" t.I8 't.I*' t.F32 -o out
ls out
"$GGUF" export -q "$FILES/good/types.gguf" t.I8 t.F32 -o out.safetensors
tail -c +9 out.safetensors | head -c 119
echo
"$GGUF" export "$FILES/good/types.gguf" t.I8 't.J*' t.none -o none
echo $?
"$GGUF" export "$FILES/good/types.gguf" t.I8 t.I8 -o same.npy
ls
