"$GGUF" copy -q "$FILES/worked/worked-written.gguf" m.gguf --reserve 100
"$GGUF" map m.gguf
"$GGUF" map --entries m.gguf
"$GGUF" map --entries --json m.gguf | grep -o '{"part":"free-space"[^}]*}'
