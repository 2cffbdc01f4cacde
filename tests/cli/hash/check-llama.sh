# What llama-gguf-hash --all --uuid prints of this file is a manifest of ours.
cp "$FILES/worked/worked-written.gguf" model.gguf
"$GGUF" hash -v -c - model.gguf 2>/dev/null <<END
xxh64     efd2f8a2429fa5a7  model.gguf:output_norm.weight
sha1      b26ab0a3ed806a9539edd5bdff933376e455991c  model.gguf:output_norm.weight
sha256    2f20cd03c9cd392a406c56232b0ff93a15f6d6d7da79086bfa14f55d4a4031b0  model.gguf:output_norm.weight
xxh64     1ca5326f4d5ba9ca  model.gguf:token_embd.weight
sha1      b561af2e7b072ffe8de13007bc013291291cd963  model.gguf:token_embd.weight
sha256    d95d09ad2645b710b18e6a50ceeab7bb42071ed98b2847d1c65cace2454d0f22  model.gguf:token_embd.weight
xxh64     11452bd38e97497e  model.gguf
sha1      4da273b1f908b4ab931dc6f655c47c8adc18a6bd  model.gguf
sha256    96e96e1ecff0ff2866a880c2b82960d80d1c5e604ede7633af4912c05ee359cb  model.gguf
uuid      143cfd78-1bfb-5c0e-bdf2-11602b3b65b3  model.gguf
END
