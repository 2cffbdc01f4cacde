# All of the help fits a terminal of 80 columns.
"$GGUF" help >all
commands=$(sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p' all)
for command in $commands; do
    "$GGUF" "$command" --help >"$command.help"
done
set -- ./*.help
[ $# -gt 9 ] || echo 'too few commands'
awk 'length > 80 { print FILENAME ": " $0 }' all ./*.help
