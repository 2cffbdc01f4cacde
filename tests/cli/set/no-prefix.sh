# A key without what well-known keys begin with, or with the beginning of
# others, is warned of; a key of one's own is not.
exec 2>&1
"$GGUF" new --force bare.gguf --spec - <<'END' >bare.txt
{"keys": {"general.architecture": "llama"}}
END
"$GGUF" new none.gguf --spec - <<'END' >none.txt
{"keys": {"general.name": "x"}}
END
try() {
    "$GGUF" set --rewrite --dry-run "$@" | sed -n 1,2p
}
try none.gguf architecture=foo
try none.gguf context_length=9
try bare.gguf chat_template=x
try bare.gguf general.chat_template=x
try bare.gguf llama.chat_template=x
try bare.gguf eos_token_id=2
try bare.gguf tokenizer.eos_token_id=2
try bare.gguf context_length=9
try bare.gguf general.head_count_kv=9
echo 'of its own:'
try bare.gguf my.name=x
try bare.gguf my.chat_template=x
try bare.gguf remark=x
