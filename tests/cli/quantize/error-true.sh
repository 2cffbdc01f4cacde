# It is what gguf diff finds, once the model is quantized.
"$QUANTIZABLE"
try() {
    "$GGUF" quantize --error --json "$@" | sed 's/{"name"/\n&/g' |
        grep -o '"name":"[^"]*"\|"differ":[^}]*' >told
    "$GGUF" quantize -q --force -o out.gguf "$@"
    "$GGUF" diff --values --json model.gguf out.gguf | sed 's/{"name"/\n&/g' |
        grep -v '"differ":0,' | grep -o '"name":"[^"]*"\|"differ":[^}]*' >found
    cmp told found && wc -l <told
}
try model.gguf Q4_K_M
try --imatrix imatrix.gguf model.gguf IQ4_XS
try --imatrix imatrix.gguf --pure model.gguf Q4_0
try --threads 1 model.gguf F16
