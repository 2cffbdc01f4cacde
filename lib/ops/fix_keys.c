/* fix_keys.c - the keys of a file, repaired: same ones once, names without the
 * NUL of C, numbers of the type that llama.cpp asks for. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/gguf_layout.h"
#include "format/space.h"
#include "format/types.h"
#include "model/builder.h"
#include "model/params.h"
#include "ops/fix.h"

#define LARGEST_ALIGNMENT 1048576 /* beyond is an error: alignment-huge */

/* The keys of a file that are being repaired. */
struct keys {
    struct ggki_fixing *f;
    const struct ggki_gguf *g;
    struct ggki_plan_file *out;
    uint32_t file;
    uint8_t *differ; /* for each key: others have its name and another value;
                        NULL if none repeats */
    bool strip;      /* all strings end in a NUL that does not count */
};

/* The key-value at hand. */
struct key {
    uint64_t i;
    uint64_t first; /* of its name */
    struct ggki_kv kv;
    ggk_str stored; /* its name, and so */
    ggk_str name;   /* without a NUL at its end */
};

static struct ggki_place value_of(const struct key *k)
{
    return ggki_field(k->kv.value_pos, "kv", k->i, "value");
}

static struct ggki_place type_of(const struct key *k)
{
    return ggki_field(k->kv.type_pos, "kv", k->i, "type");
}

static bool take_key(const struct keys *s, uint64_t i, struct key *k)
{
    bool repeats;

    if (!ggki_gguf_kv(s->g, i, &k->kv))
        return false;
    k->i = i;
    k->stored = ggki_gguf_bytes(s->g, k->kv.key_pos, k->kv.key_len);
    k->name = ggki_fix_name(k->stored);
    k->first =
        s->differ != NULL ? ggki_gguf_find(s->g, k->stored, &repeats) : i;
    return k->first <= i;
}

/* --------------------------------------------------------------- duplicates */

static bool same_value(const struct ggki_gguf *g, uint64_t a, uint64_t b)
{
    struct ggki_kv x, y;
    uint64_t bytes;

    if (!ggki_gguf_kv(g, a, &x) || !ggki_gguf_kv(g, b, &y) || x.type != y.type)
        return false;
    bytes = g->kv_pos.at[a + 1] - x.type_pos;
    return g->kv_pos.at[b + 1] - y.type_pos == bytes &&
           memcmp(g->image.base + x.type_pos, g->image.base + y.type_pos,
                  (size_t)bytes) == 0;
}

/* What other keys or the names of files decide counts but once, whatever is
 * said again. */
static bool is_decided(const struct keys *s, ggk_str name)
{
    return ggki_str_is(name, GGUF_ALIGNMENT_KEY) ||
           (s->f->model->n_files > 1 &&
            ggk_is_split_key(name, s->f->architecture));
}

static ggk_status compare_keys(struct keys *s)
{
    const struct ggki_gguf *g = s->g;

    if (g->keys.n_repeats == 0)
        return GGK_OK;
    s->differ = ggki_mem_zero(&s->f->plan->mem, (size_t)g->n_kv);
    if (s->differ == NULL)
        return ggki_fail_memory(s->f->err);
    for (uint64_t i = 0; i < g->n_kv; i++) {
        struct key k;

        if (!take_key(s, i, &k))
            return ggki_fail_changed(s->f->err);
        if (k.first < i && s->differ[k.first] == 0 &&
            !ggki_gguf_is_space(g, i) && !same_value(g, k.first, i))
            s->differ[k.first] = 1;
    }
    return GGK_OK;
}

static bool is_ambiguous(const struct keys *s, const struct key *k)
{
    return s->differ != NULL && s->differ[k->first] != 0 &&
           !is_decided(s, k->name);
}

/* ---------------------------------------------------------------- alignment */

/* The rule that an alignment breaks in such a way that the data is laid out
 * anew, and how it does; N_RULES if it is good enough. */
static enum ggki_rule bad_alignment(const struct ggki_gguf *g, const char **how)
{
    uint64_t n = g->alignment, tensor, pos;

    if ((n & (n - 1)) != 0) {
        *how = "no power of two";
        return RULE_ALIGN_POWER;
    }
    if (n % 8 != 0) {
        *how = "no multiple of 8";
        return RULE_ALIGN_EIGHTS;
    }
    if (ggki_tensor_between(g, &tensor, &pos)) {
        *how = "less than 32";
        return RULE_ALIGN_UNDER;
    }
    *how = "over 1 MiB";
    return n > LARGEST_ALIGNMENT ? RULE_ALIGN_HUGE : N_RULES;
}

