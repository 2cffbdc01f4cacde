"$GGUF" map "$FILES/worked/worked-notensors.gguf"
"$GGUF" map "$FILES/odd/d04-some-padding.gguf"
