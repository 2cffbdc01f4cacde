# Thousands of elements, one by one: each is told, and the array is the same as
# made at once.
"$GGUF" new -q m.gguf --spec - <<'END'
{"keys": {"a.words": ["x"], "a.numbers": [0]}}
END
words='' numbers=''
set --
i=1
while [ $i -le 3000 ]; do
    set -- "$@" "a.words[+]=word $i" "a.numbers[+]=$i"
    words="$words, \"word $i\"" numbers="$numbers, $i"
    i=$((i + 1))
done
cp m.gguf one.gguf
"$GGUF" set --rewrite one.gguf "$@" >told
wc -l <told
sed -n '1,4p; 5999,6000p' told
cp m.gguf all.gguf
"$GGUF" set --rewrite -q all.gguf "a.words=[\"x\"$words]" "a.numbers=[0$numbers]"
cmp one.gguf all.gguf
cp m.gguf one.gguf
"$GGUF" set --rewrite --json one.gguf "$@" 'a.words[0]=first' |
    jq -c '.changes | length, .[5998:]'
