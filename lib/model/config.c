/* config.c - the configuration of a model: what is stored, and the defaults and
 * demands of its architecture. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "model/architectures.h"
#include "model/model.h"
#include "model/params.h"

/* A configuration that is being made. */
struct config_maker {
    const ggk_model *model;
    const struct ggki_arch *arch;
    ggk_config *config;
    ggk_error *err;
};

#define LLAMA_CPP "llama.cpp" /* the rule of constants */

/* ---------------------------------------------------------------- defaults */

static bool is_open(const struct config_maker *m, ggk_param param)
{
    return m->config->params[param].origin == GGK_ORIGIN_NONE;
}

static bool is_required(const struct config_maker *m, ggk_param param)
{
    for (const char *const *key = m->arch->required; *key != NULL; key++) {
        if (strcmp(*key, ggk_param_key(param)) == 0)
            return true;
    }
    return false;
}

static bool has_value(const struct config_maker *m, ggk_param param)
{
    return ggki_param_is_set(&m->config->params[param]);
}

/* The count that a parameter is, if it is one for all layers; else 0. */
static uint64_t count_of(const struct config_maker *m, ggk_param param)
{
    const ggk_param_value *p = &m->config->params[param];

    return ggki_param_is_set(p) && p->value.type == GGK_VALUE_UINT64
               ? p->value.as.u
               : 0;
}

static void default_value(struct config_maker *m, ggk_param param,
                          ggk_value value, const char *rule)
{
    if (is_open(m, param))
        m->config->params[param] =
            (ggk_param_value){GGK_ORIGIN_DEFAULT, GGK_NONE, rule, value};
}

static void default_count(struct config_maker *m, ggk_param param, uint64_t n,
                          const char *rule)
{
    default_value(m, param, (ggk_value){GGK_VALUE_UINT64, {.u = n}}, rule);
}

static void default_float(struct config_maker *m, ggk_param param, double x)
{
    default_value(m, param, (ggk_value){GGK_VALUE_FLOAT32, {.f = x}},
                  LLAMA_CPP);
}

/* What another parameter is, if that has a value. */
static void default_same(struct config_maker *m, ggk_param param,
                         ggk_param other)
{
    ggk_param_value *p = &m->config->params[param];

    if (!is_open(m, param) || !has_value(m, other))
        return;
    *p = m->config->params[other];
    p->origin = GGK_ORIGIN_DEFAULT;
    p->rule = ggk_param_key(other);
}

/* Heads of the first layer that has any; 0 if none has, or it is not known. */
static ggk_status first_head_count(const struct config_maker *m, uint64_t *out)
{
    const ggk_param_value *heads = &m->config->params[GGK_PARAM_HEAD_COUNT];
    ggk_event event = GGK_WALK_VALUE;
    ggk_walk walk;
    ggk_value v;

    *out = count_of(m, GGK_PARAM_HEAD_COUNT);
    if (!ggki_param_is_set(heads) || heads->value.type != GGK_VALUE_ARRAY)
        return GGK_OK;
    if (ggk_walk_start(m->model, heads->kv, &walk, NULL) != GGK_OK ||
        ggk_walk_next(&walk, &v) != GGK_WALK_OPEN)
        return ggki_fail_changed(m->err);
    while (*out == 0 && (event = ggk_walk_next(&walk, &v)) == GGK_WALK_VALUE)
        *out = v.as.u;
    return event == GGK_WALK_BROKEN ? ggki_fail_changed(m->err) : GGK_OK;
}

/* Keys and values of a head share out the embedding. */
static ggk_status default_head_lengths(struct config_maker *m)
{
    static const char rule[] = "embedding_length / attention.head_count";
    uint64_t embedding = count_of(m, GGK_PARAM_EMBEDDING_LENGTH);
    uint64_t heads;
    ggk_status status = first_head_count(m, &heads);

    if (status != GGK_OK || embedding == 0 || heads == 0)
        return status;
    if (embedding < heads)
        return ggki_param_fail(
            m->err, GGK_E_RANGE, m->model,
            m->config->params[GGK_PARAM_HEAD_COUNT].kv, GGK_NONE,
            "makes %llu heads of an embedding of %llu numbers",
            (unsigned long long)heads, (unsigned long long)embedding);
    default_count(m, GGK_PARAM_KEY_LENGTH, embedding / heads, rule);
    default_count(m, GGK_PARAM_VALUE_LENGTH, embedding / heads, rule);
    return GGK_OK;
}

