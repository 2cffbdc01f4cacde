# A header, and behind it the very bytes of the tensor.
"$GGUF" export "$FILES/good/types.gguf" 't.[QI]8*' -o out
"$GGUF" export -q "$FILES/good/dims.gguf" -o out
"$GGUF" export -q --npy "$FILES/odd/d17-0d.gguf" -o out
ls out
od -A n -t x1 -N 10 out/t.I8.npy
for file in out/*; do
    tail -c +11 "$file" | head -n 1 | tr -s ' '
done
tail -c 204 out/t.Q8_0.npy >npy
tail -c +2401 "$FILES/good/types.gguf" | head -c 204 | cmp - npy
tail -c +129 out/t.Q8_0.npy | cmp - npy
