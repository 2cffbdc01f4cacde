# Integers stay what they are; types that nobody knows cannot be numbers.
"$GGUF" export -q --dtype f32 "$FILES/features/features-v3.gguf" d0 d2 d5 \
    -o a.safetensors
head -c 400 a.safetensors | grep -ao '"d.":{"dtype":"[A-Z0-9]*","shape":[^]]*'
for as in "--dtype f32" "--dtype bf16" ""; do
    # shellcheck disable=SC2086 # two words
    "$GGUF" export -q $as "$FILES/features/features-v3.gguf" d5 -o "d5$as.npy"
done
cmp "d5--dtype f32.npy" d5.npy && cmp "d5--dtype bf16.npy" d5.npy
echo "exit status $?"
"$GGUF" export --dtype f32 "$FILES/odd/d20-fork-types.gguf" -o a.safetensors
echo "exit status $?"
"$GGUF" export --dtype i8 x.gguf -o a.safetensors
