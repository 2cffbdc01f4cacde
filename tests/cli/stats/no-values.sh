# Types that nobody knows, and those that have no numbers to be had.
"$GGUF" stats "$FILES/odd/d20-fork-types.gguf"
"$GGUF" stats --json "$FILES/odd/d20-fork-types.gguf"
"$GGUF" stats "$FILES/odd/d18-zero-middle.gguf"
"$GGUF" stats --json "$FILES/odd/d18-zero-middle.gguf"
"$GGUF" stats "$FILES/good/one-key.gguf"
