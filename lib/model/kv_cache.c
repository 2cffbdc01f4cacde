/* kv_cache.c - what each layer keeps of the tokens before, and how many bytes
 * that takes.
 *
 * The sums are llama.cpp's: llama_kv_cache (a row of keys and one of values for
 * each token; with MLA keys alone) and llama_memory_recurrent (the convolution
 * and the state of a layer, in F32).
 */
#include <string.h>

#include "base/ckd.h"
#include "base/err.h"
#include "model/architectures.h"
#include "model/params.h"

/* ------------------------------------------------------------------ layers */

/* The layers that are being asked about. */
struct layer_reader {
    const ggk_config *config;
    const ggk_model *model;
    const struct ggki_arch *arch;
    ggk_error *err;
};

static ggk_status fail_sum(ggk_error *err)
{
    return ggki_fail(err, GGK_E_OVERFLOW,
                     "the cache would have 2^64 bytes or more");
}

/* A count that must be there, for layer `i`. */
static ggk_status layer_count(const struct layer_reader *r, ggk_param param,
                              uint64_t i, uint64_t *out)
{
    const ggk_param_value *p = &r->config->params[param];

    if (!ggki_param_is_set(p))
        return ggki_fail(r->err, GGK_E_NOT_FOUND, "missing %s.%s",
                         r->arch->name, ggk_param_key(param));
    return ggki_param_of_layer(r->model, p, i, out, r->err);
}

/* The same, of numbers that all layers share. */
static uint64_t shared_count(const struct layer_reader *r, ggk_param param)
{
    const ggk_param_value *p = &r->config->params[param];

    return ggki_param_is_set(p) && p->value.type == GGK_VALUE_UINT64
               ? p->value.as.u
               : 0;
}

static ggk_status find_rules(struct layer_reader *r)
{
    r->arch = ggki_arch_find(r->config->architecture);
    if (r->arch == NULL || r->arch->cache == GGKI_CACHE_UNKNOWN)
        return ggki_fail(
            r->err, GGK_E_UNSUPPORTED,
            "what layers of the architecture keep of tokens is not known");
    return GGK_OK;
}

/* Has layer `i` a sliding window? By a period: all layers but the last of so
 * many, or all if it is 0. */
static ggk_status has_window(const struct layer_reader *r, uint64_t i,
                             bool *out)
{
    const ggk_param_value *pattern =
        &r->config->params[GGK_PARAM_SLIDING_WINDOW_PATTERN];
    uint64_t n;
    ggk_status status;

    *out = false;
    if (r->arch->window_period == 0 ||
        shared_count(r, GGK_PARAM_SLIDING_WINDOW) == 0)
        return GGK_OK;
    status = ggki_param_of_layer(r->model, pattern, i, &n, r->err);
    if (pattern->value.type == GGK_VALUE_ARRAY)
        *out = n != 0;
    else
        *out = n == 0 || i % n < n - 1;
    return status;
}

static bool has_mla(const struct layer_reader *r)
{
    return (r->arch->flags & GGKI_ARCH_MLA) != 0 &&
           shared_count(r, GGK_PARAM_KEY_LENGTH_MLA) > 0 &&
           shared_count(r, GGK_PARAM_VALUE_LENGTH_MLA) > 0;
}

/* The last steps of the convolution, and the state proper. */
static ggk_status fill_state(const struct layer_reader *r, ggk_layer *out)
{
    uint64_t kernel = 0, inner = 0, state = 0;
    uint64_t groups = shared_count(r, GGK_PARAM_SSM_GROUP_COUNT);
    uint64_t grouped, convolution;
    ggk_status status = layer_count(r, GGK_PARAM_SSM_CONV_KERNEL, 0, &kernel);

    out->kind = GGK_LAYER_RECURRENT;
    if (status == GGK_OK)
        status = layer_count(r, GGK_PARAM_SSM_INNER_SIZE, 0, &inner);
    if (status == GGK_OK)
        status = layer_count(r, GGK_PARAM_SSM_STATE_SIZE, 0, &state);
    if (status != GGK_OK)
        return status;
    if (!ckd_mul64(2 * groups, state, &grouped) ||
        !ckd_add64(grouped, inner, &convolution) ||
        !ckd_mul64(kernel > 0 ? kernel - 1 : 0, convolution, &convolution) ||
        !ckd_add64(convolution, state * inner, &out->state))
        return fail_sum(r->err);
    return GGK_OK;
}

