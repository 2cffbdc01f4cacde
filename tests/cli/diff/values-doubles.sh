# The squares of doubles have no room in a double: neither those of one tensor,
# nor those of all together.
for i in 1e200 -1e200 1e-200 2e-200; do
    echo '{"keys": {"general.architecture": "llama"}, "tensors": [{"name": "t",
        "type": "F64", "values": ['$i, $i, $i, $i']}]}' |
        "$GGUF" new -q -o ./"$i.gguf" --spec -
done
for pair in '1e200 -1e200' '1e-200 2e-200'; do
    set -- ./"${pair% *}.gguf" ./"${pair#* }.gguf"
    "$GGUF" diff --values "$@"
    "$GGUF" diff --values --json "$@" | grep -o '"rmse":[^,]*,"relative":[^,}]*'
done
