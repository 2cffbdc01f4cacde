# as a pattern it would also match "axb" and single letters
for text in 'a*b' '[UNK]' '\n' '\t\"\x5c' '\u{202E}' '\xff\xFE' '' 'a\x00b' '▁\u{4e2d}'; do
    "$GGUF" vocab --find "$text" "$FILES/words/words-vocab.gguf" || exit
done
