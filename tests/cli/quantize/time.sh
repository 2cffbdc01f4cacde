# How long it took is told from a second on: here the list of types takes that.
"$QUANTIZABLE"
mkfifo types
{
    sleep 1.1
    echo "attn_k=Q8_0"
} >types &
"$GGUF" quantize model.gguf out.gguf Q4_0 --tensor-type-file types | tail -n 1
