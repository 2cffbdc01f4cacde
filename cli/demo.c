/* demo.c - the model of `gguf info --demo`. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

#define DEMO_HEADER_BYTES 4096
#define DEMO_ALIGNMENT    32u

/* A GGUF whose header is in memory and whose data is zeros. */
struct demo {
    unsigned char header[DEMO_HEADER_BYTES];
    size_t header_bytes;
    uint64_t size;
};

struct demo_tensor {
    const char *name;
    uint32_t n_dims;
    uint64_t ne[2];
    const char *type;
};

static const struct demo_tensor demo_tensors[] = {
    {"token_embd.weight", 2, {256, 1000}, "Q4_K"},
    {"blk.0.attn_norm.weight", 1, {256, 1}, "F32"},
    {"blk.0.attn_q.weight", 2, {256, 256}, "Q4_K"},
    {"blk.0.attn_k.weight", 2, {256, 64}, "Q4_K"},
    {"blk.0.attn_v.weight", 2, {256, 64}, "Q6_K"},
    {"blk.0.attn_output.weight", 2, {256, 256}, "Q4_K"},
    {"blk.0.ffn_norm.weight", 1, {256, 1}, "F32"},
    {"blk.0.ffn_gate.weight", 2, {256, 704}, "Q4_K"},
    {"blk.0.ffn_up.weight", 2, {256, 704}, "Q4_K"},
    {"blk.0.ffn_down.weight", 2, {704, 256}, "Q5_0"},
    {"output_norm.weight", 1, {256, 1}, "F32"},
    {"output.weight", 2, {256, 1000}, "Q6_K"},
};

#define DEMO_N_TENSORS (sizeof demo_tensors / sizeof demo_tensors[0])

static void put_bytes(struct demo *d, const void *bytes, size_t n)
{
    memcpy(d->header + d->header_bytes, bytes, n);
    d->header_bytes += n;
}

static void put_le(struct demo *d, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d->header[d->header_bytes++] = (unsigned char)(v >> (8 * i));
}

static void put_string(struct demo *d, const char *s)
{
    put_le(d, strlen(s), 8);
    put_bytes(d, s, strlen(s));
}

static void put_key(struct demo *d, const char *key, ggk_value_type type)
{
    put_string(d, key);
    put_le(d, (uint64_t)type, 4);
}

static void put_key_u32(struct demo *d, const char *key, uint32_t v)
{
    put_key(d, key, GGK_VALUE_UINT32);
    put_le(d, v, 4);
}

static void put_key_f32(struct demo *d, const char *key, float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    put_key(d, key, GGK_VALUE_FLOAT32);
    put_le(d, bits, 4);
}

static void put_key_string(struct demo *d, const char *key, const char *v)
{
    put_key(d, key, GGK_VALUE_STRING);
    put_string(d, v);
}

static void put_key_strings(struct demo *d, const char *key,
                            const char *const *strings, size_t n)
{
    put_key(d, key, GGK_VALUE_ARRAY);
    put_le(d, GGK_VALUE_STRING, 4);
    put_le(d, n, 8);
    for (size_t i = 0; i < n; i++)
        put_string(d, strings[i]);
}

static void put_keys(struct demo *d)
{
    static const char *const tokens[] = {"<unk>", "<s>", "</s>", "the", "cat"};

    put_key_string(d, "general.architecture", "llama");
    put_key_string(d, "general.name", "demo");
    put_key_u32(d, "general.file_type", 15);
    put_key_u32(d, "general.quantization_version", 2);
    put_key_u32(d, "llama.block_count", 1);
    put_key_u32(d, "llama.context_length", 2048);
    put_key_u32(d, "llama.embedding_length", 256);
    put_key_u32(d, "llama.feed_forward_length", 704);
    put_key_u32(d, "llama.attention.head_count", 8);
    put_key_u32(d, "llama.attention.head_count_kv", 2);
    put_key_f32(d, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
    put_key_f32(d, "llama.rope.freq_base", 500000.0f);
    put_key_string(d, "tokenizer.ggml.model", "llama");
    put_key_strings(d, "tokenizer.ggml.tokens", tokens,
                    sizeof tokens / sizeof tokens[0]);
    put_key_u32(d, "tokenizer.ggml.bos_token_id", 1);
    put_key_u32(d, "tokenizer.ggml.eos_token_id", 2);
}

#define DEMO_N_KEYS 16u

static uint64_t pad(uint64_t n)
{
    return (n + DEMO_ALIGNMENT - 1) / DEMO_ALIGNMENT * DEMO_ALIGNMENT;
}

/* The tensor infos; the size of all data into `*bytes`. */
static ggk_status put_infos(struct demo *d, uint64_t *bytes, ggk_error *err)
{
    *bytes = 0;
    for (size_t i = 0; i < DEMO_N_TENSORS; i++) {
        const struct demo_tensor *t = &demo_tensors[i];
        const ggk_type_info *type = ggk_type_by_name(t->type);
        uint64_t size;
        ggk_status status =
            ggk_type_tensor_bytes(type, t->ne, t->n_dims, &size, err);

        if (status != GGK_OK)
            return status;
        put_string(d, t->name);
        put_le(d, t->n_dims, 4);
        for (uint32_t k = 0; k < t->n_dims; k++)
            put_le(d, t->ne[k], 8);
        put_le(d, type->id, 4);
        put_le(d, *bytes, 8);
        *bytes += pad(size);
    }
    return GGK_OK;
}

static int demo_read(void *ctx, uint64_t off, void *buf, size_t bytes,
                     size_t *got)
{
    const struct demo *d = ctx;
    size_t from_header = 0;

    *got = 0;
    if (off >= d->size)
        return 0;
    *got = bytes < d->size - off ? bytes : (size_t)(d->size - off);
    if (off < d->header_bytes) {
        from_header = d->header_bytes - (size_t)off;
        from_header = from_header < *got ? from_header : *got;
        memcpy(buf, d->header + off, from_header);
    }
    memset((char *)buf + from_header, 0, *got - from_header);
    return 0;
}

static ggk_status make_demo(struct demo *d, ggk_error *err)
{
    uint64_t data_bytes;
    ggk_status status;

    d->header_bytes = 0;
    put_bytes(d, "GGUF", 4);
    put_le(d, 3, 4);
    put_le(d, DEMO_N_TENSORS, 8);
    put_le(d, DEMO_N_KEYS, 8);
    put_keys(d);
    status = put_infos(d, &data_bytes, err);
    d->size = pad(d->header_bytes) + data_bytes;
    return status;
}

ggk_status demo_open(ggk_model **out, ggk_error *err)
{
    struct demo *d = malloc(sizeof *d);
    ggk_callbacks callbacks = {demo_read, free, d, 0};
    ggk_source *source = NULL;
    ggk_status status;

    *out = NULL;
    if (d == NULL) {
        *err = (ggk_error){.status = GGK_E_NOMEM,
                           .offset = GGK_NO_OFFSET,
                           .what = "out of memory"};
        return GGK_E_NOMEM;
    }
    status = make_demo(d, err);
    callbacks.size = d->size;
    if (status == GGK_OK)
        status = ggk_source_from_callbacks(&callbacks, NULL, &source, err);
    if (status != GGK_OK) {
        free(d);
        return status;
    }
    return ggk_model_open_source(source, NULL, out, err);
}
