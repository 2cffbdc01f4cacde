# What would become of the numbers; nothing is written.
"$QUANTIZABLE"
"$GGUF" quantize --error model.gguf Q4_K_M
"$GGUF" quantize --error --pure --dry-run nan.gguf out.gguf Q8_0 | head -n 3
"$GGUF" quantize --error model.gguf F32
"$GGUF" quantize --error quantized.gguf Q4_0
echo "exit status $?"
[ ! -e out.gguf ] && echo nothing written
"$GGUF" quantize --error --report r.json model.gguf Q4_0
