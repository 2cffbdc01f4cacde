# There is no such command, but what it would be for.
"$GGUF" undo m.gguf
echo $?