static void default_windows(struct config_maker *m)
{
    if (m->arch->window_period == 0)
        return;
    if (!is_required(m, GGK_PARAM_SLIDING_WINDOW))
        default_count(m, GGK_PARAM_SLIDING_WINDOW, m->arch->window, LLAMA_CPP);
    if (count_of(m, GGK_PARAM_SLIDING_WINDOW) == 0)
        return;
    default_count(m, GGK_PARAM_SLIDING_WINDOW_PATTERN, m->arch->window_period,
                  LLAMA_CPP);
    default_same(m, GGK_PARAM_KEY_LENGTH_SWA, GGK_PARAM_KEY_LENGTH);
    default_same(m, GGK_PARAM_VALUE_LENGTH_SWA, GGK_PARAM_VALUE_LENGTH);
    if ((m->arch->flags & GGKI_ARCH_SWA_10000) != 0)
        default_float(m, GGK_PARAM_ROPE_FREQ_BASE_SWA, 10000);
    else
        default_same(m, GGK_PARAM_ROPE_FREQ_BASE_SWA, GGK_PARAM_ROPE_FREQ_BASE);
}

static void default_rope(struct config_maker *m)
{
    const ggk_value linear = {GGK_VALUE_STRING, {.s = ggk_cstr("linear")}};

    if ((m->arch->flags & GGKI_ARCH_ROPE) == 0)
        return;
    default_same(m, GGK_PARAM_ROPE_DIMENSION_COUNT, GGK_PARAM_KEY_LENGTH);
    default_float(m, GGK_PARAM_ROPE_FREQ_BASE, 10000);
    default_value(m, GGK_PARAM_ROPE_SCALING_TYPE, linear, LLAMA_CPP);
    default_float(m, GGK_PARAM_ROPE_SCALING_FACTOR, 1);
    default_same(m, GGK_PARAM_ROPE_SCALING_ORIGINAL_CONTEXT_LENGTH,
                 GGK_PARAM_CONTEXT_LENGTH);
}

static void default_experts(struct config_maker *m)
{
    uint64_t used, length = count_of(m, GGK_PARAM_FEED_FORWARD_LENGTH);

    if (!is_required(m, GGK_PARAM_EXPERT_COUNT)) {
        default_count(m, GGK_PARAM_EXPERT_COUNT, 0, LLAMA_CPP);
        default_count(m, GGK_PARAM_EXPERT_USED_COUNT, 0, LLAMA_CPP);
    }
    used = count_of(m, GGK_PARAM_EXPERT_USED_COUNT);
    if (count_of(m, GGK_PARAM_EXPERT_COUNT) == 0 || used == 0 || length == 0)
        return;
    if ((m->arch->flags & GGKI_ARCH_SHARES) != 0)
        default_count(m, GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH, length / used,
                      "feed_forward_length / expert_used_count");
    else if (strcmp(m->arch->name, "llama") == 0)
        default_same(m, GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH,
                     GGK_PARAM_FEED_FORWARD_LENGTH);
}

/* The lite models of DeepSeek V2 do not compress queries; llama.cpp tells them
 * by these numbers. */
static bool is_lite(const struct config_maker *m)
{
    uint64_t n = m->config->n_layers;

    return n == 26 || n == 27 ||
           (n == 48 && count_of(m, GGK_PARAM_VOCAB_SIZE) == 128256);
}

static void default_vocab_size(struct config_maker *m)
{
    static const char key[] = "tokenizer.ggml.tokens";
    uint64_t i;
    ggk_kv kv;

    if (ggk_model_find_kv(m->model, ggk_cstr(key), &i, NULL) == GGK_OK &&
        ggk_model_kv(m->model, i, &kv, NULL) == GGK_OK &&
        kv.type == GGK_VALUE_ARRAY)
        default_count(m, GGK_PARAM_VOCAB_SIZE, kv.n, key);
}

static ggk_status apply_defaults(struct config_maker *m)
{
    ggk_status status;

    default_vocab_size(m);
    if (m->arch->cache == GGKI_CACHE_UNKNOWN)
        return GGK_OK;
    if (m->arch->cache == GGKI_CACHE_STATE)
        default_count(m, GGK_PARAM_HEAD_COUNT, 0, LLAMA_CPP);
    if (m->arch->cache != GGKI_CACHE_KV &&
        !is_required(m, GGK_PARAM_SSM_GROUP_COUNT))
        default_count(m, GGK_PARAM_SSM_GROUP_COUNT, 0, LLAMA_CPP);
    default_same(m, GGK_PARAM_HEAD_COUNT_KV, GGK_PARAM_HEAD_COUNT);
    status = default_head_lengths(m);
    if (status != GGK_OK)
        return status;
    default_rope(m);
    default_windows(m);
    default_experts(m);
    if ((m->arch->flags & GGKI_ARCH_ALIBI) != 0) {
        default_float(m, GGK_PARAM_MAX_ALIBI_BIAS, 0);
        default_float(m, GGK_PARAM_CLAMP_KQV, 0);
    }
    if ((m->arch->flags & GGKI_ARCH_MLA) != 0) {
        default_count(m, GGK_PARAM_LEADING_DENSE_BLOCK_COUNT, 0, LLAMA_CPP);
        if (is_lite(m))
            default_count(m, GGK_PARAM_Q_LORA_RANK, 0, LLAMA_CPP);
    }
    return GGK_OK;
}

