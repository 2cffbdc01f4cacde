# needs: terminal
# Of many types, as many as a line holds.
for columns in 20 60 75 76 80 91 200; do
    "$ON_TERMINAL" $columns "$GGUF" info "$FILES/good/c27-align-1-1.gguf" |
        grep "real mix"
done
"$GGUF" info "$FILES/good/c27-align-1-1.gguf" | grep "real mix"
for columns in 79 80 83; do
    "$ON_TERMINAL" $columns "$GGUF" info "$FILES/clean/label-iq2-s.gguf" |
        grep "real mix"
done
