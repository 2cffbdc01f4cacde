"$GGUF" name "$FILES/odd/d26-versions"
