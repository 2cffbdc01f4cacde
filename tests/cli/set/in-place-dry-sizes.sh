# needs: leases
# What --dry-run tells is what is done then: the way, and what the file is.
good=$FILES/worked/worked-written.gguf
same() {
    cp "$good" m.gguf
    echo "$*:"
    command=$1
    shift
    "$GGUF" "$command" m.gguf "$@" --dry-run
    "$GGUF" "$command" --json m.gguf "$@" --dry-run >dry.json
    cmp m.gguf "$good"
    "$GGUF" "$command" --json m.gguf "$@" >done.json
    for json in dry.json done.json; do
        sed 's/"dry_run":true,//; s/"written":[a-z]*//' "$json" >"$json.1"
    done
    cmp dry.json.1 done.json.1
    "$GGUF" info --json m.gguf | grep -o '"n_keys":[0-9]*\|"size":[0-9]*'
    grep -o '"keys":[0-9]*\|"data_offset":[0-9]*\|"bytes":[0-9]*' dry.json
    grep -o '"in_place.*\|"not_in.*' dry.json
}
same set general.name=java-WRITTEN
same rm general.name
same rename general.name general.title
same set a.key=a --rewrite
ln -s m.gguf link.gguf
"$GGUF" rm link.gguf general.name --dry-run
"$GGUF" rename --tensor link.gguf --dry-run -v output_norm.weight other
"$GGUF" rm --tensor m.gguf --dry-run --json token_embd.weight | grep -o '"not_in_place.*'
