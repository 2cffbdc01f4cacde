# A key of another shard is no key of the model, so that it would be lost.
"$GGUF" split -q --max-tensors 3 "$FILES/odd/d26-normal" part
{
    printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0'
    printf '\10\0\0\0\0\0\0\0split.no\2\0\0\0\1\0'
    printf '\13\0\0\0\0\0\0\0split.count\2\0\0\0\2\0'
    printf '\14\0\0\0\0\0\0\0general.name\4\0\0\0\7\0\0\0'
    printf '\3\0\0\0\0\0\0\0own\4\0\0\0\7\0\0\0'
    printf '\21\0\0\0\0\0\0\0general.alignment\4\0\0\0\100\0\0\0'
    printf '\24\0\0\0\0\0\0\0general.architecture\10\0\0\0'
    printf '\5\0\0\0\0\0\0\0llama'
    printf '\14\0\0\0\0\0\0\0llama.x.y.zz\7\0\0\0\1'
} >part-00002-of-00002.gguf
"$GGUF" merge part-*.gguf whole.gguf
echo $?
"$GGUF" split --max-tensors 1 part-00001-of-00002.gguf again
echo $?
ls
"$GGUF" split -q --force --max-tensors 1 part-00001-of-00002.gguf again
"$GGUF" merge --force part-*.gguf whole.gguf
"$GGUF" keys whole.gguf
