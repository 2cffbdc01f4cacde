"$GGUF" copy -q "$FILES/good/one-tensor.gguf" in.gguf
chmod 640 in.gguf
"$GGUF" copy --in-place --align 64 in.gguf
stat -c %a in.gguf
"$GGUF" get in.gguf general.alignment
ls -A
