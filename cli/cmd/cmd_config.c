/* cmd_config.c - gguf config: what an engine takes a model to be. */
#include "cmd/config_report.h"
#include "out/fmt.h"
#include "out/table.h"
#include "out/text.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct config_options {
    const char *kv_type;
    uint64_t ctx;
};

static const struct opt config_options[] = {
    {"kv-type", 0, OPT_STRING, "TYPE",
     "the cache in this type; else in F16, Q8_0 and Q4_0",
     offsetof(struct config_options, kv_type), NULL},
    {"ctx", 'c', OPT_SIZE, "N",
     "for N tokens: 8192, 8Ki; else the model's context",
     offsetof(struct config_options, ctx), NULL},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0, NULL},
};

#define FULL_KEY_BYTES 256

/* "llama.block_count": the key of a parameter, as it is stored if it is. */
static void full_key(char *out, const struct config_report *r, uint32_t param)
{
    const ggk_param_value *p = &r->config.params[param];
    const ggk_str arch = r->config.architecture;
    ggk_kv kv;

    if (p->origin == GGK_ORIGIN_STORED &&
        ggk_model_kv(r->in->model, p->kv, &kv, NULL) == GGK_OK) {
        text_copy(out, FULL_KEY_BYTES, kv.key.ptr, kv.key.len);
        return;
    }
    text_copy(out, FULL_KEY_BYTES / 2, arch.ptr, arch.len);
    snprintf(out + strlen(out), FULL_KEY_BYTES / 2, ".%s",
             ggk_param_key(param));
}

static bool is_per_layer(const ggk_param_value *p)
{
    return p->value.type == GGK_VALUE_ARRAY;
}

static bool is_given(const ggk_param_value *p)
{
    return p->origin == GGK_ORIGIN_STORED || p->origin == GGK_ORIGIN_DEFAULT;
}

/* -------------------------------------------------------------------- text */

static void start_table(struct table *t, const struct config_report *r,
                        const struct table_column *columns, size_t n)
{
    const struct cli *cli = r->in->cli;

    putc('\n', cli->out);
    table_start(t, cli->out, columns, n, cli->term.width,
                term_style(&cli->term, TERM_BOLD),
                term_style(&cli->term, TERM_PLAIN));
}

/* Defaults of 0 say only what a model does not have. */
static bool is_worth_a_line(const struct config_report *r,
                            const ggk_param_value *p)
{
    const ggk_value *v = &p->value;
    bool zero = (v->type == GGK_VALUE_UINT64 && v->as.u == 0) ||
                (v->type == GGK_VALUE_FLOAT32 && !(v->as.f > 0));

    return p->origin != GGK_ORIGIN_NONE &&
           (p->origin != GGK_ORIGIN_DEFAULT || !zero ||
            r->in->cli->global.verbose);
}

static ggk_status put_value(struct table *t, const struct config_report *r,
                            const ggk_param_value *p, ggk_error *err)
{
    struct show_line line = {""};
    ggk_status status = GGK_OK;

    if (is_per_layer(p))
        snprintf(line.text, sizeof line.text, "per layer");
    else if (is_given(p) && p->kv != GGK_NONE)
        status = show_value_line(&line, r->in->model, p->kv, err);
    else if (p->value.type == GGK_VALUE_STRING)
        snprintf(line.text, sizeof line.text, "\"%.*s\"",
                 (int)p->value.as.s.len, p->value.as.s.ptr);
    else if (p->value.type == GGK_VALUE_UINT64)
        fmt_u64(line.text, p->value.as.u);
    else if (is_given(p))
        fmt_f32(line.text, (float)p->value.as.f);
    if (status == GGK_OK)
        table_cstring(t, line.text);
    return status;
}

static ggk_status put_param(struct table *t, const struct config_report *r,
                            uint32_t param, ggk_error *err)
{
    const ggk_param_value *p = &r->config.params[param];
    char key[FULL_KEY_BYTES], from[96];
    ggk_status status;

    if (!is_worth_a_line(r, p))
        return GGK_OK;
    full_key(key, r, param);
    table_cstring(t, key);
    status = put_value(t, r, p, err);
    if (status != GGK_OK)
        return status;
    if (p->origin == GGK_ORIGIN_DEFAULT)
        snprintf(from, sizeof from, "default: %s", p->rule);
    else
        snprintf(from, sizeof from, "%s",
                 p->origin == GGK_ORIGIN_MISSING ? "missing" : "stored");
    table_cstring(t, from);
    return GGK_OK;
}

