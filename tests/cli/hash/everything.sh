# SHA-1, SHA-256, UUID and content were computed by Python's hashlib, XXH by
# xxhsum, from the bytes that docs/format.md names.
"$GGUF" hash -t -a all -a uuid --content "$FILES/worked/worked-written.gguf"
"$GGUF" hash "$FILES/good/empty.gguf" --algo sha1 --algo xxh3 -a uuid -t
