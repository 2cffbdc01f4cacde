/* check_model.c - rules about what the keys say of the model: shards,
 * hyperparameters, tokenizer. */
#include <stdio.h>
#include <string.h>

#include "format/types.h"
#include "model/architectures.h"
#include "model/check.h"
#include "model/pre_tokenizers.h"

/* ------------------------------------------------------------------- keys */

/* A key-value that a rule is about. */
struct found_kv {
    uint64_t i;
    ggk_kv kv;
    struct ggki_place place; /* its value */
};

static bool find_key(const struct ggki_check *c, const char *name,
                     struct found_kv *out)
{
    bool repeats;

    out->i = ggki_gguf_find(c->gguf, ggk_cstr(name), &repeats);
    if (out->i == GGK_NONE ||
        ggk_model_kv(c->model, out->i, &out->kv, NULL) != GGK_OK)
        return false;
    out->place = (struct ggki_place){out->kv.value_off - c->gguf->base_off,
                                     "kv", out->i, "value"};
    return true;
}

/* The scalar of a key, whatever its type. */
static bool find_scalar(const struct ggki_check *c, const char *name,
                        struct found_kv *key, ggk_value *out)
{
    ggk_walk walk;

    return find_key(c, name, key) &&
           ggk_walk_start(c->model, key->i, &walk, NULL) == GGK_OK &&
           ggk_walk_next(&walk, out) == GGK_WALK_VALUE;
}

/* An integer that is not negative. */
static bool find_count(const struct ggki_check *c, const char *name,
                       struct found_kv *key, uint64_t *out)
{
    ggk_value v;

    if (!find_scalar(c, name, key, &v) || !ggki_value_is_integer(v.type) ||
        (ggki_value_is_signed(v.type) && v.as.i < 0))
        return false;
    *out = v.as.u;
    return true;
}

/* ------------------------------------------------------------------ shards */

static void check_split_key(struct ggki_check *c, const char *name,
                            uint32_t type, uint64_t most)
{
    struct found_kv key;
    ggk_value v;

    if (!find_key(c, name, &key))
        return;
    if (!find_scalar(c, name, &key, &v) || v.type != type)
        ggki_report(c, RULE_SPLIT_KEYS, key.place, "%s is of type %s, not %s",
                    name, ggk_value_type_name(key.kv.type),
                    ggk_value_type_name(type));
    if (key.kv.type != GGK_VALUE_ARRAY && ggki_value_is_integer(v.type) &&
        v.as.u > most)
        ggki_report(c, RULE_SPLIT_KEYS, key.place, "%s is %lld, over %llu",
                    name, (long long)v.as.i, (unsigned long long)most);
}

static void check_split_numbers(struct ggki_check *c)
{
    struct ggki_split split = ggki_split_of(c->gguf);
    struct found_kv key;

    if (split.count_kv != GGK_NONE && split.no_kv != GGK_NONE &&
        split.no >= split.count && split.no > 0 &&
        find_key(c, "split.no", &key))
        ggki_report(c, RULE_SPLIT_KEYS, key.place,
                    "split.no is %llu, but split.count is %llu",
                    (unsigned long long)split.no,
                    (unsigned long long)split.count);
}

void ggki_check_split(struct ggki_check *c)
{
    struct found_kv key;
    uint64_t tensors;
    bool whole = !c->gguf->cut;

    check_split_key(c, "split.no", GGK_VALUE_UINT16, UINT16_MAX - 1);
    check_split_key(c, "split.count", GGK_VALUE_UINT16, UINT16_MAX);
    check_split_key(c, "split.tensors.count", GGK_VALUE_INT32, INT32_MAX);
    check_split_numbers(c);
    if (whole && find_count(c, "split.tensors.count", &key, &tensors) &&
        ggki_split_of(c->gguf).count == c->model->n_files &&
        tensors != c->model->n_tensors)
        ggki_report(c, RULE_SPLIT_TENSORS, key.place,
                    "split.tensors.count is %llu, but the set has %llu tensors",
                    (unsigned long long)tensors,
                    (unsigned long long)c->model->n_tensors);
}

/* --------------------------------------------------------- hyperparameters */

/* "llama.block_count" for the suffix "block_count". */
struct arch_key {
    char name[128];
};

static struct arch_key arch_key(ggk_str arch, const char *suffix)
{
    struct arch_key key;

    snprintf(key.name, sizeof key.name, "%.*s.%s",
             arch.len < 64 ? (int)arch.len : 64, arch.ptr, suffix);
    return key;
}

static void check_range(struct ggki_check *c, ggk_str arch, const char *suffix,
                        uint64_t least, uint64_t most)
{
    struct arch_key name = arch_key(arch, suffix);
    struct found_kv key;
    ggk_value v;

    if (!find_scalar(c, name.name, &key, &v) ||
        !ggki_value_is_integer(v.type) || (v.as.u >= least && v.as.u <= most))
        return;
    ggki_report(c, RULE_PARAMETER_RANGE, key.place, "%s is %lld", name.name,
                (long long)v.as.i);
}