static ggk_status fill_attention(const struct layer_reader *r, uint64_t i,
                                 ggk_layer *out)
{
    bool window;
    ggk_status status = has_window(r, i, &window);

    if (status == GGK_OK)
        status = layer_count(
            r, window ? GGK_PARAM_KEY_LENGTH_SWA : GGK_PARAM_KEY_LENGTH, i,
            &out->key_length);
    if (status == GGK_OK)
        status = layer_count(
            r, window ? GGK_PARAM_VALUE_LENGTH_SWA : GGK_PARAM_VALUE_LENGTH, i,
            &out->value_length);
    if (status != GGK_OK)
        return status;
    out->kind = has_mla(r) ? GGK_LAYER_MLA
                : window   ? GGK_LAYER_WINDOW
                           : GGK_LAYER_FULL;
    if (window)
        out->window = shared_count(r, GGK_PARAM_SLIDING_WINDOW);
    /* Both are below 2^32. */
    out->k_row = out->key_length * out->head_count_kv;
    if (out->kind != GGK_LAYER_MLA)
        out->v_row = out->value_length * out->head_count_kv;
    return GGK_OK;
}

static ggk_status fill_layer(const struct layer_reader *r, uint64_t i,
                             ggk_layer *out)
{
    bool hybrid = r->arch->cache == GGKI_CACHE_HYBRID;
    ggk_status status = ggki_param_of_layer(
        r->model, &r->config->params[GGK_PARAM_FEED_FORWARD_LENGTH], i,
        &out->feed_forward_length, r->err);

    if (status == GGK_OK && r->arch->cache == GGKI_CACHE_STATE)
        return fill_state(r, out);
    if (status == GGK_OK)
        status = layer_count(r, GGK_PARAM_HEAD_COUNT, i, &out->head_count);
    if (status == GGK_OK)
        status =
            layer_count(r, GGK_PARAM_HEAD_COUNT_KV, i, &out->head_count_kv);
    if (status != GGK_OK)
        return status;
    if (hybrid && out->head_count_kv == 0) {
        out->head_count = 0;
        return fill_state(r, out);
    }
    if (out->head_count == 0 || out->head_count_kv == 0) {
        out->head_count = out->head_count_kv = 0;
        return GGK_OK;
    }
    return fill_attention(r, i, out);
}

static ggk_status read_layer(const struct layer_reader *r, uint64_t i,
                             ggk_layer *out)
{
    ggk_status status;

    memset(out, 0, sizeof *out);
    status = fill_layer(r, i, out);
    if (status != GGK_OK)
        memset(out, 0, sizeof *out);
    return status;
}

ggk_status ggk_config_layer(const ggk_config *config, const ggk_model *model,
                            uint64_t i, ggk_layer *out, ggk_error *err)
{
    struct layer_reader r = {config, model, NULL, err};
    uint64_t n;
    ggk_status status = find_rules(&r);

    memset(out, 0, sizeof *out);
    if (status == GGK_OK)
        status = layer_count(&r, GGK_PARAM_BLOCK_COUNT, 0, &n);
    if (status != GGK_OK)
        return status;
    if (i >= config->n_layers)
        return ggki_fail_index(err, "layer", i, config->n_layers);
    return read_layer(&r, i, out);
}

/* ------------------------------------------------------------------- bytes */

/* The types of a cache. */
struct cache_types {
    const ggk_type_info *k, *v;
};

/* Bytes of a row of heads of `length` numbers. llama.cpp wants whole heads of
 * whole blocks, not only whole rows. */
