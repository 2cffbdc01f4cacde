/* architectures.c - the table of architectures.
 *
 * Required keys of llama to whisper are those of the format's description (ggml
 * docs/gguf.md); of the others, those that llama.cpp's loader asks for
 * (llama_model_base::load_hparams, and load_arch_hparams in src/models/, July
 * 2026) and the head count, the feed-forward length and the numbers of experts,
 * without which it fails later, at the tensors. Windows and caches are
 * llama.cpp's throughout.
 */
#include "model/architectures.h"
#include "base/str.h"

#include <string.h>

#define SIZES "context_length", "embedding_length", "block_count"

static const char *const keys_llama[] = {
    SIZES,
    "feed_forward_length",
    "rope.dimension_count",
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    NULL,
};

static const char *const keys_mpt[] = {
    SIZES,
    "attention.head_count",
    "attention.alibi_bias_max",
    "attention.clip_kqv",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_gptneox[] = {
    SIZES,
    "use_parallel_residual",
    "rope.dimension_count",
    "attention.head_count",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_gptj[] = {
    SIZES,
    "rope.dimension_count",
    "attention.head_count",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_gpt2[] = {
    SIZES,
    "attention.head_count",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_bloom[] = {
    SIZES,
    "feed_forward_length",
    "attention.head_count",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_falcon[] = {
    SIZES,
    "attention.head_count",
    "attention.head_count_kv",
    "attention.use_norm",
    "attention.layer_norm_epsilon",
    NULL,
};

static const char *const keys_mamba[] = {
    SIZES,
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.time_step_rank",
    "attention.layer_norm_rms_epsilon",
    NULL,
};

static const char *const keys_rwkv[] = {
    SIZES,
    "architecture_version",
    "feed_forward_length",
    NULL,
};

static const char *const keys_whisper[] = {
    "encoder.context_length",       "encoder.embedding_length",
    "encoder.block_count",          "encoder.mels_count",
    "encoder.attention.head_count", "decoder.context_length",
    "decoder.embedding_length",     "decoder.block_count",
    "decoder.attention.head_count", NULL,
};

static const char *const keys_dense[] = {
    SIZES,
    "feed_forward_length",
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    NULL,
};

static const char *const keys_moe[] = {
    SIZES,          "attention.head_count", "attention.layer_norm_rms_epsilon",
    "expert_count", "expert_used_count",    NULL,
};

static const char *const keys_phimoe[] = {
    SIZES,
    "feed_forward_length",
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    "expert_count",
    "expert_used_count",
    NULL,
};

static const char *const keys_deepseek2[] = {
    SIZES,
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    "attention.kv_lora_rank",
    "expert_feed_forward_length",
    "expert_shared_count",
    NULL,
};

static const char *const keys_gpt_oss[] = {
    SIZES,
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    "attention.sliding_window",
    "expert_feed_forward_length",
    NULL,
};

static const char *const keys_mamba2[] = {
    SIZES,
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.time_step_rank",
    "ssm.group_count",
    "attention.layer_norm_rms_epsilon",
    NULL,
};

static const char *const keys_jamba[] = {
    SIZES,
    "feed_forward_length",
    "attention.head_count",
    "attention.layer_norm_rms_epsilon",
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.time_step_rank",
    NULL,
};

#undef SIZES

/* llama.cpp reads the windows of the phis and of the qwens, and gives all of
 * their layers full attention. */
static const struct ggki_arch archs[] = {
    {"llama", keys_llama, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"mpt", keys_mpt, .spared = "attention.clip_kqv",
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ALIBI},
    {"gptneox", keys_gptneox, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"gptj", keys_gptj, .flags = GGKI_ARCH_ROPE},
    {"gpt2", keys_gpt2, .flags = GGKI_ARCH_BLOCKS},
    {"bloom", keys_bloom, .flags = GGKI_ARCH_BLOCKS},
    {"falcon", keys_falcon, .spared = "attention.use_norm",
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"mamba", keys_mamba, .cache = GGKI_CACHE_STATE, .flags = GGKI_ARCH_BLOCKS},
    {"rwkv", keys_rwkv, .cache = GGKI_CACHE_UNKNOWN},
    {"whisper", keys_whisper, .cache = GGKI_CACHE_UNKNOWN},
    {"qwen2", keys_dense, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"qwen2moe", keys_moe,
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE | GGKI_ARCH_SHARES},
    {"qwen3", keys_dense, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"qwen3moe", keys_moe,
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE | GGKI_ARCH_SHARES},
    {"gemma", keys_dense, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"gemma2", keys_dense, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE,
     .window_period = 2, .window = 4096},
    {"gemma3", keys_dense,
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE | GGKI_ARCH_SWA_10000,
     .window_period = 6},
    {"phi3", keys_dense, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"phimoe", keys_phimoe, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE},
    {"deepseek2", keys_deepseek2,
     .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE | GGKI_ARCH_MLA},
    {"gpt-oss", keys_gpt_oss, .flags = GGKI_ARCH_BLOCKS | GGKI_ARCH_ROPE,
     .window_period = 2},
    {"mamba2", keys_mamba2, .cache = GGKI_CACHE_STATE,
     .flags = GGKI_ARCH_BLOCKS},
    {"jamba", keys_jamba, .cache = GGKI_CACHE_HYBRID,
     .flags = GGKI_ARCH_BLOCKS},
};

const struct ggki_arch *ggki_arch_find(ggk_str name)
{
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
        if (ggki_str_is(name, archs[i].name))
            return &archs[i];
    return NULL;
}

const char *ggki_arch_other_key(const char *key)
{
    /* The description of the format spells the first two in both ways; the
     * third was renamed. */
    static const char *const pairs[][2] = {
        {"attention.alibi_bias_max", "attention.max_alibi_bias"},
        {"attention.clip_kqv", "attention.clamp_kqv"},
        {"rope.scale_linear", "rope.scaling.factor"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(key, pairs[i][0]) == 0)
            return pairs[i][1];
        if (strcmp(key, pairs[i][1]) == 0)
            return pairs[i][0];
    }
    return NULL;
}

bool ggk_is_required_key(ggk_str key, ggk_str architecture)
{
    const struct ggki_arch *arch = ggki_arch_find(architecture);
    size_t before = architecture.len + 1;
    ggk_str suffix;

    if (arch == NULL || key.len <= before ||
        memcmp(key.ptr, architecture.ptr, architecture.len) != 0 ||
        key.ptr[architecture.len] != '.')
        return false;
    suffix = (ggk_str){key.ptr + before, key.len - before};
    for (size_t i = 0; arch->required[i] != NULL; i++) {
        const char *other = ggki_arch_other_key(arch->required[i]);

        if (arch->spared != NULL &&
            strcmp(arch->required[i], arch->spared) == 0)
            continue;
        if (ggki_str_is(suffix, arch->required[i]) ||
            (other != NULL && ggki_str_is(suffix, other)))
            return true;
    }
    return false;
}
