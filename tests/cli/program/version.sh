"$GGUF" --version | sed "s/[0-9][0-9.]*/N/"
"$GGUF" version --json | jq -c "[.schema, .program, .version == .library, .ggml]"
