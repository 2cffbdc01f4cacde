# Sorted by what was found; what has no numbers comes last, either way.
f=$FILES/features/features-v3.gguf
for by in max dev zeros outliers; do
    "$GGUF" stats --sort $by "$f" 'd*' 2>/dev/null
done
"$GGUF" stats --sort max -r "$f" 'd*' 2>/dev/null
"$GGUF" stats --sort zeros "$FILES/odd/d20-opaque-last.gguf"
"$GGUF" stats --sort zeros -r "$FILES/odd/d20-opaque-last.gguf"
"$GGUF" stats --sort colour x.gguf
echo "exit status $?"
