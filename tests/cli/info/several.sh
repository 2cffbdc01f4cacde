"$GGUF" info "$FILES/worked/worked-one.gguf" "$FILES/wrong/html.gguf" "$FILES/worked/worked-notensors.gguf"
