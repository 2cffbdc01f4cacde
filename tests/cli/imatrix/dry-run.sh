"$IMPORTANCES"
"$GGUF" imatrix merge --dry-run all.gguf prose.gguf code.gguf
"$GGUF" imatrix convert --dry-run prose.gguf prose.dat
"$GGUF" imatrix convert --dry-run prose.gguf code.gguf
echo "status $?"
"$GGUF" imatrix convert --dry-run --force prose.gguf code.gguf
ls