/* ----------------------------------------------------------------- demands */

static void list_missing(struct config_maker *m, const char *key)
{
    uint32_t param = ggki_param_find(key);

    if (param < GGK_PARAM_COUNT)
        m->config->params[param].origin = GGK_ORIGIN_MISSING;
    if (m->config->n_missing < GGK_CONFIG_MAX_MISSING)
        m->config->missing[m->config->n_missing++] = key;
}

/* A key that is no parameter. */
static bool has_key(const struct config_maker *m, const char *key)
{
    char name[128];
    uint64_t i;

    snprintf(name, sizeof name, "%s.%s", m->arch->name, key);
    return ggk_model_find_kv(m->model, ggk_cstr(name), &i, NULL) !=
           GGK_E_NOT_FOUND;
}

static void find_missing(struct config_maker *m)
{
    for (const char *const *key = m->arch->required; *key != NULL; key++) {
        uint32_t param = ggki_param_find(*key);
        bool spared =
            m->arch->spared != NULL && strcmp(m->arch->spared, *key) == 0;

        if (param < GGK_PARAM_COUNT
                ? !ggki_param_is_set(&m->config->params[param])
                : !spared && !has_key(m, *key))
            list_missing(m, *key);
    }
    if ((m->arch->flags & GGKI_ARCH_MLA) != 0 && m->config->n_layers > 0 &&
        is_open(m, GGK_PARAM_Q_LORA_RANK))
        list_missing(m, ggk_param_key(GGK_PARAM_Q_LORA_RANK));
}

/* An architecture with attention has heads. */
static ggk_status check_heads(const struct config_maker *m)
{
    static const ggk_param counts[] = {GGK_PARAM_HEAD_COUNT,
                                       GGK_PARAM_HEAD_COUNT_KV};

    for (size_t i = 0; i < 2; i++) {
        const ggk_param_value *p = &m->config->params[counts[i]];
        bool may_be_0 = m->arch->cache == GGKI_CACHE_STATE ||
                        m->arch->cache == GGKI_CACHE_UNKNOWN ||
                        (m->arch->cache == GGKI_CACHE_HYBRID && i == 1);
        if (p->origin == GGK_ORIGIN_STORED && !may_be_0 &&
            p->value.type == GGK_VALUE_UINT64 && p->value.as.u == 0)
            return ggki_param_fail(m->err, GGK_E_RANGE, m->model, p->kv,
                                   GGK_NONE, "is 0");
    }
    return GGK_OK;
}

/* ------------------------------------------------------------------ making */

static ggk_status read_params(struct config_maker *m)
{
    ggk_config *c = m->config;

    for (uint32_t i = 0; i < GGK_PARAM_COUNT; i++) {
        ggk_status status = ggki_param_read(m->model, m->arch->name, i,
                                            c->n_layers, &c->params[i], m->err);
        if (status != GGK_OK)
            return status;
        /* The first: it is held against the lengths of arrays. */
        if (i == GGK_PARAM_BLOCK_COUNT)
            c->n_layers = count_of(m, GGK_PARAM_BLOCK_COUNT);
    }
    return GGK_OK;
}

static ggk_status read_architecture(struct config_maker *m)
{
    const ggk_str key = ggk_cstr("general.architecture");
    ggk_status status =
        ggk_model_get_str(m->model, key, &m->config->architecture, m->err);
    uint64_t i;

    if (status == GGK_OK || status == GGK_E_CHANGED)
        return status;
    if (status == GGK_E_NOT_FOUND)
        return ggki_fail(m->err, status,
                         "there is no key general.architecture");
    if (ggk_model_find_kv(m->model, key, &i, NULL) == GGK_E_DUPLICATE)
        return ggki_param_fail(m->err, GGK_E_DUPLICATE, m->model, i, GGK_NONE,
                               "is there more than once");
    return ggki_param_fail(m->err, status, m->model, i, GGK_NONE,
                           "is not of type STRING");
}

static ggk_status make_config(struct config_maker *m)
{
    ggk_status status = read_architecture(m);

    if (status != GGK_OK)
        return status;
    m->arch = ggki_arch_find(m->config->architecture);
    if (m->arch == NULL)
        return GGK_OK;
    m->config->known = true;
    status = read_params(m);
    if (status == GGK_OK)
        status = check_heads(m);
    if (status == GGK_OK)
        status = apply_defaults(m);
    if (status == GGK_OK)
        find_missing(m);
    return status;
}

ggk_status ggk_model_config(const ggk_model *model, ggk_config *out,
                            ggk_error *err)
{
    struct config_maker m = {model, NULL, out, err};
    ggk_status status;

    memset(out, 0, sizeof *out);
    status = make_config(&m);
    if (status != GGK_OK)
        memset(out, 0, sizeof *out);
    return status;
}
