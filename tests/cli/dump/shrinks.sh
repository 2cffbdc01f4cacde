# A file that loses its last bytes, but no page, while its reader is held up.
cp "$FILES/odd/d30-big-header.gguf" big.gguf
mkfifo pipe
"$GGUF" dump --full big.gguf >pipe &
exec 3<pipe
head -c 100 <&3 >/dev/null
truncate -s -4 big.gguf
cat <&3 >/dev/null
wait $!
