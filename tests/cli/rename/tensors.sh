cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" rename --rewrite --tensor m.gguf output_norm.weight norm.weight
"$GGUF" rename --rewrite --tensor m.gguf norm.weight token_embd.weight
echo $?
"$GGUF" rename --rewrite --tensor m.gguf nothing x
echo $?
"$GGUF" rename --rewrite --tensor m.gguf norm.weight \
    123456789-123456789-123456789-123456789-123456789-123456789-1234
"$GGUF" tensors m.gguf
