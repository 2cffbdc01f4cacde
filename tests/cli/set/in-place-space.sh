# needs: leases
# Free space that was asked for is used up by edits, and dropped by --rewrite.
"$GGUF" copy -q "$FILES/worked/worked-written.gguf" m.gguf --reserve 100
"$GGUF" set m.gguf --in-place a.key=long
"$GGUF" set m.gguf --in-place a.key='a little longer'
"$GGUF" set m.gguf --in-place a.key='a little longer' --reserve 50
"$GGUF" rm m.gguf --in-place a.key
"$GGUF" keys m.gguf general.padding
"$GGUF" dump --json --full --no-tensors m.gguf >keys.json
"$GGUF" set m.gguf --in-place --from-json keys.json
"$GGUF" set m.gguf --in-place general.padding=x
echo $?
"$GGUF" rm m.gguf --in-place general.padding
echo $?
"$GGUF" set m.gguf --rewrite a.key=1
"$GGUF" keys m.gguf --names
"$GGUF" set m.gguf --rewrite --reserve 1Ki a.key=2
"$GGUF" info m.gguf | grep free
"$GGUF" set m.gguf -o out.gguf --reserve 10 a.key=3
"$GGUF" info out.gguf | grep free
"$GGUF" set m.gguf --rewrite --reserve 65Mi a.key=2
echo $?
"$GGUF" copy m.gguf none.gguf --reserve 65Mi
echo $?
