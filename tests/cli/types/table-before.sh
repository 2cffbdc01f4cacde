printf '%s\n' '0 MINE 1 3' '4294967295 LAST 7 1' >types.tsv
"$GGUF" types --type-table types.tsv | sed -n "16,18p;\$p"
