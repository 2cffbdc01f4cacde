/* text.c - any bytes, made safe to show. */
#include "out/text.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "out/unicode.h"

#define PLAIN_MOST 128 /* bytes that are looked at together */

static const char ellipsis[] = "\xe2\x80\xa6"; /* U+2026, one column */

/* What is shown for one character, or for one byte that is none. */
struct piece {
    char bytes[12]; /* the longest is \u{10ffff} */
    unsigned n;
    unsigned width;
};

static void put_hex(struct piece *p, uint32_t v, unsigned digits)
{
    while (digits-- > 0)
        p->bytes[p->n++] = "0123456789abcdef"[v >> (4 * digits) & 15];
}

static void escape_letter(struct piece *p, char letter)
{
    p->bytes[0] = '\\';
    p->bytes[1] = letter;
    p->n = 2;
    p->width = 2;
}

static void escape_byte(struct piece *p, unsigned byte)
{
    escape_letter(p, 'x');
    put_hex(p, byte, 2);
    p->width = p->n;
}

static void escape_character(struct piece *p, uint32_t cp)
{
    escape_letter(p, 'u');
    p->bytes[p->n++] = '{';
    put_hex(p, cp, cp > 0xfffff ? 6 : cp > 0xffff ? 5 : 4);
    p->bytes[p->n++] = '}';
    p->width = p->n;
}

static void keep(struct piece *p, const unsigned char *s, size_t n,
                 unsigned width)
{
    memcpy(p->bytes, s, n);
    p->n = (unsigned)n;
    p->width = width;
}

static void ascii_piece(struct piece *p, const unsigned char *s,
                        enum text_form form)
{
    if (*s == '\n')
        escape_letter(p, 'n');
    else if (*s == '\t')
        escape_letter(p, 't');
    else if (*s == '\r')
        escape_letter(p, 'r');
    else if ((*s == '\\' && form != TEXT_VERBATIM) ||
             (*s == '"' && form == TEXT_QUOTED))
        escape_letter(p, (char)*s);
    else if (*s < 0x20 || *s == 0x7f)
        escape_byte(p, *s);
    else
        keep(p, s, 1, 1);
}

/* The first piece of n > 0 bytes; returns the bytes it stands for. */
static size_t take_piece(struct piece *p, const unsigned char *bytes, size_t n,
                         enum text_form form)
{
    /* The bytes may be a mapped file's, which another process writes to: what
     * is shown must be what was looked at. */
    unsigned char s[4] = {0};
    uint32_t cp = 0;
    size_t len;

    n = n < sizeof s ? n : sizeof s;
    memcpy(s, bytes, n);

    if (*s < 0x80) {
        ascii_piece(p, s, form);
        return 1;
    }
    len = unicode_decode(s, n, &cp);
    if (len == 0) {
        escape_byte(p, *s);
        return 1;
    }
    if (unicode_printable(cp))
        keep(p, s, len, unicode_width(cp));
    else
        escape_character(p, cp);
    return len;
}

/* Bytes at the start that are shown as they are, in a column each: their
 * number, and a copy of them, for the reason given above. */
static size_t plain_bytes(unsigned char s[PLAIN_MOST],
                          const unsigned char *bytes, size_t n)
{
    size_t i = 0;

    n = n < PLAIN_MOST ? n : PLAIN_MOST;
    memcpy(s, bytes, n);
    while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\' && s[i] != '"')
        i++;
    return i;
}

static void put(FILE *out, const void *bytes, size_t n)
{
    if (out != NULL)
        fwrite(bytes, 1, n, out);
}

/* Write what fits into `columns`, or only count if `out` is NULL; returns the
 * columns used, and in *rest the bytes that did not fit. */
static size_t write_fitting(FILE *out, const unsigned char *s, size_t n,
                            enum text_form form, size_t columns, size_t *rest)
{
    size_t width = 0;

    while (n > 0) {
        unsigned char plain[PLAIN_MOST];
        size_t room = columns - width;
        size_t len = plain_bytes(plain, s, n < room ? n : room);

        if (len > 0) {
            put(out, plain, len);
            width += len;
        } else {
            struct piece p;

            len = take_piece(&p, s, n, form);
            if (p.width > room)
                break;
            put(out, p.bytes, p.n);
            width += p.width;
        }
        s += len;
        n -= len;
    }
    *rest = n;
    return width;
}

