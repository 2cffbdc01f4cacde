/* check_blocks.c - rules about which tensors a model has: llama.cpp asks for
 * them by name, and wants no others.
 *
 * What is asked for here is what llama.cpp v0.5.0 does not load any of these
 * architectures without; each has more.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/architectures.h"
#include "model/check.h"

#define MOST_BLOCKS 512 /* llama.cpp's LLAMA_MAX_LAYERS */

/* What a block has of tensors that each must have if one has them: in all
 * architectures whose blocks are alike, or only in some. First are those that
 * may be there in one piece instead. */
enum { Q, K, V, QKV, GATE, UP, GATE_UP };
static const struct sister {
    const char *rest;  /* of its name, after the block */
    const char *archs; /* each between spaces; NULL: all */
} sisters[] = {
    [Q] = {"attn_q.weight", NULL},
    [K] = {"attn_k.weight", NULL},
    [V] = {"attn_v.weight", NULL},
    [QKV] = {"attn_qkv.weight", NULL},
    [GATE] = {"ffn_gate_exps.weight", NULL},
    [UP] = {"ffn_up_exps.weight", NULL},
    [GATE_UP] = {"ffn_gate_up_exps.weight", NULL},
    {"attn_output.weight", NULL},
    {"attn_sinks.weight", NULL},
    {"ffn_norm.weight", NULL},
    {"ffn_gate.weight", NULL},
    {"ffn_up.weight", NULL},
    {"ffn_down.weight", NULL},
    {"ffn_gate_inp.weight", NULL},
    {"ffn_down_exps.weight", NULL},
    {"ffn_gate_inp_shexp.weight", NULL},
    {"ffn_gate_shexp.weight", NULL},
    {"ffn_up_shexp.weight", NULL},
    {"ffn_down_shexp.weight", NULL},
    {"post_attention_norm.weight", NULL},
    {"post_ffw_norm.weight", NULL},
    {"ssm_in.weight", NULL},
    {"ssm_conv1d.weight", NULL},
    {"ssm_conv1d.bias", NULL},
    {"ssm_x.weight", NULL},
    {"ssm_dt.weight", NULL},
    {"ssm_dt.bias", NULL},
    {"ssm_a", NULL},
    {"ssm_d", NULL},
    {"ssm_norm.weight", NULL},
    {"ssm_out.weight", NULL},
    {"attn_q_norm.weight", " qwen3 qwen3moe gemma3 "},
    {"attn_k_norm.weight", " qwen3 qwen3moe gemma3 "},
    {"attn_norm.bias", " gptneox gpt2 bloom falcon phimoe "},
    {"attn_qkv.bias", " gptneox gpt2 bloom "},
    {"attn_output.bias", " gptneox gpt2 bloom phimoe gpt-oss "},
    {"ffn_norm.bias", " gptneox gpt2 bloom phimoe "},
    {"ffn_up.bias", " gptneox gpt2 bloom "},
    {"ffn_down.bias", " gptneox gpt2 bloom "},
    {"ffn_gate_inp.bias", " gpt-oss "},
    {"ffn_gate_exps.bias", " gpt-oss "},
    {"ffn_up_exps.bias", " gpt-oss "},
    {"ffn_down_exps.bias", " gpt-oss "},
};
#define N_SISTERS (sizeof sisters / sizeof sisters[0])

/* Besides these, of the model as a whole. */
static const struct sister wholes[] = {
    {"position_embd.weight", " gpt2 "},
    {"token_embd_norm.weight", " bloom "},
    {"token_embd_norm.bias", " bloom "},
    {"output_norm.bias", " gptneox gpt2 bloom falcon phimoe "},
    {"output.weight", " gptneox qwen2moe phimoe gpt-oss "},
    {"output.bias", " phimoe "},
};

/* Which sisters there are in any block, one bit each; and of each block which
 * it has, or others instead. */
struct blocks {
    uint64_t any;
    bool seen[MOST_BLOCKS];
    uint64_t has[MOST_BLOCKS];
};

static void add_sister(struct blocks *blocks, uint64_t block, ggk_str rest)
{
    static const uint64_t instead[] = {
        [Q] = 1u << QKV,
        [QKV] = 1u << Q | 1u << K | 1u << V,
        [GATE] = 1u << GATE_UP,
        [GATE_UP] = 1u << GATE | 1u << UP,
    };

    for (size_t i = 0; i < N_SISTERS; i++) {
        uint64_t bit = UINT64_C(1) << i;
        if (!ggki_str_is(rest, sisters[i].rest))
            continue;
        blocks->any |= bit;
        blocks->has[block] |= bit | (i <= GATE_UP ? instead[i] : 0);
    }
}

