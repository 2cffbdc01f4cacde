# Tensors without the alignment are laid out anew if each starts where the one
# before ends; else nobody knows what is wrong.
"$GGUF" fix "$FILES/odd/d02-unaligned.gguf" -o out.gguf
echo $?
ls -A
"$GGUF" fix "$FILES/odd/d05-align-unheeded.gguf" -o out.gguf
