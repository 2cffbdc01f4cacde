cp "$FILES/worked/worked-scalars.gguf" m.gguf
"$GGUF" set --rewrite m.gguf worked.u8=255 worked.i8=-128 worked.u16=65535 \
    worked.i16=-32768 worked.u32=4294967295 worked.i32=-2147483648 \
    worked.u64=18446744073709551615 worked.i64=-9223372036854775808 \
    worked.f32=-inf worked.f64=nan worked.bool=false worked.str=
"$GGUF" set --rewrite m.gguf worked.f64=nan worked.f32=-INF