static void check_ranges(struct ggki_check *c, ggk_str arch)
{
    /* llama.cpp's LLAMA_MAX_LAYERS and LLAMA_MAX_EXPERTS; the rest: no model
     * comes near. */
    check_range(c, arch, "block_count", 1, 512);
    check_range(c, arch, "context_length", 1, UINT32_MAX);
    check_range(c, arch, "embedding_length", 1, 1u << 24);
    check_range(c, arch, "attention.head_count", 1, 1u << 16);
    check_range(c, arch, "attention.key_length", 1, 1u << 16);
    check_range(c, arch, "attention.value_length", 1, 1u << 16);
    check_range(c, arch, "expert_count", 0, 1024);
    check_range(c, arch, "vocab_size", 1, INT32_MAX);
}

static void check_required(struct ggki_check *c, ggk_str name)
{
    const struct ggki_arch *arch = ggki_arch_find(name);

    for (size_t i = 0; arch != NULL && arch->required[i] != NULL; i++) {
        struct arch_key key = arch_key(name, arch->required[i]);
        struct found_kv found;
        if (!find_key(c, key.name, &found))
            ggki_report(c, RULE_KEY_REQUIRED,
                        (struct ggki_place){GGK_NO_OFFSET, NULL, 0, NULL},
                        "missing %s", key.name);
    }
}

static void check_architecture(struct ggki_check *c)
{
    const ggk_str key = ggk_cstr("general.architecture");
    struct found_kv found;
    ggk_str arch;

    if (!find_key(c, key.ptr, &found) ||
        ggk_model_get_str(c->model, key, &arch, NULL) == GGK_E_TYPE) {
        ggki_report(c, RULE_ARCH_MISSING,
                    (struct ggki_place){GGK_NO_OFFSET, NULL, 0, NULL},
                    "general.architecture is missing, or no string");
        return;
    }
    if (ggk_model_get_str(c->model, key, &arch, NULL) != GGK_OK)
        return; /* several: told already */
    for (size_t i = 0; i < arch.len; i++) {
        char ch = arch.ptr[i];
        if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9'))
            continue;
        ggki_report(c, RULE_ARCH_CHARS, found.place,
                    "the architecture \"%.*s\" is not made of a-z and 0-9",
                    arch.len < 64 ? (int)arch.len : 64, arch.ptr);
        break;
    }
    check_ranges(c, arch);
    check_required(c, arch);
}

/* --------------------------------------------------------------- type mix */

#define MIX_TYPES 64 /* ids below this are counted */

/* Bytes by tensor type, of matrices: norms and biases stay F32 in any mix. */
static uint64_t sum_types(const struct ggki_check *c, uint64_t bytes[MIX_TYPES],
                          bool *quantized)
{
    uint64_t all = 0;

    for (uint64_t i = 0; i < c->model->n_tensors; i++) {
        const ggk_type_info *type;
        ggk_tensor t;
        if (ggk_model_tensor(c->model, i, &t, NULL) != GGK_OK ||
            t.type >= MIX_TYPES || t.opaque)
            continue;
        type = ggk_model_type(c->model, t.type);
        *quantized = *quantized || (type->flags & GGK_TYPE_QUANTIZED) != 0;
        if (t.n_dims < 2 || t.bytes > UINT64_MAX / 2 - all)
            continue;
        bytes[t.type] += t.bytes;
        all += t.bytes;
    }
    return all;
}

/* Does the label's name hold the type's: MOSTLY_Q4_K_M, Q4_K? */
static bool label_names(const char *label, const char *type)
{
    const char *at = strstr(label, type);
    return at != NULL;
}

static void check_label(struct ggki_check *c, const uint64_t bytes[MIX_TYPES],
                        uint64_t all)
{
    uint32_t most = 0;
    struct found_kv key;
    uint64_t file_type;
    const char *label;

    if (all == 0 || !find_count(c, "general.file_type", &key, &file_type))
        return;
    for (uint32_t t = 1; t < MIX_TYPES; t++)
        if (bytes[t] > bytes[most])
            most = t;
    label = ggk_file_type_name(file_type);
    if (label == NULL)
        ggki_report(c, RULE_FILE_TYPE, key.place,
                    "general.file_type %llu is not known",
                    (unsigned long long)file_type);
    else if (!label_names(label, ggk_type_by_id(most)->name))
        ggki_report(c, RULE_FILE_TYPE, key.place,
                    "general.file_type says %s, but most bytes (%llu of %llu) "
                    "are %s",
                    label, (unsigned long long)bytes[most],
                    (unsigned long long)all, ggk_type_by_id(most)->name);
}

