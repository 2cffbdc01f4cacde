/* params.c - hyperparameters as they are stored: their keys, and reading them.
 */
#include "model/params.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "format/types.h"
#include "model/architectures.h"

enum param_form {
    FORM_COUNT,
    FORM_PER_LAYER, /* a count, or an array of them */
    FORM_FLOAT,
    FORM_TEXT
};

struct param_spec {
    const char *key;
    enum param_form form;
    uint64_t least, most; /* of counts */
};

#define SPEC(key, form)          \
    {                            \
        key, form, 0, UINT32_MAX \
    }
#define NONZERO(key)                   \
    {                                  \
        key, FORM_COUNT, 1, UINT32_MAX \
    }

static const struct param_spec specs[GGK_PARAM_COUNT] = {
    [GGK_PARAM_BLOCK_COUNT] = {"block_count", FORM_COUNT, 1,
                               GGK_CONFIG_MAX_LAYERS},
    [GGK_PARAM_CONTEXT_LENGTH] = SPEC("context_length", FORM_COUNT),
    [GGK_PARAM_EMBEDDING_LENGTH] = NONZERO("embedding_length"),
    [GGK_PARAM_FEED_FORWARD_LENGTH] =
        SPEC("feed_forward_length", FORM_PER_LAYER),
    [GGK_PARAM_HEAD_COUNT] = SPEC("attention.head_count", FORM_PER_LAYER),
    [GGK_PARAM_HEAD_COUNT_KV] = SPEC("attention.head_count_kv", FORM_PER_LAYER),
    [GGK_PARAM_KEY_LENGTH] = NONZERO("attention.key_length"),
    [GGK_PARAM_VALUE_LENGTH] = NONZERO("attention.value_length"),
    [GGK_PARAM_KEY_LENGTH_SWA] = NONZERO("attention.key_length_swa"),
    [GGK_PARAM_VALUE_LENGTH_SWA] = NONZERO("attention.value_length_swa"),
    [GGK_PARAM_LAYER_NORM_EPSILON] =
        SPEC("attention.layer_norm_epsilon", FORM_FLOAT),
    [GGK_PARAM_LAYER_NORM_RMS_EPSILON] =
        SPEC("attention.layer_norm_rms_epsilon", FORM_FLOAT),
    [GGK_PARAM_SLIDING_WINDOW] = SPEC("attention.sliding_window", FORM_COUNT),
    [GGK_PARAM_SLIDING_WINDOW_PATTERN] =
        SPEC("attention.sliding_window_pattern", FORM_PER_LAYER),
    [GGK_PARAM_Q_LORA_RANK] = SPEC("attention.q_lora_rank", FORM_COUNT),
    [GGK_PARAM_KV_LORA_RANK] = SPEC("attention.kv_lora_rank", FORM_COUNT),
    [GGK_PARAM_KEY_LENGTH_MLA] = SPEC("attention.key_length_mla", FORM_COUNT),
    [GGK_PARAM_VALUE_LENGTH_MLA] =
        SPEC("attention.value_length_mla", FORM_COUNT),
    [GGK_PARAM_MAX_ALIBI_BIAS] = SPEC("attention.max_alibi_bias", FORM_FLOAT),
    [GGK_PARAM_CLAMP_KQV] = SPEC("attention.clamp_kqv", FORM_FLOAT),
    [GGK_PARAM_ROPE_DIMENSION_COUNT] = SPEC("rope.dimension_count", FORM_COUNT),
    [GGK_PARAM_ROPE_FREQ_BASE] = SPEC("rope.freq_base", FORM_FLOAT),
    [GGK_PARAM_ROPE_FREQ_BASE_SWA] = SPEC("rope.freq_base_swa", FORM_FLOAT),
    [GGK_PARAM_ROPE_SCALING_TYPE] = SPEC("rope.scaling.type", FORM_TEXT),
    [GGK_PARAM_ROPE_SCALING_FACTOR] = SPEC("rope.scaling.factor", FORM_FLOAT),
    [GGK_PARAM_ROPE_SCALING_ORIGINAL_CONTEXT_LENGTH] =
        SPEC("rope.scaling.original_context_length", FORM_COUNT),
    [GGK_PARAM_EXPERT_COUNT] = SPEC("expert_count", FORM_COUNT),
    [GGK_PARAM_EXPERT_USED_COUNT] = SPEC("expert_used_count", FORM_PER_LAYER),
    [GGK_PARAM_EXPERT_SHARED_COUNT] = SPEC("expert_shared_count", FORM_COUNT),
    [GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH] =
        SPEC("expert_feed_forward_length", FORM_COUNT),
    [GGK_PARAM_LEADING_DENSE_BLOCK_COUNT] =
        SPEC("leading_dense_block_count", FORM_COUNT),
    [GGK_PARAM_SSM_CONV_KERNEL] = SPEC("ssm.conv_kernel", FORM_COUNT),
    [GGK_PARAM_SSM_INNER_SIZE] = SPEC("ssm.inner_size", FORM_COUNT),
    [GGK_PARAM_SSM_STATE_SIZE] = SPEC("ssm.state_size", FORM_COUNT),
    [GGK_PARAM_SSM_TIME_STEP_RANK] = SPEC("ssm.time_step_rank", FORM_COUNT),
    [GGK_PARAM_SSM_GROUP_COUNT] = SPEC("ssm.group_count", FORM_COUNT),
    [GGK_PARAM_VOCAB_SIZE] = SPEC("vocab_size", FORM_COUNT),
};

