# Whoever fills a folder cannot make us wait for a FIFO in it.
cp "$FILES/odd/d26-normal/m-00001-of-00003.gguf" .
cp "$FILES/odd/d26-normal/m-00003-of-00003.gguf" .
mkfifo m-00002-of-00003.gguf
"$GGUF" info m-00001-of-00003.gguf
echo $?
mkdir folder
mkfifo folder/x.gguf
"$GGUF" info folder
