# The order of the file, and that of the host, which differs.
for file in worked/worked-versions-v3 worked/worked-versions-v3-big; do
    "$GGUF" dump --compat "$FILES/$file.gguf" | head -n 1
done