void ggki_check_parameters(struct ggki_check *c)
{
    uint64_t bytes[MIX_TYPES] = {0};
    bool quantized = false;
    struct found_kv key;
    uint64_t all;

    if (c->stopped)
        return;
    check_architecture(c);
    all = sum_types(c, bytes, &quantized);
    if (quantized && !find_key(c, "general.quantization_version", &key))
        ggki_report(c, RULE_QUANT_VERSION,
                    (struct ggki_place){GGK_NO_OFFSET, NULL, 0, NULL},
                    "general.quantization_version is missing");
    check_label(c, bytes, all);
}

/* --------------------------------------------------------------- tokenizer */

#define TOKEN_TYPE_NORMAL 1

struct vocabulary {
    struct found_kv tokens;
    struct found_kv types;
    bool has_types; /* of type INT32, as many as tokens */
};

/* An array that runs beside the tokens. */
static bool check_parallel(struct ggki_check *c, const struct vocabulary *v,
                           const char *name, uint32_t type,
                           struct found_kv *key)
{
    if (!find_key(c, name, key))
        return false;
    if (key->kv.type != GGK_VALUE_ARRAY || key->kv.elem_type != type) {
        ggki_report(c, RULE_SCORES_TYPE, key->place, "%s is not an array of %s",
                    name, ggk_value_type_name(type));
        return false;
    }
    if (key->kv.n != v->tokens.kv.n) {
        ggki_report(c, RULE_TOKENS_LENGTH, key->place,
                    "%s has %llu elements for %llu tokens", name,
                    (unsigned long long)key->kv.n,
                    (unsigned long long)v->tokens.kv.n);
        return false;
    }
    return true;
}

static bool token_type(const struct ggki_check *c, const struct vocabulary *v,
                       uint64_t id, int64_t *out)
{
    uint64_t pos = v->types.kv.value_off - c->gguf->base_off + id * 4;
    ggk_value value;
    uint64_t next;

    if (!ggki_gguf_scalar(c->gguf, GGK_VALUE_INT32, pos,
                          v->types.kv.end_off - c->gguf->base_off, &value,
                          &next))
        return false;
    *out = value.as.i;
    return true;
}

static void check_token_types(struct ggki_check *c, const struct vocabulary *v)
{
    for (uint64_t id = 0; id < v->types.kv.n && !c->stopped; id++) {
        struct ggki_place place = v->types.place;
        int64_t type;
        if (!token_type(c, v, id, &type))
            return;
        if (type >= 1 && type <= 6)
            continue;
        place.pos += id * 4;
        ggki_report(c, RULE_TOKEN_TYPE, place, "token %llu has type %lld",
                    (unsigned long long)id, (long long)type);
    }
}

/* One tokenizer.ggml.*_token_id. */
static void check_token_id(struct ggki_check *c, const struct vocabulary *v,
                           const char *name)
{
    struct found_kv key;
    ggk_value value;
    int64_t type;

    if (!find_scalar(c, name, &key, &value) ||
        !ggki_value_is_integer(value.type) ||
        value.as.i == -1) /* some writers' "none" */
        return;
    if (value.as.u >= v->tokens.kv.n)
        ggki_report(c, RULE_TOKEN_ID, key.place,
                    "%s is %lld, but there are %llu tokens", name,
                    (long long)value.as.i, (unsigned long long)v->tokens.kv.n);
    else if (v->has_types && token_type(c, v, value.as.u, &type) &&
             type == TOKEN_TYPE_NORMAL)
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

static void check_pre(struct ggki_check *c)
{
    const ggk_str name = ggk_cstr("tokenizer.ggml.pre");
    struct found_kv key;
    ggk_str pre;

    if (find_key(c, name.ptr, &key) &&
        ggk_model_get_str(c->model, name, &pre, NULL) == GGK_OK &&
        !ggki_pre_tokenizer_is_known(pre))
        ggki_report(c, RULE_PRE_UNKNOWN, key.place,
                    "the pre-tokenizer \"%.*s\" is not known",
                    pre.len < 64 ? (int)pre.len : 64, pre.ptr);
}

void ggki_check_tokenizer(struct ggki_check *c)
{
    struct vocabulary v = {.has_types = false};
    struct found_kv key;

    if (c->stopped || !find_key(c, "tokenizer.ggml.tokens", &v.tokens) ||
        v.tokens.kv.type != GGK_VALUE_ARRAY)
        return;
    check_parallel(c, &v, "tokenizer.ggml.scores", GGK_VALUE_FLOAT32, &key);
    v.has_types = check_parallel(c, &v, "tokenizer.ggml.token_type",
                                 GGK_VALUE_INT32, &v.types);
    if (v.has_types)
        check_token_types(c, &v);
    check_token_ids(c, &v);
    check_pre(c);
    if (!find_key(c, "tokenizer.chat_template", &key))
        ggki_report(c, RULE_NO_TEMPLATE,
                    (struct ggki_place){GGK_NO_OFFSET, NULL, 0, NULL},
                    "there is no chat template");
}
