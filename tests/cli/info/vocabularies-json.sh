# needs: shared
for file in "$SHARED"/data/vocab/*.gguf; do
    "$GGUF" info --json "$file" | jq -c ".files[0] | [.architecture, .tokenizer.model, .tokenizer.n_tokens, .tokenizer.n_merges, [.tokenizer.special[] | [.name, .id, .text]]]"
done