/* False if the key is to be left out. */
static bool keeps_alignment(const struct keys *s, const struct key *k)
{
    const char *how;
    enum ggki_rule rule = bad_alignment(s->g, &how);

    if (rule == N_RULES)
        return true;
    ggki_report(&s->f->told, rule, value_of(k),
                "general.alignment was %llu, %s: the data is laid out by 32 "
                "now",
                (unsigned long long)s->g->alignment, how);
    return false;
}

/* -------------------------------------------------------------------- types */

/* The type that a key's number has to be of. */
struct wanted {
    uint32_t type; /* GGKI_KEEP_TYPE: any */
    enum ggki_rule rule;
    bool layered; /* or an array of UINT32 or INT32 */
    bool array;   /* an array of that type */
};

static const struct {
    const char *name;
    struct wanted wanted;
} well_known[] = {
    {GGUF_ALIGNMENT_KEY, {GGK_VALUE_UINT32, RULE_ALIGN_TYPE, false, false}},
    {"general.file_type",
     {GGK_VALUE_UINT32, RULE_PARAMETER_TYPE, false, false}},
    {"general.quantization_version",
     {GGK_VALUE_UINT32, RULE_PARAMETER_TYPE, false, false}},
    {"tokenizer.ggml.token_type",
     {GGK_VALUE_INT32, RULE_TOKENS_TYPE, false, true}},
    {"tokenizer.ggml.scores",
     {GGK_VALUE_FLOAT32, RULE_TOKENS_TYPE, false, true}},
    {"split.no", {GGK_VALUE_UINT16, RULE_SPLIT_KEYS, false, false}},
    {"split.count", {GGK_VALUE_UINT16, RULE_SPLIT_KEYS, false, false}},
    {"split.tensors.count", {GGK_VALUE_INT32, RULE_SPLIT_KEYS, false, false}},
};

static bool is_token_id(ggk_str name)
{
    const char *start = "tokenizer.ggml.", *end = "_token_id";
    size_t n = strlen(start), m = strlen(end);

    return name.len > n + m && memcmp(name.ptr, start, n) == 0 &&
           memcmp(name.ptr + name.len - m, end, m) == 0;
}

/* The hyperparameter that the key is, or GGK_PARAM_COUNT. */
static uint32_t parameter_of(ggk_str architecture, ggk_str name)
{
    char suffix[64];
    size_t n = architecture.len + 1;

    if (architecture.len == 0 || name.len <= n ||
        name.len - n >= sizeof suffix ||
        memcmp(name.ptr, architecture.ptr, architecture.len) != 0 ||
        name.ptr[n - 1] != '.')
        return GGK_PARAM_COUNT;
    memcpy(suffix, name.ptr + n, name.len - n);
    suffix[name.len - n] = '\0';
    return ggki_param_find(suffix);
}

static struct wanted wanted_of(const struct keys *s, const struct key *k)
{
    struct wanted w = {GGKI_KEEP_TYPE, RULE_PARAMETER_TYPE, false, false};
    uint32_t param;

    for (size_t i = 0; i < sizeof well_known / sizeof well_known[0]; i++)
        if (ggki_str_is(k->name, well_known[i].name))
            return well_known[i].wanted;
    if (s->file > 0) /* the keys of the model are in the first */
        return w;
    param = parameter_of(s->f->architecture, k->name);
    if (is_token_id(k->name) ||
        (param < GGK_PARAM_COUNT && ggki_param_is_count(param, &w.layered)))
        w.type = GGK_VALUE_UINT32;
    return w;
}

/* The type that the numbers of a value are to have, to be tried; keep_type if
 * they have a right one, or are none. */
static uint32_t type_to_try(const struct key *k, const struct wanted *w)
{
    bool array = k->kv.type == GGK_VALUE_ARRAY;
    uint32_t is = k->kv.elem_type;

    if (w->type == GGKI_KEEP_TYPE || is == w->type ||
        (array ? !w->array && !w->layered : w->array) ||
        (array && w->layered && is == GGK_VALUE_INT32))
        return GGKI_KEEP_TYPE;
    if (w->type == GGK_VALUE_FLOAT32)
        return is == GGK_VALUE_FLOAT64 ? w->type : GGKI_KEEP_TYPE;
    return ggki_value_is_integer(is) || is == GGK_VALUE_FLOAT32 ||
                   is == GGK_VALUE_FLOAT64
               ? w->type
               : GGKI_KEEP_TYPE;
}

/* ------------------------------------------------------------------- values */

