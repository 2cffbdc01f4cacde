"$GGUF" copy -q --byte-order big "$FILES/good/one-tensor.gguf" big.gguf
"$GGUF" copy -q --byte-order little big.gguf little.gguf
cmp little.gguf "$FILES/good/one-tensor.gguf"
"$GGUF" copy --byte-order big "$FILES/odd/d20-opaque-last.gguf" opaque.gguf
status=$?
ls -A
exit $status
