# What was lost, and bits that flipped: the weights are broken, and it says so.
"$QUANTIZABLE"
"$GGUF" check --data damaged.gguf
echo "exit status $?"
"$GGUF" check --data --json damaged.gguf >all.json
grep -o '"tensor":[^}]*' all.json
grep -o '"looked_at".*' all.json
# In JSON all of them, unless it is said how many.
for option in --json "--json --max 1"; do
    # shellcheck disable=SC2086 # two words
    "$GGUF" check $option "$FILES/odd/d20-fork-types.gguf" >some.json
    grep -o '"rule":"type-unknown"' some.json | wc -l
    grep -o '"more":[0-9]*' some.json | sort | tail -n 1
done
