# What is there is told, what is not is named.
"$QUANTIZABLE"
head -c 20000 model.gguf >cut.gguf
"$GGUF" stats cut.gguf
echo "exit status $?"
"$GGUF" stats --json cut.gguf 'blk.0.attn_[kq]*' 2>/dev/null
echo "exit status $?"
"$GGUF" stats cut.gguf output.weight
echo "exit status $?"
