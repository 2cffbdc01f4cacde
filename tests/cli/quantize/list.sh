# One line for each, none without its note.
"$GGUF" quantize --list | sed -n "1,4p"
"$GGUF" quantize --list | awk "NF < 5 { print \"no note:\", \$0 }"
"$GGUF" quantize --list --json |
    python3 -c "import json, sys
targets = json.load(sys.stdin)[\"targets\"]
print(*[t for t in targets if t[\"id\"] in (15, 30)], sep=\"\\n\")
print([t for t in targets if not t[\"text\"]])"
"$GGUF" quantize --list model.gguf
