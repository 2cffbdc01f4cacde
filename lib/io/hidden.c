/* hidden.c - the names of what is kept beside a file for a while. */
#include "io/hidden.h"

#include <stdint.h>
#include <stdio.h>

static uint64_t fnv1a(const char *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return h;
}

void ggki_hidden_name(char out[GGKI_HIDDEN_BYTES], const char *name,
                      const char *suffix)
{
    int len = snprintf(out, GGKI_HIDDEN_BYTES, ".%s%s", name, suffix);

    if (len >= GGKI_HIDDEN_BYTES)
        snprintf(out, GGKI_HIDDEN_BYTES, ".%.200s.%016llx%s", name,
                 (unsigned long long)fnv1a(name), suffix);
}
