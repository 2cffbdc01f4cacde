/* config_report.h - what `gguf config` tells, gathered before it is told. */
#ifndef CLI_CONFIG_REPORT_H
#define CLI_CONFIG_REPORT_H

#include "input.h"

#define CONFIG_MAX_GROUPS   64
#define CONFIG_MAX_CACHES   3
#define CONFIG_RANGES_BYTES 192

/* Layers that are alike. */
struct layer_group {
    ggk_layer layer;
    char ranges[CONFIG_RANGES_BYTES]; /* which: "0-4, 6-10" */
    uint64_t first, last;             /* of the run that is not yet in there */
};

/* The cache in one type, or why it cannot be. */
struct cache_size {
    const char *type;
    bool fits;
    ggk_kv_bytes bytes;
    char reason[256];
};

struct config_report {
    const struct input *in;
    ggk_config config;
    bool has_layers; /* else there are no groups and no caches */
    struct layer_group groups[CONFIG_MAX_GROUPS];
    size_t n_groups;
    uint64_t n_ungrouped; /* layers of yet other kinds */
    uint64_t weights;     /* bytes of all tensors; 0 if not known */
    uint64_t tokens;      /* of the caches; 0 if not known */
    struct cache_size caches[CONFIG_MAX_CACHES];
    size_t n_caches;
};

/* config_gather - the report on a model, whose caches are of `type` (NULL: of
 * the usual types) and hold `ctx` tokens (0: as many as it was trained on). */
ggk_status config_gather(const struct input *in, const ggk_type_info *type,
                         uint64_t ctx, struct config_report *out,
                         ggk_error *err);

/* config_with_weights - bytes of a cache and the weights; 0 if not known. */
uint64_t config_with_weights(const struct config_report *r,
                             const struct cache_size *cache);

/* config_same_layer - are two layers alike? */
bool config_same_layer(const ggk_layer *a, const ggk_layer *b);

/* config_ignores_window - is a sliding window stored that no layer has? */
bool config_ignores_window(const struct config_report *r);

/* config_is_other_key - is key-value `i` one of the architecture's, but none of
 * the parameters that are reported? */
bool config_is_other_key(const struct config_report *r, uint64_t i,
                         ggk_str key);

/* config_queries_per_kv - query heads that share one head of keys and values; 0
 * if that is no whole number. */
uint64_t config_queries_per_kv(const ggk_layer *layer);

#endif
