#!/bin/sh
# check-layers.sh - who may include whom, and what may not be called where.
#
# usage: check-layers.sh [ROOT]
#        check-layers.sh --self-test
#
# Prints FILE:LINE: MESSAGE for every breach of these rules; exit 1 if any.
#
#   lib/  base <- io <- format <- model <- ops: a layer includes itself and those
#         to its left. kern sees base only; hf sees base, io and format/types.h;
#         only ops sees kern and hf. All may include ggk.h. Internal headers are
#         written with their layer: "base/ckd.h".
#   cli/  ggk.h and headers below cli/, nothing else of ours; cli/out and cli/ui
#         only each other's, so that they know no GGUF.
#   No header includes itself, however long the way round.
#   lib/ does not print, end the process, read the environment, or assert: what
#         cannot be is GGK_E_BUG. Only lib/base/mem.c calls malloc and free.
#   Nowhere: functions that write without a bound, that report no error, or
#         that start other programs.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)

# code ROOT - all our C lines of ROOT, relative to it, stripped.
code() {
    (
        cd "$1"
        for dir in include lib cli tests bench; do
            [ ! -d "$dir" ] || find "$dir" -path bench/work -prune -o \
                -type f \( -name '*.[ch]' -o -name '*.def' \) \
                -exec awk -f "$here/strip-c.awk" {} +
        done
    )
}

