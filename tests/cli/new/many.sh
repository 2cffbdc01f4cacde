# A tensor for each file, and more files than are open at once by default.
i=0
{
    echo '{"tensors": ['
    while [ $i -lt 300 ]; do
        printf x >"f$i"
        [ $i = 0 ] || echo ,
        echo "{\"name\": \"t$i\", \"type\": \"I8\", \"shape\": [1], \"raw\": \"f$i\"}"
        i=$((i + 1))
    done
    echo ']}'
} >s.json
# shellcheck disable=SC3045 # bash, dash and busybox have it
ulimit -S -n 64
"$GGUF" new o.gguf --spec s.json
