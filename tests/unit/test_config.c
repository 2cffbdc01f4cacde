/* test_config.c - hyperparameters, their defaults, layers, and cache bytes.
 *
 * Expected sizes are worked out by hand; those of the models of each kind were
 * held against what llama.cpp allocates. */
#include <inttypes.h>

#include "kinds.h"
#include "model/architectures.h"
#include "model/params.h"

/* ------------------------------------------------------------------ models */

/* A model that is being written: keys of one architecture. */
struct draft {
    struct bytes b;
    const char *arch;
    uint64_t n;
    char key[128];
};

static struct draft draft_of(const char *arch)
{
    struct draft d = {bytes_of(3, false), arch, 1, ""};

    put_header(&d.b, 0, 0);
    put_kv_str(&d.b, "general.architecture", arch);
    return d;
}

static const char *draft_key(struct draft *d, const char *key)
{
    snprintf(d->key, sizeof d->key, "%s.%s", d->arch, key);
    d->n++;
    return d->key;
}

static void add_u32(struct draft *d, const char *key, uint32_t v)
{
    put_kv_u32(&d->b, draft_key(d, key), v);
}

static void add_f32(struct draft *d, const char *key, float v)
{
    put_key(&d->b, draft_key(d, key), V_F32);
    put_f32(&d->b, v);
}

/* A number of any type that has `width` bytes. */
static void add_number(struct draft *d, const char *key, uint32_t type,
                       uint64_t v, size_t width)
{
    put_key(&d->b, draft_key(d, key), type);
    put_uint(&d->b, v, width);
}

static void add_array(struct draft *d, const char *key, uint64_t n,
                      const int32_t *v)
{
    put_key(&d->b, draft_key(d, key), V_ARR);
    put_array(&d->b, V_I32, n);
    for (uint64_t i = 0; i < n; i++)
        put_u32(&d->b, (uint32_t)v[i]);
}

#define N_KV_POS 16 /* of the count in the header */

static ggk_model *draft_open(struct draft *d)
{
    bytes_patch(&d->b, N_KV_POS, d->n, 8);
    return open_bytes(&d->b);
}

/* A model and its configuration, which must be readable. */
struct made {
    struct draft draft;
    ggk_model *model;
    ggk_config config;
};

static void make(struct made *m, struct draft d)
{
    ggk_error err = error_canary();

    m->draft = d;
    m->model = draft_open(&m->draft);
    if (ggk_model_config(m->model, &m->config, &err) != GGK_OK)
        fail_msg("%s: %s", ggk_status_name(err.status), err.what);
    expect_untouched(&err);
}

static void unmake(struct made *m)
{
    ggk_model_close(m->model);
    bytes_free(&m->draft.b);
}

static struct draft sizes_draft(const char *arch, uint32_t layers,
                                uint32_t embedding, uint32_t heads)
{
    struct draft d = draft_of(arch);

    add_u32(&d, "block_count", layers);
    add_u32(&d, "context_length", 8192);
    add_u32(&d, "embedding_length", embedding);
    add_u32(&d, "feed_forward_length", 14336);
    add_u32(&d, "attention.head_count", heads);
    add_f32(&d, "attention.layer_norm_rms_epsilon", 1e-5f);
    return d;
}

/* ------------------------------------------------------------------ expect */

static void expect_count(const struct made *m, ggk_param param, uint64_t n,
                         ggk_origin origin, const char *rule)
{
    const ggk_param_value *p = &m->config.params[param];

    if (p->origin != origin || p->value.type != GGK_VALUE_UINT64 ||
        p->value.as.u != n)
        fail_msg("%s: origin %d, value %" PRIu64, ggk_param_key(param),
                 p->origin, p->value.as.u);
    if (rule == NULL)
        assert_null(p->rule);
    else
        assert_string_equal(p->rule, rule);
    assert_true(origin != GGK_ORIGIN_STORED || p->kv != GGK_NONE);
}

static void expect_float(const struct made *m, ggk_param param, float x,
                         ggk_origin origin)
{
    const ggk_param_value *p = &m->config.params[param];

    assert_int_equal(p->origin, origin);
    assert_int_equal(p->value.type, GGK_VALUE_FLOAT32);
    assert_true((float)p->value.as.f == x);
}

static void expect_none(const struct made *m, ggk_param param)
{
    assert_int_equal(m->config.params[param].origin, GGK_ORIGIN_NONE);
    assert_int_equal(m->config.params[param].kv, GGK_NONE);
}

static ggk_layer layer_of(const struct made *m, uint64_t i)
{
    ggk_error err = error_canary();
    ggk_layer layer;

    if (ggk_config_layer(&m->config, m->model, i, &layer, &err) != GGK_OK)
        fail_msg("layer %" PRIu64 ": %s", i, err.what);
    expect_untouched(&err);
    return layer;
}

/* The kinds of all layers, a letter each. */
static void expect_kinds(const struct made *m, const char *kinds)
{
    static const char letters[] = {
        [GGK_LAYER_NONE] = '-',      [GGK_LAYER_FULL] = 'f',
        [GGK_LAYER_WINDOW] = 'w',    [GGK_LAYER_MLA] = 'm',
        [GGK_LAYER_RECURRENT] = 'r',
    };
    char found[128] = "";

    assert_int_equal(m->config.n_layers, strlen(kinds));
    for (uint64_t i = 0; i < m->config.n_layers; i++)
        found[i] = letters[layer_of(m, i).kind];
    assert_string_equal(found, kinds);
}

static ggk_kv_bytes cache_of(const struct made *m, const char *type,
                             uint64_t n_tokens)
{
    const ggk_type_info *info = ggk_type_by_name(type);
    ggk_error err = error_canary();
    ggk_kv_bytes bytes;

    if (ggk_config_kv_bytes(&m->config, m->model, info, info, n_tokens, &bytes,
                            &err) != GGK_OK)
        fail_msg("%s: %s", type, err.what);
    expect_untouched(&err);
    return bytes;
}

/* ---------------------------------------------------------- the usual model */

static struct draft llama_draft(bool with_blocks)
{
    struct draft d = draft_of("llama");