static void tell_value(const struct keys *s, const struct key *k,
                       const struct wanted *w, const struct ggki_anew *how)
{
    struct ggki_check *told = &s->f->told;
    bool array = k->kv.type == GGK_VALUE_ARRAY;
    int shown = ggki_shown(k->name);

    if (how->type != GGKI_KEEP_TYPE)
        ggki_report(told, w->rule, type_of(k), "%.*s was of type %s%s: %s now",
                    shown, k->name.ptr, array ? "ARRAY of " : "",
                    ggk_value_type_name(k->kv.elem_type),
                    ggk_value_type_name(how->type));
    if (how->n_bools > 0)
        ggki_report(told, RULE_BOOL_VALUE, value_of(k),
                    "%.*s had %llu BOOL stored as other than 0 or 1: 1 now",
                    shown, k->name.ptr, (unsigned long long)how->n_bools);
    if (how->n_strings > 0)
        ggki_report(told, array ? RULE_TOKEN_NUL : RULE_STRING_NUL, value_of(k),
                    "%.*s had %llu string%s that ended in a NUL byte, as all "
                    "of this file do: it is removed",
                    shown, k->name.ptr, (unsigned long long)how->n_strings,
                    how->n_strings == 1 ? "" : "s");
}

/* May it have to be changed: a BOOL, or a string that is to be stripped? */
static bool may_change(const struct keys *s, const struct key *k)
{
    uint32_t type = k->kv.elem_type;

    return type == GGK_VALUE_BOOL || type == GGK_VALUE_ARRAY ||
           (s->strip && type == GGK_VALUE_STRING);
}

/* Write the value anew as `how`, if it has to be. */
static ggk_status write_anew(const struct keys *s, const struct key *k,
                             const struct wanted *w, struct ggki_anew *how)
{
    struct ggki_plan_kv *kv = &s->out->kvs[s->out->n_kv - 1];
    ggk_builder *b;
    uint32_t type;
    ggk_str bytes;
    ggk_status status = ggk_builder_new(&s->f->plan->mem, &b, s->f->err);

    if (status != GGK_OK)
        return status;
    status = ggki_fix_value(s->g, k->i, how, b, s->f->err);
    if (status == GGK_OK && (how->type != GGKI_KEEP_TYPE || how->n_bools > 0 ||
                             how->n_strings > 0)) {
        status =
            ggki_builder_value(b, &type, &bytes)
                ? ggki_plan_put_value(s->f->plan, kv, type, bytes, s->f->err)
                : ggki_fail_changed(s->f->err);
        if (status == GGK_OK)
            tell_value(s, k, w, how);
    }
    ggk_builder_free(b);
    return status;
}

static ggk_status fix_value(const struct keys *s, const struct key *k)
{
    struct wanted w = wanted_of(s, k);
    struct ggki_anew how = {type_to_try(k, &w), s->strip, 0, 0};
    ggk_status status = GGK_E_RANGE;

    if (how.type != GGKI_KEEP_TYPE)
        status = write_anew(s, k, &w, &how);
    if (status == GGK_E_RANGE && how.type != GGKI_KEEP_TYPE &&
        k->kv.type == GGK_VALUE_ARRAY && w.layered) {
        how.type = GGK_VALUE_INT32;
        status = write_anew(s, k, &w, &how);
    }
    if (status != GGK_E_RANGE)
        return status;
    how.type = GGKI_KEEP_TYPE;
    return may_change(s, k) ? write_anew(s, k, &w, &how) : GGK_OK;
}

/* ------------------------------------------------------------------ one by one
 */

static void strip_key(const struct keys *s, const struct key *k)
{
    struct ggki_plan_kv *kv = &s->out->kvs[s->out->n_kv - 1];

    if (k->name.len == k->stored.len)
        return;
    kv->key = k->name;
    ggki_report(&s->f->told, RULE_KEY_NUL,
                ggki_field(k->kv.key_pos + k->name.len, "kv", k->i, "key"),
                "the key \"%.*s\" ended in a NUL byte: it is removed",
                ggki_shown(k->name), k->name.ptr);
}

static void note_spelling(const struct keys *s, const struct key *k)
{
    bool standard = k->name.len > 6 && memcmp(k->name.ptr, "split.", 6) == 0;

    if (!standard && ggk_is_split_key(k->name, s->f->architecture))
        s->f->other_split_keys = true;
}

