"$PAIRS" data
# shellcheck disable=SC2002 # it must be a pipe
cat b.gguf | "$GGUF" diff a.gguf -