    if (with_blocks)
        add_u32(&d, "block_count", 32);
    add_u32(&d, "context_length", 8192);
    add_u32(&d, "embedding_length", 4096);
    add_u32(&d, "feed_forward_length", 14336);
    add_u32(&d, "attention.head_count", 32);
    add_u32(&d, "attention.head_count_kv", 8);
    add_f32(&d, "rope.freq_base", 500000);
    add_f32(&d, "attention.layer_norm_rms_epsilon", 1e-5f);
    put_key(&d.b, "tokenizer.ggml.tokens", V_ARR);
    put_array(&d.b, V_STR, 128256);
    for (int i = 0; i < 128256; i++)
        put_str(&d.b, "");
    d.n++;
    return d;
}

static void test_llama(void **state)
{
    static const char shared[] = "embedding_length / attention.head_count";
    struct made m;
    ggk_layer layer;

    (void)state;
    make(&m, llama_draft(true));
    assert_true(m.config.known);
    assert_int_equal(m.config.architecture.len, 5);
    assert_int_equal(m.config.n_layers, 32);
    assert_int_equal(m.config.n_missing, 0);
    expect_count(&m, GGK_PARAM_BLOCK_COUNT, 32, GGK_ORIGIN_STORED, NULL);
    expect_count(&m, GGK_PARAM_HEAD_COUNT_KV, 8, GGK_ORIGIN_STORED, NULL);
    expect_count(&m, GGK_PARAM_KEY_LENGTH, 128, GGK_ORIGIN_DEFAULT, shared);
    expect_count(&m, GGK_PARAM_VALUE_LENGTH, 128, GGK_ORIGIN_DEFAULT, shared);
    expect_count(&m, GGK_PARAM_ROPE_DIMENSION_COUNT, 128, GGK_ORIGIN_DEFAULT,
                 "attention.key_length");
    expect_count(&m, GGK_PARAM_ROPE_SCALING_ORIGINAL_CONTEXT_LENGTH, 8192,
                 GGK_ORIGIN_DEFAULT, "context_length");
    expect_count(&m, GGK_PARAM_VOCAB_SIZE, 128256, GGK_ORIGIN_DEFAULT,
                 "tokenizer.ggml.tokens");
    expect_count(&m, GGK_PARAM_EXPERT_COUNT, 0, GGK_ORIGIN_DEFAULT,
                 "llama.cpp");
    expect_float(&m, GGK_PARAM_ROPE_FREQ_BASE, 500000, GGK_ORIGIN_STORED);
    expect_float(&m, GGK_PARAM_ROPE_SCALING_FACTOR, 1, GGK_ORIGIN_DEFAULT);
    expect_float(&m, GGK_PARAM_LAYER_NORM_RMS_EPSILON, 1e-5f,
                 GGK_ORIGIN_STORED);
    expect_none(&m, GGK_PARAM_SLIDING_WINDOW);
    expect_none(&m, GGK_PARAM_LAYER_NORM_EPSILON);
    layer = layer_of(&m, 31);
    assert_int_equal(layer.kind, GGK_LAYER_FULL);
    assert_int_equal(layer.head_count / layer.head_count_kv, 4);
    assert_int_equal(layer.key_length, 128);
    assert_int_equal(layer.feed_forward_length, 14336);
    assert_int_equal(layer.k_row, 1024);
    assert_int_equal(layer.v_row, 1024);
    unmake(&m);
}

static void test_llama_cache(void **state)
{
    struct made m;
    ggk_kv_bytes b;

    (void)state;
    make(&m, llama_draft(true));
    b = cache_of(&m, "F16", 8192);
    assert_int_equal(b.full_token, 131072);
    assert_int_equal(b.n_full, 32);
    assert_int_equal(b.n_window + b.n_recurrent, 0);
    assert_int_equal(b.window_token + b.window + b.state, 0);
    assert_int_equal(b.total, UINT64_C(1) << 30);
    assert_int_equal(cache_of(&m, "F32", 1).total, 262144);
    assert_int_equal(cache_of(&m, "Q8_0", 1).total, 69632);
    assert_int_equal(cache_of(&m, "Q4_0", 1).total, 36864);
    assert_int_equal(cache_of(&m, "Q4_0", 0).total, 0);
    unmake(&m);
}

/* Keys and values of different types. */
static void test_two_types(void **state)
{
    struct made m;
    ggk_kv_bytes b;

    (void)state;
    make(&m, llama_draft(true));
    assert_int_equal(ggk_config_kv_bytes(&m.config, m.model,
                                         ggk_type_by_name("Q8_0"),
                                         ggk_type_by_name("F16"), 2, &b, NULL),
                     GGK_OK);
    assert_int_equal(b.total, 2 * (69632 / 2 + 131072 / 2));
    unmake(&m);
}

static void expect_sentence(const ggk_error *err, ggk_status status,
                            const char *what)
{
    assert_int_equal(err->status, status);
    assert_string_equal(err->what, what);
}

static void test_missing(void **state)
{
    const ggk_type_info *f16 = ggk_type_by_name("F16");
    struct made m;
    ggk_layer layer;
    ggk_kv_bytes bytes;
    ggk_error err;

    (void)state;
    make(&m, llama_draft(false));
    assert_int_equal(m.config.n_missing, 1);
    assert_string_equal(m.config.missing[0], "block_count");
    assert_int_equal(m.config.params[GGK_PARAM_BLOCK_COUNT].origin,
                     GGK_ORIGIN_MISSING);
    assert_int_equal(m.config.n_layers, 0);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 0, &layer, &err),
                     GGK_E_NOT_FOUND);
    expect_sentence(&err, GGK_E_NOT_FOUND, "missing llama.block_count");
    assert_int_equal(
        ggk_config_kv_bytes(&m.config, m.model, f16, f16, 1, &bytes, &err),
        GGK_E_NOT_FOUND);
    expect_sentence(&err, GGK_E_NOT_FOUND, "missing llama.block_count");
    unmake(&m);
}

/* ------------------------------------------------------------ architectures */

