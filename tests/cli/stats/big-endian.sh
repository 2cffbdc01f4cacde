# The same numbers in either byte order.
"$QUANTIZABLE"
"$GGUF" copy -q --byte-order big quantized.gguf big.gguf
"$GGUF" stats big.gguf >big
"$GGUF" stats quantized.gguf >little
cmp big little && wc -l <big
