"$IMPORTANCES"
"$GGUF" imatrix show --json prose.gguf
"$GGUF" imatrix show --json calls.dat
"$GGUF" imatrix show --json hostile.gguf
"$GGUF" imatrix show --json nan.gguf | tr '}' '\n' | cut -d, -f 2- | grep nan
"$GGUF" imatrix show --json --sort zeros -r prose.gguf '*blk.0*' |
    tr , '\n' | grep name
