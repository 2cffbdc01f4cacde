# That a key ends in a NUL does not make it another one.
cp "$FILES/odd/d11-nul-ended.gguf" m.gguf
"$GGUF" rm --rewrite m.gguf general.architecture
echo $?
cmp m.gguf "$FILES/odd/d11-nul-ended.gguf"
