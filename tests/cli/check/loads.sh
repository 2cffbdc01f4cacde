# The last line says no more than the findings above it allow.
last() { "$GGUF" check "$@" | tail -n 1; }
last "$FILES/clean/llama.gguf"
last "$FILES/hostile/e60-trailing.gguf"
cp "$FILES"/odd/d26-data-cut/m-00001-of-00002.gguf .
last m-00001-of-00002.gguf
last "$FILES/hostile/c01-bad-magic.gguf"
for key in context_length feed_forward_length rope.dimension_count; do
    "$GGUF" rm --rewrite -q "$FILES/good/llama.gguf" llama.$key -o "$key.gguf"
    last "$key.gguf"
done
"$GGUF" check --json m-00001-of-00002.gguf |
    grep -o '"llama_cpp_loads.*[^]}]' | tr -d '\n'
