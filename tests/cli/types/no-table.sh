"$GGUF" types --type-table nowhere.tsv