# breaches ROOT - reads stripped code, prints what is wrong with it.
breaches() {
    awk -v root="$1" '
    BEGIN {
        split("base io format model kern hf ops", list, " ")
        for (i in list)
            layer[list[i]] = 1
        sees["base"] = " base "
        sees["io"] = " base io "
        sees["format"] = " base io format "
        sees["model"] = " base io format model "
        sees["kern"] = " base kern "
        sees["hf"] = " base io hf "
        sees["ops"] = " base io format model kern hf ops "

        forbid("never", "sprintf vsprintf strcpy strcat stpcpy gets atoi " \
               "atol atoll atof strtok alloca system popen tmpnam tempnam " \
               "mktemp rand srand vfork")
        forbid("not in lib", "printf fprintf vprintf vfprintf dprintf " \
               "vdprintf puts fputs putchar putc fputc perror exit _exit " \
               "_Exit quick_exit abort getenv secure_getenv assert raise")
        forbid("only in lib/base/mem.c", "malloc calloc realloc free " \
               "aligned_alloc posix_memalign strdup strndup")
    }

    function forbid(where, names,    n, part, i)
    {
        n = split(names, part, " ")
        for (i = 1; i <= n; i++)
            forbidden[part[i]] = where
    }

    function breach(message)
    {
        print file ":" line ": " message
        bad = 1
    }

    function exists(path,    ignored, status)
    {
        if (!(path in known)) {
            status = (getline ignored < (root "/" path))
            close(root "/" path)
            known[path] = status >= 0
        }
        return known[path]
    }

    # The layer of a file below lib/, or the part of one below cli/.
    function part_of(path,    word)
    {
        split(path, word, "/")
        return word[2]
    }

    function lib_include(target, quoted,    from, to)
    {
        from = part_of(file)
        to = target
        sub(/\/.*/, "", to)
        if (!quoted && !(to in layer && target ~ /\//))
            return
        if (!(to in layer) || target !~ /\//)
            breach("\"" target "\" is not written with its layer")
        else if (!exists("lib/" target))
            breach("\"" target "\" is not there")
        else if (from == "hf" && target == "format/types.h")
            return
        else if (!(from in sees))
            breach("lib/" from " is no layer")
        else if (index(sees[from], " " to " ") == 0)
            breach(from " must not include " to " (\"" target "\")")
    }

    function cli_include(target, quoted,    from, to)
    {
        from = part_of(file)
        to = target
        sub(/\/.*/, "", to)
        if (!quoted) {
            if (to in layer && target ~ /\//)
                breach("cli must not include the library\047s " target)
        } else if (!exists("cli/" target)) {
            breach("\"" target "\" is not below cli/")
        } else if ((from == "out" || from == "ui") && to != "out" &&
                   to != "ui") {
            breach("cli/" from " must not include \"" target "\"")
        }
    }

    function include(text,    target, quoted)
    {
        quoted = text ~ /^[^<]*"/
        target = text
        sub(/^[^"<]*["<]/, "", target)
        sub(/[">].*/, "", target)
        if (target ~ /^\.\.?\// || target ~ /\/\.\.?\//) {
            breach("\"" target "\" is not written from its root")
        } else if (target == "ggk.h") {
            if (file ~ /^cli\/(out|ui)\//)
                breach(substr(file, 1, 7) " must not know ggk.h")
        } else if (file ~ /^lib\//) {
            lib_include(target, quoted)
        } else if (file ~ /^cli\//) {
            cli_include(target, quoted)
        } else if (file ~ /^include\// && quoted) {
            breach("the public header includes \"" target "\"")
        }
    }

    function word(name, called,    where)
    {
        where = forbidden[name]
        if (where == "never" && called)
            breach(name "() is never used here")
        else if (where == "not in lib" && called && file ~ /^lib\//)
            breach("the library does not call " name "()")
        else if (where == "only in lib/base/mem.c" &&
                 file ~ /^lib\// && file != "lib/base/mem.c")
            breach(name " is for lib/base/mem.c alone")
    }

    # Identifiers one by one; a member (x.free, x->free) is not the function.
    function words(text,    name, before, rest)
    {
        before = ""
        while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
            name = substr(text, RSTART, RLENGTH)
            before = before substr(text, 1, RSTART - 1)
            rest = substr(text, RSTART + RLENGTH)
            if (name in forbidden && before !~ /(\.|->)[ \t]*$/)
                word(name, rest ~ /^[ \t]*\(/)
            before = name
            text = rest
        }
    }

    {
        split($0, field, ":")
        file = field[1]
        line = field[2]
        text = substr($0, length(file) + length(line) + 3)
        if (text ~ /^[ \t]*#[ \t]*include/)
            include(text)
        else
            words(text)
    }
    END { exit bad }
    '
}

# edges - header names in pairs, includer first; from stripped code.
edges() {
    awk '{
        split($0, field, ":")
        text = substr($0, length(field[1]) + length(field[2]) + 3)
        if (field[1] ~ /^(lib|cli)\/.*\.h$/ &&
            text ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
            split(text, part, "\"")
            sub(/^(lib|cli)\//, "", field[1])
            print field[1], part[2]
        }
    }'
}

check() {
    status=0
    code "$1" >"$work/code"
    [ -s "$work/code" ] || {
        echo "check-layers.sh: no C files below $1" >&2
        return 2
    }
    breaches "$1" <"$work/code" || status=1
    if ! edges <"$work/code" | tsort >/dev/null 2>"$work/loop"; then
        sed 's/^tsort: -: /headers in a circle: /; s/^tsort: /    /' \
            "$work/loop"
        status=1
    fi
    return "$status"
}

# ------------------------------------------------------------------ self-test
# put FILE TEXT - one file of the tree to judge.
put() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%b\n' "$2" >"$work/tree/$1"
}

clean_tree() {
    rm -rf "$work/tree"
    put include/ggk.h '#include <stdint.h>\nconst char *ggk_version(void);'
    put lib/base/ckd.h '#include "ggk.h"\n/* never sprintf( */'
    put lib/base/le.h '#include "base/ckd.h"'
    put lib/base/mem.c '#include <stdlib.h>\nvoid f(void *p) { free(p); }'
    put lib/io/source.h '#include "base/ckd.h"'
    put lib/format/types.h '#include "base/ckd.h"'
    put lib/format/reader.h '#include "io/source.h"'
    put lib/model/model.h '#include "format/reader.h"'
    put lib/kern/kern.h '#include "base/ckd.h"'
    put lib/kern/x86/avx2.c '#include "kern/kern.h"'
    put lib/hf/config.h '#include "format/types.h"\n#include "io/source.h"'
    put lib/ops/plan.c '#include "hf/config.h"\n#include "kern/kern.h"\nint
        snprintf_used(void) { a->free(a); return snprintf("exit(1)"); }'
    put cli/command.h '#include <ggk.h>'
    put cli/main.c '#include "command.h"\n#include "ggk.h"\nvoid
        g(void *p) { printf("strcpy(a, b)"); free(p); exit(0); }'
    put cli/ui/msg.h '#include <stdio.h>'
    put cli/out/json.h '#include "ui/msg.h"'
}

# caught WORDS FILE TEXT - planted in FILE, TEXT is reported with WORDS.
caught() {
    clean_tree
    put "$2" "$3"
    if check "$work/tree" >"$work/said"; then
        echo "NOT caught in $2: $3"
        failed=1
    elif ! grep -qF "$1" "$work/said"; then
        echo "caught in $2, but not as '$1':"
        cat "$work/said"
        failed=1
    fi
    planted=$((planted + 1))
}

self_test() {
    failed=0
    planted=0
    clean_tree
    check "$work/tree" || {
        echo "a clean tree is refused"
        failed=1
    }
    caught 'base must not include io' lib/base/up.c '#include "io/source.h"'
    caught 'io must not include format' lib/io/a.c '#include "format/types.h"'
    caught 'format must not include model' lib/format/a.c \
        '#include "model/model.h"'
    caught 'kern must not include io' lib/kern/x86/a.c '#include "io/source.h"'
    caught 'model must not include kern' lib/model/a.c '#include "kern/kern.h"'
    caught 'model must not include hf' lib/model/b.c '#include "hf/config.h"'
    caught 'hf must not include format' lib/hf/a.c '#include "format/reader.h"'
    caught 'base must not include io' lib/base/b.c '#  include <io/source.h>'
    caught 'not written with its layer' lib/io/b.c '#include "source.h"'
    caught 'not written from its root' lib/io/c.c '#include "../base/ckd.h"'
    caught 'is not there' lib/io/d.c '#include "base/none.h"'
    caught 'is no layer' lib/extra/a.c '#include "base/ckd.h"'
    caught 'is not below cli/' cli/cmd/cmd_a.c '#include "base/ckd.h"'
    caught 'cli must not include' cli/cmd/cmd_b.c '#include <base/ckd.h>'
    caught 'not written from its root' cli/cmd/cmd_c.c '#include "../lib/base/ckd.h"'
    caught 'must not know ggk.h' cli/out/a.c '#include "ggk.h"'
    caught 'must not know ggk.h' cli/ui/a.c '#include <ggk.h>'
    caught 'cli/ui must not include' cli/ui/b.c '#include "command.h"'
    caught 'the public header' include/ggk.h '#include "base/ckd.h"'
    caught 'headers in a circle' lib/base/ckd.h '#include "base/le.h"'
    caught 'headers in a circle' cli/ui/msg.h '#include "out/json.h"'
    caught 'does not call printf' lib/io/e.c 'int f(void) { printf ("x"); }'
    caught 'does not call exit' lib/io/f.c '/* a */ void f(void) { exit(1); }'
    caught 'does not call getenv' lib/io/g.c 'char *f = getenv("x");'
    caught 'does not call assert' lib/io/h.c 'void f(int n) { assert(n); }'
    caught 'malloc is for' lib/io/i.c 'void *p = malloc(1);'
    caught 'free is for' lib/io/j.c 'void (*f)(void *) = free;'
    caught 'sprintf() is never' tests/unit/a.c 'void f(void) { sprintf(b); }'
    caught 'system() is never' cli/a.c 'int f(void) { return system("x"); }'
    caught 'strcpy() is never' cli/b.c 'char c = 0x27; void f(void) {
        g("\\"/*", 1); strcpy(a, b); /* */ }'
    echo "$planted planted breaches, $([ $failed = 0 ] && echo all caught ||
        echo NOT all caught)"
    return "$failed"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1-} in
--self-test) self_test ;;
*) check "${1-$here/..}" ;;
esac
