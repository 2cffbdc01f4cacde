# needs: terminal
# A line for each change, which the terminal has room for.
cp "$FILES/good/llama.gguf" m.gguf
long='a long name, of which there is more than fits into a line of eighty columns'
"$ON_TERMINAL" 80 "$GGUF" set --rewrite m.gguf general.name="$long" \
    tokenizer.chat_template="{% for message in messages %}$long{% endfor %}"
"$ON_TERMINAL" 80 "$GGUF" set --rewrite --dry-run m.gguf general.name="no $long" \
    'my.list=["one of a few strings", "another one of these strings", "the last of them"]'
"$ON_TERMINAL" 80 "$GGUF" rm --rewrite --dry-run m.gguf general.name
