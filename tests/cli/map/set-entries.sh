"$GGUF" map --entries "$FILES/odd/d26-normal/m-00002-of-00003.gguf"
