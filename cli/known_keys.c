/* known_keys.c - the types of well-known keys.
 *
 * Source: gguf-py 0.19.0, gguf/constants.py (the keys) and gguf/gguf_writer.py
 * (what each is written as); of those it does not write, what llama.cpp v0.5.0
 * reads them as (llama-arch.cpp, llama-vocab.cpp, llama-adapter.cpp).
 */
#include "known_keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "same.h"
#include "show.h"
#include "similar.h"

struct known_key {
    const char *name;
    uint32_t leaf;
    uint32_t depth; /* 1: an array of these */
};

/* As they are. */
static const struct known_key whole_keys[] = {
    {"adapter.alora.invocation_tokens", GGK_VALUE_UINT32, 1},
    {"adapter.lora.alpha", GGK_VALUE_FLOAT32, 0},
    {"adapter.lora.prompt_prefix", GGK_VALUE_STRING, 0},
    {"adapter.lora.task_name", GGK_VALUE_STRING, 0},
    {"adapter.type", GGK_VALUE_STRING, 0},
    {"clip.audio.attention.head_count", GGK_VALUE_UINT32, 0},
    {"clip.audio.attention.layer_norm_epsilon", GGK_VALUE_FLOAT32, 0},
    {"clip.audio.block_count", GGK_VALUE_UINT32, 0},
    {"clip.audio.chunk_size", GGK_VALUE_UINT32, 0},
    {"clip.audio.conv_kernel_size", GGK_VALUE_UINT32, 0},
    {"clip.audio.embedding_length", GGK_VALUE_UINT32, 0},
    {"clip.audio.feed_forward_length", GGK_VALUE_UINT32, 0},
    {"clip.audio.max_pos_emb", GGK_VALUE_UINT32, 0},
    {"clip.audio.num_mel_bins", GGK_VALUE_UINT32, 0},
    {"clip.audio.projection_dim", GGK_VALUE_UINT32, 0},
    {"clip.audio.projector.downsample_rate", GGK_VALUE_UINT32, 0},
    {"clip.audio.projector.head_count", GGK_VALUE_UINT32, 0},
    {"clip.audio.projector.stack_factor", GGK_VALUE_UINT32, 0},
    {"clip.audio.projector.window_size", GGK_VALUE_UINT32, 0},
    {"clip.audio.projector_type", GGK_VALUE_STRING, 0},
    {"clip.has_audio_encoder", GGK_VALUE_BOOL, 0},
    {"clip.has_llava_projector", GGK_VALUE_BOOL, 0},
    {"clip.has_vision_encoder", GGK_VALUE_BOOL, 0},
    {"clip.projector_type", GGK_VALUE_STRING, 0},
    {"clip.use_gelu", GGK_VALUE_BOOL, 0},
    {"clip.use_silu", GGK_VALUE_BOOL, 0},
    {"clip.vision.attention.head_count", GGK_VALUE_UINT32, 0},
    {"clip.vision.attention.layer_norm_epsilon", GGK_VALUE_FLOAT32, 0},
    {"clip.vision.block_count", GGK_VALUE_UINT32, 0},
    {"clip.vision.embedding_length", GGK_VALUE_UINT32, 0},
    {"clip.vision.feed_forward_length", GGK_VALUE_UINT32, 0},
    {"clip.vision.image_max_pixels", GGK_VALUE_UINT32, 0},
    {"clip.vision.image_mean", GGK_VALUE_FLOAT32, 1},
    {"clip.vision.image_min_pixels", GGK_VALUE_UINT32, 0},
    {"clip.vision.image_size", GGK_VALUE_UINT32, 0},
    {"clip.vision.image_std", GGK_VALUE_FLOAT32, 1},
    {"clip.vision.is_deepstack_layers", GGK_VALUE_BOOL, 1},
    {"clip.vision.n_wa_pattern", GGK_VALUE_UINT32, 0},
    {"clip.vision.patch_size", GGK_VALUE_UINT32, 0},
    {"clip.vision.preproc_image_size", GGK_VALUE_UINT32, 0},
    {"clip.vision.preproc_max_tiles", GGK_VALUE_UINT32, 0},
    {"clip.vision.preproc_min_tiles", GGK_VALUE_UINT32, 0},
    {"clip.vision.projection_dim", GGK_VALUE_UINT32, 0},
    {"clip.vision.projector.scale_factor", GGK_VALUE_UINT32, 0},
    {"clip.vision.projector_type", GGK_VALUE_STRING, 0},
    {"clip.vision.sam.block_count", GGK_VALUE_UINT32, 0},
    {"clip.vision.sam.embedding_length", GGK_VALUE_UINT32, 0},
    {"clip.vision.sam.head_count", GGK_VALUE_UINT32, 0},
    {"clip.vision.spatial_merge_size", GGK_VALUE_UINT32, 0},
    {"clip.vision.wa_layer_indexes", GGK_VALUE_INT32, 1},
    {"clip.vision.window_size", GGK_VALUE_UINT32, 0},
    {"diffusion.shift_logits", GGK_VALUE_BOOL, 0},
    {"general.alignment", GGK_VALUE_UINT32, 0},
    {"general.architecture", GGK_VALUE_STRING, 0},
    {"general.author", GGK_VALUE_STRING, 0},
    {"general.base_model.count", GGK_VALUE_UINT32, 0},
    {"general.basename", GGK_VALUE_STRING, 0},
    {"general.dataset.count", GGK_VALUE_UINT32, 0},
    {"general.description", GGK_VALUE_STRING, 0},
    {"general.doi", GGK_VALUE_STRING, 0},
    {"general.file_type", GGK_VALUE_UINT32, 0},
    {"general.finetune", GGK_VALUE_STRING, 0},
    {"general.languages", GGK_VALUE_STRING, 1},
    {"general.license", GGK_VALUE_STRING, 0},
    {"general.license.link", GGK_VALUE_STRING, 0},
    {"general.license.name", GGK_VALUE_STRING, 0},
    {"general.name", GGK_VALUE_STRING, 0},
    {"general.organization", GGK_VALUE_STRING, 0},
    {"general.quantization_version", GGK_VALUE_UINT32, 0},
    {"general.quantized_by", GGK_VALUE_STRING, 0},
    {"general.repo_url", GGK_VALUE_STRING, 0},
    {"general.sampling.min_p", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.mirostat", GGK_VALUE_INT32, 0},
    {"general.sampling.mirostat_eta", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.mirostat_tau", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.penalty_last_n", GGK_VALUE_INT32, 0},
    {"general.sampling.penalty_repeat", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.sequence", GGK_VALUE_STRING, 0},
    {"general.sampling.temp", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.top_k", GGK_VALUE_INT32, 0},
    {"general.sampling.top_p", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.xtc_probability", GGK_VALUE_FLOAT32, 0},
    {"general.sampling.xtc_threshold", GGK_VALUE_FLOAT32, 0},
    {"general.size_label", GGK_VALUE_STRING, 0},
    {"general.source.doi", GGK_VALUE_STRING, 0},
    {"general.source.repo_url", GGK_VALUE_STRING, 0},
    {"general.source.url", GGK_VALUE_STRING, 0},
    {"general.source.uuid", GGK_VALUE_STRING, 0},
    {"general.tags", GGK_VALUE_STRING, 1},
    {"general.type", GGK_VALUE_STRING, 0},
    {"general.url", GGK_VALUE_STRING, 0},
    {"general.uuid", GGK_VALUE_STRING, 0},
    {"general.version", GGK_VALUE_STRING, 0},
    {"imatrix.chunk_count", GGK_VALUE_UINT32, 0},
    {"imatrix.chunk_size", GGK_VALUE_UINT32, 0},
    {"imatrix.datasets", GGK_VALUE_STRING, 1},
    {"split.count", GGK_VALUE_UINT16, 0},
    {"split.no", GGK_VALUE_UINT16, 0},
    {"split.tensors.count", GGK_VALUE_INT32, 0},
    {"tokenizer.chat_template", GGK_VALUE_STRING, 0},
    {"tokenizer.chat_templates", GGK_VALUE_STRING, 1},
    {"tokenizer.ggml.add_bos_token", GGK_VALUE_BOOL, 0},
    {"tokenizer.ggml.add_eos_token", GGK_VALUE_BOOL, 0},
    {"tokenizer.ggml.add_sep_token", GGK_VALUE_BOOL, 0},
    {"tokenizer.ggml.add_space_prefix", GGK_VALUE_BOOL, 0},
    {"tokenizer.ggml.merges", GGK_VALUE_STRING, 1},
    {"tokenizer.ggml.model", GGK_VALUE_STRING, 0},
    {"tokenizer.ggml.pre", GGK_VALUE_STRING, 0},
    {"tokenizer.ggml.precompiled_charsmap", GGK_VALUE_UINT8, 1},
    {"tokenizer.ggml.remove_extra_whitespaces", GGK_VALUE_BOOL, 0},
    {"tokenizer.ggml.scores", GGK_VALUE_FLOAT32, 1},
    {"tokenizer.ggml.token_type", GGK_VALUE_INT32, 1},
    {"tokenizer.ggml.token_type_count", GGK_VALUE_UINT32, 0},
    {"tokenizer.ggml.tokens", GGK_VALUE_STRING, 1},
    {"tokenizer.huggingface.json", GGK_VALUE_STRING, 0},
    {"tokenizer.rwkv.world", GGK_VALUE_STRING, 0},
    {"xielu.alpha_n", GGK_VALUE_FLOAT32, 1},
    {"xielu.alpha_p", GGK_VALUE_FLOAT32, 1},
    {"xielu.beta", GGK_VALUE_FLOAT32, 1},
    {"xielu.eps", GGK_VALUE_FLOAT32, 1},
};

/* With something in the place of each star. */
static const struct known_key key_patterns[] = {
    {"general.base_model.*.*", GGK_VALUE_STRING, 0},
    {"general.dataset.*.*", GGK_VALUE_STRING, 0},
    {"tokenizer.chat_template.*", GGK_VALUE_STRING, 0},
    {"tokenizer.ggml.*_token_id", GGK_VALUE_UINT32, 0},
};

/* After the name of an architecture and a dot. */
static const struct known_key architecture_keys[] = {
    {"activation_sparsity_scale", GGK_VALUE_FLOAT32, 1},
    {"altup.active_idx", GGK_VALUE_UINT32, 0},
    {"altup.num_inputs", GGK_VALUE_UINT32, 0},
    {"attention.causal", GGK_VALUE_BOOL, 0},
    {"attention.clamp_kqv", GGK_VALUE_FLOAT32, 0},
    {"attention.decay_lora_rank", GGK_VALUE_UINT32, 0},
    {"attention.gate_lora_rank", GGK_VALUE_UINT32, 0},
    {"attention.group_norm_epsilon", GGK_VALUE_FLOAT32, 0},
    {"attention.group_norm_groups", GGK_VALUE_UINT32, 0},
    {"attention.head_count", GGK_VALUE_UINT32, 0},
    {"attention.head_count_kv", GGK_VALUE_UINT32, 0},
    {"attention.iclr_lora_rank", GGK_VALUE_UINT32, 0},
    {"attention.indexer.head_count", GGK_VALUE_UINT32, 0},
    {"attention.indexer.key_length", GGK_VALUE_UINT32, 0},
    {"attention.indexer.top_k", GGK_VALUE_UINT32, 0},
    {"attention.key_length", GGK_VALUE_UINT32, 0},
    {"attention.key_length_mla", GGK_VALUE_UINT32, 0},
    {"attention.key_length_swa", GGK_VALUE_UINT32, 0},
    {"attention.kv_lora_rank", GGK_VALUE_UINT32, 0},
    {"attention.layer_norm_epsilon", GGK_VALUE_FLOAT32, 0},
    {"attention.layer_norm_rms_epsilon", GGK_VALUE_FLOAT32, 0},
    {"attention.max_alibi_bias", GGK_VALUE_FLOAT32, 0},
    {"attention.output_scale", GGK_VALUE_FLOAT32, 0},
    {"attention.q_lora_rank", GGK_VALUE_UINT32, 0},
    {"attention.relative_buckets_count", GGK_VALUE_UINT32, 0},
    {"attention.scale", GGK_VALUE_FLOAT32, 0},
    {"attention.shared_kv_layers", GGK_VALUE_UINT32, 0},
    {"attention.sliding_window", GGK_VALUE_UINT32, 0},
    {"attention.sliding_window_pattern", GGK_VALUE_UINT32, 0},
    {"attention.temperature_length", GGK_VALUE_UINT32, 0},
    {"attention.temperature_scale", GGK_VALUE_FLOAT32, 0},
    {"attention.value_length", GGK_VALUE_UINT32, 0},
    {"attention.value_length_mla", GGK_VALUE_UINT32, 0},
    {"attention.value_length_swa", GGK_VALUE_UINT32, 0},
    {"attention.value_residual_mix_lora_rank", GGK_VALUE_UINT32, 0},
    {"attn_logit_softcapping", GGK_VALUE_FLOAT32, 0},
    {"block_count", GGK_VALUE_UINT32, 0},
    {"classifier.output_labels", GGK_VALUE_STRING, 1},
    {"context_length", GGK_VALUE_UINT32, 0},
    {"convnext.block_count", GGK_VALUE_UINT32, 0},
    {"convnext.embedding_length", GGK_VALUE_UINT32, 0},
    {"decoder_block_count", GGK_VALUE_UINT32, 0},
    {"decoder_start_token_id", GGK_VALUE_UINT32, 0},
    {"embedding_length", GGK_VALUE_UINT32, 0},
    {"embedding_length_out", GGK_VALUE_UINT32, 0},
    {"embedding_length_per_layer_input", GGK_VALUE_UINT32, 0},
    {"embedding_scale", GGK_VALUE_FLOAT32, 0},
    {"expert_chunk_feed_forward_length", GGK_VALUE_UINT32, 0},
    {"expert_count", GGK_VALUE_UINT32, 0},
    {"expert_feed_forward_length", GGK_VALUE_UINT32, 0},
    {"expert_gating_func", GGK_VALUE_UINT32, 0},
    {"expert_group_count", GGK_VALUE_UINT32, 0},
    {"expert_group_scale", GGK_VALUE_FLOAT32, 0},
    {"expert_group_used_count", GGK_VALUE_UINT32, 0},
    {"expert_shared_count", GGK_VALUE_UINT32, 0},
    {"expert_shared_feed_forward_length", GGK_VALUE_UINT32, 0},
    {"expert_used_count", GGK_VALUE_UINT32, 0},
    {"expert_weights_norm", GGK_VALUE_BOOL, 0},
    {"expert_weights_scale", GGK_VALUE_FLOAT32, 0},
    {"experts_per_group", GGK_VALUE_UINT32, 0},
    {"features_length", GGK_VALUE_UINT32, 0},
    {"feed_forward_length", GGK_VALUE_UINT32, 0},
    {"final_logit_softcapping", GGK_VALUE_FLOAT32, 0},
    {"full_attention_interval", GGK_VALUE_UINT32, 0},
    {"interleave_moe_layer_step", GGK_VALUE_UINT32, 0},
    {"kda.head_dim", GGK_VALUE_UINT32, 0},
    {"leading_dense_block_count", GGK_VALUE_UINT32, 0},
    {"logit_scale", GGK_VALUE_FLOAT32, 0},
    {"moe_every_n_layers", GGK_VALUE_UINT32, 0},
    {"moe_latent_size", GGK_VALUE_UINT32, 0},
    {"n_deepstack_layers", GGK_VALUE_UINT32, 0},
    {"nextn_predict_layers", GGK_VALUE_UINT32, 0},
    {"pooling_type", GGK_VALUE_UINT32, 0},
    {"posnet.block_count", GGK_VALUE_UINT32, 0},
    {"posnet.embedding_length", GGK_VALUE_UINT32, 0},
    {"rescale_every_n_layers", GGK_VALUE_UINT32, 0},
    {"residual_scale", GGK_VALUE_FLOAT32, 0},
    {"rope.dimension_count", GGK_VALUE_UINT32, 0},
    {"rope.dimension_count_swa", GGK_VALUE_UINT32, 0},
    {"rope.dimension_sections", GGK_VALUE_INT32, 1},
    {"rope.freq_base", GGK_VALUE_FLOAT32, 0},
    {"rope.freq_base_swa", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.alpha", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.attn_factor", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.factor", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.finetuned", GGK_VALUE_BOOL, 0},
    {"rope.scaling.original_context_length", GGK_VALUE_UINT32, 0},
    {"rope.scaling.type", GGK_VALUE_STRING, 0},
    {"rope.scaling.yarn_attn_factor", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.yarn_beta_fast", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.yarn_beta_slow", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.yarn_ext_factor", GGK_VALUE_FLOAT32, 0},
    {"rope.scaling.yarn_log_multiplier", GGK_VALUE_FLOAT32, 0},
    {"router_logit_softcapping", GGK_VALUE_FLOAT32, 0},
    {"shortconv.l_cache", GGK_VALUE_UINT32, 0},
    {"ssm.conv_kernel", GGK_VALUE_UINT32, 0},
    {"ssm.dt_b_c_rms", GGK_VALUE_BOOL, 0},
    {"ssm.group_count", GGK_VALUE_UINT32, 0},
    {"ssm.inner_size", GGK_VALUE_UINT32, 0},
    {"ssm.state_size", GGK_VALUE_UINT32, 0},
    {"ssm.time_step_rank", GGK_VALUE_UINT32, 0},
    {"swiglu_clamp_exp", GGK_VALUE_FLOAT32, 1},
    {"swiglu_clamp_shexp", GGK_VALUE_FLOAT32, 1},
    {"swin_norm", GGK_VALUE_BOOL, 0},
    {"tensor_data_layout", GGK_VALUE_STRING, 0},
    {"time_decay_extra_dim", GGK_VALUE_UINT32, 0},
    {"time_mix_extra_dim", GGK_VALUE_UINT32, 0},
    {"token_shift_count", GGK_VALUE_UINT32, 0},
    {"use_parallel_residual", GGK_VALUE_BOOL, 0},
    {"vocab_size", GGK_VALUE_UINT32, 0},
    {"wkv.head_size", GGK_VALUE_UINT32, 0},
};

static const struct known_key *find_named(const struct known_key *keys,
                                          size_t n, ggk_str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, keys[i].name))
            return &keys[i];
    return NULL;
}

static const struct known_key *find_pattern(ggk_str name)
{
    size_t n = sizeof key_patterns / sizeof key_patterns[0];

    for (size_t i = 0; i < n; i++)
        if (show_matches(key_patterns[i].name, name))
            return &key_patterns[i];
    return NULL;
}

bool known_key_type(ggk_str key, struct value_type *out)
{
    const struct known_key *found =
        find_named(whole_keys, sizeof whole_keys / sizeof whole_keys[0], key);
    const char *dot = key.len > 0 ? memchr(key.ptr, '.', key.len) : NULL;

    if (found == NULL)
        found = find_pattern(key);
    if (found == NULL && dot != NULL && dot != key.ptr) {
        size_t before = (size_t)(dot - key.ptr) + 1;

        found =
            find_named(architecture_keys,
                       sizeof architecture_keys / sizeof architecture_keys[0],
                       (ggk_str){key.ptr + before, key.len - before});
    }
    if (found != NULL)
        *out = (struct value_type){found->leaf, found->depth, NULL};
    return found != NULL;
}

static const struct {
    const char *name, *key;
} token_keys[] = {
    {"bos", "tokenizer.ggml.bos_token_id"},
    {"eos", "tokenizer.ggml.eos_token_id"},
    {"eot", "tokenizer.ggml.eot_token_id"},
    {"eom", "tokenizer.ggml.eom_token_id"},
    {"unk", "tokenizer.ggml.unknown_token_id"},
    {"unknown", "tokenizer.ggml.unknown_token_id"},
    {"sep", "tokenizer.ggml.seperator_token_id"},
    {"separator", "tokenizer.ggml.seperator_token_id"},
    {"seperator", "tokenizer.ggml.seperator_token_id"},
    {"pad", "tokenizer.ggml.padding_token_id"},
    {"padding", "tokenizer.ggml.padding_token_id"},
    {"cls", "tokenizer.ggml.cls_token_id"},
    {"mask", "tokenizer.ggml.mask_token_id"},
    {"fim_pre", "tokenizer.ggml.fim_pre_token_id"},
    {"fim_suf", "tokenizer.ggml.fim_suf_token_id"},
    {"fim_mid", "tokenizer.ggml.fim_mid_token_id"},
    {"fim_pad", "tokenizer.ggml.fim_pad_token_id"},
    {"fim_rep", "tokenizer.ggml.fim_rep_token_id"},
    {"fim_sep", "tokenizer.ggml.fim_sep_token_id"},
    {"prefix", "tokenizer.ggml.prefix_token_id"},
    {"suffix", "tokenizer.ggml.suffix_token_id"},
    {"middle", "tokenizer.ggml.middle_token_id"},
};

const char *known_token_name(size_t i)
{
    return i < sizeof token_keys / sizeof token_keys[0] ? token_keys[i].name
                                                        : NULL;
}

const char *known_token_key(const char *name)
{
    for (size_t i = 0; known_token_name(i) != NULL; i++)
        if (strcmp(token_keys[i].name, name) == 0)
            return token_keys[i].key;
    return NULL;
}

/* -------------------------------------------------------------------- words */

static void try_names(struct similar *s, const struct known_key *keys, size_t n)
{
    for (size_t i = 0; i < n && similar_try(s, ggk_cstr(keys[i].name)); i++)
        ;
}

/* Are there whole keys that begin so? Then it is no architecture. */
static bool is_family(ggk_str first)
{
    for (size_t i = 0; i < sizeof whole_keys / sizeof whole_keys[0]; i++)
        if (strncmp(whole_keys[i].name, first.ptr, first.len) == 0)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

/* "temp" for "temperature": the same, but for more letters. */
static bool is_short_for(const char *known, ggk_str key)
{
    size_t n = strlen(known);

    if (n == 0 || key.len <= n || memcmp(known, key.ptr, n) != 0)
        return false;
    while (n < key.len && is_letter(key.ptr[n]))
        n++;
    return n == key.len && is_letter(key.ptr[strlen(known) - 1]);
}

/* The longest of them. */
static void try_shorter(struct similar *s, const struct known_key *keys,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_short_for(keys[i].name, s->word) &&
            strlen(keys[i].name) > s->name.len)
            s->name = ggk_cstr(keys[i].name);
}

/* Behind its last dot. */
static ggk_str last_word(ggk_str name)
{
    size_t at = name.len;

    while (at > 0 && name.ptr[at - 1] != '.')
        at--;
    return (ggk_str){name.ptr + at, name.len - at};
}

/* The one key with that last word, or of several the one of the model as a
 * whole; NULL if there is none. */
static const char *find_last(const struct known_key *keys, size_t n,
                             ggk_str word)
{
    const char *found = NULL;
    size_t times = 0;

    for (size_t i = 0; i < n; i++) {
        if (!str_same(last_word(ggk_cstr(keys[i].name)), word))
            continue;
        if (strncmp(keys[i].name, "general.", 8) == 0)
            return keys[i].name;
        found = keys[i].name;
        times++;
    }
    return times == 1 ? found : NULL;
}

/* The same of the keys of tokens. */
static const char *find_last_token(ggk_str word)
{
    for (size_t i = 0; i < sizeof token_keys / sizeof token_keys[0]; i++)
        if (str_same(last_word(ggk_cstr(token_keys[i].key)), word))
            return token_keys[i].key;
    return NULL;
}

/* Does it begin as a well-known key does, or lack what that begins with? */
static bool may_lack_prefix(ggk_str first, ggk_str architecture)
{
    return first.len == 0 || is_family(first) ||
           str_same((ggk_str){first.ptr, first.len - 1}, architecture);
}

/* "chat_template", or "general.chat_template", for "tokenizer.chat_template";
 * "context_length" for "llama.context_length". */
static bool near_by_last(ggk_str key, ggk_str first, ggk_str architecture,
                         char *out)
{
    ggk_str word = last_word(key);
    const char *found;

    if (word.len < 3 || !may_lack_prefix(first, architecture))
        return false;
    found =
        find_last(whole_keys, sizeof whole_keys / sizeof whole_keys[0], word);
    if (found == NULL)
        found = find_last_token(word);
    if (found != NULL) {
        snprintf(out, KNOWN_KEY_BYTES, "%s", found);
        return true;
    }
    found =
        find_last(architecture_keys,
                  sizeof architecture_keys / sizeof architecture_keys[0], word);
    if (found == NULL || architecture.len == 0 ||
        architecture.len + 1 + strlen(found) >= KNOWN_KEY_BYTES)
        return false;
    snprintf(out, KNOWN_KEY_BYTES, "%.*s.%s", (int)architecture.len,
             architecture.ptr, found);
    return true;
}

bool known_key_near(ggk_str key, ggk_str architecture, char *out)
{
    const char *dot = key.len > 0 ? memchr(key.ptr, '.', key.len) : NULL;
    const ggk_str first = {key.ptr,
                           dot != NULL ? (size_t)(dot - key.ptr) + 1 : 0};
    size_t before = first.len;
    struct similar s;

    if (before > 1 && !is_family(first)) {
        similar_start(&s, (ggk_str){key.ptr + before, key.len - before});
        try_names(&s, architecture_keys,
                  sizeof architecture_keys / sizeof architecture_keys[0]);
    } else {
        before = 0;
        similar_start(&s, key);
        try_names(&s, whole_keys, sizeof whole_keys / sizeof whole_keys[0]);
        for (size_t i = 0; i < sizeof token_keys / sizeof token_keys[0]; i++)
            (void)similar_try(&s, ggk_cstr(token_keys[i].key));
        if (s.name.ptr == NULL)
            try_shorter(&s, whole_keys,
                        sizeof whole_keys / sizeof whole_keys[0]);
    }
    if (s.name.ptr == NULL)
        return near_by_last(key, first, architecture, out);
    if (before + s.name.len >= KNOWN_KEY_BYTES)
        return false;
    memcpy(out, key.ptr, before);
    memcpy(out + before, s.name.ptr, s.name.len);
    out[before + s.name.len] = '\0';
    return true;
}

#define MOST_FILE_TYPES 2048 /* more than there are, and 1024 for a guess */

bool known_key_word(ggk_str key, const char *word, ggk_value *out)
{
    if (!str_is(key, "general.file_type"))
        return false;
    for (uint64_t i = 0; i < MOST_FILE_TYPES; i++) {
        const char *name = ggk_file_type_name(i);

        if (name == NULL ||
            (strcasecmp(name, word) != 0 && (strncmp(name, "MOSTLY_", 7) != 0 ||
                                             strcasecmp(name + 7, word) != 0)))
            continue;
        *out = (ggk_value){.type = GGK_VALUE_UINT32, .as.u = i};
        return true;
    }
    return false;
}