/* Is the key to be left out? */
static bool is_dropped(const struct keys *s, const struct key *k)
{
    if (k->first < k->i && !is_ambiguous(s, k)) {
        ggki_report(&s->f->told, RULE_KEY_DUPLICATE,
                    ggki_field(k->kv.key_pos, "kv", k->i, "key"),
                    "kv[%llu] repeats kv[%llu], \"%.*s\": it is dropped",
                    (unsigned long long)k->i, (unsigned long long)k->first,
                    ggki_shown(k->name), k->name.ptr);
        return true;
    }
    if (ggki_str_is(k->name, GGUF_ALIGNMENT_KEY))
        return !keeps_alignment(s, k);
    return ggki_gguf_is_space(s->g, k->i) ||
           (s->f->unsplit && ggk_is_split_key(k->name, s->f->architecture));
}

static ggk_status fix_key(const struct keys *s, uint64_t i)
{
    struct key k;
    ggk_status status;

    if (!take_key(s, i, &k))
        return ggki_fail_changed(s->f->err);
    if (is_dropped(s, &k))
        return GGK_OK;
    note_spelling(s, &k);
    status = ggki_plan_copy_kv(s->f->plan, s->out, s->g, i, s->f->err);
    if (status != GGK_OK || is_ambiguous(s, &k))
        return status;
    strip_key(s, &k);
    return fix_value(s, &k);
}

/* The name that the keys of the model begin with, if it is just one. */
static void take_architecture(struct keys *s)
{
    bool repeats;
    uint64_t i =
        ggki_gguf_find(s->g, ggk_cstr("general.architecture"), &repeats);

    s->f->architecture = (ggk_str){NULL, 0};
    if (i == GGK_NONE || (s->differ != NULL && s->differ[i] != 0))
        return;
    s->f->architecture = ggki_fix_architecture(s->g);
    if (s->strip)
        s->f->architecture = ggki_fix_name(s->f->architecture);
}

/* ---------------------------------------------------------------- no shard */

static bool count_at(const struct keys *s, uint64_t i, uint64_t *out)
{
    struct key k;
    ggk_value v;
    uint64_t next;

    if (!take_key(s, i, &k) || !ggki_value_is_integer(k.kv.type) ||
        !ggki_gguf_scalar(s->g, k.kv.type, k.kv.value_pos,
                          s->g->kv_pos.at[i + 1], &v, &next))
        return false;
    *out = v.as.u;
    return true;
}

static bool ends_with(ggk_str s, const char *end)
{
    size_t n = strlen(end);

    return s.len >= n && memcmp(s.ptr + s.len - n, end, n) == 0;
}

/* Do the keys that tell how many tensors the set has say so many? */
static bool counts_tensors(const struct keys *s, uint64_t n)
{
    bool found = false;

    for (uint64_t i = 0; i < s->g->n_kv; i++) {
        struct key k;
        uint64_t count;

        if (!take_key(s, i, &k))
            return false;
        if (!ggk_is_split_key(k.name, s->f->architecture) ||
            !ends_with(k.name, "split.tensors.count"))
            continue;
        if (!count_at(s, i, &count) || count != n)
            return false;
        found = true;
    }
    return found;
}

/* A file that says it is the first of several shards, but has all tensors of
 * the set: what remains when a set is made one file. */
static void look_for_unsplit(const struct keys *s)
{
    struct ggki_split split = ggki_split_of(s->g);
    uint64_t n = s->f->model->n_tensors - s->f->n_dropped;
    struct key k;

    if (s->f->model->n_files > 1 || split.count_kv == GGK_NONE ||
        split.count <= 1 || split.no != 0 || n == 0 || !counts_tensors(s, n) ||
        !take_key(s, split.count_kv, &k))
        return;
    s->f->unsplit = true;
    ggki_report(&s->f->told, RULE_SPLIT_MISSING, value_of(&k),
                "the keys say that this is one of %llu shards, but the tensors "
                "of all are here, %llu: the keys are removed",
                (unsigned long long)split.count, (unsigned long long)n);
}

ggk_status ggki_fix_keys(struct ggki_fixing *f, uint32_t file)
{
    const struct ggki_gguf *g = &f->model->files[file].gguf;
    struct keys s = {.f = f,
                     .g = g,
                     .out = &f->plan->files[file],
                     .file = file,
                     .strip = ggki_fix_all_end_in_nul(g)};
    ggk_status status = compare_keys(&s);

    if (status == GGK_OK) {
        take_architecture(&s);
        look_for_unsplit(&s);
    }
    for (uint64_t i = 0; i < g->n_kv && status == GGK_OK; i++)
        status = fix_key(&s, i);
    ggki_mem_release(&f->plan->mem, s.differ, (size_t)g->n_kv);
    return status;
}
