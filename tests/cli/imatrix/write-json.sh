"$IMPORTANCES"
"$GGUF" imatrix merge --json all.gguf prose.gguf code.gguf
"$GGUF" imatrix convert --json prose.gguf prose.dat
"$GGUF" imatrix convert --json --dry-run other.gguf other.dat
ls other.dat 2>&1 || :