static const char *const arch_names[] = {
    "llama",  "mpt",      "gptneox",   "gptj",    "gpt2",   "bloom",
    "falcon", "mamba",    "rwkv",      "whisper", "qwen2",  "qwen2moe",
    "qwen3",  "qwen3moe", "gemma",     "gemma2",  "gemma3", "phi3",
    "jamba",  "mamba2",   "deepseek2", "gpt-oss", "phimoe",
};

#define N_ARCHS (sizeof arch_names / sizeof arch_names[0])

/* Is `key` in the list that is printed as missing? */
static bool is_missing(const ggk_config *c, const char *key)
{
    for (uint32_t i = 0; i < c->n_missing; i++) {
        if (strcmp(c->missing[i], key) == 0)
            return true;
    }
    return false;
}

static size_t count_keys(const char *const *keys)
{
    size_t n = 0;

    while (keys[n] != NULL)
        n++;
    return n;
}

/* Of a model without any key all that is required is missing, but for what has
 * a default, or llama.cpp does without. */
static void test_all_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ARCHS; i++) {
        const struct ggki_arch *arch = ggki_arch_find(ggk_cstr(arch_names[i]));
        size_t extra = 0;
        struct made m;

        assert_non_null(arch);
        assert_string_equal(arch->name, arch_names[i]);
        make(&m, draft_of(arch_names[i]));
        extra += strcmp(arch_names[i], "falcon") == 0; /* use_norm */
        extra += strcmp(arch_names[i], "mpt") == 0 ? 2 : 0;
        assert_int_equal(m.config.n_missing,
                         count_keys(arch->required) - extra);
        unmake(&m);
    }
}

/* Each required key is missed when it alone is not there; some of them have
 * defaults then. */
static void test_one_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ARCHS; i++) {
        const struct ggki_arch *arch = ggki_arch_find(ggk_cstr(arch_names[i]));
        for (size_t k = 0; arch->required[k] != NULL; k++) {
            struct draft d = draft_of(arch_names[i]);
            uint32_t left_out = ggki_param_find(arch->required[k]);
            bool has_default =
                left_out == GGK_PARAM_ROPE_DIMENSION_COUNT ||
                left_out == GGK_PARAM_HEAD_COUNT_KV ||
                left_out == GGK_PARAM_MAX_ALIBI_BIAS ||
                left_out == GGK_PARAM_CLAMP_KQV ||
                strcmp(arch->required[k], "attention.use_norm") == 0;
            struct made m;
            for (size_t j = 0; arch->required[j] != NULL; j++) {
                if (j != k)
                    add_u32(&d, arch->required[j], 8);
            }
            if (strcmp(arch_names[i], "deepseek2") == 0)
                add_u32(&d, "attention.q_lora_rank", 8);
            make(&m, d);
            assert_int_equal(is_missing(&m.config, arch->required[k]),
                             !has_default);
            assert_int_equal(m.config.n_missing, !has_default);
            unmake(&m);
        }
    }
}

static void test_find(void **state)
{
    (void)state;
    assert_null(ggki_arch_find(ggk_cstr("llama2")));
    assert_null(ggki_arch_find(ggk_cstr("llam")));
    assert_null(ggki_arch_find((ggk_str){NULL, 0}));
    assert_int_equal(ggki_param_find("attention.alibi_bias_max"),
                     GGK_PARAM_MAX_ALIBI_BIAS);
    assert_int_equal(ggki_param_find("attention.max_alibi_bias"),
                     GGK_PARAM_MAX_ALIBI_BIAS);
    assert_int_equal(ggki_param_find("no.such"), GGK_PARAM_COUNT);
    assert_null(ggki_arch_other_key("block_count"));
    assert_null(ggk_param_key(GGK_PARAM_COUNT));
    assert_string_equal(ggk_param_key(GGK_PARAM_HEAD_COUNT),
                        "attention.head_count");
    for (uint32_t i = 0; i < GGK_PARAM_COUNT; i++)
        assert_int_equal(ggki_param_find(ggk_param_key(i)), i);
}

/* Both spellings of keys that have two. */
static void test_spellings(void **state)
{
    struct draft d = draft_of("mpt");
    struct made m;

    (void)state;
    add_f32(&d, "attention.alibi_bias_max", 8);
    add_f32(&d, "attention.clamp_kqv", 6);
    make(&m, d);
    expect_float(&m, GGK_PARAM_MAX_ALIBI_BIAS, 8, GGK_ORIGIN_STORED);
    expect_float(&m, GGK_PARAM_CLAMP_KQV, 6, GGK_ORIGIN_STORED);
    assert_false(is_missing(&m.config, "attention.alibi_bias_max"));
    unmake(&m);

    d = llama_draft(true);
    add_f32(&d, "rope.scale_linear", 4);
    make(&m, d);
    expect_float(&m, GGK_PARAM_ROPE_SCALING_FACTOR, 4, GGK_ORIGIN_STORED);
    unmake(&m);
}

static void test_unknown(void **state)
{
    const ggk_type_info *f16 = ggk_type_by_name("F16");
    struct made m;
    ggk_layer layer;
    ggk_kv_bytes bytes;
    ggk_error err;

    (void)state;
    make(&m, draft_of("frobnicator"));
    assert_false(m.config.known);
    assert_int_equal(m.config.architecture.len, 11);
    assert_int_equal(m.config.n_missing, 0);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 0, &layer, &err),
                     GGK_E_UNSUPPORTED);
    assert_int_equal(
        ggk_config_kv_bytes(&m.config, m.model, f16, f16, 1, &bytes, &err),
        GGK_E_UNSUPPORTED);
    unmake(&m);

    make(&m, draft_of("whisper")); /* its keys are known, its layers are not */
    assert_true(m.config.known);
    assert_true(is_missing(&m.config, "encoder.mels_count"));
    assert_int_equal(ggk_config_layer(&m.config, m.model, 0, &layer, &err),
                     GGK_E_UNSUPPORTED);
    unmake(&m);
}

/* ------------------------------------------------------------------ layers */

static void test_mha(void **state)
{
    struct draft d = sizes_draft("qwen2", 4, 256, 4);
    struct made m;

    (void)state;
    make(&m, d);
    expect_count(&m, GGK_PARAM_HEAD_COUNT_KV, 4, GGK_ORIGIN_DEFAULT,
                 "attention.head_count");
    expect_float(&m, GGK_PARAM_ROPE_FREQ_BASE, 10000, GGK_ORIGIN_DEFAULT);
    assert_int_equal(cache_of(&m, "F16", 65536).total, UINT64_C(256) << 20);
    unmake(&m);
}