static size_t write_shortened(FILE *out, const unsigned char *s, size_t n,
                              enum text_form form, size_t columns)
{
    size_t rest = 0, width;

    if (columns == TEXT_WHOLE)
        return write_fitting(out, s, n, form, columns, &rest);
    width = write_fitting(NULL, s, n, form, columns, &rest);
    if (rest == 0)
        columns = width;
    else if (columns > 0)
        columns--;
    else
        return 0;
    if (out != NULL || rest > 0)
        width = write_fitting(out, s, n, form, columns, &rest);
    if (rest == 0)
        return width;
    put(out, ellipsis, sizeof ellipsis - 1);
    return width + 1;
}

static size_t write_text(FILE *out, const void *bytes, size_t n,
                         enum text_form form, size_t columns)
{
    size_t width;

    if (form != TEXT_QUOTED)
        return write_shortened(out, bytes, n, form, columns);
    if (columns < 2)
        return 0;
    if (columns != TEXT_WHOLE)
        columns -= 2;
    if (out != NULL)
        putc_unlocked('"', out);
    width = write_shortened(out, bytes, n, form, columns);
    if (out != NULL)
        putc_unlocked('"', out);
    return width + 2;
}

size_t text_write(FILE *out, const void *bytes, size_t n, enum text_form form,
                  size_t columns)
{
    return write_text(out, bytes, n, form, columns);
}

size_t text_width(const void *bytes, size_t n, enum text_form form,
                  size_t columns)
{
    return write_text(NULL, bytes, n, form, columns);
}

size_t text_copy(char *buf, size_t room, const void *bytes, size_t n)
{
    const unsigned char *s = bytes;
    size_t used = 0;

    assert(room > 0);
    while (n > 0) {
        struct piece p;
        size_t len = take_piece(&p, s, n, TEXT_PLAIN);

        if (p.n >= room - used)
            break;
        memcpy(buf + used, p.bytes, p.n);
        used += p.n;
        s += len;
        n -= len;
    }
    buf[used] = '\0';
    return used;
}

/* One character as in repr(): what Python escapes in a string. */
static size_t write_repr_piece(FILE *out, const unsigned char *bytes, size_t n,
                               char quote)
{
    unsigned char s[4] = {0}; /* as in take_piece */
    uint32_t cp = 0;
    size_t len;

    n = n < sizeof s ? n : sizeof s;
    memcpy(s, bytes, n);
    len = unicode_decode(s, n, &cp);

    if (len == 0) {
        fprintf(out, "\\udc%02x", *s);
        return 1;
    }
    if (cp == '\n')
        fputs("\\n", out);
    else if (cp == '\r')
        fputs("\\r", out);
    else if (cp == '\t')
        fputs("\\t", out);
    else if (cp == '\\' || cp == (unsigned char)quote)
        fprintf(out, "\\%c", *s);
    else if (unicode_printable(cp))
        fwrite(s, 1, len, out);
    else if (cp <= 0xff)
        fprintf(out, "\\x%02x", (unsigned)cp);
    else if (cp <= 0xffff)
        fprintf(out, "\\u%04x", (unsigned)cp);
    else
        fprintf(out, "\\U%08x", (unsigned)cp);
    return len;
}

void text_repr(FILE *out, const void *bytes, size_t n)
{
    const unsigned char *s = bytes;
    bool has_single = n > 0 && memchr(s, '\'', n) != NULL;
    bool has_double = n > 0 && memchr(s, '"', n) != NULL;
    char quote = has_single && !has_double ? '"' : '\'';

    putc_unlocked(quote, out);
    while (n > 0) {
        size_t len = write_repr_piece(out, s, n, quote);

        s += len;
        n -= len;
    }
    putc_unlocked(quote, out);
}

size_t text_prefix(const void *bytes, size_t n, size_t count)
{
    const unsigned char *s = bytes;
    size_t used = 0;

    for (; used < n && count > 0; count--) {
        uint32_t cp;
        size_t len = unicode_decode(s + used, n - used, &cp);

        used += len > 0 ? len : 1;
    }
    return used;
}
