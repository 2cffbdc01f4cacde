# The same bytes, whatever the number of threads.
"$QUANTIZABLE"
for n in 1 2 7 0; do
    "$GGUF" quantize -q --threads $n --imatrix some.gguf model.gguf $n.gguf Q5_K_M
    cmp 1.gguf $n.gguf
done
