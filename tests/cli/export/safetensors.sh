# Wide elements first, then in order; of quantized ones the bytes of rows.
"$GGUF" export "$FILES/good/types.gguf" -o out.safetensors
od -A n -t u1 -N 8 out.safetensors
tail -c +9 out.safetensors | head -n 1 | grep -a -o '^.*}}' | sed 's/},"t/},\
"t/g; s/,"gguf/,\
"gguf/g'
head_bytes=$(($(od -A n -t u8 -N 8 out.safetensors) + 8))
# same NAME FROM BYTES - where the model has them.
same() {
    begin=$(grep -a -o "\"t.$1\":{[^}]*}" out.safetensors |
        sed 's/.*offsets":\[\([0-9]*\),.*/\1/')
    tail -c +$(($2 + 1)) "$FILES/good/types.gguf" | head -c "$3" >wanted
    tail -c +$((head_bytes + begin + 1)) out.safetensors | head -c "$3" |
        cmp - wanted
}
same F64 13088 48
same F32 1760 24
same BF16 13504 12
same I8 12928 6
same Q4_0 1824 108
same Q2_0 14784 108
