# A name that ends like a piece's does not hide what the bytes say.
cp "$FILES/wrong/gzip.gguf" model.gguf.gz
"$GGUF" info model.gguf.gz
cp "$FILES/wrong/xz.gguf" model.gguf.xz
"$GGUF" info model.gguf.xz
