cp "$FILES/worked/worked-scalars.gguf" m.gguf
for word in worked.u8=256 worked.u8=-1 worked.i8=-129 worked.u16=65536 \
    worked.i16=32768 worked.u32=4294967296 worked.u32=-1 worked.u32=abc \
    worked.u32= worked.u32=1.0 worked.i32=2147483648 \
    worked.u64=18446744073709551616 worked.i64=-9223372036854775809 \
    worked.f32=1e39 worked.f32=0x1p3 worked.f64=1e999 worked.bool=1; do
    "$GGUF" set --rewrite m.gguf "$word"
    echo "$word: $?"
done
cmp m.gguf "$FILES/worked/worked-scalars.gguf"
ls -A
