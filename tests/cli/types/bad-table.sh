printf '%s\n' '139 IQ2_K 256 76' '140 IQ3_K 256' >types.tsv
"$GGUF" types --json --type-table types.tsv
