# What dump prints of a model is a description of it.
for name in worked/worked-written worked/worked-scalars worked/worked-arrays \
    worked/worked-align32 worked/worked-align64 worked/worked-notensors \
    worked/worked-mix worked/worked-versions-v2 worked/worked-versions-v3 \
    worked/worked-versions-v3-big good/c33-align-1-1 good/c18-zero-dim-1; do
    rm -f o.gguf
    "$GGUF" dump --json --full "$FILES/$name.gguf" |
        "$GGUF" new o.gguf -q --force --spec - && cmp o.gguf "$FILES/$name.gguf" &&
        echo "$name"
done
# One whose magic is in the other order, too, has its data in that order.
"$GGUF" dump --json --full "$FILES/odd/d09-fugg-big.gguf" |
    "$GGUF" new big.gguf -q --spec -
"$GGUF" diff -q big.gguf "$FILES/odd/d09-fugg-big.gguf" && echo d09-fugg-big
