"$GGUF" imatrix --help