/* A stored key length goes before the share of the embedding. */
static void test_key_length(void **state)
{
    struct draft d = sizes_draft("qwen3", 2, 1024, 16);
    struct made m;

    (void)state;
    add_u32(&d, "attention.key_length", 128);
    make(&m, d);
    expect_count(&m, GGK_PARAM_KEY_LENGTH, 128, GGK_ORIGIN_STORED, NULL);
    expect_count(&m, GGK_PARAM_ROPE_DIMENSION_COUNT, 128, GGK_ORIGIN_DEFAULT,
                 "attention.key_length");
    assert_int_equal(layer_of(&m, 0).k_row, 128 * 16);
    assert_int_equal(layer_of(&m, 0).v_row, 64 * 16);
    unmake(&m);
}

/* Layers that differ: nothing is ever taken from the first alone. */
static void test_per_layer(void **state)
{
    static const int32_t heads[] = {0, 32, 32, 16};
    static const int32_t kv_heads[] = {0, 8, 0, 4};
    static const int32_t lengths[] = {0, 1000, 2000, 3000};
    struct draft d = draft_of("llama");
    struct made m;
    ggk_layer layer;

    (void)state;
    add_u32(&d, "block_count", 4);
    add_u32(&d, "context_length", 8192);
    add_u32(&d, "embedding_length", 4096);
    add_array(&d, "feed_forward_length", 4, lengths);
    add_array(&d, "attention.head_count", 4, heads);
    add_array(&d, "attention.head_count_kv", 4, kv_heads);
    add_f32(&d, "attention.layer_norm_rms_epsilon", 1e-5f);
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    assert_int_equal(m.config.params[GGK_PARAM_HEAD_COUNT_KV].value.type,
                     GGK_VALUE_ARRAY);
    assert_int_equal(m.config.params[GGK_PARAM_HEAD_COUNT_KV].kv, 6);
    /* By the first layer that has heads. */
    expect_count(&m, GGK_PARAM_KEY_LENGTH, 128, GGK_ORIGIN_DEFAULT,
                 "embedding_length / attention.head_count");
    expect_kinds(&m, "-f-f");
    layer = layer_of(&m, 3);
    assert_int_equal(layer.head_count, 16);
    assert_int_equal(layer.head_count_kv, 4);
    assert_int_equal(layer.feed_forward_length, 3000);
    assert_int_equal(layer_of(&m, 2).head_count, 0);
    assert_int_equal(layer_of(&m, 2).feed_forward_length, 2000);
    assert_int_equal(cache_of(&m, "F16", 1).total, 2 * 2 * 128 * (8 + 4));
    assert_int_equal(cache_of(&m, "F16", 1).n_full, 2);
    unmake(&m);
}

/* The default of one array is another. */
static void test_array_default(void **state)
{
    static const int32_t heads[] = {4, 8};
    struct draft d = draft_of("gpt2");
    struct made m;

    (void)state;
    add_u32(&d, "block_count", 2);
    add_u32(&d, "embedding_length", 64);
    add_array(&d, "attention.head_count", 2, heads);
    make(&m, d);
    assert_int_equal(m.config.params[GGK_PARAM_HEAD_COUNT_KV].origin,
                     GGK_ORIGIN_DEFAULT);
    assert_int_equal(layer_of(&m, 0).head_count_kv, 4);
    assert_int_equal(layer_of(&m, 1).head_count_kv, 8);
    expect_none(&m, GGK_PARAM_ROPE_DIMENSION_COUNT);
    unmake(&m);
}

static void test_gemma2(void **state)
{
    struct draft d = sizes_draft("gemma2", 5, 128, 4);
    struct made m;
    ggk_kv_bytes b;

    (void)state;
    add_u32(&d, "attention.head_count_kv", 2);
    make(&m, d);
    expect_count(&m, GGK_PARAM_SLIDING_WINDOW, 4096, GGK_ORIGIN_DEFAULT,
                 "llama.cpp");
    expect_count(&m, GGK_PARAM_SLIDING_WINDOW_PATTERN, 2, GGK_ORIGIN_DEFAULT,
                 "llama.cpp");
    expect_float(&m, GGK_PARAM_ROPE_FREQ_BASE_SWA, 10000, GGK_ORIGIN_DEFAULT);
    expect_kinds(&m, "wfwfw");
    assert_int_equal(layer_of(&m, 0).window, 4096);
    assert_int_equal(layer_of(&m, 1).window, 0);
    b = cache_of(&m, "F16", 10000);
    assert_int_equal(b.full_token, 2 * 2 * 2 * 2 * 32);
    assert_int_equal(b.window_token, 3 * 2 * 2 * 2 * 32);
    assert_int_equal(b.window, 4096);
    assert_int_equal(b.total, 512 * 10000 + 768 * 4096);
    assert_int_equal(cache_of(&m, "F16", 100).total, (512 + 768) * 100);
    unmake(&m);
}

static struct draft gemma3_draft(void)
{
    struct draft d = sizes_draft("gemma3", 8, 128, 4);

    add_u32(&d, "attention.head_count_kv", 1);
    add_u32(&d, "attention.key_length", 64);
    add_u32(&d, "attention.value_length", 64);
    return d;
}

static void expect_gemma3(struct draft d, const char *kinds)
{
    struct made m;

    make(&m, d);
    expect_kinds(&m, kinds);
    unmake(&m);
}