#undef SPEC
#undef NONZERO

const char *ggk_param_key(uint32_t param)
{
    return param < GGK_PARAM_COUNT ? specs[param].key : NULL;
}

bool ggki_param_is_count(uint32_t param, bool *layered)
{
    *layered = specs[param].form == FORM_PER_LAYER;
    return *layered || specs[param].form == FORM_COUNT;
}

uint32_t ggki_param_find(const char *key)
{
    const char *other = ggki_arch_other_key(key);

    for (uint32_t i = 0; i < GGK_PARAM_COUNT; i++) {
        if (strcmp(specs[i].key, key) == 0 ||
            (other != NULL && strcmp(specs[i].key, other) == 0))
            return i;
    }
    return GGK_PARAM_COUNT;
}

ggk_status ggki_param_fail(ggk_error *err, ggk_status status,
                           const ggk_model *model, uint64_t kv,
                           uint64_t element, const char *what, ...)
{
    char sentence[256], index[32] = "";
    va_list args;
    ggk_kv at;

    if (err == NULL)
        return status;
    if (ggk_model_kv(model, kv, &at, NULL) != GGK_OK)
        return ggki_fail_changed(err);
    va_start(args, what);
    vsnprintf(sentence, sizeof sentence, what, args);
    va_end(args);
    if (element != GGK_NONE)
        snprintf(index, sizeof index, "[%llu]", (unsigned long long)element);
    ggki_fail(err, status, "%.*s%s %s",
              at.key.len < 128 ? (int)at.key.len : 128, at.key.ptr, index,
              sentence);
    err->offset = at.value_off;
    snprintf(err->where, sizeof err->where, "kv[%llu].value%s",
             (unsigned long long)kv, index);
    return status;
}

/* ----------------------------------------------------------------- reading */

/* A parameter that is being read. */
struct param_reader {
    const ggk_model *model;
    const struct param_spec *spec;
    uint64_t n_layers;
    uint64_t kv;
    ggk_error *err;
};

static ggk_status fail_form(const struct param_reader *r, uint32_t type)
{
    static const char *const wanted[] = {
        [FORM_COUNT] = "an integer",
        [FORM_PER_LAYER] = "an integer or an array of integers",
        [FORM_FLOAT] = "a float",
        [FORM_TEXT] = "STRING",
    };
    return ggki_param_fail(r->err, GGK_E_TYPE, r->model, r->kv, GGK_NONE,
                           "is of type %s, not %s", ggk_value_type_name(type),
                           wanted[r->spec->form]);
}

/* Make a count of `*v`, whatever its width. */
static ggk_status take_count(const struct param_reader *r, uint64_t element,
                             ggk_value *v)
{
    const struct param_spec *spec = r->spec;

    if (ggki_value_is_signed(v->type) && v->as.i < 0)
        return ggki_param_fail(r->err, GGK_E_RANGE, r->model, r->kv, element,
                               "is negative: %lld", (long long)v->as.i);
    if (v->as.u < spec->least || v->as.u > spec->most) {
        ggki_param_fail(
            r->err, GGK_E_RANGE, r->model, r->kv, element,
            "is %llu, and can be %llu to %llu", (unsigned long long)v->as.u,
            (unsigned long long)spec->least, (unsigned long long)spec->most);
        ggki_err_set_need(r->err, v->as.u,
                          v->as.u < spec->least ? spec->least : spec->most);
        return GGK_E_RANGE;
    }
    v->type = GGK_VALUE_UINT64;
    return GGK_OK;
}

static ggk_status take_scalar(const struct param_reader *r, ggk_value *v)
{
    bool is_float =
        v->type == GGK_VALUE_FLOAT32 || v->type == GGK_VALUE_FLOAT64;

    switch (r->spec->form) {
    case FORM_COUNT:
    case FORM_PER_LAYER:
        return ggki_value_is_integer(v->type) ? take_count(r, GGK_NONE, v)
                                              : fail_form(r, v->type);
    case FORM_FLOAT:
        if (is_float)
            return GGK_OK;
        if (!ggki_value_is_integer(v->type))
            return fail_form(r, v->type);
        v->as.f =
            ggki_value_is_signed(v->type) ? (double)v->as.i : (double)v->as.u;
        v->type = GGK_VALUE_FLOAT64;
        return GGK_OK;
    case FORM_TEXT:
        return v->type == GGK_VALUE_STRING ? GGK_OK : fail_form(r, v->type);
    }
    return ggki_fail(r->err, GGK_E_BUG, "a parameter of no form");
}

