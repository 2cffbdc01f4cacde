/* check_shapes.c - rules about the shapes of tensors: llama.cpp knows from the
 * keys what each has to be. Here are those that are so in all architectures
 * that have rules about their tensors.
 */
#include <string.h>

#include "base/str.h"
#include "model/architectures.h"
#include "model/check_find.h"

/* What a dimension has to be as long as. */
enum measure { ONE, EMBEDDING, FEED_FORWARD, TOKENS, N_MEASURES };

struct measured {
    struct ggki_arch_key key;
    const char *says; /* between the key and the number */
    uint64_t n;       /* 0: not known */
};

/* Those of layers of experts have other names. */
static const struct shaped {
    const char *name;
    bool block; /* there is one in each */
    enum measure ne[GGK_MAX_DIMS];
} shapes[] = {
    {"token_embd.weight", false, {EMBEDDING, TOKENS}},
    {"output_norm.weight", false, {EMBEDDING}},
    {"attn_norm.weight", true, {EMBEDDING}},
    {"ffn_down.weight", true, {FEED_FORWARD, EMBEDDING}},
};

static const struct shaped *find_shape(ggk_str name)
{
    ggk_str rest;
    uint64_t block;
    bool of_block = ggki_block_of(name, &block, &rest);

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].block == of_block &&
            ggki_str_is(of_block ? rest : name, shapes[i].name))
            return &shapes[i];
    return NULL;
}

static void measure_key(const struct ggki_check *c, ggk_str arch,
                        const char *suffix, struct measured *out)
{
    struct ggki_found_kv key;

    out->key = ggki_arch_key(arch, suffix);
    out->says = "is";
    if (!ggki_find_count(c, out->key.name, &key, &out->n) || key.repeats)
        out->n = 0;
}

/* Tokenizers of some kinds have none, whatever the file holds. */
static void measure_tokens(const struct ggki_check *c, struct measured *out)
{
    struct ggki_found_kv key;
    ggk_str kind;

    out->key = ggki_arch_key(ggk_cstr("tokenizer.ggml"), "tokens");
    out->says = "has";
    if (ggki_find_string(c, "tokenizer.ggml.model", &key, &kind) &&
        (ggki_str_is(kind, "none") || ggki_str_is(kind, "no_vocab")))
        return;
    if (ggki_find_key(c, out->key.name, &key) && !key.repeats &&
        key.kv.type == GGK_VALUE_ARRAY)
        out->n = key.kv.n;
}

static void measure(const struct ggki_check *c, ggk_str arch,
                    struct measured m[N_MEASURES])
{
    memset(m, 0, N_MEASURES * sizeof *m);
    m[ONE].n = 1;
    measure_key(c, arch, "embedding_length", &m[EMBEDDING]);
    measure_key(c, arch, "feed_forward_length", &m[FEED_FORWARD]);
    measure_tokens(c, &m[TOKENS]);
}

static void check_shape(struct ggki_check *c, const struct measured *m,
                        uint64_t i, const struct ggki_info *info, ggk_str name)
{
    const struct shaped *shape = find_shape(name);

    for (int d = 0; shape != NULL && d < GGK_MAX_DIMS; d++) {
        const struct measured *want = &m[shape->ne[d]];
        if (want->n == 0 || info->ne[d] == want->n)
            continue;
        if (shape->ne[d] == ONE)
            ggki_report(c, RULE_TENSOR_SHAPE,
                        ggki_field(info->ne_pos, "tensor", i, "ne"),
                        "ne[%d] of \"%.*s\" is %llu, not 1", d,
                        ggki_shown(name), name.ptr,
                        (unsigned long long)info->ne[d]);
        else
            ggki_report(c, RULE_TENSOR_SHAPE,
                        ggki_field(info->ne_pos, "tensor", i, "ne"),
                        "ne[%d] of \"%.*s\" is %llu, but %s %s %llu", d,
                        ggki_shown(name), name.ptr,
                        (unsigned long long)info->ne[d], want->key.name,
                        want->says, (unsigned long long)want->n);
        return;
    }
}

static void check_file(struct ggki_check *c, const struct measured *m)
{
    for (uint64_t i = 0; i < c->gguf->n_tensors && !c->stopped; i++) {
        struct ggki_info info;
        if (ggki_gguf_info(c->gguf, i, &info))
            check_shape(c, m, i, &info,
                        ggki_gguf_bytes(c->gguf, info.name_pos, info.name_len));
    }
}

void ggki_check_shapes(struct ggki_check *c, ggk_str arch)
{
    const struct ggki_arch *known = ggki_arch_find(arch);
    const struct ggki_gguf *gguf = c->gguf;
    struct measured m[N_MEASURES];
    uint32_t file = c->file;

    if ((known->flags & GGKI_ARCH_BLOCKS) == 0 || !ggki_is_model(c))
        return;
    measure(c, arch, m);
    for (c->file = 0; c->file < c->model->n_files; c->file++) {
        c->gguf = &c->model->files[c->file].gguf;
        check_file(c, m);
    }
    c->file = file;
    c->gguf = gguf;
}
