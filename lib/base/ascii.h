/* ascii.h - names whose upper and lower case are alike. */
#ifndef GGKI_ASCII_H
#define GGKI_ASCII_H

#include <stdbool.h>

static inline char ggki_ascii_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline bool ggki_ascii_same(const char *a, const char *b)
{
    while (*a != '\0' && ggki_ascii_upper(*a) == ggki_ascii_upper(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

#endif