static bool has_params(const struct config_report *r)
{
    for (uint32_t i = 0; i < GGK_PARAM_COUNT; i++) {
        if (is_worth_a_line(r, &r->config.params[i]))
            return true;
    }
    return false;
}

static ggk_status print_params(const struct config_report *r, ggk_error *err)
{
    static const struct table_column columns[] = {
        {"PARAMETER", TABLE_LEFT, false},
        {"VALUE", TABLE_LEFT, false},
        {"FROM", TABLE_LEFT, true},
    };
    ggk_status status = GGK_OK;
    struct table t;

    if (!has_params(r))
        return GGK_OK;
    start_table(&t, r, columns, 3);
    do {
        for (uint32_t i = 0; i < GGK_PARAM_COUNT && status == GGK_OK; i++)
            status = put_param(&t, r, i, err);
    } while (status == GGK_OK && table_again(&t));
    return status;
}

static ggk_status put_other_key(struct table *t, const struct config_report *r,
                                uint64_t i, ggk_error *err)
{
    char type[SHOW_TYPE_BYTES];
    struct show_line line;
    ggk_kv kv;
    ggk_status status = ggk_model_kv(r->in->model, i, &kv, err);

    if (status != GGK_OK || !config_is_other_key(r, i, kv.key))
        return status;
    status = show_value_line(&line, r->in->model, i, err);
    if (status != GGK_OK)
        return status;
    show_type_name(type, &kv);
    table_text(t, kv.key.ptr, kv.key.len);
    table_cstring(t, line.text);
    table_cstring(t, type);
    return GGK_OK;
}

static bool has_other_keys(const struct config_report *r)
{
    for (uint64_t i = 0; i < ggk_model_n_kv(r->in->model); i++) {
        ggk_kv kv;
        if (ggk_model_kv(r->in->model, i, &kv, NULL) == GGK_OK &&
            config_is_other_key(r, i, kv.key))
            return true;
    }
    return false;
}

static ggk_status print_other_keys(const struct config_report *r,
                                   ggk_error *err)
{
    const struct table_column columns[] = {
        {r->config.known ? "OTHER KEY" : "KEY", TABLE_LEFT, false},
        {"VALUE", TABLE_LEFT, true},
        {"TYPE", TABLE_LEFT, false},
    };
    ggk_status status = GGK_OK;
    struct table t;

    if (!has_other_keys(r))
        return GGK_OK;
    start_table(&t, r, columns, 3);
    do {
        for (uint64_t i = 0;
             i < ggk_model_n_kv(r->in->model) && status == GGK_OK; i++)
            status = put_other_key(&t, r, i, err);
    } while (status == GGK_OK && table_again(&t));
    return status;
}

static void put_kind(struct table *t, const ggk_layer *layer)
{
    char text[48];

    switch (layer->kind) {
    case GGK_LAYER_NONE: table_cstring(t, "no attention"); return;
    case GGK_LAYER_FULL: table_cstring(t, "full attention"); return;
    case GGK_LAYER_WINDOW:
        snprintf(text, sizeof text, "window of %" PRIu64, layer->window);
        table_cstring(t, text);
        return;
    case GGK_LAYER_MLA: table_cstring(t, "MLA"); return;
    case GGK_LAYER_RECURRENT: table_cstring(t, "recurrent"); return;
    }
}

static void put_count(struct table *t, uint64_t n)
{
    if (n == 0)
        table_cstring(t, "-");
    else
        table_u64(t, n);
}

static void put_head_dim(struct table *t, const ggk_layer *layer)
{
    char text[64];

    if (layer->key_length == layer->value_length) {
        put_count(t, layer->key_length);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, layer->key_length,
             layer->value_length);
    table_cstring(t, text);
}

