# Nothing on standard output, whatever the form.
for form in --full --json --markdown --compat; do
    "$GGUF" dump "$form" "$FILES/wrong/html.gguf"
    echo "$?"
done
