"$GGUF" info "$FILES/worked/worked-notensors.gguf"
