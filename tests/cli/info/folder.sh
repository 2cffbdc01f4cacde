mkdir empty two
cp "$FILES/worked/worked-one.gguf" two/a.gguf
"$GGUF" info two | head -1
cp two/a.gguf two/b.gguf
"$GGUF" info two
echo $?
"$GGUF" info empty
