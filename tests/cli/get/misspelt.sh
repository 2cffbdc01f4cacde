for key in general.nmae genral.architecture context_length llama.contextlength \
    general.foo x LLAMA; do
    "$GGUF" get "$FILES/good/llama.gguf" $key
done
