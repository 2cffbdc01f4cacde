# Room for edits in place is no news about the model, but about the file.
page() { sed -n '1,/^$/p'; }
"$GGUF" copy -q "$FILES/worked/worked-written.gguf" m.gguf --reserve 4026
"$GGUF" info m.gguf | page
"$GGUF" info --json m.gguf | grep -o '"size".*"architecture"'
# Of the smallest size there is; and a key that holds something else.
"$GGUF" copy -q m.gguf n.gguf
"$GGUF" info n.gguf | page
"$GGUF" new -q p.gguf --spec - <<'END'
{"keys": {"general.architecture": "llama", "general.padding": ""}}
END
"$GGUF" info p.gguf | page
"$GGUF" new -q o.gguf --spec - <<'END'
{"keys": {"general.architecture": "llama", "general.padding": {"type": "UINT8",
 "value": 1}}}
END
"$GGUF" info o.gguf | page