bool ggki_block_of(ggk_str name, uint64_t *block, ggk_str *rest)
{
    size_t i = 4;

    *block = 0;
    if (name.len < 6 || memcmp(name.ptr, "blk.", 4) != 0)
        return false;
    for (; i < name.len && name.ptr[i] >= '0' && name.ptr[i] <= '9'; i++)
        if (*block <= UINT32_MAX)
            *block = *block * 10 + (uint64_t)(name.ptr[i] - '0');
    if (i == 4 || i == name.len || name.ptr[i] != '.' ||
        (name.ptr[4] == '0' && i > 5))
        return false;
    *rest = (ggk_str){name.ptr + i + 1, name.len - i - 1};
    return true;
}

static bool has_tensor(const struct ggki_check *c, const char *name)
{
    uint64_t i;

    return ggk_model_find_tensor(c->model, ggk_cstr(name), &i, NULL) !=
           GGK_E_NOT_FOUND;
}

static void need_tensor(struct ggki_check *c, const char *name)
{
    if (!has_tensor(c, name))
        ggki_report(c, RULE_TENSOR_MISSING, ggki_nowhere(),
                    "there is no tensor %s", name);
}

/* llama.cpp counts the tensors that it made use of. Does it make any of a name
 * that begins so, in whatever architecture? */
static bool is_used(ggk_str name)
{
    static const char *const stems[] = {"altup_proj",
                                        "altup_unembd_proj",
                                        "cls",
                                        "conv1d",
                                        "convnext",
                                        "d2t",
                                        "dec",
                                        "dense_2",
                                        "dense_3",
                                        "enc",
                                        "fc",
                                        "masked_embd_centroids",
                                        "masked_embd_ordering",
                                        "nextn",
                                        "output",
                                        "output_norm",
                                        "per_layer_model_proj",
                                        "per_layer_proj_norm",
                                        "per_layer_token_embd",
                                        "position_embd",
                                        "posnet",
                                        "rope_factors_long",
                                        "rope_factors_short",
                                        "rope_freqs",
                                        "token_embd",
                                        "token_embd_norm",
                                        "token_types"};
    const char *dot = name.len > 0 ? memchr(name.ptr, '.', name.len) : NULL;
    size_t len = dot != NULL ? (size_t)(dot - name.ptr) : name.len;

    return ggki_str_in((ggk_str){name.ptr, len}, stems,
                       sizeof stems / sizeof stems[0]);
}

static void check_used(struct ggki_check *c, uint64_t i,
                       const struct ggki_info *info, ggk_str name)
{
    if (!is_used(name))
        ggki_report(c, RULE_TENSOR_UNUSED,
                    ggki_field(info->name_pos, "tensor", i, "name"),
                    "llama.cpp has no use for \"%.*s\"", ggki_shown(name),
                    name.ptr);
}

/* Tensors of blocks past the last, one block after the other. */
struct past {
    uint64_t n, first, last;
    struct ggki_place place; /* of the first tensor */
    ggk_str name;            /* likewise */
};

static void report_past(struct ggki_check *c, const char *key,
                        uint64_t n_blocks, const struct past *p)
{
    unsigned long long n = n_blocks, tensors = p->n;

    if (p->n == 1)
        ggki_report(c, RULE_BLOCK_PAST, p->place,
                    "\"%.*s\" is past the last block: %s is %llu, and blocks "
                    "count from 0",
                    ggki_shown(p->name), p->name.ptr, key, n);
    else if (p->n > 0 && p->first == p->last)
        ggki_report(c, RULE_BLOCK_PAST, p->place,
                    "block %llu (%llu tensors) is past the last block: %s is "
                    "%llu, and blocks count from 0",
                    (unsigned long long)p->first, tensors, key, n);
    else if (p->n > 0)
        ggki_report(c, RULE_BLOCK_PAST, p->place,
                    "blocks %llu to %llu (%llu tensors) are past the last "
                    "block: %s is %llu, and blocks count from 0",
                    (unsigned long long)p->first, (unsigned long long)p->last,
                    tensors, key, n);
}

/* Of numbers past 32 bits not all digits were read: such a tensor is told by
 * its name. */
static void add_past(struct ggki_check *c, const char *key, uint64_t n_blocks,
                     struct past *p, const struct past *next)
{
    if (p->n > 0 && next->last <= UINT32_MAX &&
        (next->last == p->last || next->last == p->last + 1)) {
        p->n++;
        p->last = next->last;
        return;
    }
    report_past(c, key, n_blocks, p);
    *p = *next;
}

