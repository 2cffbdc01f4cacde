printf '%s\n' '97 MINE 32 20' '99 ROWS 16 9 4' >types.tsv
"$GGUF" tensors --type-table types.tsv "$FILES/odd/d20-fork-types.gguf" |
    head -n 4
"$GGUF" tensors --type-table types.tsv --json "$FILES/odd/d20-fork-types.gguf" t2
# A row of 32 elements is no block of 256.
printf '%s\n' '97 MINE 256 160' >types.tsv
"$GGUF" tensors --type-table types.tsv "$FILES/odd/d20-fork-types.gguf"