static void test_gemma3(void **state)
{
    static const uint32_t periods[] = {0, 1, 3};
    static const char *const kinds[] = {"wwwwwwww", "ffffffff", "wwfwwfww"};
    struct draft d = gemma3_draft();
    struct made m;

    (void)state;
    expect_gemma3(d, "ffffffff"); /* no window, no windows */
    d = gemma3_draft();
    add_u32(&d, "attention.sliding_window", 0);
    expect_gemma3(d, "ffffffff");
    for (size_t i = 0; i < 3; i++) {
        d = gemma3_draft();
        add_u32(&d, "attention.sliding_window", 512);
        add_u32(&d, "attention.sliding_window_pattern", periods[i]);
        expect_gemma3(d, kinds[i]);
    }
    d = gemma3_draft();
    add_u32(&d, "attention.sliding_window", 1024);
    add_f32(&d, "rope.freq_base", 1e6f);
    make(&m, d);
    expect_kinds(&m, "wwwwwfww");
    expect_float(&m, GGK_PARAM_ROPE_FREQ_BASE_SWA, 10000, GGK_ORIGIN_DEFAULT);
    assert_int_equal(cache_of(&m, "F16", 65536).full_token, 256);
    assert_int_equal(cache_of(&m, "F16", 65536).window_token, 7 * 256);
    unmake(&m);
}

/* A pattern that names each layer. */
static void test_bool_pattern(void **state)
{
    static const uint8_t pattern[8] = {1, 0, 0, 1, 1, 1, 0, 1};
    struct draft d = gemma3_draft();

    (void)state;
    add_u32(&d, "attention.sliding_window", 1024);
    put_key(&d.b, draft_key(&d, "attention.sliding_window_pattern"), V_ARR);
    put_array(&d.b, V_BOOL, 8);
    put_raw(&d.b, pattern, 8);
    expect_gemma3(d, "wffwwwfw");
}

/* Heads of another length in layers with a window. */
static void test_window_heads(void **state)
{
    struct draft d = sizes_draft("gpt-oss", 4, 256, 4);
    struct made m;

    (void)state;
    add_u32(&d, "attention.sliding_window", 128);
    add_u32(&d, "expert_feed_forward_length", 64);
    add_u32(&d, "attention.key_length_swa", 32);
    add_f32(&d, "rope.freq_base", 150000);
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    expect_kinds(&m, "wfwf");
    assert_int_equal(layer_of(&m, 0).key_length, 32);
    assert_int_equal(layer_of(&m, 0).value_length, 64);
    assert_int_equal(layer_of(&m, 1).key_length, 64);
    expect_count(&m, GGK_PARAM_VALUE_LENGTH_SWA, 64, GGK_ORIGIN_DEFAULT,
                 "attention.value_length");
    assert_string_equal(m.config.params[GGK_PARAM_ROPE_FREQ_BASE_SWA].rule,
                        "rope.freq_base");
    unmake(&m);
}

/* llama.cpp reads the window of phi3, and has no use for it. */
static void test_phi3(void **state)
{
    struct draft d = sizes_draft("phi3", 3, 128, 4);
    struct made m;

    (void)state;
    add_u32(&d, "attention.sliding_window", 2047);
    make(&m, d);
    expect_count(&m, GGK_PARAM_SLIDING_WINDOW, 2047, GGK_ORIGIN_STORED, NULL);
    expect_none(&m, GGK_PARAM_SLIDING_WINDOW_PATTERN);
    expect_kinds(&m, "fff");
    assert_int_equal(cache_of(&m, "F16", 65536).total, UINT64_C(96) << 20);
    unmake(&m);
}

static struct draft deepseek_draft(uint32_t layers, uint32_t kv_heads,
                                   uint32_t key_length, uint32_t value_length)
{
    struct draft d = sizes_draft("deepseek2", layers, 128, 4);

    add_u32(&d, "attention.head_count_kv", kv_heads);
    add_u32(&d, "attention.kv_lora_rank", 64);
    add_u32(&d, "attention.key_length", key_length);
    add_u32(&d, "attention.value_length", value_length);
    add_u32(&d, "expert_count", 4);
    add_u32(&d, "expert_used_count", 2);
    add_u32(&d, "expert_shared_count", 1);
    add_u32(&d, "expert_feed_forward_length", 64);
    return d;
}

static void test_mla(void **state)
{
    struct draft d = deepseek_draft(3, 1, 96, 64);
    struct made m;

    (void)state;
    add_u32(&d, "attention.q_lora_rank", 32);
    add_u32(&d, "attention.key_length_mla", 64);
    add_u32(&d, "attention.value_length_mla", 32);
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    expect_kinds(&m, "mmm");
    assert_int_equal(layer_of(&m, 0).k_row, 96);
    assert_int_equal(layer_of(&m, 0).v_row, 0);
    expect_count(&m, GGK_PARAM_LEADING_DENSE_BLOCK_COUNT, 0, GGK_ORIGIN_DEFAULT,
                 "llama.cpp");
    assert_int_equal(cache_of(&m, "F16", 65536).total, UINT64_C(36) << 20);
    assert_int_equal(cache_of(&m, "Q8_0", 1).total, 3 * 102);
    assert_int_equal(cache_of(&m, "F16", 1).n_full, 3);
    unmake(&m);

    /* Files from before: no lengths of the uncompressed heads, no MLA. */
    d = deepseek_draft(3, 4, 64, 32);
    add_u32(&d, "attention.q_lora_rank", 32);
    make(&m, d);
    expect_kinds(&m, "fff");
    assert_int_equal(cache_of(&m, "F16", 65536).total, UINT64_C(144) << 20);
    unmake(&m);
}

/* Lite models have no rank of queries; all others must. */
static void test_lite(void **state)
{
    struct draft d = deepseek_draft(27, 1, 96, 64);
    struct made m;

    (void)state;
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    expect_count(&m, GGK_PARAM_Q_LORA_RANK, 0, GGK_ORIGIN_DEFAULT, "llama.cpp");
    unmake(&m);

    d = deepseek_draft(48, 1, 96, 64);
    add_u32(&d, "vocab_size", 128256);
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    unmake(&m);

    make(&m, deepseek_draft(48, 1, 96, 64));
    assert_int_equal(m.config.n_missing, 1);
    assert_string_equal(m.config.missing[0], "attention.q_lora_rank");
    unmake(&m);
}

static void add_ssm(struct draft *d)
{
    add_u32(d, "ssm.conv_kernel", 4);
    add_u32(d, "ssm.inner_size", 256);
    add_u32(d, "ssm.state_size", 16);
    add_u32(d, "ssm.time_step_rank", 8);
}

