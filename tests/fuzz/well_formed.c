/* well_formed.c - what the program may write, judged without its own code. */
#include "well_formed.h"

#include <stdint.h>
#include <string.h>

/* -------------------------------------------------------------------- text */

/* The character at the start of `n` bytes, 1 or more, and its length; 0 if they
 * are not UTF-8. */
static size_t take_char(const unsigned char *s, size_t n, uint32_t *cp)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80   ? 1
                 : s[0] < 0xc0 ? 0
                 : s[0] < 0xe0 ? 2
                 : s[0] < 0xf0 ? 3
                 : s[0] < 0xf8 ? 4
                               : 0;

    if (len == 0 || len > n)
        return 0;
    *cp = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *cp = *cp << 6 | (s[i] & 0x3f);
    }
    if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp < 0xe000))
        return 0;
    return len;
}

static bool is_obeyed(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
           (cp >= 0x200e && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
           (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

bool is_plain_text(const char *s, size_t n, bool tabs)
{
    const unsigned char *p = (const unsigned char *)s;

    while (n > 0) {
        uint32_t cp = 0;
        size_t len = take_char(p, n, &cp);
        bool allowed = cp == '\n' || (tabs && cp == '\t');

        if (len == 0 || (is_obeyed(cp) && !allowed))
            return false;
        p += len;
        n -= len;
    }
    return true;
}

/* -------------------------------------------------------------------- JSON */

#define DEEPEST 64

/* The text that is left. It ends in a newline, which no token takes. */
struct json_text {
    const char *at;
    int depth;
};

static void pass_blanks(struct json_text *t)
{
    while (*t->at == ' ' || (*t->at == '\n' && t->depth > 0))
        t->at++;
}

static bool take(struct json_text *t, const char *token)
{
    size_t n = strlen(token);

    if (strncmp(t->at, token, n) != 0)
        return false;
    t->at += n;
    return true;
}

static bool take_string(struct json_text *t)
{
    if (!take(t, "\""))
        return false;
    while (*t->at != '"') {
        if ((unsigned char)*t->at < 0x20)
            return false;
        if (*t->at != '\\') {
            t->at++;
        } else if (t->at[1] == 'u') {
            if (strspn(t->at + 2, "0123456789abcdef") < 4)
                return false;
            t->at += 6;
        } else if (t->at[1] != '\0' && strchr("\"\\/bfnrt", t->at[1]) != NULL) {
            t->at += 2;
        } else {
            return false;
        }
    }
    t->at++;
    return true;
}

static bool take_digits(struct json_text *t)
{
    size_t n = strspn(t->at, "0123456789");

    t->at += n;
    return n > 0;
}

static bool take_number(struct json_text *t)
{
    bool whole;

    take(t, "-");
    whole = take(t, "0") || take_digits(t);
    if (!whole || (take(t, ".") && !take_digits(t)))
        return false;
    if (!take(t, "e"))
        return true;
    if (!take(t, "-"))
        take(t, "+");
    return take_digits(t);
}

static bool take_value(struct json_text *t);

/* The elements of an array, or of an object, which have keys. */
static bool take_elements(struct json_text *t, bool keys, const char *end)
{
    bool more = false;

    if (++t->depth > DEEPEST)
        return false;
    pass_blanks(t);
    if (!take(t, end)) {
        do {
            pass_blanks(t);
            if (keys && (!take_string(t) || !take(t, ":")))
                return false;
            pass_blanks(t);
            if (!take_value(t))
                return false;
            pass_blanks(t);
            more = take(t, ",");
        } while (more);
        if (!take(t, end))
            return false;
    }
    t->depth--;
    return true;
}

static bool take_value(struct json_text *t)
{
    if (take(t, "{"))
        return take_elements(t, true, "}");
    if (take(t, "["))
        return take_elements(t, false, "]");
    if (*t->at == '"')
        return take_string(t);
    return take(t, "true") || take(t, "false") || take(t, "null") ||
           take_number(t);
}

bool is_json(const char *s, size_t n)
{
    struct json_text t = {s, 0};

    return n > 0 && s[n - 1] == '\n' && take_value(&t) && t.at == s + n - 1;
}