static ggk_status heads_bytes(const ggk_type_info *type, uint64_t length,
                              uint64_t row, uint64_t *out, ggk_error *err)
{
    *out = 0;
    if (row == 0)
        return GGK_OK;
    if (type->block != 0 && length % type->block != 0) {
        ggki_fail(err, GGK_E_BLOCK,
                  "a head of %llu numbers is no whole number of blocks of %s, "
                  "which have %lu",
                  (unsigned long long)length, type->name,
                  (unsigned long)type->block);
        ggki_err_set_need(err, length, type->block);
        return GGK_E_BLOCK;
    }
    return ggk_type_row_bytes(type, row, out, err);
}

/* Add what a token takes in a layer of attention. */
static ggk_status add_token(const ggk_layer *layer, struct cache_types types,
                            uint64_t *sum, ggk_error *err)
{
    uint64_t k = 0, v = 0;
    ggk_status status =
        heads_bytes(types.k, layer->key_length, layer->k_row, &k, err);

    if (status == GGK_OK)
        status =
            heads_bytes(types.v, layer->value_length, layer->v_row, &v, err);
    if (status != GGK_OK)
        return status;
    return ckd_add64(*sum, k, sum) && ckd_add64(*sum, v, sum) ? GGK_OK
                                                              : fail_sum(err);
}

static ggk_status add_layer(const ggk_layer *layer, struct cache_types types,
                            ggk_kv_bytes *out, ggk_error *err)
{
    uint64_t bytes;

    switch (layer->kind) {
    case GGK_LAYER_NONE: return GGK_OK;
    case GGK_LAYER_FULL:
    case GGK_LAYER_MLA:
        out->n_full++;
        return add_token(layer, types, &out->full_token, err);
    case GGK_LAYER_WINDOW:
        out->n_window++;
        out->window = layer->window;
        return add_token(layer, types, &out->window_token, err);
    case GGK_LAYER_RECURRENT:
        out->n_recurrent++;
        return ckd_mul64(layer->state, 4, &bytes) &&
                       ckd_add64(out->state, bytes, &out->state)
                   ? GGK_OK
                   : fail_sum(err);
    }
    return ggki_fail(err, GGK_E_BUG, "a layer of no kind");
}

static bool add_total(ggk_kv_bytes *b, uint64_t n_tokens)
{
    uint64_t full, window;

    return ckd_mul64(b->full_token, n_tokens, &full) &&
           ckd_mul64(b->window_token,
                     n_tokens < b->window ? n_tokens : b->window, &window) &&
           ckd_add64(full, window, &b->total) &&
           ckd_add64(b->total, b->state, &b->total);
}

static ggk_status sum_layers(const struct layer_reader *r,
                             struct cache_types types, uint64_t n_tokens,
                             ggk_kv_bytes *out)
{
    for (uint64_t i = 0; i < r->config->n_layers; i++) {
        ggk_layer layer;
        ggk_status status = read_layer(r, i, &layer);
        if (status == GGK_OK)
            status = add_layer(&layer, types, out, r->err);
        if (status != GGK_OK)
            return status;
    }
    return add_total(out, n_tokens) ? GGK_OK : fail_sum(r->err);
}

ggk_status ggk_config_kv_bytes(const ggk_config *config, const ggk_model *model,
                               const ggk_type_info *k_type,
                               const ggk_type_info *v_type, uint64_t n_tokens,
                               ggk_kv_bytes *out, ggk_error *err)
{
    struct layer_reader r = {config, model, NULL, err};
    struct cache_types types = {k_type, v_type};
    uint64_t n;
    ggk_status status;

    memset(out, 0, sizeof *out);
    if (k_type == NULL || v_type == NULL)
        return ggki_fail(err, GGK_E_ARG, "a cache without type");
    status = find_rules(&r);
    if (status == GGK_OK)
        status = layer_count(&r, GGK_PARAM_BLOCK_COUNT, 0, &n);
    if (status == GGK_OK)
        status = sum_layers(&r, types, n_tokens, out);
    if (status != GGK_OK)
        memset(out, 0, sizeof *out);
    return status;
}
