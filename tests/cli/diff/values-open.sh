# What was not compared may differ: nobody says that it is equal. But one file
# is equal to itself, by whatever name.
cp "$FILES/odd/d20-fork-types.gguf" a.gguf
cp a.gguf b.gguf
ln a.gguf c.gguf
"$GGUF" diff --values a.gguf b.gguf | tail -n 1
"$GGUF" diff --values -q a.gguf b.gguf
echo "exit status $?"
"$GGUF" diff --values --json a.gguf b.gguf | grep -o '"n_differ".*'
"$GGUF" diff --values a.gguf c.gguf
echo "exit status $?"
"$GGUF" diff --values --json a.gguf c.gguf
"$GGUF" copy -q --drop t81 a.gguf less.gguf
"$GGUF" diff --values -q a.gguf less.gguf
echo "exit status $?"
"$GGUF" diff --values --json a.gguf less.gguf | grep -o '"n_differ".*'
