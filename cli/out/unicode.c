/* unicode.c - UTF-8, and which characters a terminal may be shown. */
#include "out/unicode.h"

#include <string.h>

#include "out/unicode_table.h"

enum { CLASS_UNPRINTABLE = 0 }; /* the others are the width plus one */

/* One lead byte tells the length and the range of the second byte, which is
 * where overlong forms, surrogates and numbers past U+10FFFF show. */
static size_t sequence_length(const unsigned char *s)
{
    unsigned lead = s[0], low = 0x80, high = 0xbf;
    size_t n = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    return s[1] >= low && s[1] <= high ? n : 0;
}

size_t unicode_decode(const void *bytes, size_t n, uint32_t *cp)
{
    const unsigned char *s = bytes;
    size_t len, i;
    uint32_t c;

    if (n == 0)
        return 0;
    if (s[0] < 0x80) {
        *cp = s[0];
        return 1;
    }
    if (n < 2 || (len = sequence_length(s)) == 0 || len > n)
        return 0;
    c = s[0] & (0x7fu >> len);
    for (i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    *cp = c;
    return len;
}

/* Whether eight bytes are ASCII: most text is, so look at it a word a time. */
static bool eight_ascii(const unsigned char *s)
{
    uint64_t word;

    memcpy(&word, s, sizeof word);
    return (word & 0x8080808080808080u) == 0;
}

bool unicode_valid(const void *bytes, size_t n)
{
    const unsigned char *s = bytes;
    uint32_t cp;
    size_t len;

    while (n > 0) {
        if (n >= 8 && eight_ascii(s)) {
            len = 8;
        } else {
            len = unicode_decode(s, n, &cp);
            if (len == 0)
                return false;
        }
        s += len;
        n -= len;
    }
    return true;
}

static unsigned class_of(uint32_t cp)
{
    size_t low = 0;
    size_t high = sizeof unicode_changes / sizeof unicode_changes[0];

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (unicode_changes[mid] >> 2 <= cp)
            low = mid;
        else
            high = mid;
    }
    return unicode_changes[low] & 3;
}

bool unicode_printable(uint32_t cp)
{
    return class_of(cp) != CLASS_UNPRINTABLE;
}

unsigned unicode_width(uint32_t cp)
{
    unsigned c = class_of(cp);

    return c == CLASS_UNPRINTABLE ? 0 : c - 1;
}
