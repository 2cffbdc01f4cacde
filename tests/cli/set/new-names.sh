# New keys have to be named as the format's description says; old ones are what
# they are.
cp "$FILES/worked/worked-written.gguf" m.gguf
long=$(printf '%070000d' 0)
try() {
    "$GGUF" "$@" -q >out 2>err
    echo "$? $(cut -c 1-120 err)"
}
for key in 'Bad Key!' a..b .a a. "$long" my-key a.my-key -a.b; do
    try set m.gguf --file "$key=out"
done
try rename m.gguf llama.embedding_length 'Bad Key!'
try rename m.gguf llama.embedding_length "$long"
cmp m.gguf "$FILES/worked/worked-written.gguf"
try set m.gguf a_1.b2=1 command-r.block_count=2 a=3
try set m.gguf --force 'Bad Key!=1'
try set m.gguf 'Bad Key!=2'
try rename m.gguf 'Bad Key!' good.key
try rm m.gguf good.key
