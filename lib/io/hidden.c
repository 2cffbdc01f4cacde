/* hidden.c - the names of what is kept beside a file for a while. */
#include "io/hidden.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a */
static uint64_t hash(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return h;
}

void ggki_hidden_name(char out[GGKI_HIDDEN_BYTES], const char *name,
                      const char *suffix)
{
    int len = snprintf(out, GGKI_HIDDEN_BYTES, ".%s%s", name, suffix);

    if (len >= GGKI_HIDDEN_BYTES)
        snprintf(out, GGKI_HIDDEN_BYTES, ".%.200s.%016" PRIx64 "%s", name,
                 hash(name), suffix);
}

bool ggki_is_hidden_name(const char *name)
{
    static const char *const suffixes[] = {GGKI_TEMPORARY, GGKI_OLD,
                                           GGKI_JOURNAL};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t len = strlen(suffixes[i]);

        if (*name == '.' && n > len + 1 &&
            strcmp(name + n - len, suffixes[i]) == 0)
            return true;
    }
    return false;
}
