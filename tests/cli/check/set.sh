"$GGUF" check "$FILES/odd/d26-data-cut/m-00001-of-00002.gguf"