static void test_mamba(void **state)
{
    struct draft d = sizes_draft("mamba", 128, 128, 0);
    struct made m;
    ggk_kv_bytes b;

    (void)state;
    add_ssm(&d);
    make(&m, d);
    assert_int_equal(m.config.n_missing, 0);
    assert_int_equal(layer_of(&m, 127).kind, GGK_LAYER_RECURRENT);
    assert_int_equal(layer_of(&m, 0).state, 3 * 256 + 16 * 256);
    b = cache_of(&m, "Q8_0", 1000000);
    assert_int_equal(b.n_recurrent, 128);
    assert_int_equal(b.full_token + b.window_token, 0);
    assert_int_equal(b.state, 128 * 4 * (3 * 256 + 16 * 256));
    assert_int_equal(b.total, b.state);
    unmake(&m);

    d = sizes_draft("mamba2", 1, 128, 0);
    add_ssm(&d);
    add_u32(&d, "ssm.group_count", 2);
    make(&m, d);
    assert_int_equal(layer_of(&m, 0).state, 3 * (256 + 2 * 2 * 16) + 16 * 256);
    unmake(&m);

    d = draft_of("mamba"); /* without the keys of attention */
    add_u32(&d, "block_count", 2);
    add_ssm(&d);
    make(&m, d);
    expect_count(&m, GGK_PARAM_HEAD_COUNT, 0, GGK_ORIGIN_DEFAULT, "llama.cpp");
    expect_kinds(&m, "rr");
    unmake(&m);
}

static void test_hybrid(void **state)
{
    static const int32_t kv_heads[] = {0, 0, 4, 0};
    struct draft d = sizes_draft("jamba", 4, 128, 4);
    struct made m;
    ggk_kv_bytes b;

    (void)state;
    add_array(&d, "attention.head_count_kv", 4, kv_heads);
    add_ssm(&d);
    make(&m, d);
    expect_kinds(&m, "rrfr");
    b = cache_of(&m, "F16", 65536);
    assert_int_equal(b.full_token, 2 * 2 * 128);
    assert_int_equal(b.n_recurrent, 3);
    assert_int_equal(b.total, 512 * 65536 + 3 * 4 * 19 * 256);
    unmake(&m);
}

static void test_experts(void **state)
{
    struct draft d = sizes_draft("qwen2moe", 1, 128, 4);
    struct made m;

    (void)state;
    add_u32(&d, "expert_count", 60);
    add_u32(&d, "expert_used_count", 4);
    make(&m, d);
    expect_count(&m, GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH, 14336 / 4,
                 GGK_ORIGIN_DEFAULT, "feed_forward_length / expert_used_count");
    unmake(&m);

    d = sizes_draft("llama", 1, 128, 4);
    add_u32(&d, "expert_count", 8);
    add_u32(&d, "expert_used_count", 2);
    make(&m, d);
    expect_count(&m, GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH, 14336,
                 GGK_ORIGIN_DEFAULT, "feed_forward_length");
    unmake(&m);

    d = sizes_draft("qwen3moe", 1, 128, 4); /* nothing to divide by */
    add_u32(&d, "expert_count", 8);
    add_u32(&d, "expert_used_count", 0);
    make(&m, d);
    expect_none(&m, GGK_PARAM_EXPERT_FEED_FORWARD_LENGTH);
    unmake(&m);
}

/* Integers of every width are the same number. */
static void test_widths(void **state)
{
    struct draft d = draft_of("gpt2");
    struct made m;

    (void)state;
    add_number(&d, "block_count", V_U8, 2, 1);
    add_number(&d, "context_length", V_I16, 512, 2);
    add_number(&d, "embedding_length", V_U64, 768, 8);
    add_number(&d, "attention.head_count", V_I64, 12, 8);
    add_number(&d, "feed_forward_length", V_I32, 3072, 4);
    add_number(&d, "attention.layer_norm_epsilon", V_U16, 1, 2);
    make(&m, d);
    expect_count(&m, GGK_PARAM_EMBEDDING_LENGTH, 768, GGK_ORIGIN_STORED, NULL);
    expect_count(&m, GGK_PARAM_CONTEXT_LENGTH, 512, GGK_ORIGIN_STORED, NULL);
    assert_int_equal(m.config.params[GGK_PARAM_LAYER_NORM_EPSILON].value.type,
                     GGK_VALUE_FLOAT64);
    assert_int_equal(layer_of(&m, 1).head_count, 12);
    unmake(&m);
}

/* ----------------------------------------------------------------- failures */

/* The configuration must not be readable; `d` is used up. */
static void expect_config_failure(const char *name, struct draft d,
                                  ggk_status status, const char *where,
                                  const char *what)
{
    ggk_model *model = draft_open(&d);
    ggk_error err = error_canary();
    ggk_config zero = {0}, config;
    ggk_status got = ggk_model_config(model, &config, &err);

    if (got != status || err.status != status ||
        strcmp(err.where, where) != 0 || strcmp(err.what, what) != 0)
        fail_msg("%s: %s (%s) %s", name, ggk_status_name(got), err.where,
                 err.what);
    assert_true((err.offset == GGK_NO_OFFSET) == (where[0] == '\0'));
    assert_memory_equal(&config, &zero, sizeof zero);
    assert_int_equal(ggk_model_config(model, &config, NULL), status);
    ggk_model_close(model);
    bytes_free(&d.b);
}

