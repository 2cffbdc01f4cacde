# Several patterns: what matches any of them, once; one that nothing matches is
# told.
"$QUANTIZABLE"
"$GGUF" tensors model.gguf 'blk.0.*norm*' 'output*' '*norm*'
"$GGUF" tensors --sort name -r model.gguf 'blk.0.*norm*' nothing output.weight
echo "exit status $?"
"$GGUF" tensors model.gguf quantized.gguf
echo "exit status $?"
