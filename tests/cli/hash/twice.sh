# Two tensors of one name have digests, but no content, and no list of them can
# be checked.
"$GGUF" hash -t "$FILES/odd/d19-tensor-differs.gguf" >manifest
cat manifest
"$GGUF" hash --content "$FILES/odd/d19-tensor-differs.gguf"
echo "$?"
"$GGUF" hash -c manifest "$FILES/odd/d19-tensor-differs.gguf"