/* A key of a type and value that it cannot have. */
static const struct bad_number {
    const char *key;
    uint32_t type;
    uint64_t value;
    size_t width;
    ggk_status status;
    const char *what;
} bad_numbers[] = {
    {"block_count", V_U32, 0, 4, GGK_E_RANGE,
     "llama.block_count is 0, and can be 1 to 1048576"},
    {"block_count", V_U32, 1048577, 4, GGK_E_RANGE,
     "llama.block_count is 1048577, and can be 1 to 1048576"},
    {"block_count", V_U64, UINT64_C(1) << 63, 8, GGK_E_RANGE,
     "llama.block_count is 9223372036854775808, and can be 1 to 1048576"},
    {"block_count", V_I64, UINT64_C(1) << 63, 8, GGK_E_RANGE,
     "llama.block_count is negative: -9223372036854775808"},
    {"block_count", V_I8, 0xff, 1, GGK_E_RANGE,
     "llama.block_count is negative: -1"},
    {"block_count", V_F32, 0x42000000, 4, GGK_E_TYPE,
     "llama.block_count is of type FLOAT32, not an integer"},
    {"block_count", V_BOOL, 1, 1, GGK_E_TYPE,
     "llama.block_count is of type BOOL, not an integer"},
    {"embedding_length", V_U32, 0, 4, GGK_E_RANGE,
     "llama.embedding_length is 0, and can be 1 to 4294967295"},
    {"embedding_length", V_U64, UINT64_C(1) << 32, 8, GGK_E_RANGE,
     "llama.embedding_length is 4294967296, and can be 1 to 4294967295"},
    {"attention.head_count", V_U32, 0, 4, GGK_E_RANGE,
     "llama.attention.head_count is 0"},
    {"attention.head_count_kv", V_U32, 0, 4, GGK_E_RANGE,
     "llama.attention.head_count_kv is 0"},
    {"attention.key_length", V_U32, 0, 4, GGK_E_RANGE,
     "llama.attention.key_length is 0, and can be 1 to 4294967295"},
    {"attention.head_count", V_BOOL, 1, 1, GGK_E_TYPE,
     "llama.attention.head_count is of type BOOL, not an integer or an array "
     "of integers"},
    {"rope.freq_base", V_BOOL, 1, 1, GGK_E_TYPE,
     "llama.rope.freq_base is of type BOOL, not a float"},
    {"rope.scaling.type", V_U32, 1, 4, GGK_E_TYPE,
     "llama.rope.scaling.type is of type UINT32, not STRING"},
};

static void test_bad_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_numbers / sizeof bad_numbers[0]; i++) {
        const struct bad_number *bad = &bad_numbers[i];
        struct draft d = draft_of("llama");
        add_number(&d, bad->key, bad->type, bad->value, bad->width);
        expect_config_failure(bad->key, d, bad->status, "kv[1].value",
                              bad->what);
    }
}

static void test_need_have(void **state)
{
    struct draft d = draft_of("llama");
    ggk_model *model;
    ggk_config config;
    ggk_error err;

    (void)state;
    add_u32(&d, "block_count", 1048577);
    model = draft_open(&d);
    assert_int_equal(ggk_model_config(model, &config, &err), GGK_E_RANGE);
    assert_int_equal(err.need, 1048577);
    assert_int_equal(err.have, 1048576);
    assert_int_equal(err.offset, d.b.n - 4);
    ggk_model_close(model);
    bytes_free(&d.b);
}

static void test_bad_arrays(void **state)
{
    static const int32_t three[] = {8, 8, 8}, negative[] = {8, -8};
    struct draft d = draft_of("llama");

    (void)state;
    add_u32(&d, "block_count", 4);
    add_array(&d, "attention.head_count", 3, three);
    expect_config_failure(
        "short", d, GGK_E_RANGE, "kv[2].value",
        "llama.attention.head_count has 3 values, for 4 layers");
    d = draft_of("llama"); /* the count comes later, and still counts */
    add_array(&d, "attention.head_count_kv", 3, three);
    add_u32(&d, "block_count", 2);
    expect_config_failure(
        "long", d, GGK_E_RANGE, "kv[1].value",
        "llama.attention.head_count_kv has 3 values, for 2 layers");
    d = draft_of("llama");
    add_array(&d, "attention.head_count", 2, negative);
    expect_config_failure("negative", d, GGK_E_RANGE, "kv[1].value[1]",
                          "llama.attention.head_count[1] is negative: -8");
    d = draft_of("llama");
    put_key(&d.b, draft_key(&d, "feed_forward_length"), V_ARR);
    put_array(&d.b, V_STR, 0);
    expect_config_failure("strings", d, GGK_E_TYPE, "kv[1].value",
                          "llama.feed_forward_length is of type ARRAY, not an "
                          "integer or an array of integers");
    d = draft_of("llama");
    put_key(&d.b, draft_key(&d, "block_count"), V_ARR);
    put_array(&d.b, V_U32, 0);
    expect_config_failure("array", d, GGK_E_TYPE, "kv[1].value",
                          "llama.block_count is of type ARRAY, not an integer");
}

/* An array without a count of layers to hold it against has a limit too. */
static void test_long_array(void **state)
{
    const uint64_t n = GGK_CONFIG_MAX_LAYERS + 1;
    struct draft d = draft_of("llama");

    (void)state;
    put_key(&d.b, draft_key(&d, "attention.head_count"), V_ARR);
    put_array(&d.b, V_U8, n);
    put_fill(&d.b, 1, n);
    expect_config_failure(
        "long", d, GGK_E_RANGE, "kv[1].value",
        "llama.attention.head_count has 1048577 values, for 1048577 layers");
}

static void test_bad_heads(void **state)
{
    struct draft d = draft_of("llama");

    (void)state;
    add_u32(&d, "embedding_length", 64);
    add_u32(&d, "attention.head_count", 128);
    expect_config_failure("heads", d, GGK_E_RANGE, "kv[2].value",
                          "llama.attention.head_count makes 128 heads of an "
                          "embedding of 64 numbers");
}

static void test_bad_keys(void **state)
{
    struct draft d = draft_of("llama");

    (void)state;
    add_u32(&d, "block_count", 4);
    add_u32(&d, "block_count", 4);
    expect_config_failure("twice", d, GGK_E_DUPLICATE, "kv[1].value",
                          "llama.block_count is there more than once");
    d = draft_of("llama");
    put_kv_str(&d.b, "general.architecture", "gpt2");
    d.n++;
    expect_config_failure("two architectures", d, GGK_E_DUPLICATE,
                          "kv[0].value",
                          "general.architecture is there more than once");
    d = (struct draft){bytes_of(3, false), "llama", 0, ""};
    put_header(&d.b, 0, 0);
    expect_config_failure("no architecture", d, GGK_E_NOT_FOUND, "",
                          "there is no key general.architecture");
    d = (struct draft){bytes_of(3, false), "llama", 1, ""};
    put_header(&d.b, 0, 0);
    put_kv_u32(&d.b, "general.architecture", 1);
    expect_config_failure("architecture 1", d, GGK_E_TYPE, "kv[0].value",
                          "general.architecture is not of type STRING");
}

