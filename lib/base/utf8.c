/* utf8.c - looks through strings for what does not belong there. */
#include "base/utf8.h"

#include <stdint.h>

/* Bytes of the character at `p`, of which `left` may be read; 0 if it is not
 * one. Its number into `*out`. */
static size_t decode(const uint8_t *p, size_t left, uint32_t *out)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = p[0] < 0x80             ? 1
                 : (p[0] & 0xe0) == 0xc0 ? 2
                 : (p[0] & 0xf0) == 0xe0 ? 3
                 : (p[0] & 0xf8) == 0xf0 ? 4
                                         : 0;
    uint32_t c;

    if (len == 0 || len > left)
        return 0;
    c = len == 1 ? p[0] : p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *out = c;
    return len;
}

size_t ggki_utf8_invalid(ggk_str s)
{
    const uint8_t *p = (const uint8_t *)s.ptr;
    size_t i = 0;

    while (i < s.len) {
        uint32_t c;
        size_t len = p[i] < 0x80 ? 1 : decode(p + i, s.len - i, &c);
        if (len == 0)
            return i;
        i += len;
    }
    return s.len;
}

static bool is_control(uint32_t c)
{
    if (c < 0x20)
        return c != '\t' && c != '\n' && c != '\r';
    return (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e ||
           c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

size_t ggki_utf8_control(ggk_str s)
{
    const uint8_t *p = (const uint8_t *)s.ptr;
    size_t i = 0;

    while (i < s.len) {
        uint32_t c = p[i];
        size_t len = c < 0x80 ? 1 : decode(p + i, s.len - i, &c);
        if (len > 0 && is_control(c))
            return i;
        i += len > 0 ? len : 1;
    }
    return s.len;
}
