# Each is refused, or says what is missing, and nothing hangs.
f=$FILES/worked/worked-written.gguf
x=11452bd38e97497e
try() {
    "$GGUF" hash -c manifest "$f"
    echo "$?"
}
printf '' >manifest
try
printf '\n\n\n' >manifest
try
printf 'xxh64' >manifest
try
printf 'xxh64 %s' "$x" >manifest
try
printf 'xxh64 %s   ' "$x" >manifest
try
printf 'manifest  a\nxxh64 %s0  worked-written.gguf\n' "$x" >manifest
try
printf 'sha256 %s  worked-written.gguf\n' "$x" >manifest
try
printf 'xxh64 %s  worked-written.gguf:\n' "$x" >manifest
try
printf 'xxh64 %s  worked-written.gguf:\033[31m\0\377\n' "$x" >manifest
try
printf 'xxh64 %s  :::/::/\nxxh64 %s /////\nxxh64 %s /:\n' "$x" "$x" "$x" >manifest
try
printf 'xxh64 %s  ///a/worked-written.gguf' "$x" >manifest
try
printf 'xxh64 %s  \\x\\u{\\u{}\\u{ffffffffff}\\\n' "$x" >manifest
try
printf 'xxh64 %s  worked-\\u{77}ritten.gguf:\\x6futput_norm.weight\\\\\n' "$x" >manifest
try
printf 'uuid %s  worked-written.gguf:output_norm.weight\n' \
    143cfd78-1bfb-5c0e-bdf2-11602b3b65b3 >manifest
try
printf 'xxh64 %s  worked-written.gguf\n' "$x" 0000000000000000 "$x" \
    0000000000000000 "$x" 0000000000000000 >manifest
try
head -c 100000 /dev/zero | tr '\0' ' ' >manifest
try
head -c 70000000 /dev/zero >manifest
try
rm manifest
try
mkdir manifest
try
