/* check_keys.c - rules about keys, values and the alignment. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "format/types.h"
#include "model/check.h"

#define KEY_MAX_BYTES 65535

/* The key-value that is being judged. */
struct judged_kv {
    uint64_t i;
    struct ggki_kv kv;
    uint64_t end; /* one past its value */
    ggk_str key;
};

static struct ggki_place key_place(const struct judged_kv *k)
{
    return (struct ggki_place){k->kv.key_pos, "kv", k->i, "key"};
}

static struct ggki_place value_place(const struct judged_kv *k, uint64_t pos)
{
    return (struct ggki_place){pos, "kv", k->i, "value"};
}

/* -------------------------------------------------------------------- keys */

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The first character that no key of the description has, or key.len. */
static size_t odd_key_char(ggk_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        bool dot = key.ptr[i] == '.';
        bool bare = dot && (i == 0 || i + 1 == key.len ||
                            key.ptr[i - 1] == '.'); /* an empty word */
        if (bare || (!dot && !is_key_char(key.ptr[i])))
            return i;
    }
    return key.len;
}

static void check_key(struct ggki_check *c, const struct judged_kv *k)
{
    const char *nul = k->key.len > 0 ? memchr(k->key.ptr, 0, k->key.len) : NULL;
    size_t odd = odd_key_char(k->key);

    if (k->key.len == 0)
        ggki_report(c, RULE_KEY_EMPTY,
                    (struct ggki_place){k->kv.key_pos, "kv", k->i, "key.len"},
                    "the key is empty");
    if (nul != NULL)
        ggki_report(c, RULE_KEY_NUL, key_place(k),
                    "the key has a NUL byte, its byte %llu",
                    (unsigned long long)(nul - k->key.ptr));
    if (k->key.len > KEY_MAX_BYTES)
        ggki_report(c, RULE_KEY_LONG, key_place(k), "the key has %llu bytes",
                    (unsigned long long)k->key.len);
    if (nul == NULL && odd < k->key.len)
        ggki_report(c, RULE_KEY_CHARS, key_place(k),
                    "the key \"%.*s\" is not made of lower-case words",
                    k->key.len < 100 ? (int)k->key.len : 100, k->key.ptr);
}

static void check_key_repeats(struct ggki_check *c, const struct judged_kv *k)
{
    bool repeats;
    uint64_t first = ggki_gguf_find(c->gguf, k->key, &repeats);

    if (first < k->i)
        ggki_report(c, RULE_KEY_DUPLICATE, key_place(k),
                    "kv[%llu] has the key of kv[%llu], \"%.*s\"",
                    (unsigned long long)k->i, (unsigned long long)first,
                    k->key.len < 100 ? (int)k->key.len : 100, k->key.ptr);
}

/* ------------------------------------------------------------------ values */

static void check_string(struct ggki_check *c, const struct judged_kv *k,
                         ggk_str s, uint64_t pos)
{
    bool element = k->kv.type == GGK_VALUE_ARRAY;
    size_t bad = ggki_utf8_invalid(s);
    size_t control = ggki_utf8_control(s);
    const char *nul = s.len > 0 ? memchr(s.ptr, 0, s.len) : NULL;

    if (bad < s.len)
        ggki_report(c, RULE_STRING_UTF8, value_place(k, pos + bad),
                    "the string is not UTF-8 from its byte %llu on",
                    (unsigned long long)bad);
    if (nul != NULL)
        ggki_report(c, element ? RULE_TOKEN_NUL : RULE_STRING_NUL,
                    value_place(k, pos + (uint64_t)(nul - s.ptr)),
                    "the string has a NUL byte, its byte %llu",
                    (unsigned long long)(nul - s.ptr));
    if (!element && control < s.len && s.ptr[control] != '\0')
        ggki_report(c, RULE_STRING_CONTROL, value_place(k, pos + control),
                    "the string has a control character, at its byte %llu",
                    (unsigned long long)control);
}

