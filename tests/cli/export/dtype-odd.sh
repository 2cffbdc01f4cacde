# Integers stay what they are; types that nobody knows cannot be numbers.
"$GGUF" export -q --dtype f32 "$FILES/features/features-v3.gguf" d0 d2 d5 \
    -o a.safetensors
head -c 400 a.safetensors | grep -ao '"d.":{"dtype":"[A-Z0-9]*","shape":[^]]*'
"$GGUF" export --dtype f32 "$FILES/odd/d20-fork-types.gguf" -o a.safetensors
echo "exit status $?"
"$GGUF" export --dtype i8 x.gguf -o a.safetensors
