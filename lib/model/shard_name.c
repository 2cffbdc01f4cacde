/* shard_name.c - the names of the files of a split set, as llama.cpp gives
 * them: PREFIX-%05d-of-%05d.gguf, shards counted from 1. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#define SUFFIX_LEN 20 /* "-00001-of-00005.gguf" */

static bool parse_number(const char *s, size_t len, uint32_t *out)
{
    uint32_t value = 0;

    for (size_t i = 0; i < len; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(s[i] - '0');
    }
    *out = value;
    return true;
}

bool ggki_shard_name_parse(const char *path, struct ggki_shard_name *out)
{
    size_t len = strlen(path);
    const char *suffix;

    if (len < SUFFIX_LEN)
        return false;
    suffix = path + len - SUFFIX_LEN;
    out->prefix_len = len - SUFFIX_LEN;
    return suffix[0] == '-' && parse_number(suffix + 1, 5, &out->number) &&
           strncmp(suffix + 6, "-of-", 4) == 0 &&
           parse_number(suffix + 10, 5, &out->count) &&
           strcmp(suffix + 15, ".gguf") == 0 && out->number >= 1 &&
           out->number <= out->count;
}

void ggki_shard_name_format(char *out, const char *path,
                            const struct ggki_shard_name *name)
{
    memcpy(out, path, name->prefix_len);
    snprintf(out + name->prefix_len, GGKI_SHARD_SUFFIX_BYTES,
             "-%05lu-of-%05lu.gguf", (unsigned long)name->number,
             (unsigned long)name->count);
}
