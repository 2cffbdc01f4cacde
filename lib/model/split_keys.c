/* split_keys.c - what a shard's own keys say about its set.
 *
 * Three spellings: those of llama-gguf-split; its own from before March 2024,
 * "general.split" and "general.split_count"; and, as Ollama has them, the first
 * behind the name of the architecture, "llama.split.no".
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
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

ggk_str ggki_architecture_of(const struct ggki_gguf *gguf)
{
    bool repeats;
    ggk_value arch;

    if (!scalar_at(
            gguf,
            ggki_gguf_find(gguf, ggk_cstr("general.architecture"), &repeats),
            &arch) ||
        arch.type != GGK_VALUE_STRING)
        return (ggk_str){NULL, 0};
    return arch.as.s;
}

bool ggk_is_split_key(ggk_str key, ggk_str architecture)
{
    static const char *const names[] = {"split.no", "split.count",
                                        "split.tensors.count", "general.split",
                                        "general.split_count"};
    size_t n = sizeof names / sizeof names[0];

    if (key.len > 0 && key.ptr[key.len - 1] == '\0')
        key.len--; /* it does not count */
    if (architecture.len > 0 && key.len > architecture.len + 1 &&
        memcmp(key.ptr, architecture.ptr, architecture.len) == 0 &&
        key.ptr[architecture.len] == '.') {
        key.ptr += architecture.len + 1;
        key.len -= architecture.len + 1;
        n = 3; /* the others are never qualified */
    }
    for (size_t i = 0; i < n; i++)
        if (ggki_str_is(key, names[i]))
            return true;
    return false;
}

/* Find `name`, or `old_name`, or ARCHITECTURE.name. */
static void find_split_key(const struct ggki_gguf *g, const char *name,
                           const char *old_name, uint64_t *out_kv,
                           uint64_t *out)
{
    char key[96];
    ggk_str arch;
    int len;

    *out_kv = GGK_NONE;
    *out = 0;
    if (find_integer(g, ggk_cstr(name), out_kv, out) ||
        find_integer(g, ggk_cstr(old_name), out_kv, out))
        return;
    arch = ggki_architecture_of(g);
    if (arch.len == 0 || arch.len > 64)
        return;
    len = snprintf(key, sizeof key, "%.*s.%s", (int)arch.len, arch.ptr, name);
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

bool ggki_is_part(const ggk_model *model)
{
    return ggki_split_of(&model->files[0].gguf).count > model->n_files;
}
