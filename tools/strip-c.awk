# strip-c.awk - C files as FILE:LINE:CODE, without comments and without what
# stands in string and character literals (an #include keeps its file name).

function strip(s,    out, i, n, c, two)
{
    out = ""
    n = length(s)
    for (i = 1; i <= n; i++) {
        c = substr(s, i, 1)
        two = substr(s, i, 2)
        if (state == "comment") {
            if (two == "*/") {
                state = ""
                out = out " "
                i++
            }
        } else if (state != "") { # in a literal, which `state` ends
            if (c == "\\") {
                i++
            } else if (c == state) {
                state = ""
                out = out c
            }
        } else if (two == "//") {
            break
        } else if (two == "/*") {
            state = "comment"
            i++
        } else {
            if (c == "\"" || c == "'")
                state = c
            out = out c
        }
    }
    if (state == "\"" || state == "'") # only a backslash carries one further
        if (substr(s, n, 1) != "\\")
            state = ""
    return out
}

FNR == 1 { state = "" }
state == "" && /^[ \t]*#[ \t]*include/ {
    sub(/[ \t]*\/[\/*].*$/, "")
    print FILENAME ":" FNR ":" $0
    next
}
{
    code = strip($0)
    if (code ~ /[^ \t]/)
        print FILENAME ":" FNR ":" code
}
