# Every character that means something in Markdown, in HTML or in a table; in
# the name of the file, a key, a value and a tensor's name.
nasty='a|`<b>&lt;*_[x](y)\~$# www.x.y http://z'
u64() {
    printf '%b\0\0\0\0\0\0\0' "\\0$(printf '%o' "$1")"
}
string() {
    u64 $((${#1} + 5))
    printf '%s\n</td' "$1"
}
{
    printf 'GGUF\3\0\0\0'
    u64 1
    u64 1
    string "$nasty"
    printf '\10\0\0\0'
    string "$nasty"
    string "$nasty"
    printf '\1\0\0\0'
    u64 1
    printf '\30\0\0\0'
    u64 0
    head -c 256 /dev/zero
} >'<i>|x.gguf'
"$GGUF" dump -q --markdown --full '<i>|x.gguf'
