/* space.c - free space in a header. */
#include "format/space.h"

#include "base/namemap.h"
#include "format/gguf_layout.h"

bool ggk_is_space(ggk_str key, ggk_str string)
{
    if (!ggki_names_equal(key, ggk_cstr(GGUF_PADDING_KEY)))
        return false;
    for (size_t i = 0; i < string.len; i++)
        if (string.ptr[i] != ' ' && string.ptr[i] != '\0')
            return false;
    return true;
}

bool ggki_is_space(ggk_str key, uint32_t type, ggk_str value, uint32_t version)
{
    size_t length = version == 1 ? 4 : 8; /* in bytes, before the string */

    return type == GGK_VALUE_STRING && value.len >= length &&
           ggk_is_space(key, (ggk_str){value.ptr + length, value.len - length});
}

bool ggki_gguf_is_space(const struct ggki_gguf *g, uint64_t i)
{
    struct ggki_kv kv;

    return ggki_gguf_kv(g, i, &kv) &&
           ggki_is_space(ggki_gguf_bytes(g, kv.key_pos, kv.key_len), kv.type,
                         ggki_gguf_bytes(g, kv.value_pos,
                                         g->kv_pos.at[i + 1] - kv.value_pos),
                         g->version);
}

bool ggki_gguf_space(const struct ggki_gguf *g, uint64_t *bytes)
{
    uint64_t n = g->n_kv;
    struct ggki_kv kv;

    *bytes = 0;
    if (n == 0 || !ggki_gguf_is_space(g, n - 1) || !ggki_gguf_kv(g, n - 1, &kv))
        return false;
    *bytes = g->kv_pos.at[n] - kv.value_pos - (g->version == 1 ? 4 : 8);
    return true;
}
