for key in general.nxame gxneral.architecture context_length llama.contextlength \
    general.foo x LLAMA; do
    "$GGUF" get "$FILES/good/llama.gguf" $key
done
