for v in v1 v2 v3 v3-big; do
    "$GGUF" info "$FILES/worked/worked-versions-$v.gguf" | sed 1d >$v
done
cat v1
diff v1 v2
diff v2 v3
diff v3 v3-big