static void check_scalar(struct ggki_check *c, const struct judged_kv *k,
                         const ggk_value *v, uint64_t pos)
{
    if (v->type == GGK_VALUE_STRING)
        check_string(
            c, k, v->as.s,
            (uint64_t)(v->as.s.ptr - (const char *)c->gguf->image.base));
    else if (v->type == GGK_VALUE_BOOL && v->as.u > 1)
        ggki_report(c, RULE_BOOL_VALUE, value_place(k, pos),
                    "a BOOL is stored as %llu", (unsigned long long)v->as.u);
    else if ((v->type == GGK_VALUE_FLOAT32 || v->type == GGK_VALUE_FLOAT64) &&
             k->kv.type != GGK_VALUE_ARRAY && !isfinite(v->as.f))
        ggki_report(c, RULE_FLOAT_FINITE, value_place(k, pos),
                    "the value is %s", isnan(v->as.f) ? "NaN" : "infinite");
}

static bool can_be_wrong(uint32_t type)
{
    return type == GGK_VALUE_STRING || type == GGK_VALUE_BOOL;
}

/* The elements of an array of scalars that could break a rule. */
static void check_elements(struct ggki_check *c, const struct judged_kv *k)
{
    uint64_t pos = k->kv.value_pos;

    if (!can_be_wrong(k->kv.elem_type))
        return;
    for (uint64_t n = 0; n < k->kv.n && !c->stopped; n++) {
        ggk_value v;
        uint64_t next;
        if (!ggki_gguf_scalar(c->gguf, k->kv.elem_type, pos, k->end, &v, &next))
            return; /* changed under us: not ours to judge */
        check_scalar(c, k, &v, pos);
        pos = next;
    }
}

static void check_value(struct ggki_check *c, const struct judged_kv *k)
{
    ggk_value v;
    uint64_t next;

    if (k->kv.type != GGK_VALUE_ARRAY) {
        if (ggki_gguf_scalar(c->gguf, k->kv.type, k->kv.value_pos, k->end, &v,
                             &next))
            check_scalar(c, k, &v, k->kv.value_pos);
    } else if (k->kv.elem_type == GGK_VALUE_ARRAY) {
        ggki_report(c, RULE_ARRAY_NESTED, value_place(k, k->kv.value_pos),
                    "the value is an array of arrays");
    } else {
        check_elements(c, k);
    }
}

void ggki_check_keys(struct ggki_check *c)
{
    struct judged_kv k;

    for (k.i = 0; k.i < c->gguf->n_kv && !c->stopped; k.i++) {
        if (!ggki_gguf_kv(c->gguf, k.i, &k.kv))
            return;
        k.end = c->gguf->kv_pos.at[k.i + 1];
        k.key = ggki_gguf_bytes(c->gguf, k.kv.key_pos, k.kv.key_len);
        check_key(c, &k);
        check_key_repeats(c, &k);
        check_value(c, &k);
    }
}

/* --------------------------------------------------------------- alignment */

#define ALIGN_LARGE_BYTES 65536
#define ALIGN_HUGE_BYTES  1048576

static void check_alignment_value(struct ggki_check *c, uint64_t alignment,
                                  struct ggki_place place)
{
    unsigned long long shown = alignment;

    if (alignment % 8 != 0)
        ggki_report(c, RULE_ALIGN_EIGHTS, place,
                    "general.alignment %llu is not a multiple of 8", shown);
    if ((alignment & (alignment - 1)) != 0)
        ggki_report(c, RULE_ALIGN_POWER, place,
                    "general.alignment %llu is not a power of two", shown);
    if (alignment > ALIGN_HUGE_BYTES)
        ggki_report(c, RULE_ALIGN_HUGE, place,
                    "general.alignment %llu is over 1 MiB", shown);
    else if (alignment > ALIGN_LARGE_BYTES)
        ggki_report(c, RULE_ALIGN_LARGE, place,
                    "general.alignment %llu is over 64 KiB", shown);
}

void ggki_check_alignment(struct ggki_check *c)
{
    bool repeats;
    uint64_t i =
        ggki_gguf_find(c->gguf, ggk_cstr("general.alignment"), &repeats);
    struct ggki_kv kv;
    struct ggki_place place;

    if (i == GGK_NONE || !ggki_gguf_kv(c->gguf, i, &kv) ||
        !ggki_value_is_integer(kv.type))
        return; /* what is no integer was told when it was read */
    place = (struct ggki_place){kv.type_pos, "kv", i, "type"};
    if (kv.type != GGK_VALUE_UINT32)
        ggki_report(c, RULE_ALIGN_TYPE, place,
                    "general.alignment is of type %s, not UINT32",
                    ggk_value_type_name(kv.type));
    place = (struct ggki_place){kv.value_pos, "kv", i, "value"};
    check_alignment_value(c, c->gguf->alignment, place);
}
