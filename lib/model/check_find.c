/* check_find.c - for rules about what the keys say: the key of a name, in the
 * file at hand. */
#include "model/check_find.h"

#include <stdio.h>

#include "base/str.h"
#include "format/types.h"

bool ggki_find_key(const struct ggki_check *c, const char *name,
                   struct ggki_found_kv *out)
{
    out->i = ggki_gguf_find(c->gguf, ggk_cstr(name), &out->repeats);
    if (out->i == GGK_NONE || !ggki_gguf_kv(c->gguf, out->i, &out->kv))
        return false;
    out->end = c->gguf->kv_pos.at[out->i + 1];
    out->place = ggki_field(out->kv.value_pos, "kv", out->i, "value");
    return true;
}

bool ggki_has_key(const struct ggki_check *c, const char *name)
{
    struct ggki_found_kv key;

    return ggki_find_key(c, name, &key);
}

bool ggki_find_scalar(const struct ggki_check *c, const char *name,
                      struct ggki_found_kv *key, ggk_value *out)
{
    uint64_t next;

    return ggki_find_key(c, name, key) &&
           ggki_gguf_scalar(c->gguf, key->kv.type, key->kv.value_pos, key->end,
                            out, &next);
}

bool ggki_find_count(const struct ggki_check *c, const char *name,
                     struct ggki_found_kv *key, uint64_t *out)
{
    ggk_value v;

    if (!ggki_find_scalar(c, name, key, &v) || !ggki_value_is_integer(v.type) ||
        (ggki_value_is_signed(v.type) && v.as.i < 0))
        return false;
    *out = v.as.u;
    return true;
}

bool ggki_find_string(const struct ggki_check *c, const char *name,
                      struct ggki_found_kv *key, ggk_str *out)
{
    ggk_value v;

    if (!ggki_find_scalar(c, name, key, &v) || v.type != GGK_VALUE_STRING)
        return false;
    *out = v.as.s;
    return true;
}

struct ggki_arch_key ggki_arch_key(ggk_str arch, const char *suffix)
{
    struct ggki_arch_key key;
    int shown = arch.len < 64 ? (int)arch.len : 64;

    snprintf(key.name, sizeof key.name, "%.*s.%s", shown, arch.ptr, suffix);
    return key;
}

bool ggki_has_all_keys(const struct ggki_check *c)
{
    struct ggki_split split = ggki_split_of(c->gguf);

    return !c->gguf->keys_cut && (split.count <= 1 || split.no == 0);
}

bool ggki_is_model(const struct ggki_check *c)
{
    struct ggki_found_kv key;
    ggk_str type;

    return !ggki_has_key(c, "adapter.type") &&
           (!ggki_find_string(c, "general.type", &key, &type) ||
            ggki_str_is(type, "model"));
}

void ggki_report_type(struct ggki_check *c, enum ggki_rule rule,
                      const struct ggki_found_kv *key, const char *name,
                      uint32_t type)
{
    ggki_report(c, rule, ggki_field(key->kv.type_pos, "kv", key->i, "type"),
                "%s is of type %s%s, not %s", name,
                key->kv.type == GGK_VALUE_ARRAY ? "ARRAY of " : "",
                ggk_value_type_name(key->kv.elem_type),
                ggk_value_type_name(type));
}

void ggki_check_number_type(struct ggki_check *c,
                            const struct ggki_found_kv *key, const char *name,
                            bool layered)
{
    bool array = key->kv.type == GGK_VALUE_ARRAY;

    if (array ? layered && (key->kv.elem_type == GGK_VALUE_UINT32 ||
                            key->kv.elem_type == GGK_VALUE_INT32)
              : key->kv.type == GGK_VALUE_UINT32)
        return;
    ggki_report_type(c, RULE_PARAMETER_TYPE, key, name, GGK_VALUE_UINT32);
}
