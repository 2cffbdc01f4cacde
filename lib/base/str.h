/* str.h - are two strings the same? */
#ifndef GGKI_STR_H
#define GGKI_STR_H

#include <stdbool.h>
#include <string.h>

#include "ggk.h"

/* ggki_str_same - byte for byte; either may be empty, and NULL then.
 * ggki_str_is - the same with a text. */
static inline bool ggki_str_same(ggk_str a, ggk_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ggki_str_is(ggk_str s, const char *text)
{
    return ggki_str_same(s, ggk_cstr(text));
}

/* A name, to be put into a sentence by "%.*s": so many bytes of it, and no part
 * of a character of UTF-8, which has up to three that go on with it. */
#define GGKI_SHOWN_BYTES 100
static inline int ggki_shown(ggk_str s)
{
    int n = GGKI_SHOWN_BYTES;

    if (s.len <= GGKI_SHOWN_BYTES)
        return (int)s.len;
    while (n > GGKI_SHOWN_BYTES - 3 && (s.ptr[n] & 0xc0) == 0x80)
        n--;
    return (s.ptr[n] & 0xc0) == 0x80 ? GGKI_SHOWN_BYTES : n;
}

/* Is it one of `n` texts, none of them empty, in the order of their bytes? */
bool ggki_str_in(ggk_str s, const char *const *sorted, size_t n);

#endif
