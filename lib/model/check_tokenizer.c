/* check_tokenizer.c - rules about the tokenizer: its kind, its arrays, the ids
 * of special tokens. */
#include "base/str.h"
#include "format/types.h"
#include "model/architectures.h"
#include "model/check_find.h"
#include "model/pre_tokenizers.h"

#define TOKEN_TYPE_NORMAL 1

struct vocabulary {
    struct ggki_found_kv tokens;
    uint64_t types_pos, types_end; /* of an INT32 for each token; 0: none */
    struct ggki_place types_place;
};

/* Has the key, which was found, an array of that type? */
static bool check_array_type(struct ggki_check *c, const char *name,
                             uint32_t type, const struct ggki_found_kv *key)
{
    if (key->kv.type == GGK_VALUE_ARRAY && key->kv.elem_type == type)
        return true;
    ggki_report(c, RULE_TOKENS_TYPE, key->place, "%s is not an array of %s",
                name, ggk_value_type_name(type));
    return false;
}

/* An array that runs beside the tokens. */
static bool check_parallel(struct ggki_check *c, const struct vocabulary *v,
                           const char *name, uint32_t type,
                           struct ggki_found_kv *key)
{
    if (!ggki_find_key(c, name, key) || !check_array_type(c, name, type, key))
        return false;
    if (key->kv.n == v->tokens.kv.n)
        return true;
    ggki_report(c, RULE_TOKENS_LENGTH, key->place,
                "%s has %llu element%s for %llu token%s", name,
                (unsigned long long)key->kv.n, ggki_plural(key->kv.n),
                (unsigned long long)v->tokens.kv.n,
                ggki_plural(v->tokens.kv.n));
    return false;
}

/* False if no token of that number has a type. */
static bool token_type(const struct ggki_check *c, const struct vocabulary *v,
                       uint64_t id, int64_t *out)
{
    ggk_value value;
    uint64_t next;

    if (!ggki_gguf_scalar(c->gguf, GGK_VALUE_INT32, v->types_pos + id * 4,
                          v->types_end, &value, &next))
        return false;
    *out = value.as.i;
    return true;
}

static void check_token_types(struct ggki_check *c, const struct vocabulary *v)
{
    int64_t type;

    for (uint64_t id = 0; !c->stopped && token_type(c, v, id, &type); id++) {
        struct ggki_place place = v->types_place;
        if (type >= 1 && type <= 6)
            continue;
        place.pos += id * 4;
        place.element = id;
        ggki_report(c, RULE_TOKEN_TYPE, place, "token %llu has type %lld",
                    (unsigned long long)id, (long long)type);
    }
}

/* One tokenizer.ggml.*_token_id. */
static void check_token_id(struct ggki_check *c, const struct vocabulary *v,
                           const char *name)
{
    struct ggki_found_kv key;
    ggk_value value;
    int64_t type;

    if (!ggki_find_key(c, name, &key))
        return;
    ggki_check_number_type(c, &key, name, false);
    if (!ggki_find_scalar(c, name, &key, &value) ||
        !ggki_value_is_integer(value.type) ||
        (ggki_value_is_signed(value.type) && value.as.i == -1))
        return; /* -1 is some writers' "none" */
    if (value.as.u >= v->tokens.kv.n)
        ggki_report(c, RULE_TOKEN_ID, key.place,
                    "%s is %lld, but there are %llu tokens", name,
                    (long long)value.as.i, (unsigned long long)v->tokens.kv.n);
    else if (token_type(c, v, value.as.u, &type) && type == TOKEN_TYPE_NORMAL)
        ggki_report(c, RULE_TOKEN_CONTROL, key.place,
                    "%s is %llu, a token typed as ordinary text", name,
                    (unsigned long long)value.as.u);
}

