/* slice.c - "I:J" on the command line. */
#include "slice.h"

#include <string.h>

#include "out/fmt.h"

bool slice_parse(const char *text, struct slice *out)
{
    const char *colon = strchr(text, ':');
    char from[24];
    size_t len = colon != NULL ? (size_t)(colon - text) : strlen(text);

    *out = (struct slice){true, colon == NULL, 0, UINT64_MAX};
    if (len >= sizeof from)
        return false;
    memcpy(from, text, len);
    from[len] = '\0';
    if ((len > 0 || colon == NULL) &&
        fmt_parse_u64(from, &out->from) != FMT_PARSED)
        return false;
    if (colon != NULL && colon[1] != '\0' &&
        fmt_parse_u64(colon + 1, &out->to) != FMT_PARSED)
        return false;
    if (colon == NULL)
        out->to = out->from < UINT64_MAX ? out->from + 1 : out->from;
    return out->from <= out->to;
}

bool slice_fit(struct slice *s, uint64_t n)
{
    if (!s->given)
        *s = (struct slice){false, false, 0, n};
    if (s->single ? s->from >= n : s->from > n)
        return false;
    if (s->to > n)
        s->to = n;
    return true;
}
