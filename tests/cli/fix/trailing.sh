# What is no part of the model is not lost when its file is replaced.
cp "$FILES/odd/d07-trailing.gguf" a.gguf
"$GGUF" fix --in-place a.gguf
echo $?
"$GGUF" fix --in-place --backup a.gguf
echo $?
"$GGUF" fix a.gguf -o b.gguf
echo $?
cmp a.gguf "$FILES/odd/d07-trailing.gguf"
"$GGUF" fix --dry-run a.gguf
"$GGUF" fix -q --in-place --force a.gguf
echo $?
"$GGUF" info a.gguf | sed -n 4p
"$GGUF" fix --offset 513 --in-place "$FILES/odd/d08-embedded.gguf"
echo $?
# Zeros are nothing; but they are no part of the model either.
cp "$FILES/good/align-64.gguf" a.gguf
head -c 4096 /dev/zero >>a.gguf
"$GGUF" fix -q a.gguf -o b.gguf
cmp b.gguf "$FILES/good/align-64.gguf"
"$GGUF" fix -q --in-place a.gguf
echo $?
# A type that was changed from F32 to F16 leaves half of the last tensor behind.
cp "$FILES/good/align-64.gguf" c.gguf
printf '\001' | dd of=c.gguf bs=1 seek=189 conv=notrunc 2>/dev/null
"$GGUF" fix c.gguf -o d.gguf
echo $?
