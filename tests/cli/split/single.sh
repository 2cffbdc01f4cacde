# A shard alone becomes no set that says it is a whole model.
set="$FILES/odd/d26-normal"
"$GGUF" split --single --max-tensors 1 "$set/m-00001-of-00003.gguf" part
echo "exit status $?"
"$GGUF" split --max-tensors 1 - part <"$set/m-00001-of-00003.gguf"
echo "exit status $?"
"$GGUF" split -q --single --max-tensors 1 "$FILES/good/llama.gguf" part
echo "exit status $?"
ls
