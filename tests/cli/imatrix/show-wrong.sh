try() {
    echo "\$ $*"
    "$GGUF" imatrix "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
head -c 50 old.dat >short.dat
try show broken.gguf
try show short.dat
try show --json short.dat
echo '{"entries": []}' >im.json
try show im.json
try show nowhere
try show .
try show
try show a b c
try show names.gguf
try check names.gguf
try show piled.gguf
try check piled.gguf | head -n 3
try show -r prose.gguf
try
try sow prose.gguf
try ask prose.gguf
try show --to dat prose.gguf
try check --sort name prose.gguf
try check --force prose.gguf
try merge --max 3 a b
try convert --rules a b