static void print_layers(const struct config_report *r)
{
    static const struct table_column columns[] = {
        {"LAYERS", TABLE_LEFT, true},          {"KIND", TABLE_LEFT, false},
        {"HEADS", TABLE_RIGHT, false},         {"KV HEADS", TABLE_RIGHT, false},
        {"Q PER KV HEAD", TABLE_RIGHT, false}, {"HEAD_DIM", TABLE_RIGHT, false},
        {"FEED FORWARD", TABLE_RIGHT, false},
    };
    struct table t;

    start_table(&t, r, columns, 7);
    do {
        for (size_t i = 0; i < r->n_groups; i++) {
            const ggk_layer *layer = &r->groups[i].layer;
            table_cstring(&t, r->groups[i].ranges);
            put_kind(&t, layer);
            put_count(&t, layer->head_count);
            put_count(&t, layer->head_count_kv);
            put_count(&t, config_queries_per_kv(layer));
            put_head_dim(&t, layer);
            put_count(&t, layer->feed_forward_length);
        }
    } while (table_again(&t));
    if (r->n_ungrouped > 0)
        fprintf(r->in->cli->out, "and %" PRIu64 " layer%s of yet other kinds\n",
                r->n_ungrouped, fmt_plural(r->n_ungrouped));
}

/* The columns of the table of caches, of which some only if they say
 * something. */
struct cache_columns {
    struct table_column at[6];
    size_t n;
    bool window, state, total;
    char window_title[48], total_title[48];
};

static void add_column(struct cache_columns *c, const char *title,
                       enum table_align align)
{
    c->at[c->n++] = (struct table_column){title, align, false};
}

static void choose_columns(const struct config_report *r,
                           struct cache_columns *c)
{
    *c = (struct cache_columns){.total = r->tokens > 0};
    for (size_t i = 0; i < r->n_groups; i++) {
        const ggk_layer *layer = &r->groups[i].layer;
        c->state = c->state || layer->kind == GGK_LAYER_RECURRENT;
        c->window = c->window || layer->kind == GGK_LAYER_WINDOW;
        if (layer->kind == GGK_LAYER_WINDOW)
            snprintf(c->window_title, sizeof c->window_title,
                     "IN WINDOWS OF %" PRIu64, layer->window);
    }
    snprintf(c->total_title, sizeof c->total_title, "AT %" PRIu64 " TOKENS",
             r->tokens);
    add_column(c, "KV CACHE", TABLE_LEFT);
    add_column(c, "BYTES PER TOKEN", TABLE_RIGHT);
    if (c->window)
        add_column(c, c->window_title, TABLE_RIGHT);
    if (c->state)
        add_column(c, "STATE BYTES", TABLE_RIGHT);
    if (c->total) {
        add_column(c, c->total_title, TABLE_RIGHT);
        add_column(c, "BYTES", TABLE_RIGHT);
    }
}

static void put_cache(struct table *t, const struct cache_columns *c,
                      const struct cache_size *cache)
{
    table_cstring(t, cache->type);
    if (!cache->fits) {
        for (size_t i = 1; i < c->n; i++)
            table_cstring(t, "-");
        return;
    }
    table_u64(t, cache->bytes.full_token);
    if (c->window)
        table_u64(t, cache->bytes.window_token);
    if (c->state)
        table_u64(t, cache->bytes.state);
    if (c->total) {
        table_size(t, cache->bytes.total);
        table_u64(t, cache->bytes.total);
    }
}

static void print_caches(const struct config_report *r)
{
    struct cache_columns c;
    struct table t;

    choose_columns(r, &c);
    start_table(&t, r, c.at, c.n);
    do {
        for (size_t i = 0; i < r->n_caches; i++)
            put_cache(&t, &c, &r->caches[i]);
    } while (table_again(&t));
    for (size_t i = 0; i < r->n_caches; i++) {
        const char *reason = r->caches[i].reason;
        FILE *out = r->in->cli->out;

        if (r->caches[i].fits)
            continue;
        fprintf(out, "%s: ", r->caches[i].type);
        text_write(out, reason, strlen(reason), TEXT_PLAIN, TEXT_WHOLE);
        fputc('\n', out);
    }
}

static void put_memory(struct table *t, const char *what, uint64_t bytes)
{
    table_cstring(t, what);
    table_size(t, bytes);
    table_u64(t, bytes);
}

