# Tensor data of a pipe is not read.
"$QUANTIZABLE"
"$GGUF" stats - <model.gguf | head -n 2
# shellcheck disable=SC2002 # a pipe is meant
cat model.gguf | "$GGUF" stats -
