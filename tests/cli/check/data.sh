# Of each tensor and rule one finding; of a set with the shard.
"$QUANTIZABLE"
for file in nan infinite quantized; do
    "$GGUF" check --data "$file.gguf" | grep -A 2 numbers-
done
"$GGUF" check --data --json infinite.gguf |
    grep -o '{"rule":"numbers-[^}]*}'
"$GGUF" check --data --profile spec -q nan.gguf
echo "exit status $?"
