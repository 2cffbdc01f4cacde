# Which tensors llama.cpp looks for, and which it wants no more of.
for name in no-embedding no-output-norm no-block no-blocks no-attn-norm \
    block-past further-layer; do
    "$GGUF" check --profile llama.cpp "$FILES/odd/d31-$name.gguf"
done
# A part of a set does not tell; nor does a file without tensors.
"$GGUF" check -q --single --profile llama.cpp \
    "$FILES/clean/set/llama-00002-of-00003.gguf" "$FILES/clean/llama.gguf"
"$GGUF" fix "$FILES/odd/d31-block-past.gguf" -o out.gguf
