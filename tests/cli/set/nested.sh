cp "$FILES/odd/d15-nested.gguf" m.gguf
"$GGUF" keys m.gguf
key=x.n
"$GGUF" set --rewrite m.gguf "${key}[0]=[7,8,9]"
"$GGUF" set --rewrite m.gguf "${key}[+]=[]"
"$GGUF" set --rewrite m.gguf "${key}[0]=7"
echo $?
"$GGUF" set --rewrite m.gguf "$key=[1]"
echo $?
"$GGUF" dump --no-tensors m.gguf
# Each array in an array keeps its type by way of JSON, too.
"$GGUF" dump --json --full --no-tensors "$FILES/odd/d15-nested.gguf" >j
cp "$FILES/worked/worked-scalars.gguf" n.gguf
"$GGUF" set -q --rewrite n.gguf --from-json j
"$GGUF" get --json n.gguf x.n
"$GGUF" set n.gguf --from-json j
printf '{"x.n": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": %s,
    "value": [[1], [2]]}}' '["UINT8", "INT16"]' >k
"$GGUF" set --rewrite n.gguf --from-json k
"$GGUF" get --json n.gguf x.n
sed 's/"INT16"/"INT16[]"/' k >l
"$GGUF" set n.gguf --from-json l
