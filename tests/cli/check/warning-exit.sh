# Only warnings, for which llama.cpp does not load the model: "no" is the answer.
"$GGUF" rm --rewrite -q "$FILES/good/llama.gguf" llama.block_count -o model.gguf
for profile in spec llama.cpp both; do
    status=0
    "$GGUF" check -q --profile $profile model.gguf || status=$?
    echo "$status"
done
# Some of these keep nothing from loading.
"$GGUF" rm --rewrite -q "$FILES/good/llama.gguf" \
    llama.rope.dimension_count -o other.gguf
"$GGUF" check -q other.gguf
