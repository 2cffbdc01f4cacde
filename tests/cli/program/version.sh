"$GGUF" --version | sed "s/[0-9][0-9.]*/N/"
"$GGUF" version --json | jq -c "[.schema, .program, .version == .library, .ggml]"
"$GGUF" version --json | jq ".kernels | test(\"^(generic|neon|avx2|avx512)$\")"
# Libraries that are opened at run time have a version where hash can use them.
"$GGUF" version --json |
    jq -c "[.libraries | keys_unsorted, .\"json-c\" != null]"
usable=true
"$GGUF" hash --algo sha256 "$FILES/good/llama.gguf" >/dev/null 2>&1 || usable=false
"$GGUF" version --json | jq "(.libraries.libcrypto != null) == $usable"
"$GGUF" version | sed -n "s/[0-9][0-9.a-z]*/N/g; /^with/p"
