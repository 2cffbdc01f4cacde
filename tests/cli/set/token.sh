cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf 'tokenizer.ggml.tokens=["<s>","</s>","7","a","a","\n"]'
"$GGUF" set --rewrite m.gguf --token 'eos=</s>' --token bos=0 --token unk=5 --token sep=2
for word in pad=7 pad=6 pad=a pad=zzz 'mask=\n' mask= nothing=1 nothing \
    pad=18446744073709551616; do
    "$GGUF" set --rewrite -q m.gguf --token "$word"
    echo "$word: $?"
done
"$GGUF" keys m.gguf '*_id'
"$GGUF" rm --rewrite -q m.gguf tokenizer.ggml.tokens
"$GGUF" set --rewrite -q m.gguf --token eos=0
echo $?
