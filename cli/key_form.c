/* key_form.c - what a key may look like, by the format's description. */
#include "key_form.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define KEY_MOST_BYTES 65535

static bool may_stand_in_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Words of small letters, digits and _ with dots between. The first of several
 * may be the name of an architecture, and some of these have a dash. */
static bool is_key_form(ggk_str key)
{
    const char *first = key.len > 0 ? memchr(key.ptr, '.', key.len) : NULL;
    bool dot = true; /* a word has to begin */

    for (size_t i = 0; i < key.len; i++) {
        const char *c = &key.ptr[i];
        bool dash = *c == '-' && first != NULL && c < first && !dot;

        if (*c == '.' ? dot : !may_stand_in_key(*c) && !dash)
            return false;
        dot = *c == '.';
    }
    return !dot;
}

const char *key_form_fault(ggk_str key, char *text)
{
    if (key.len <= KEY_MOST_BYTES && is_key_form(key))
        return NULL;
    if (key.len > KEY_MOST_BYTES)
        snprintf(text, KEY_FORM_BYTES,
                 "a key has at most %d bytes, and this one %zu (--force does "
                 "it)",
                 KEY_MOST_BYTES, key.len);
    else
        snprintf(text, KEY_FORM_BYTES,
                 "a key is made of words of a-z, 0-9 and _ with dots between "
                 "(--force does it)");
    return text;
}
