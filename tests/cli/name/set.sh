"$GGUF" name "$FILES/odd/d26-versions/m-00002-of-00002.gguf"
