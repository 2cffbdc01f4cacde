/* split_keys.c - what a shard's own keys say about its set. */
#include <stdio.h>

#include "format/types.h"
#include "model/model.h"

/* The value of key-value `i`, if it is a scalar. */
static bool scalar_at(const struct ggki_gguf *g, uint64_t i, ggk_value *out)
{
    struct ggki_kv kv;
    uint64_t next;

    return i != GGK_NONE && ggki_gguf_kv(g, i, &kv) &&
           ggki_gguf_scalar(g, kv.type, kv.value_pos, g->kv_pos.at[i + 1], out,
                            &next);
}

static bool find_integer(const struct ggki_gguf *g, ggk_str key,
                         uint64_t *out_kv, uint64_t *out)
{
    bool repeats;
    uint64_t i = ggki_gguf_find(g, key, &repeats);
    ggk_value value;

    if (!scalar_at(g, i, &value) || !ggki_value_is_integer(value.type))
        return false;
    *out_kv = i;
    *out = value.as.u;
    return true;
}

/* Find `name`; or `old_name`, from before March 2024; or, as Ollama has it,
 * ARCHITECTURE.name. */
static void find_split_key(const struct ggki_gguf *g, const char *name,
                           const char *old_name, uint64_t *out_kv,
                           uint64_t *out)
{
    char key[96];
    bool repeats;
    ggk_value arch;
    int len;

    *out_kv = GGK_NONE;
    *out = 0;
    if (find_integer(g, ggk_cstr(name), out_kv, out) ||
        find_integer(g, ggk_cstr(old_name), out_kv, out) ||
        !scalar_at(
            g, ggki_gguf_find(g, ggk_cstr("general.architecture"), &repeats),
            &arch) ||
        arch.type != GGK_VALUE_STRING || arch.as.s.len > 64)
        return;
    len = snprintf(key, sizeof key, "%.*s.%s", (int)arch.as.s.len,
                   arch.as.s.ptr, name);
    find_integer(g, (ggk_str){key, (size_t)len}, out_kv, out);
}

struct ggki_split ggki_split_of(const struct ggki_gguf *gguf)
{
    struct ggki_split split;

    find_split_key(gguf, "split.count", "general.split_count", &split.count_kv,
                   &split.count);
    find_split_key(gguf, "split.no", "general.split", &split.no_kv, &split.no);
    return split;
}