/* Tensors of the file at hand: which blocks they are of, and whether there are
 * so many. */
static void look_at_blocks(struct ggki_check *c, const char *key,
                           uint64_t n_blocks, struct blocks *blocks)
{
    struct past past = {.n = 0};

    for (uint64_t i = 0; i < c->gguf->n_tensors && !c->stopped; i++) {
        struct ggki_info info;
        uint64_t block;
        ggk_str name, rest;

        if (!ggki_gguf_info(c->gguf, i, &info))
            continue;
        name = ggki_gguf_bytes(c->gguf, info.name_pos, info.name_len);
        if (!ggki_block_of(name, &block, &rest)) {
            check_used(c, i, &info, name);
        } else if (block < n_blocks) {
            blocks->seen[block] = true;
            add_sister(blocks, block, rest);
        } else {
            struct past next = {1, block, block,
                                ggki_field(info.name_pos, "tensor", i, "name"),
                                name};
            add_past(c, key, n_blocks, &past, &next);
        }
    }
    report_past(c, key, n_blocks, &past);
}

/* Are these of an architecture that can do without? */
static bool is_spared(const struct sister *s, const struct ggki_arch *arch)
{
    char word[32];

    snprintf(word, sizeof word, " %s ", arch->name);
    return s->archs != NULL && strstr(s->archs, word) == NULL;
}

/* Tensors that one block lacks and another has. */
static void need_sisters(struct ggki_check *c, const struct ggki_arch *arch,
                         const struct blocks *blocks, uint32_t n_blocks)
{
    uint64_t any = blocks->any;

    if ((arch->flags & GGKI_ARCH_MLA) != 0 || arch->cache == GGKI_CACHE_HYBRID)
        return; /* layers of more than one kind */
    for (size_t i = 0; i < N_SISTERS; i++)
        if (is_spared(&sisters[i], arch))
            any &= ~(UINT64_C(1) << i);
    for (uint32_t b = 0; b < n_blocks; b++) {
        uint64_t lacks = blocks->seen[b] ? any & ~blocks->has[b] : 0;
        for (size_t i = 0; lacks != 0; i++, lacks >>= 1)
            if ((lacks & 1) != 0)
                ggki_report(c, RULE_TENSOR_MISSING, ggki_nowhere(),
                            "there is no tensor blk.%lu.%s, which other "
                            "blocks have",
                            (unsigned long)b, sisters[i].rest);
    }
}

/* Of block `i` any tensor, and the first of those that llama.cpp looks for.
 * Returns the block after it, and after others of which there is none. */
static uint32_t need_block(struct ggki_check *c, uint32_t i, const char *key,
                           uint32_t n_blocks, const bool *seen)
{
    char name[64];
    uint32_t last = i;

    if (seen[i]) {
        snprintf(name, sizeof name, "blk.%lu.attn_norm.weight",
                 (unsigned long)i);
        need_tensor(c, name);
        return i + 1;
    }
    while (last + 1 < n_blocks && !seen[last + 1])
        last++;
    if (last == i)
        snprintf(name, sizeof name, "block %lu", (unsigned long)i);
    else
        snprintf(name, sizeof name, "blocks %lu to %lu", (unsigned long)i,
                 (unsigned long)last);
    ggki_report(c, RULE_TENSOR_MISSING, ggki_nowhere(),
                "there is no tensor of %s: %s is %lu, and blocks count from 0",
                name, key, (unsigned long)n_blocks);
    return last + 1;
}

void ggki_check_blocks(struct ggki_check *c, const struct ggki_arch *arch,
                       const char *key, uint64_t n_blocks)
{
    struct blocks blocks = {.any = 0};
    const struct ggki_gguf *gguf = c->gguf;
    uint32_t file = c->file;

    if ((arch->flags & GGKI_ARCH_BLOCKS) == 0 || !c->whole ||
        c->model->n_tensors == 0 || n_blocks == 0 || n_blocks > MOST_BLOCKS)
        return;
    for (c->file = 0; c->file < c->model->n_files; c->file++) {
        c->gguf = &c->model->files[c->file].gguf;
        look_at_blocks(c, key, n_blocks, &blocks);
    }
    c->file = file;
    c->gguf = gguf;
    need_tensor(c, "token_embd.weight");
    need_tensor(c, "output_norm.weight");
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        if (!is_spared(&wholes[i], arch))
            need_tensor(c, wholes[i].rest);
    for (uint32_t i = 0; i < n_blocks && !c->stopped;)
        i = need_block(c, i, key, (uint32_t)n_blocks, blocks.seen);
    need_sisters(c, arch, &blocks, (uint32_t)n_blocks);
}
