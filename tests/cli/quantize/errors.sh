# Several targets beside each other; a target that changes nothing; an imatrix,
# which makes the error that is told no smaller.
"$QUANTIZABLE"
"$GGUF" quantize --error model.gguf Q4_K_S Q5_K_M q8_0 F32
"$GGUF" quantize --error --json model.gguf Q4_K_S F32
"$GGUF" quantize --error model.gguf out.gguf Q4_0 Q4_1
"$GGUF" quantize --error model.gguf F32
"$GGUF" quantize --error "$FILES/good/one-key.gguf" F16
"$GGUF" quantize --error --json "$FILES/good/one-key.gguf" F16
"$GGUF" quantize --error model.gguf Q4_KM Q4_K_S
echo "exit status $?"
"$GGUF" quantize --error model.gguf Q4_0 IQ2_XXS
echo "exit status $?"
"$GGUF" quantize --error --imatrix imatrix.gguf model.gguf Q4_0 Q4_1
"$GGUF" quantize model.gguf out.gguf Q4_0 Q4_1
echo "exit status $?"
[ ! -e out.gguf ] && echo nothing written
