cp "$FILES/words/words-plain.gguf" "tiny.UD-Q8_K_XL.gguf"
"$GGUF" name "tiny.UD-Q8_K_XL.gguf"
