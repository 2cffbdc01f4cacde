# All of them, or none; other files in the folder stay.
mkdir out
echo other >out/other.npy
echo old >out/blk.0.attn_q.weight.npy
"$GGUF" export "$FILES/good/llama.gguf" 'blk.0*' -o out
echo $?
ls -A out
cat out/blk.0.attn_q.weight.npy
"$GGUF" export -q --force "$FILES/good/llama.gguf" 'blk.0*' -o out
ls -A out
cat out/other.npy
wc -c <out/blk.0.attn_q.weight.npy
