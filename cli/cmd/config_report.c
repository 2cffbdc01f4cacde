/* config_report.c - gathers what `gguf config` tells. */
#include "cmd/config_report.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------ layers */

bool config_same_layer(const ggk_layer *a, const ggk_layer *b)
{
    return a->kind == b->kind &&
           a->feed_forward_length == b->feed_forward_length &&
           a->head_count == b->head_count &&
           a->head_count_kv == b->head_count_kv &&
           a->key_length == b->key_length &&
           a->value_length == b->value_length && a->window == b->window &&
           a->k_row == b->k_row && a->v_row == b->v_row && a->state == b->state;
}

uint64_t config_queries_per_kv(const ggk_layer *layer)
{
    return layer->head_count_kv > 0 &&
                   layer->head_count % layer->head_count_kv == 0
               ? layer->head_count / layer->head_count_kv
               : 0;
}

/* Add the open run to the text; what does not fit any more is "...". */
static void close_run(struct layer_group *g)
{
    static const char more[] = "...";
    const char *comma = g->ranges[0] != '\0' ? ", " : "";
    size_t used = strlen(g->ranges);
    char run[64];

    if (used >= strlen(more) &&
        strcmp(g->ranges + used - strlen(more), more) == 0)
        return;
    if (g->first == g->last)
        snprintf(run, sizeof run, "%s%" PRIu64, comma, g->first);
    else
        snprintf(run, sizeof run, "%s%" PRIu64 "-%" PRIu64, comma, g->first,
                 g->last);
    if (used + strlen(run) + sizeof ", ..." > sizeof g->ranges)
        snprintf(run, sizeof run, "%s%s", comma, more);
    memcpy(g->ranges + used, run, strlen(run) + 1);
}

static void add_to_group(struct config_report *r, const ggk_layer *layer,
                         uint64_t i)
{
    struct layer_group *g = r->groups;
    struct layer_group *end = r->groups + r->n_groups;

    while (g < end && !config_same_layer(&g->layer, layer))
        g++;
    if (g == r->groups + CONFIG_MAX_GROUPS) {
        r->n_ungrouped++;
    } else if (g == end) {
        *g = (struct layer_group){.layer = *layer, .first = i, .last = i};
        r->n_groups++;
    } else if (g->last + 1 == i) {
        g->last = i;
    } else {
        close_run(g);
        g->first = g->last = i;
    }
}

static ggk_status gather_layers(struct config_report *r, ggk_error *err)
{
    for (uint64_t i = 0; i < r->config.n_layers; i++) {
        ggk_layer layer;
        ggk_status status =
            ggk_config_layer(&r->config, r->in->model, i, &layer, err);
        if (status == GGK_E_NOT_FOUND || status == GGK_E_UNSUPPORTED)
            return GGK_OK; /* of all layers: the report says why */
        if (status != GGK_OK)
            return status;
        add_to_group(r, &layer, i);
        r->has_layers = true;
    }
    for (size_t i = 0; i < r->n_groups; i++)
        close_run(&r->groups[i]);
    return GGK_OK;
}

/* ------------------------------------------------------------------ caches */

static ggk_status gather_cache(struct config_report *r,
                               const ggk_type_info *type, ggk_error *err)
{
    struct cache_size *cache = &r->caches[r->n_caches++];
    ggk_status status = ggk_config_kv_bytes(
        &r->config, r->in->model, type, type, r->tokens, &cache->bytes, err);

    cache->type = type->name;
    cache->fits = status == GGK_OK;
    if (status != GGK_E_BLOCK && status != GGK_E_UNSUPPORTED &&
        status != GGK_E_OVERFLOW)
        return status;
    snprintf(cache->reason, sizeof cache->reason, "%.*s",
             (int)sizeof cache->reason - 1, err->what);
    return GGK_OK;
}

static ggk_status gather_caches(struct config_report *r,
                                const ggk_type_info *type, ggk_error *err)
{
    static const char *const usual[CONFIG_MAX_CACHES] = {"F16", "Q8_0", "Q4_0"};
    ggk_status status = GGK_OK;

    if (type != NULL)
        return gather_cache(r, type, err);
    for (size_t i = 0; i < CONFIG_MAX_CACHES && status == GGK_OK; i++)
        status = gather_cache(r, ggk_type_by_name(usual[i]), err);
    return status;
}

/* ----------------------------------------------------------------- weights */

/* What the tensors take; nothing is known if one's size is not. */
static ggk_status gather_weights(struct config_report *r, ggk_error *err)
{
    for (uint64_t i = 0; i < ggk_model_n_tensors(r->in->model); i++) {
        ggk_tensor t;
        ggk_status status = ggk_model_tensor(r->in->model, i, &t, err);

        if (status != GGK_OK)
            return status;
        if (t.opaque || t.bytes > UINT64_MAX - r->weights) {
            r->weights = 0;
            return GGK_OK;
        }
        r->weights += t.bytes;
    }
    return GGK_OK;
}

uint64_t config_with_weights(const struct config_report *r,
                             const struct cache_size *cache)
{
    if (r->weights == 0 || r->tokens == 0 || !cache->fits ||
        cache->bytes.total > UINT64_MAX - r->weights)
        return 0;
    return r->weights + cache->bytes.total;
}

/* ------------------------------------------------------------------ report */

ggk_status config_gather(const struct input *in, const ggk_type_info *type,
                         uint64_t ctx, struct config_report *out,
                         ggk_error *err)
{
    const ggk_param_value *trained;
    ggk_status status;

    memset(out, 0, sizeof *out);
    out->in = in;
    status = ggk_model_config(in->model, &out->config, err);
    if (status == GGK_OK)
        status = gather_weights(out, err);
    if (status == GGK_OK)
        status = gather_layers(out, err);
    if (status != GGK_OK || !out->has_layers)
        return status;
    trained = &out->config.params[GGK_PARAM_CONTEXT_LENGTH];
    out->tokens = ctx;
    if (ctx == 0 && trained->origin == GGK_ORIGIN_STORED)
        out->tokens = trained->value.as.u;
    return gather_caches(out, type, err);
}

bool config_ignores_window(const struct config_report *r)
{
    const ggk_param_value *window = &r->config.params[GGK_PARAM_SLIDING_WINDOW];

    if (!r->has_layers || window->origin != GGK_ORIGIN_STORED ||
        window->value.as.u == 0)
        return false;
    for (size_t i = 0; i < r->n_groups; i++) {
        if (r->groups[i].layer.kind == GGK_LAYER_WINDOW)
            return false;
    }
    return true;
}

bool config_is_other_key(const struct config_report *r, uint64_t i, ggk_str key)
{
    const ggk_str arch = r->config.architecture;

    if (key.len <= arch.len + 1 || key.ptr[arch.len] != '.' ||
        memcmp(key.ptr, arch.ptr, arch.len) != 0)
        return false;
    for (size_t k = 0; k < GGK_PARAM_COUNT && r->config.known; k++) {
        const ggk_param_value *p = &r->config.params[k];
        if (p->origin == GGK_ORIGIN_STORED && p->kv == i)
            return false;
    }
    return true;
}