/* The weights, alone and with each cache. */
static void print_memory(const struct config_report *r)
{
    char title[48], what[64];
    const struct table_column columns[] = {
        {"MEMORY", TABLE_LEFT, false},
        {title, TABLE_RIGHT, false},
        {"BYTES", TABLE_RIGHT, false},
    };
    struct table t;

    if (r->weights == 0 || r->tokens == 0)
        return;
    snprintf(title, sizeof title, "AT %" PRIu64 " TOKENS", r->tokens);
    start_table(&t, r, columns, 3);
    do {
        put_memory(&t, "weights", r->weights);
        for (size_t i = 0; i < r->n_caches; i++) {
            uint64_t bytes = config_with_weights(r, &r->caches[i]);

            if (bytes == 0)
                continue;
            snprintf(what, sizeof what, "weights + %s cache",
                     r->caches[i].type);
            put_memory(&t, what, bytes);
        }
    } while (table_again(&t));
}

static void print_head(const struct config_report *r)
{
    const ggk_str arch = r->config.architecture;
    FILE *out = r->in->cli->out;

    text_write(out, r->in->name, strlen(r->in->name), TEXT_PLAIN, TEXT_WHOLE);
    fputs("\n  architecture   ", out);
    text_write(out, arch.ptr, arch.len, TEXT_PLAIN, TEXT_WHOLE);
    putc('\n', out);
    if (r->config.known)
        return;
    fputs("  no rules known for '", out);
    text_write(out, arch.ptr, arch.len, TEXT_PLAIN, TEXT_WHOLE);
    fputs("'\n", out);
}

static void print_remarks(const struct config_report *r)
{
    const ggk_str arch = r->config.architecture;
    FILE *out = r->in->cli->out;

    if (config_ignores_window(r))
        fputs("\nnote: a sliding window is stored, but llama.cpp gives all "
              "layers full attention\n",
              out);
    if (r->config.n_missing > 0)
        putc('\n', out);
    for (uint32_t i = 0; i < r->config.n_missing; i++) {
        fputs("missing ", out);
        text_write(out, arch.ptr, arch.len, TEXT_PLAIN, TEXT_WHOLE);
        fprintf(out, ".%s\n", r->config.missing[i]);
    }
}

static ggk_status print_text(const struct config_report *r, ggk_error *err)
{
    ggk_status status;

    print_head(r);
    status = print_params(r, err);
    if (status == GGK_OK)
        status = print_other_keys(r, err);
    if (status != GGK_OK)
        return status;
    if (r->has_layers) {
        print_layers(r);
        print_caches(r);
        print_memory(r);
    }
    print_remarks(r);
    return GGK_OK;
}

/* -------------------------------------------------------------------- JSON */

static ggk_status put_param_json(struct json *j, const struct config_report *r,
                                 uint32_t param, ggk_error *err)
{
    static const char *const origins[] = {
        [GGK_ORIGIN_NONE] = "none",
        [GGK_ORIGIN_STORED] = "stored",
        [GGK_ORIGIN_DEFAULT] = "default",
        [GGK_ORIGIN_MISSING] = "missing",
    };
    const ggk_param_value *p = &r->config.params[param];
    char key[FULL_KEY_BYTES];
    ggk_status status = GGK_OK;

    if (p->origin == GGK_ORIGIN_NONE)
        return GGK_OK;
    full_key(key, r, param);
    json_open_object(j);
    json_put_cstring(j, "key", key);
    json_put_cstring(j, "origin", origins[p->origin]);
    if (p->origin == GGK_ORIGIN_DEFAULT)
        json_put_cstring(j, "rule", p->rule);
    if (is_given(p) && is_per_layer(p)) {
        status = show_json_value(j, r->in->model, p->kv, SHOW_FEW, err);
    } else if (is_given(p)) {
        json_key(j, "value");
        show_json_scalar(j, &p->value);
    }
    if (status == GGK_OK)
        json_close_object(j);
    return status;
}

static ggk_status put_params_json(struct json *j, const struct config_report *r,
                                  ggk_error *err)
{
    ggk_status status = GGK_OK;

    json_key(j, "parameters");
    json_open_array(j);
    for (uint32_t i = 0; i < GGK_PARAM_COUNT && status == GGK_OK; i++)
        status = put_param_json(j, r, i, err);
    if (status == GGK_OK)
        json_close_array(j);
    return status;
}

