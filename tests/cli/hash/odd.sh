# Gaps, overlaps, no bytes, an end without padding, bytes behind it.
for f in d01-gap d02-overlap d02-unordered d03-last-unpadded d07-trailing \
    d18-zero-middle; do
    "$GGUF" hash -t "$FILES/odd/$f.gguf" 2>/dev/null
done
