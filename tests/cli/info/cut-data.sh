"$GGUF" info -q "$FILES/wrong/truncated-data.gguf" >quiet
"$GGUF" info "$FILES/wrong/truncated-data.gguf" | cmp - quiet
"$GGUF" info --json -q "$FILES/wrong/truncated-data.gguf" | jq -c ".files[0].notes"
