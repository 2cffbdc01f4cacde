/* same.h - are two strings the same? As the library gives them: pointer and
 * length. */
#ifndef CLI_SAME_H
#define CLI_SAME_H

#include <stdbool.h>
#include <string.h>

#include "ggk.h"

/* str_same - byte for byte; str_is - the same with a text; str_is_name - so,
 * but one NUL at the end of a stored name does not count. */
static inline bool str_same(ggk_str a, ggk_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_is(ggk_str s, const char *text)
{
    return str_same(s, ggk_cstr(text));
}

static inline bool str_is_name(ggk_str s, const char *name)
{
    if (s.len > 0 && s.ptr[s.len - 1] == '\0')
        s.len--;
    return str_is(s, name);
}

#endif
