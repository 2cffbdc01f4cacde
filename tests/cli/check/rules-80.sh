# needs: terminal
# What a rule means stands in its column.
"$ON_TERMINAL" 80 "$GGUF" check --rules >rules; head -n 8 rules
"$ON_TERMINAL" 60 "$GGUF" check --rules >rules; head -n 5 rules
