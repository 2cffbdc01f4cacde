"$GGUF" info - <"$FILES/worked/worked-one.gguf" >file
# shellcheck disable=SC2002 # a pipe, not a file
cat "$FILES/worked/worked-one.gguf" | "$GGUF" info - >pipe
diff file pipe
mkfifo fifo
cat "$FILES/worked/worked-one.gguf" >fifo &
"$GGUF" info fifo | sed 1d >named
sed 1d pipe | cmp - named
