"$PAIRS" keys
# shellcheck disable=SC2002 # it must be a pipe
cat b.gguf | "$GGUF" diff --no-data -q b.gguf -
