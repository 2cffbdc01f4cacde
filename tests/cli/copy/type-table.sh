# A table may give a built-in type another size: what is written by it is
# checked by it.
echo '0 F32 1 2' >types.tsv
for command in copy 'split --max-tensors 1' 'rename --tensor'; do
    case $command in
    rename*) set -- w v -o out.gguf ;;
    split*) set -- out ;;
    *) set -- out.gguf ;;
    esac
    # shellcheck disable=SC2086 # words
    "$GGUF" $command -q --type-table types.tsv "$FILES/good/one-tensor.gguf" \
        "$@"
    echo $?
    "$GGUF" tensors --type-table types.tsv out*.gguf
    rm -f out*.gguf
done
