# What cannot be looked at is told; what is missing is a finding already.
"$QUANTIZABLE"
"$GGUF" check --data "$FILES/odd/d20-fork-types.gguf" >/dev/null
head -c 30000 nan.gguf >cut.gguf
"$GGUF" check --data cut.gguf | grep -e numbers- -e data-missing
head -c 300 nan.gguf >head.gguf
"$GGUF" check --data head.gguf | tail -n 1
# shellcheck disable=SC2002 # a pipe is meant
cat nan.gguf | "$GGUF" check --data - | tail -n 1
"$GGUF" check --data - <nan.gguf | grep numbers-
# Of tensors that share their bytes only the header is judged.
"$GGUF" check --data shared.gguf | tail -n 4
