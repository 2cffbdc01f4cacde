/* check_keys.c - rules about keys, values and the alignment. */
#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/types.h"
#include "model/check.h"

#define KEY_MAX_BYTES 65535
#define GIBI          (UINT64_C(1) << 30)

/* The key-value that is being judged. */
struct judged_kv {
    uint64_t i;
    struct ggki_kv kv;
    uint64_t start, end;
    ggk_str key;
    uint64_t element; /* of the outermost array; GGK_NONE in a scalar */
};

/* Byte `at` of the key. */
static struct ggki_place key_place(const struct judged_kv *k, uint64_t at)
{
    return ggki_field(k->kv.key_pos + at, "kv", k->i, "key");
}

/* Byte `pos` of the value, or of the element at hand. */
static struct ggki_place value_place(const struct judged_kv *k, uint64_t pos)
{
    struct ggki_place place = ggki_field(pos, "kv", k->i, "value");

    place.element = k->element;
    return place;
}

/* The first NUL byte of `s`, or s.len. */
static size_t find_nul(ggk_str s)
{
    const char *nul = s.len > 0 ? memchr(s.ptr, 0, s.len) : NULL;

    return nul != NULL ? (size_t)(nul - s.ptr) : s.len;
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

static void check_key_length(struct ggki_check *c, const struct judged_kv *k)
{
    struct ggki_place place = ggki_field(k->start, "kv", k->i, "key.len");
    unsigned long long len = k->key.len;

    if (len == 0)
        ggki_report(c, RULE_KEY_EMPTY, place, "the key is empty");
    if (len > KEY_MAX_BYTES)
        ggki_report(c, RULE_KEY_LONG, place, "the key has %llu bytes", len);
    if (len > GIBI)
        ggki_report(c, RULE_OVER_GIB, place, "the key has %llu bytes", len);
}

static void check_key_bytes(struct ggki_check *c, const struct judged_kv *k)
{
    size_t nul = find_nul(k->key);
    size_t odd = odd_key_char(k->key);

    if (nul < k->key.len)
        ggki_report(c, RULE_KEY_NUL, key_place(k, nul),
                    "the key has a NUL byte, its byte %llu",
                    (unsigned long long)nul);
    else if (odd < k->key.len)
        ggki_report(c, RULE_KEY_CHARS, key_place(k, odd),
                    "the key \"%.*s\" is not made of lower-case words",
                    ggki_shown(k->key), k->key.ptr);
}

static void check_key_repeats(struct ggki_check *c, const struct judged_kv *k)
{
    bool repeats;
    uint64_t first = ggki_gguf_find(c->gguf, k->key, &repeats);

    if (first < k->i)
        ggki_report(
            c, RULE_KEY_DUPLICATE, key_place(k, 0),
            "kv[%llu] has the key of kv[%llu] at byte %llu, \"%.*s\"",
            (unsigned long long)k->i, (unsigned long long)first,
            (unsigned long long)(c->gguf->base_off + c->gguf->kv_pos.at[first]),
            ggki_shown(k->key), k->key.ptr);
}

/* ------------------------------------------------------------------ values */

static void check_string(struct ggki_check *c, const struct judged_kv *k,
                         ggk_str s)
{
    const char *base = (const char *)c->gguf->image.base;
    uint64_t pos = s.len > 0 ? (uint64_t)(s.ptr - base) : 0;
    bool element = k->element != GGK_NONE;
    size_t bad = ggki_utf8_invalid(s);
    size_t control = element ? s.len : ggki_utf8_control(s);
    size_t nul = find_nul(s);

    if (s.len > GIBI)
        ggki_report(c, RULE_OVER_GIB, value_place(k, pos),
                    "the string has %llu bytes", (unsigned long long)s.len);
    if (bad < s.len)
        ggki_report(c, RULE_STRING_UTF8, value_place(k, pos + bad),
                    "the string is not UTF-8 from its byte %llu on",
                    (unsigned long long)bad);
    if (nul < s.len)
        ggki_report(c, element ? RULE_TOKEN_NUL : RULE_STRING_NUL,
                    value_place(k, pos + nul),
                    "the string has a NUL byte, its byte %llu",
                    (unsigned long long)nul);
    if (control < s.len && s.ptr[control] != '\0')
        ggki_report(c, RULE_STRING_CONTROL, value_place(k, pos + control),
                    "the string has a control character, at its byte %llu",
                    (unsigned long long)control);
}

static void check_scalar(struct ggki_check *c, const struct judged_kv *k,
                         const ggk_value *v, uint64_t pos)
{
    if (v->type == GGK_VALUE_STRING)
        check_string(c, k, v->as.s);
    else if (v->type == GGK_VALUE_BOOL && v->as.u > 1)
        ggki_report(c, RULE_BOOL_VALUE, value_place(k, pos),
                    "a BOOL is stored as %llu", (unsigned long long)v->as.u);
    else if ((v->type == GGK_VALUE_FLOAT32 || v->type == GGK_VALUE_FLOAT64) &&
             !isfinite(v->as.f))
        ggki_report(c, RULE_FLOAT_FINITE, value_place(k, pos),
                    "the value is %s", isnan(v->as.f) ? "NaN" : "infinite");
}

/* The arrays that are open while one is judged. */
struct judged_level {
    uint32_t type; /* of the elements */
    uint64_t left; /* of them */
};

static bool can_be_wrong(uint32_t type)
{
    return type == GGK_VALUE_STRING || type == GGK_VALUE_BOOL ||
           type == GGK_VALUE_ARRAY;
}

/* Judge the next element of `level`, or pass over all that cannot be wrong; an
 * array becomes the level after it. False: changed under us, not ours to judge.
 */
static bool check_element(struct ggki_check *c, const struct judged_kv *k,
                          struct judged_level *level, uint64_t *pos)
{
    ggk_value v;
    uint64_t next;

    if (!can_be_wrong(level->type)) {
        uint64_t bytes =
            sat_mul64(level->left, ggk_value_type_bytes(level->type));
        *pos = sat_add64(*pos, bytes);
        level->left = 0;
        return true;
    }
    level->left--;
    if (level->type == GGK_VALUE_ARRAY)
        return ggki_gguf_array(c->gguf, *pos, k->end, &level[1].type,
                               &level[1].left, pos);
    if (!ggki_gguf_scalar(c->gguf, level->type, *pos, k->end, &v, &next))
        return false;
    check_scalar(c, k, &v, *pos);
    *pos = next;
    return true;
}

static void check_elements(struct ggki_check *c, struct judged_kv *k)
{
    struct judged_level level[GGK_MAX_DEPTH] = {{0}};
    uint64_t pos = k->kv.value_pos;
    int depth = 0;

    level[0] = (struct judged_level){k->kv.elem_type, k->kv.n};
    while (depth >= 0 && !c->stopped) {
        bool array = level[depth].type == GGK_VALUE_ARRAY;
        if (level[depth].left == 0) {
            depth--;
            continue;
        }
        if (depth == 0)
            k->element = k->kv.n - level[0].left;
        if ((array && depth == GGK_MAX_DEPTH - 1) ||
            !check_element(c, k, &level[depth], &pos))
            return;
        depth += array;
    }
}

static void check_array(struct ggki_check *c, struct judged_kv *k)
{
    if (k->kv.elem_type == GGK_VALUE_ARRAY)
        ggki_report(c, RULE_ARRAY_NESTED, value_place(k, k->kv.value_pos),
                    "the value is an array of arrays");
    if (k->kv.n > GIBI)
        ggki_report(c, RULE_OVER_GIB, value_place(k, k->kv.value_pos),
                    "the array has %llu elements", (unsigned long long)k->kv.n);
    check_elements(c, k);
}

static void check_value(struct ggki_check *c, struct judged_kv *k)
{
    ggk_value v;
    uint64_t next;

    k->element = GGK_NONE;
    if (k->kv.type == GGK_VALUE_ARRAY)
        check_array(c, k);
    else if (ggki_gguf_scalar(c->gguf, k->kv.type, k->kv.value_pos, k->end, &v,
                              &next))
        check_scalar(c, k, &v, k->kv.value_pos);
}

void ggki_check_keys(struct ggki_check *c)
{
    struct judged_kv k;

    for (k.i = 0; k.i < c->gguf->n_kv && !c->stopped; k.i++) {
        if (!ggki_gguf_kv(c->gguf, k.i, &k.kv))
            return;
        k.start = c->gguf->kv_pos.at[k.i];
        k.end = c->gguf->kv_pos.at[k.i + 1];
        k.key = ggki_gguf_bytes(c->gguf, k.kv.key_pos, k.kv.key_len);
        check_key_length(c, &k);
        check_key_bytes(c, &k);
        if (c->gguf->keys.n_repeats > 0)
            check_key_repeats(c, &k);
        check_value(c, &k);
    }
}

/* --------------------------------------------------------------- alignment */

#define ALIGN_LARGE_BYTES 65536
#define ALIGN_HUGE_BYTES  1048576

bool ggki_tensor_between(const struct ggki_gguf *g, uint64_t *i, uint64_t *pos)
{
    if (g->alignment % GGKI_LOADER_ALIGNMENT == 0 ||
        (g->alignment & (g->alignment - 1)) != 0 || g->cut)
        return false;
    for (*i = 0; *i < g->n_tensors; (*i)++) {
        struct ggki_info info;
        if (!ggki_gguf_info(g, *i, &info))
            return false;
        *pos = g->data_pos + info.offset;
        if (*pos % GGKI_LOADER_ALIGNMENT != 0 &&
            (info.bytes > 0 || info.opaque))
            return true;
    }
    return false;
}

static void check_alignment_value(struct ggki_check *c, uint64_t alignment,
                                  struct ggki_place place)
{
    unsigned long long shown = alignment;
    uint64_t tensor, pos;

    if (alignment % 8 != 0)
        ggki_report(c, RULE_ALIGN_EIGHTS, place,
                    "general.alignment %llu is not a multiple of 8", shown);
    if ((alignment & (alignment - 1)) != 0)
        ggki_report(c, RULE_ALIGN_POWER, place,
                    "general.alignment %llu is not a power of two", shown);
    if (ggki_tensor_between(c->gguf, &tensor, &pos))
        ggki_report(c, RULE_ALIGN_UNDER, place,
                    "general.alignment is %llu, and tensor %llu starts at byte "
                    "%llu, no multiple of 32",
                    shown, (unsigned long long)tensor,
                    (unsigned long long)(c->gguf->base_off + pos));
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

    if (i == GGK_NONE || !ggki_gguf_kv(c->gguf, i, &kv) ||
        !ggki_value_is_integer(kv.type))
        return; /* what is no integer was told when it was read */
    if (kv.type != GGK_VALUE_UINT32)
        ggki_report(c, RULE_ALIGN_TYPE,
                    ggki_field(kv.type_pos, "kv", i, "type"),
                    "general.alignment is of type %s, not UINT32",
                    ggk_value_type_name(kv.type));
    check_alignment_value(c, c->gguf->alignment,
                          ggki_field(kv.value_pos, "kv", i, "value"));
}
