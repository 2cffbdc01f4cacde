/* find.c - a text to look for, as it is typed. */
#include "find.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "same.h"
#include "show.h"

/* Where the text goes: the bytes it stands for, and the same as a pattern. */
struct finding_out {
    char *exact, *pattern;
    bool special; /* it holds * ? or [ in their own right */
    bool nul;     /* no pattern can hold that */
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* A byte that stands for itself. */
static void put_literal(struct finding_out *o, unsigned char byte)
{
    *o->exact++ = (char)byte;
    if (byte == '*' || byte == '?' || byte == '[' || byte == '\\')
        *o->pattern++ = '\\';
    *o->pattern++ = (char)byte;
    o->nul = o->nul || byte == 0;
}

static void put_utf8(struct finding_out *o, uint32_t cp)
{
    if (cp < 0x80) {
        put_literal(o, (unsigned char)cp);
        return;
    }
    if (cp < 0x800) {
        put_literal(o, (unsigned char)(0xc0 | cp >> 6));
    } else {
        if (cp < 0x10000) {
            put_literal(o, (unsigned char)(0xe0 | cp >> 12));
        } else {
            put_literal(o, (unsigned char)(0xf0 | cp >> 18));
            put_literal(o, (unsigned char)(0x80 | (cp >> 12 & 0x3f)));
        }
        put_literal(o, (unsigned char)(0x80 | (cp >> 6 & 0x3f)));
    }
    put_literal(o, (unsigned char)(0x80 | (cp & 0x3f)));
}

/* "xHH" and "u{H...}", after the backslash: bytes taken, 0 if it is neither. */
static size_t take_numeric(struct finding_out *o, const char *s)
{
    uint32_t value = 0;
    size_t n = 2;

    if (s[0] == 'x') {
        if (hex_digit(s[1]) < 0 || hex_digit(s[2]) < 0)
            return 0;
        put_literal(o, (unsigned char)(hex_digit(s[1]) * 16 + hex_digit(s[2])));
        return 3;
    }
    if (s[0] != 'u' || s[1] != '{')
        return 0;
    for (; n < 8 && hex_digit(s[n]) >= 0; n++)
        value = value * 16 + (uint32_t)hex_digit(s[n]);
    if (n == 2 || s[n] != '}' || value > 0x10ffff)
        return 0;
    put_utf8(o, value);
    return n + 1;
}

/* What follows a backslash: bytes taken, 0 if it is no escape. */
static size_t take_escape(struct finding_out *o, const char *s)
{
    static const char letters[] = "n\nt\tr\r\\\\\"\"**??[[]]";

    for (size_t i = 0; letters[i] != '\0' && *s != '\0'; i += 2) {
        if (*s != letters[i])
            continue;
        put_literal(o, (unsigned char)letters[i + 1]);
        return 1;
    }
    return take_numeric(o, s);
}

static const char *take_text(struct finding_out *o, const char *s)
{
    while (*s != '\0') {
        if (*s == '\\') {
            size_t taken = take_escape(o, s + 1);
            if (taken == 0)
                return s;
            s += 1 + taken;
            continue;
        }
        o->special = o->special || *s == '*' || *s == '?' || *s == '[';
        *o->exact++ = *s;
        *o->pattern++ = *s++;
    }
    *o->pattern = '\0';
    return NULL;
}

enum find_parsed find_parse(const char *text, struct find *out,
                            const char **bad)
{
    /* A byte gives one, in a pattern two at most. */
    size_t len = strlen(text);
    char *memory = malloc(3 * len + 1);
    struct finding_out o = {memory, memory, false, false};

    *out = (struct find){0};
    if (memory == NULL)
        return FIND_NO_MEMORY;
    o.pattern += len;
    *bad = take_text(&o, text);
    if (*bad != NULL) {
        free(memory);
        return FIND_BAD_ESCAPE;
    }
    out->memory = memory;
    out->exact = (ggk_str){memory, (size_t)(o.exact - memory)};
    out->pattern = o.special && !o.nul ? memory + len : NULL;
    return FIND_PARSED;
}

void find_free(struct find *f)
{
    free(f->memory);
    *f = (struct find){0};
}

bool find_equal(const struct find *f, ggk_str text)
{
    return str_same(text, f->exact);
}

bool find_matches(const struct find *f, ggk_str text)
{
    return f->pattern != NULL && show_matches(f->pattern, text);
}
