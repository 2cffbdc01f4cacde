# One model in four forms of the format: only the first two lines differ.
for form in v1 v2 v3 v3-big; do
    "$GGUF" dump --full "$FILES/worked/worked-versions-$form.gguf" |
        sed 1,2d >"$form"
done
cmp v1 v2 && cmp v2 v3 && cmp v3 v3-big
