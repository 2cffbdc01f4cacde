echo | "$GGUF" hash -
echo "$?"
mkfifo fifo
"$GGUF" hash fifo
echo "$?"
"$GGUF" hash - <"$FILES/worked/worked-written.gguf"
"$GGUF" hash - -c - <"$FILES/worked/worked-written.gguf" 2>/dev/null
echo "$?"
