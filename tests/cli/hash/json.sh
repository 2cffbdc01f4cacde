"$GGUF" hash --json -t -a all -a uuid --content "$FILES/worked/worked-written.gguf"
"$GGUF" hash --json "$FILES/worked/worked-written.gguf"
