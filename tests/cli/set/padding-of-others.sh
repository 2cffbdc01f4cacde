# A key general.padding that holds other than free space is a key like others:
# nothing drops it, and it may be changed.
"$GGUF" new -q m.gguf --spec - <<'END'
{"keys": {"general.architecture": "llama", "a": 1,
 "general.padding": "not empty", "z": 2}}
END
"$GGUF" set m.gguf a=7
"$GGUF" set m.gguf --in-place a=8
echo $?
"$GGUF" set m.gguf --reserve 100 a=8
echo $?
"$GGUF" rename m.gguf a b
"$GGUF" rename m.gguf b general.padding
echo $?
"$GGUF" rm m.gguf z
"$GGUF" copy -q m.gguf c.gguf
"$GGUF" copy m.gguf --reserve 100 d.gguf
echo $?
"$GGUF" fix -q c.gguf f.gguf
"$GGUF" keys f.gguf
"$GGUF" diff m.gguf f.gguf
"$GGUF" map --entries m.gguf | grep padding
"$GGUF" dump --json --full m.gguf >m.json
"$GGUF" rename -q m.gguf general.padding other -o o.gguf
"$GGUF" diff m.gguf o.gguf
"$GGUF" set m.gguf --from-json m.json
"$GGUF" set o.gguf --from-json m.json
echo $?
"$GGUF" set m.gguf general.padding=more
"$GGUF" rm m.gguf 'general.pad*'
"$GGUF" keys m.gguf --names