static void put_missing_json(struct json *j, const struct config_report *r)
{
    json_key(j, "missing");
    json_open_array(j);
    for (uint32_t i = 0; i < r->config.n_missing; i++) {
        char key[FULL_KEY_BYTES];
        snprintf(key, sizeof key, "%.*s.%s", (int)r->config.architecture.len,
                 r->config.architecture.ptr, r->config.missing[i]);
        json_cstring(j, key);
    }
    json_close_array(j);
}

static ggk_status put_other_keys_json(struct json *j,
                                      const struct config_report *r,
                                      ggk_error *err)
{
    ggk_status status;

    json_key(j, "other_keys");
    json_open_array(j);
    for (uint64_t i = 0; i < ggk_model_n_kv(r->in->model); i++) {
        ggk_kv kv;
        status = ggk_model_kv(r->in->model, i, &kv, err);
        if (status != GGK_OK)
            return status;
        if (!config_is_other_key(r, i, kv.key))
            continue;
        json_open_object(j);
        json_put_string(j, "key", kv.key.ptr, kv.key.len);
        status = show_json_value(j, r->in->model, i, SHOW_FEW, err);
        if (status != GGK_OK)
            return status;
        json_close_object(j);
    }
    json_close_array(j);
    return GGK_OK;
}

/* Layers `first` to `last`, which are alike. */
static void put_layers_json(struct json *j, const ggk_layer *layer,
                            uint64_t first, uint64_t last)
{
    static const char *const kinds[] = {
        [GGK_LAYER_NONE] = "none",           [GGK_LAYER_FULL] = "full",
        [GGK_LAYER_WINDOW] = "window",       [GGK_LAYER_MLA] = "mla",
        [GGK_LAYER_RECURRENT] = "recurrent",
    };
    json_open_object(j);
    json_put_u64(j, "first", first);
    json_put_u64(j, "last", last);
    json_put_cstring(j, "kind", kinds[layer->kind]);
    json_put_u64(j, "head_count", layer->head_count);
    json_put_u64(j, "head_count_kv", layer->head_count_kv);
    if (config_queries_per_kv(layer) > 0)
        json_put_u64(j, "query_heads_per_kv_head",
                     config_queries_per_kv(layer));
    json_put_u64(j, "key_length", layer->key_length);
    json_put_u64(j, "value_length", layer->value_length);
    if (layer->kind == GGK_LAYER_WINDOW)
        json_put_u64(j, "window", layer->window);
    json_put_u64(j, "feed_forward_length", layer->feed_forward_length);
    json_close_object(j);
}

static ggk_status put_runs_json(struct json *j, const struct config_report *r,
                                ggk_error *err)
{
    uint64_t n = r->has_layers ? r->config.n_layers : 0;
    uint64_t first = 0;
    ggk_layer run;

    json_key(j, "layers");
    json_open_array(j);
    for (uint64_t i = 0; i < n; i++) {
        ggk_layer layer;
        ggk_status status =
            ggk_config_layer(&r->config, r->in->model, i, &layer, err);
        if (status != GGK_OK)
            return status;
        if (i > 0 && !config_same_layer(&run, &layer)) {
            put_layers_json(j, &run, first, i - 1);
            first = i;
        }
        run = layer;
    }
    if (n > 0)
        put_layers_json(j, &run, first, n - 1);
    json_close_array(j);
    return GGK_OK;
}