static void check_token_ids(struct ggki_check *c, const struct vocabulary *v)
{
    static const char *const names[] = {
        "tokenizer.ggml.bos_token_id",     "tokenizer.ggml.eos_token_id",
        "tokenizer.ggml.eot_token_id",     "tokenizer.ggml.eom_token_id",
        "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.seperator_token_id",
        "tokenizer.ggml.padding_token_id", "tokenizer.ggml.cls_token_id",
        "tokenizer.ggml.mask_token_id",    "tokenizer.ggml.fim_pre_token_id",
        "tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.fim_mid_token_id",
        "tokenizer.ggml.fim_pad_token_id", "tokenizer.ggml.fim_rep_token_id",
        "tokenizer.ggml.fim_sep_token_id"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_token_id(c, v, names[i]);
}

/* The kinds of tokenizers that llama.cpp has. */
static const struct tokenizer {
    const char *name;
    bool merges, pre; /* it goes by tokenizer.ggml.merges, and .pre */
    bool none;        /* there are no tokens */
} tokenizers[] = {
    {"llama", .merges = false},
    {"bert", .merges = false},
    {"gpt2", .merges = true, .pre = true},
    {"t5", .merges = false},
    {"rwkv", .merges = false},
    {"plamo2", .merges = false},
    {"gemma4", .merges = true},
    {"hybriddna", .merges = true, .pre = true},
    {"whitespace", .merges = true, .pre = true},
    {"none", .none = true},
    {"no_vocab", .none = true},
};

static const struct tokenizer *find_tokenizer(ggk_str name)
{
    for (size_t i = 0; i < sizeof tokenizers / sizeof tokenizers[0]; i++)
        if (ggki_str_is(name, tokenizers[i].name))
            return &tokenizers[i];
    return NULL;
}

static void check_pre(struct ggki_check *c)
{
    struct ggki_found_kv key;
    ggk_str pre;

    if (ggki_find_string(c, "tokenizer.ggml.pre", &key, &pre) && !key.repeats &&
        !ggki_pre_tokenizer_is_known(pre))
        ggki_report(c, RULE_PRE_UNKNOWN, key.place,
                    "the pre-tokenizer \"%.*s\" is not known", ggki_shown(pre),
                    pre.ptr);
}

/* One pre-tokenizer does without. */
static void check_merges(struct ggki_check *c)
{
    static const char merges[] = "tokenizer.ggml.merges";
    struct ggki_found_kv key;
    ggk_str pre;

    if (ggki_find_key(c, merges, &key)) {
        if (key.kv.type != GGK_VALUE_ARRAY ||
            key.kv.elem_type != GGK_VALUE_STRING)
            ggki_report(c, RULE_MERGES, key.place,
                        "%s is not an array of STRING", merges);
    } else if (ggki_has_all_keys(c) &&
               !(ggki_find_string(c, "tokenizer.ggml.pre", &key, &pre) &&
                 ggki_str_is(pre, "kimi-k2"))) {
        ggki_report(c, RULE_MERGES, ggki_nowhere(), "%s is missing", merges);
    }
}

/* Is it a model that llama.cpp would load, so far? */
static bool is_loadable(const struct ggki_check *c)
{
    const struct ggki_arch *arch;
    struct ggki_found_kv key;
    ggk_str name;

    if (!ggki_has_all_keys(c) || c->counts[RULE_KEY_REQUIRED] > 0 ||
        !ggki_is_model(c) ||
        !ggki_find_string(c, "general.architecture", &key, &name) ||
        key.repeats)
        return false;
    arch = ggki_arch_find(name);
    return arch != NULL && (arch->flags & GGKI_ARCH_BLOCKS) != 0;
}

/* Neither, or a kind without tokens, or tokens without a kind. */
static void check_tokenizer_kind(struct ggki_check *c)
{
    static const char model[] = "tokenizer.ggml.model";
    static const char tokens[] = "tokenizer.ggml.tokens";
    const struct tokenizer *kind;
    struct ggki_found_kv key;
    ggk_str name;

    if (!ggki_find_string(c, model, &key, &name)) {
        bool named = ggki_has_key(c, model);
        if (!ggki_has_key(c, tokens)) {
            if (!named && is_loadable(c))
                ggki_report(c, RULE_NO_TOKENIZER, ggki_nowhere(),
                            "there is no tokenizer");
            return;
        }
        if (!named && ggki_has_all_keys(c))
            ggki_report(c, RULE_TOKENIZER, ggki_nowhere(), "%s is missing",
                        model);
        check_pre(c);
        return;
    }
    kind = find_tokenizer(name);
    if (kind == NULL)
        ggki_report(c, RULE_TOKENIZER_UNKNOWN, key.place,
                    "the tokenizer \"%.*s\" is not known", ggki_shown(name),
                    name.ptr);
    if (kind == NULL || kind->pre)
        check_pre(c);
    if (kind == NULL || kind->none)
        return;
    if (ggki_has_all_keys(c) && !ggki_has_key(c, tokens))
        ggki_report(c, RULE_TOKENIZER, ggki_nowhere(), "%s is missing", tokens);
    if (kind->merges)
        check_merges(c);
}

void ggki_check_tokenizer(struct ggki_check *c)
{
    static const char tokens[] = "tokenizer.ggml.tokens";
    struct vocabulary v = {.types_end = 0};
    struct ggki_found_kv key;

    if (c->stopped)
        return;
    check_tokenizer_kind(c);
    if (!ggki_find_key(c, tokens, &v.tokens) ||
        !check_array_type(c, tokens, GGK_VALUE_STRING, &v.tokens))
        return;
    check_parallel(c, &v, "tokenizer.ggml.scores", GGK_VALUE_FLOAT32, &key);
    if (check_parallel(c, &v, "tokenizer.ggml.token_type", GGK_VALUE_INT32,
                       &key)) {
        v.types_pos = key.kv.value_pos;
        v.types_end = key.kv.value_pos + key.kv.n * 4;
        v.types_place = key.place;
    }
    check_token_types(c, &v);
    check_token_ids(c, &v);
    if (ggki_has_all_keys(c) && !ggki_has_key(c, "tokenizer.chat_template"))
        ggki_report(c, RULE_NO_TEMPLATE, ggki_nowhere(),
                    "there is no chat template");
}
