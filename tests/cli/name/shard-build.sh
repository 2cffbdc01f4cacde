# A name that would part a shard from its set is not given.
cp "$FILES/odd/d26-normal"/*.gguf .
n1=m-00001-of-00003.gguf n2=m-00002-of-00003.gguf
build() {
    "$GGUF" name --build "$@" 2>&1
    echo "exit status $?"
}
build $n2
build --single $n2
mv $n2 foo.gguf
build $n1
build foo.gguf
build --single foo.gguf
"$GGUF" name foo.gguf | tail -1
mv $n1 $n2
mv foo.gguf $n1
build $n1
"$GGUF" name $n1 | tail -1
cp $n1 m-00001-of-00003
"$GGUF" name m-00001-of-00003 | tail -1
# All of them renamed: it has that name already.
rm ./*
cp "$FILES/odd/d26-normal"/*.gguf .
name=$("$GGUF" name -q --build $n1)
for i in 1 2 3; do mv m-0000$i-of-00003.gguf "${name%1-of-*}$i-of-00003.gguf"; done
build "$name"
# A set that has no numbers but in its names.
build "$FILES/odd/d26-unnumbered/m-00002-of-00002.gguf"
