# The same content: data in another place, another version, another alignment,
# and metadata of which it does not tell.
for f in clean/llama-reversed good/llama-shuffled worked/worked-versions-v1 \
    worked/worked-versions-v3 worked/worked-align32 worked/worked-align64; do
    "$GGUF" hash -a xxh64 --content "$FILES/$f.gguf"
done
"$GGUF" copy --align 4096 "$FILES/good/llama.gguf" copy.gguf >/dev/null
"$GGUF" hash --content "$FILES/good/llama.gguf" | cut -c-74
"$GGUF" hash --content copy.gguf
