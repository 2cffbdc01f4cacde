"$IMPORTANCES"
"$QUANTIZABLE"
"$GGUF" imatrix check --json broken.gguf
echo "status $?"
"$GGUF" imatrix check --json imatrix.gguf model.gguf
echo "status $?"
"$GGUF" imatrix check --json --max 1 other.gguf model.gguf
echo "status $?"
"$GGUF" imatrix check --json . 2>&1
echo "status $?"
