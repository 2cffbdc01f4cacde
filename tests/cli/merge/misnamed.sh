# Shards whose names are not those that their keys tell; what to do is said.
n1=m-00001-of-00003.gguf n2=m-00002-of-00003.gguf n3=m-00003-of-00003.gguf
fresh() {
    echo "$1"
    rm -f ./*.gguf
    cp "$FILES/odd/d26-normal"/*.gguf .
}
open() {
    for file in "$@"; do
        "$GGUF" merge "$file" -o out.gguf && rm out.gguf
    done 2>&1
}

fresh 'a name of its own'
mv $n2 foo.gguf
open $n1 $n3 foo.gguf
"$GGUF" merge $n1 foo.gguf $n3 -o out.gguf 2>&1
open "$PWD/$n3" | sed "s|$PWD|PWD|g"
echo 'not read: no GGUF, hidden, another count'
mv foo.gguf .hidden.gguf
echo junk >junk.gguf
cp "$FILES/odd/d26-u32/m-00002-of-00002.gguf" count.gguf
open $n1
fresh 'names of their own'
mv $n1 a.gguf
mv $n2 b.gguf
mv $n3 c.gguf
"$GGUF" merge a.gguf b.gguf c.gguf out.gguf 2>&1
open b.gguf
"$GGUF" check --profile spec a.gguf | sed -n '2,4p'
fresh 'exchanged'
mv $n2 x
mv $n3 $n2
mv x $n3
open $n1 $n2 $n3
fresh 'turned around'
mv $n3 x
mv $n2 $n3
mv $n1 $n2
mv x $n1
open $n1 $n3
fresh 'in the place of another'
mv $n1 $n2
open $n2 $n3
fresh 'another prefix'
mv $n2 n-00002-of-00003.gguf
open $n1 n-00002-of-00003.gguf
echo 'of another set'
cp $n1 n-00001-of-00003.gguf
open $n1 n-00002-of-00003.gguf
fresh 'one twice, and a third elsewhere'
mv $n3 foo.gguf
cp $n2 $n3
open $n1
rm foo.gguf
open $n1
