"$GGUF" config - <"$FILES/config/config-phi3.gguf"
