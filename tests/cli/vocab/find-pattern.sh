for text in '<?s>' '[UN]' 'a\x[x*]b' '*\xfe' '\**' 'a[\x78]*'; do
    "$GGUF" vocab --find "$text" "$FILES/words/words-vocab.gguf"
    echo "$?"
done