static void expect_cache_failure(const struct made *m,
                                 const ggk_type_info *type, uint64_t n_tokens,
                                 ggk_status status, const char *what)
{
    ggk_kv_bytes zero = {0}, bytes;
    ggk_error err = error_canary();

    assert_int_equal(ggk_config_kv_bytes(&m->config, m->model, type, type,
                                         n_tokens, &bytes, &err),
                     status);
    expect_sentence(&err, status, what);
    assert_memory_equal(&bytes, &zero, sizeof zero);
    assert_int_equal(ggk_config_kv_bytes(&m->config, m->model, type, type,
                                         n_tokens, &bytes, NULL),
                     status);
}

static void test_cache_failures(void **state)
{
    static const char too_many[] = "the cache would have 2^64 bytes or more";
    struct made m;
    ggk_layer layer;
    ggk_error err;

    (void)state;
    make(&m, llama_draft(true));
    expect_cache_failure(&m, NULL, 1, GGK_E_ARG, "a cache without type");
    expect_cache_failure(&m, ggk_type_by_name("Q4_K"), 1, GGK_E_BLOCK,
                         "a head of 128 numbers is no whole number of blocks "
                         "of Q4_K, which have 256");
    expect_cache_failure(&m, ggk_type_by_name("F16"), UINT64_C(1) << 47,
                         GGK_E_OVERFLOW, too_many);
    assert_int_equal(ggk_config_kv_bytes(
                         &m.config, m.model, ggk_type_by_id(T_Q4_2),
                         ggk_type_by_id(T_Q4_2), 1, &(ggk_kv_bytes){0}, NULL),
                     GGK_E_UNSUPPORTED);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 32, &layer, &err),
                     GGK_E_RANGE);
    assert_int_equal(err.need, 32);
    assert_int_equal(err.have, 32);
    unmake(&m);
}

/* A head must be whole blocks, even where the row is. */
static void test_whole_heads(void **state)
{
    struct made m;

    (void)state;
    make(&m, sizes_draft("llama", 1, 640, 8));
    assert_int_equal(layer_of(&m, 0).k_row % 32, 0);
    expect_cache_failure(&m, ggk_type_by_name("Q8_0"), 1, GGK_E_BLOCK,
                         "a head of 80 numbers is no whole number of blocks of "
                         "Q8_0, which have 32");
    unmake(&m);
}

/* The largest numbers that are read: sums do not wrap. */
static void test_overflow(void **state)
{
    struct draft d = sizes_draft("llama", 16, 128, 4);
    struct made m;
    ggk_layer layer;

    (void)state;
    add_u32(&d, "attention.head_count_kv", UINT32_MAX);
    add_u32(&d, "attention.key_length", UINT32_MAX);
    make(&m, d);
    assert_int_equal(layer_of(&m, 0).k_row, (uint64_t)UINT32_MAX * UINT32_MAX);
    assert_int_equal(ggk_config_kv_bytes(
                         &m.config, m.model, ggk_type_by_name("I8"),
                         ggk_type_by_name("I8"), 1, &(ggk_kv_bytes){0}, NULL),
                     GGK_E_OVERFLOW);
    unmake(&m);

    d = draft_of("mamba2");
    add_u32(&d, "block_count", 1);
    add_u32(&d, "ssm.conv_kernel", UINT32_MAX);
    add_u32(&d, "ssm.inner_size", UINT32_MAX);
    add_u32(&d, "ssm.state_size", UINT32_MAX);
    add_u32(&d, "ssm.group_count", UINT32_MAX);
    make(&m, d);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 0, &layer, NULL),
                     GGK_E_OVERFLOW);
    assert_int_equal(layer.kind, GGK_LAYER_NONE);
    unmake(&m);
}

static void test_most_layers(void **state)
{
    struct made m;

    (void)state;
    make(&m, sizes_draft("gpt2", GGK_CONFIG_MAX_LAYERS, 64, 2));
    assert_int_equal(cache_of(&m, "F16", 1).total,
                     UINT64_C(2) * 2 * 64 * GGK_CONFIG_MAX_LAYERS);
    unmake(&m);
}

/* What was checked may be written over while it is used. */
static void test_changed(void **state)
{
    static const int32_t heads[] = {4, 4, 4};
    struct draft d = draft_of("gpt2");
    size_t at;
    struct made m;
    ggk_layer layer;

    (void)state;
    add_u32(&d, "block_count", 3);
    add_u32(&d, "embedding_length", 64);
    add_array(&d, "attention.head_count", 3, heads);
    make(&m, d);
    at = m.draft.b.n - 4; /* of the last count */
    bytes_patch(&m.draft.b, at, UINT64_MAX, 4);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 1, &layer, NULL),
                     GGK_OK);
    assert_int_equal(ggk_config_layer(&m.config, m.model, 2, &layer, NULL),
                     GGK_E_CHANGED);
    bytes_patch(&m.draft.b, at - 16, 1, 8); /* their number */
    assert_int_equal(ggk_config_layer(&m.config, m.model, 1, &layer, NULL),
                     GGK_E_CHANGED);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama),
        cmocka_unit_test(test_llama_cache),
        cmocka_unit_test(test_two_types),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_all_missing),
        cmocka_unit_test(test_one_missing),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_mha),
        cmocka_unit_test(test_key_length),
        cmocka_unit_test(test_per_layer),
        cmocka_unit_test(test_array_default),
        cmocka_unit_test(test_gemma2),
        cmocka_unit_test(test_gemma3),
        cmocka_unit_test(test_bool_pattern),
        cmocka_unit_test(test_window_heads),
        cmocka_unit_test(test_phi3),
        cmocka_unit_test(test_mla),
        cmocka_unit_test(test_lite),
        cmocka_unit_test(test_mamba),
        cmocka_unit_test(test_hybrid),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_need_have),
        cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_long_array),
        cmocka_unit_test(test_bad_heads),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_cache_failures),
        cmocka_unit_test(test_whole_heads),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_most_layers),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
