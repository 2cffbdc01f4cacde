/* recipe_names.c - what a tensor is by its name: its role, its layer, and
 * whether it is quantized at all.
 *
 * As llama.cpp v0.5.0 decides (llama-quant.cpp), oddities included: names are
 * searched for words, and one of five characters passes for a weight.
 */
#include <string.h>

#include "base/ckd.h"
#include "base/str.h"
#include "ops/recipe.h"

static bool holds(ggk_str name, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= name.len; i++)
        if (name.ptr[i] == word[0] && memcmp(name.ptr + i, word, n) == 0)
            return true;
    return false;
}

static bool ends_in(ggk_str name, const char *word)
{
    size_t n = strlen(word);

    return name.len >= n && memcmp(name.ptr + name.len - n, word, n) == 0;
}

enum ggki_role ggki_role_of(ggk_str name)
{
    static const struct {
        const char *word;
        enum ggki_role role;
    } words[] = {
        {"attn_qkv.weight", GGKI_ROLE_ATTN_V},
        {"attn_kv_b.weight", GGKI_ROLE_ATTN_V},
        {"attn_v.weight", GGKI_ROLE_ATTN_V},
        {"attn_k.weight", GGKI_ROLE_ATTN_K},
        {"attn_q.weight", GGKI_ROLE_ATTN_Q},
        {"attn_output.weight", GGKI_ROLE_ATTN_OUTPUT},
        {"ffn_up", GGKI_ROLE_FFN_UP},
        {"ffn_gate", GGKI_ROLE_FFN_GATE},
        {"ffn_down", GGKI_ROLE_FFN_DOWN},
    };

    if (ggki_str_is(name, "output.weight"))
        return GGKI_ROLE_OUTPUT;
    if (ggki_str_is(name, "token_embd.weight") ||
        ggki_str_is(name, "per_layer_token_embd.weight"))
        return GGKI_ROLE_EMBEDDING;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (holds(name, words[i].word))
            return words[i].role;
    return GGKI_ROLE_OTHER;
}

/* Is it of those that are small, or sensitive, by a word in its name? */
static bool is_small(ggk_str name)
{
    static const char *const words[] = {
        "ffn_gate_inp.weight",
        "ffn_gate_tid2eid.weight",
        "altup",
        "laurel",
        "per_layer_model_proj",
        "ssm_conv1d",
        "shortconv.conv.weight",
        "indexer.k_proj.weight",
        "indexer.q_proj.weight",
        "time_mix_first.weight",
        "time_mix_w0.weight",
        "time_mix_w1.weight",
        "time_mix_w2.weight",
        "time_mix_v0.weight",
        "time_mix_v1.weight",
        "time_mix_v2.weight",
        "time_mix_a0.weight",
        "time_mix_a1.weight",
        "time_mix_a2.weight",
        "time_mix_g1.weight",
        "time_mix_g2.weight",
        "time_mix_decay_w1.weight",
        "time_mix_decay_w2.weight",
        "time_mix_lerp_fused.weight",
        "attn_rel_b.weight",
        ".position_embd",
        "sam.pos_embd",
        "sam.neck.",
        "sam.net_",
        ".rel_pos",
        ".patch_embd",
        ".patch_merger",
        "a.rvq.codebook",
        "mm.a.code_embd",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (holds(name, words[i]))
            return true;
    return ggki_str_is(name, "position_embd.weight") ||
           ggki_str_is(name, "token_types.weight");
}

/* Has a tensor but one dimension, not counting those of 1 at the end? */
static bool is_vector(const uint64_t *ne)
{
    for (uint32_t d = 1; d < GGK_MAX_DIMS; d++)
        if (ne[d] > 1)
            return false;
    return true;
}

enum ggki_reason ggki_keep_reason(ggk_str name, const uint64_t *ne,
                                  bool leave_output)
{
    if (is_vector(ne))
        return GGKI_KEEP_VECTOR;
    if (!ends_in(name, "weight") && name.len != 5)
        return GGKI_KEEP_NAME;
    if (holds(name, "_norm.weight"))
        return GGKI_KEEP_NORM;
    if (leave_output && ggki_str_is(name, "output.weight"))
        return GGKI_KEEP_OUTPUT;
    return is_small(name) ? GGKI_KEEP_SMALL : GGKI_REASONS;
}

bool ggki_layer_of(ggk_str name, uint64_t *out)
{
    uint64_t n = 0;
    size_t i = 4;

    *out = 0;
    if (name.len < 5 || memcmp(name.ptr, "blk.", 4) != 0)
        return false;
    for (; i < name.len && name.ptr[i] >= '0' && name.ptr[i] <= '9'; i++)
        n = sat_add64(sat_mul64(n, 10), (uint64_t)(name.ptr[i] - '0'));
    *out = n;
    return i > 4;
}
