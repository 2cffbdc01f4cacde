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
# Keys with numbers past the vocabulary, unless it changes, too.
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite -q m.gguf 'tokenizer.ggml.tokens=["a","b"]'
for words in tokenizer.ggml.eos_token_id=2 "--token eos=99999" \
    "--from-json eos.json" tokenizer.ggml.bos_token_id=1 \
    '--type INT32 tokenizer.ggml.padding_token_id=-1' \
    '--force tokenizer.ggml.eos_token_id=2' tokenizer.ggml.eos_token_id=2 \
    '--force --token eot=99999' \
    'tokenizer.ggml.tokens[+]=c tokenizer.ggml.mask_token_id=2'; do
    echo '{"tokenizer.ggml.eos_token_id": 99999}' >eos.json
    # shellcheck disable=SC2086 # words are meant
    "$GGUF" set --rewrite -q m.gguf $words
    echo "$words: $?"
done
"$GGUF" keys m.gguf '*_id'