static void put_caches_json(struct json *j, const struct config_report *r)
{
    json_key(j, "kv_cache");
    json_open_array(j);
    for (size_t i = 0; i < r->n_caches; i++) {
        const struct cache_size *cache = &r->caches[i];
        json_open_object(j);
        json_put_cstring(j, "type", cache->type);
        if (!cache->fits) {
            json_put_cstring(j, "error", cache->reason);
            json_close_object(j);
            continue;
        }
        json_put_u64(j, "bytes_per_token", cache->bytes.full_token);
        json_put_u64(j, "window", cache->bytes.window);
        json_put_u64(j, "window_bytes_per_token", cache->bytes.window_token);
        json_put_u64(j, "state_bytes", cache->bytes.state);
        if (r->tokens > 0) {
            json_put_u64(j, "tokens", r->tokens);
            json_put_u64(j, "bytes", cache->bytes.total);
            if (config_with_weights(r, cache) > 0)
                json_put_u64(j, "bytes_with_weights",
                             config_with_weights(r, cache));
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static ggk_status print_json(const struct config_report *r, ggk_error *err)
{
    const ggk_str arch = r->config.architecture;
    struct json j;
    ggk_status status;

    show_json_start(&j, r->in->cli);
    json_put_cstring(&j, "file", r->in->name);
    json_put_string(&j, "architecture", arch.ptr, arch.len);
    json_put_bool(&j, "known", r->config.known);
    put_missing_json(&j, r);
    status = put_params_json(&j, r, err);
    if (status == GGK_OK)
        status = put_other_keys_json(&j, r, err);
    if (status == GGK_OK)
        status = put_runs_json(&j, r, err);
    if (status != GGK_OK)
        return status;
    if (r->weights > 0)
        json_put_u64(&j, "weight_bytes", r->weights);
    put_caches_json(&j, r);
    json_put_bool(&j, "window_ignored", config_ignores_window(r));
    show_json_end(&j);
    return GGK_OK;
}

/* --------------------------------------------------------------------- run */

/* The type of that name, one of the user's own first. */
static const ggk_type_info *find_type(const struct input *in, const char *name)
{
    const ggk_type_info *type;

    for (size_t i = 0;
         in->types != NULL && (type = ggk_type_table_at(in->types, i)) != NULL;
         i++) {
        if (strcasecmp(type->name, name) == 0)
            return type;
    }
    return ggk_type_by_name(name);
}

static int report_config(const struct input *in, const ggk_type_info *type)
{
    const struct config_options *o = in->cli->options;
    struct config_report *r = malloc(sizeof *r);
    ggk_error err = {.status = GGK_E_NOMEM,
                     .offset = GGK_NO_OFFSET,
                     .what = "out of memory"};
    ggk_status result = GGK_E_NOMEM;
    int status = CLI_DONE;

    if (r != NULL)
        result = config_gather(in, type, o->ctx, r, &err);
    if (result == GGK_OK)
        result =
            in->cli->global.json ? print_json(r, &err) : print_text(r, &err);
    if (result != GGK_OK)
        status = input_fail(in, &err);
    else if (r->config.n_missing > 0 ||
             (type != NULL && r->n_caches == 1 && !r->caches[0].fits))
        status = CLI_NO;
    free(r);
    return status;
}

static int run_config(struct cli *cli, int argc, char **argv)
{
    const struct config_options *o = cli->options;
    const ggk_type_info *type = NULL;
    struct input in;
    int status = input_open(cli, argv[0], &in);

    (void)argc;
    if (status != CLI_DONE)
        return status;
    if (o->kv_type != NULL)
        type = find_type(&in, o->kv_type);
    if (o->kv_type != NULL && type == NULL) {
        msg_usage(&cli->msg, "there is no tensor type '%s'", o->kv_type);
        status = CLI_USAGE;
    } else {
        return input_finish(&in, report_config(&in, type));
    }
    input_close(&in);
    return status;
}

static const struct cli_example config_examples[] = {
    {"gguf config model.gguf",
     "parameters, layers, bytes of the weights and the KV cache"},
    {"gguf config --ctx 32Ki --kv-type q8_0 model.gguf",
     "the cache of 32768 tokens in Q8_0"},
    {"gguf config --json model.gguf | jq '.kv_cache[0].bytes_per_token'",
     "one number, for scripts"},
    {NULL, NULL},
};

const struct command cmd_config = {
    .name = "config",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .flags = CLI_READS_MODEL,
    .summary = "show what an engine takes the model to be",
    .about = "Shows the hyperparameters, with defaults where nothing is "
             "stored, what each\nlayer is, and how many bytes the KV cache "
             "and the weights take.",
    .examples = config_examples,
    .options = config_options,
    .options_bytes = sizeof(struct config_options),
    .no_means =
        "a required key is missing or wrong, or --kv-type does not suit "
        "the model",
    .run = run_config,
};
