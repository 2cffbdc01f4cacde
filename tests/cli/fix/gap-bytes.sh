# A gap of zeros is nothing; other bytes in one may be weights, here of a tensor
# whose type was changed from F32 to Q8_0.
"$GGUF" fix -q "$FILES/odd/d01-gap.gguf" -o good.gguf
cp "$FILES/clean/llama-data.gguf" m.gguf
printf '\010' | dd of=m.gguf bs=1 seek=1252 conv=notrunc 2>/dev/null
"$GGUF" fix m.gguf -o out.gguf
echo $?
"$GGUF" fix --dry-run m.gguf
echo $?
"$GGUF" fix --in-place --backup m.gguf
echo $?
ls -A
"$GGUF" fix --force m.gguf -o out.gguf
