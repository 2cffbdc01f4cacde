# A model that is no set is copied; split keys of a set of one go.
"$GGUF" merge "$FILES/good/llama.gguf" a.gguf
"$GGUF" merge "$FILES/odd/d26-one/m-00001-of-00001.gguf" b.gguf
"$GGUF" keys b.gguf '*split*'
