/* str.h - strings as the library gives them: pointer and length. */
#ifndef CLI_STR_H
#define CLI_STR_H

#include <stdbool.h>
#include <string.h>

#include "ggk.h"

/* str_same - byte for byte. str_is - the same of a text. */
static inline bool str_same(ggk_str a, ggk_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_is(ggk_str s, const char *text)
{
    return str_same(s, ggk_cstr(text));
}

#endif