/* An array of one count, or one BOOL, for each layer: `head` is its head. */
static ggk_status take_array(const struct param_reader *r, ggk_walk *walk,
                             ggk_value *head)
{
    uint64_t n = head->as.u;
    uint64_t wanted = r->n_layers > 0 ? r->n_layers : n;

    if (r->spec->form != FORM_PER_LAYER ||
        (!ggki_value_is_integer(head->type) && head->type != GGK_VALUE_BOOL))
        return fail_form(r, GGK_VALUE_ARRAY);
    if (n != wanted || n > GGK_CONFIG_MAX_LAYERS) {
        ggki_param_fail(r->err, GGK_E_RANGE, r->model, r->kv, GGK_NONE,
                        "has %llu value%s, for %llu layer%s",
                        (unsigned long long)n, ggki_plural(n),
                        (unsigned long long)wanted, ggki_plural(wanted));
        ggki_err_set_need(r->err, n, wanted);
        return GGK_E_RANGE;
    }
    for (uint64_t i = 0; i < n; i++) {
        ggk_value v;
        ggk_status status;
        if (ggk_walk_next(walk, &v) != GGK_WALK_VALUE)
            return ggki_fail_changed(r->err);
        status = take_count(r, i, &v);
        if (status != GGK_OK)
            return status;
    }
    head->type = GGK_VALUE_ARRAY;
    return GGK_OK;
}

static ggk_status read_value(const struct param_reader *r, ggk_value *out)
{
    ggk_walk walk;
    ggk_status status = ggk_walk_start(r->model, r->kv, &walk, r->err);

    if (status != GGK_OK)
        return status;
    switch (ggk_walk_next(&walk, out)) {
    case GGK_WALK_VALUE: return take_scalar(r, out);
    case GGK_WALK_OPEN: return take_array(r, &walk, out);
    case GGK_WALK_CLOSE:
    case GGK_WALK_END:
    case GGK_WALK_BROKEN: break;
    }
    return ggki_fail_changed(r->err);
}

static ggk_status find_stored(const ggk_model *model, const char *arch,
                              const char *key, uint64_t *out, ggk_error *err)
{
    char name[128];

    snprintf(name, sizeof name, "%s.%s", arch, key);
    return ggk_model_find_kv(model, ggk_cstr(name), out, err);
}

ggk_status ggki_param_read(const ggk_model *model, const char *arch,
                           uint32_t param, uint64_t n_layers,
                           ggk_param_value *out, ggk_error *err)
{
    struct param_reader r = {model, &specs[param], n_layers, GGK_NONE, err};
    const char *other = ggki_arch_other_key(r.spec->key);
    ggk_status status;

    *out = (ggk_param_value){.kv = GGK_NONE};
    status = find_stored(model, arch, r.spec->key, &r.kv, NULL);
    if (status == GGK_E_NOT_FOUND && other != NULL)
        status = find_stored(model, arch, other, &r.kv, NULL);
    if (status == GGK_E_NOT_FOUND)
        return GGK_OK;
    if (status != GGK_OK)
        return ggki_param_fail(err, status, model, r.kv, GGK_NONE,
                               "is there more than once");
    status = read_value(&r, &out->value);
    if (status != GGK_OK) {
        *out = (ggk_param_value){.kv = GGK_NONE};
        return status;
    }
    out->origin = GGK_ORIGIN_STORED;
    out->kv = r.kv;
    return GGK_OK;
}

ggk_status ggki_param_of_layer(const ggk_model *model,
                               const ggk_param_value *param, uint64_t i,
                               uint64_t *out, ggk_error *err)
{
    ggk_walk walk;
    ggk_value v;
    ggk_status status;

    *out = 0;
    if (!ggki_param_is_set(param))
        return GGK_OK;
    if (param->value.type != GGK_VALUE_ARRAY) {
        *out = param->value.as.u;
        return GGK_OK;
    }
    status = ggk_walk_start(model, param->kv, &walk, err);
    if (status != GGK_OK)
        return status;
    /* What it was when it was read, it need not be any more. */
    if (ggk_walk_next(&walk, &v) != GGK_WALK_OPEN ||
        ggk_walk_skip(&walk, i) != i ||
        ggk_walk_next(&walk, &v) != GGK_WALK_VALUE || v.as.u > UINT32_MAX)
        return ggki_fail_changed(err);
    *out = v.as.u;
    return GGK_OK;
}
