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

echo 'without a key:'
"$GGUF" set m.gguf --rewrite
"$GGUF" set m.gguf --rewrite
"$GGUF" set -q m.gguf --reserve 1KiB
"$GGUF" info m.gguf | grep -c 'free space'
"$GGUF" set -q m.gguf --rewrite --reserve 1KiB
"$GGUF" set m.gguf --reserve 0 --dry-run
"$GGUF" set m.gguf --in-place --reserve 0
echo $?
"$GGUF" set m.gguf a.key=2 --reserve 0
"$GGUF" keys m.gguf --names | grep -c padding

echo 'kept where nobody asked for a new file:'
"$GGUF" set -q m.gguf --rewrite --reserve 70
ln m.gguf link.gguf
"$GGUF" set m.gguf a.key=4 --reserve 10
"$GGUF" set m.gguf a.key=5 --backup --dry-run
ln -f m.gguf link.gguf
"$GGUF" set m.gguf a.key=6 --reserve 80
ln -f m.gguf link.gguf
"$GGUF" set m.gguf a.key=7 --json | grep -o '"not_in_place.*'
"$GGUF" set m.gguf a.key=8 --rewrite --json | grep -o '"bytes":[0-9]*,"free.*'
"$GGUF" copy -q link.gguf m.gguf --force --reserve 70
mkdir shards
"$GGUF" split -q --max-tensors 1 m.gguf -o shards/s
for s in shards/*; do
    "$GGUF" set -q --rewrite --single "$s" --reserve 300
done
"$GGUF" rm shards --tensor output_norm.weight --dry-run

echo 'room enough is there already, whoever has the file open:'
"$GGUF" copy -q --force "$FILES/worked/worked-written.gguf" m.gguf --reserve 100
"$GGUF" set m.gguf --reserve 50
# shellcheck disable=SC2094 # it is held open, no more
"$GGUF" set m.gguf --reserve 50 <m.gguf
"$GGUF" set m.gguf --json --reserve 100 | grep -o '"written":[a-z]*'
echo 'long texts that begin alike:'
"$GGUF" set m.gguf a.text="$(printf '%0100d' 1)" -q
"$GGUF" set m.gguf a.text="$(printf '%0200d' 1)" | head -n 1
