NO_COLOR=1 "$GGUF" info --color=always --demo | grep -c "$(printf "\\033")"
