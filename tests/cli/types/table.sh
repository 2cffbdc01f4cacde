printf '%s\n' 'id name block bytes row' '139 IQ2_K 256 76' '41 Q1_0_G128 128 18' '153 IQ4_KS 256 136 4' >types.tsv
"$GGUF" types --type-table types.tsv | tail -n 24
"$GGUF" types --type-table types.tsv --json
