/* check_model.c - rules about what the keys say of the model: shards,
 * hyperparameters. */
#include <string.h>

#include "base/str.h"
#include "format/types.h"
#include "model/architectures.h"
#include "model/check_find.h"
#include "model/known_archs.h"
#include "model/shard_search.h"

/* ------------------------------------------------------------------ shards */

/* A key that tells of the set must be a `type` of at most `most`; if `needed`,
 * it must be there. */
static void check_split_key(struct ggki_check *c, const char *name,
                            uint32_t type, uint64_t most, bool needed)
{
    struct ggki_found_kv key;
    ggk_value v;

    if (!ggki_find_key(c, name, &key)) {
        if (needed)
            ggki_report(c, RULE_SPLIT_KEYS, ggki_nowhere(),
                        "the shard has no key %s", name);
        return;
    }
    if (key.kv.type != type)
        ggki_report(c, RULE_SPLIT_KEYS, key.place, "%s is of type %s, not %s",
                    name, ggk_value_type_name(key.kv.type),
                    ggk_value_type_name(type));
    if (ggki_find_scalar(c, name, &key, &v) && ggki_value_is_integer(v.type) &&
        v.as.u > most)
        ggki_report(c, RULE_SPLIT_KEYS, key.place, "%s is %lld, not 0 to %llu",
                    name, (long long)v.as.i, (unsigned long long)most);
}

void ggki_check_split_keys(struct ggki_check *c)
{
    struct ggki_split split = ggki_split_of(c->gguf);
    bool shard = !c->gguf->keys_cut && split.count > 1;
    bool first = split.no == 0;
    struct ggki_found_kv key;

    check_split_key(c, "split.no", GGK_VALUE_UINT16, UINT16_MAX - 1, shard);
    check_split_key(c, "split.count", GGK_VALUE_UINT16, UINT16_MAX,
                    shard && first);
    check_split_key(c, "split.tensors.count", GGK_VALUE_INT32, INT32_MAX,
                    shard && first);
    if (split.no_kv != GGK_NONE && split.count_kv != GGK_NONE &&
        split.no >= split.count && split.no > 0 &&
        ggki_find_key(c, "split.no", &key))
        ggki_report(c, RULE_SPLIT_KEYS, key.place,
                    "split.no is %llu, but split.count is %llu",
                    (unsigned long long)split.no,
                    (unsigned long long)split.count);
}

static void check_stale(struct ggki_check *c)
{
    char name[GGKI_FILE_NAME_BYTES];
    uint64_t n;

    if (!ggki_shard_find_stale(c->model, &n, name))
        c->no_memory = true;
    else if (n > 0)
        ggki_report(c, RULE_SPLIT_STALE, ggki_nowhere(),
                    "%llu file%s of another set %s beside this one: %s%s",
                    (unsigned long long)n, ggki_plural(n),
                    n == 1 ? "is" : "are", name, n == 1 ? "" : ", ...");
}

void ggki_check_split(struct ggki_check *c)
{
    struct ggki_found_kv key;
    uint64_t tensors;

    if (c->whole && ggki_find_count(c, "split.tensors.count", &key, &tensors) &&
        ggki_split_of(c->gguf).count == c->model->n_files &&
        tensors != c->model->n_tensors)
        ggki_report(
            c, RULE_SPLIT_TENSORS, key.place,
            "split.tensors.count is %llu, but the set has %llu tensor%s",
            (unsigned long long)tensors,
            (unsigned long long)c->model->n_tensors,
            ggki_plural(c->model->n_tensors));
    check_stale(c);
}

/* --------------------------------------------------------- hyperparameters */

/* A key that llama.cpp reads as this type and no other. */
struct typed {
    const char *key;
    uint32_t type;
};

static void check_key_type(struct ggki_check *c, const char *name,
                           uint32_t type)
{
    struct ggki_found_kv key;

    if (!ggki_find_key(c, name, &key))
        return;
    if (type == GGK_VALUE_UINT32)
        ggki_check_number_type(c, &key, name, false);
    else if (key.kv.type != type)
        ggki_report_type(c, RULE_KEY_TYPE, &key, name, type);
}

/* What llama.cpp reads of a model of whatever architecture, or of most, in
 * llama-model-loader.cpp, llama-model.cpp and llama-vocab.cpp; without what has
 * a range, is an array or the id of a token, which others judge. The chat
 * template is not among them: it is taken as the text of any value. */
static void check_key_types(struct ggki_check *c)
{
    static const struct typed keys[] = {
        {"general.name", GGK_VALUE_STRING},
        {"general.file_type", GGK_VALUE_UINT32},
        {"tokenizer.ggml.model", GGK_VALUE_STRING},
        {"tokenizer.ggml.pre", GGK_VALUE_STRING},
        {"tokenizer.ggml.token_type_count", GGK_VALUE_UINT32},
        {"tokenizer.ggml.add_bos_token", GGK_VALUE_BOOL},
        {"tokenizer.ggml.add_eos_token", GGK_VALUE_BOOL},
        {"tokenizer.ggml.add_sep_token", GGK_VALUE_BOOL},
        {"tokenizer.ggml.add_space_prefix", GGK_VALUE_BOOL},
        {"tokenizer.ggml.remove_extra_whitespaces", GGK_VALUE_BOOL},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        check_key_type(c, keys[i].key, keys[i].type);
}

static void check_parameter_types(struct ggki_check *c, ggk_str arch)
{
    static const struct typed keys[] = {
        {"attention.causal", GGK_VALUE_BOOL},
        {"attention.clamp_kqv", GGK_VALUE_FLOAT32},
        {"attention.group_norm_epsilon", GGK_VALUE_FLOAT32},
        {"attention.layer_norm_epsilon", GGK_VALUE_FLOAT32},
        {"attention.layer_norm_rms_epsilon", GGK_VALUE_FLOAT32},
        {"attention.max_alibi_bias", GGK_VALUE_FLOAT32},
        {"attention.scale", GGK_VALUE_FLOAT32},
        {"attn_logit_softcapping", GGK_VALUE_FLOAT32},
        {"embedding_scale", GGK_VALUE_FLOAT32},
        {"expert_weights_norm", GGK_VALUE_BOOL},
        {"expert_weights_scale", GGK_VALUE_FLOAT32},
        {"final_logit_softcapping", GGK_VALUE_FLOAT32},
        {"logit_scale", GGK_VALUE_FLOAT32},
        {"residual_scale", GGK_VALUE_FLOAT32},
        {"rope.dimension_count", GGK_VALUE_UINT32},
        {"rope.freq_base", GGK_VALUE_FLOAT32},
        {"rope.freq_base_swa", GGK_VALUE_FLOAT32},
        {"rope.scale_linear", GGK_VALUE_FLOAT32},
        {"rope.scaling.attn_factor", GGK_VALUE_FLOAT32},
        {"rope.scaling.factor", GGK_VALUE_FLOAT32},
        {"rope.scaling.finetuned", GGK_VALUE_BOOL},
        {"rope.scaling.original_context_length", GGK_VALUE_UINT32},
        {"rope.scaling.type", GGK_VALUE_STRING},
        {"ssm.conv_kernel", GGK_VALUE_UINT32},
        {"ssm.group_count", GGK_VALUE_UINT32},
        {"ssm.inner_size", GGK_VALUE_UINT32},
        {"ssm.state_size", GGK_VALUE_UINT32},
        {"ssm.time_step_rank", GGK_VALUE_UINT32},
        {"use_parallel_residual", GGK_VALUE_BOOL},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        check_key_type(c, ggki_arch_key(arch, keys[i].key).name, keys[i].type);
}

/* A number that must lie in a range. */
struct ranged {
    const char *suffix;
    uint64_t least, most;
    bool layered; /* there may be one for each layer */
};

/* Of an array there has to be one for each of the layers; 0: nobody knows how
 * many these are. */
static void check_layers(struct ggki_check *c, const struct ggki_found_kv *key,
                         const char *name, uint64_t n_layers)
{
    if (key->kv.type != GGK_VALUE_ARRAY || n_layers == 0 ||
        key->kv.n == n_layers)
        return;
    ggki_report(c, RULE_PARAMETER_LENGTH, key->place,
                "%s has %llu element%s for %llu layer%s", name,
                (unsigned long long)key->kv.n, ggki_plural(key->kv.n),
                (unsigned long long)n_layers, ggki_plural(n_layers));
}

static void check_parameter(struct ggki_check *c, ggk_str arch,
                            const struct ranged *r, uint64_t n_layers)
{
    struct ggki_arch_key name = ggki_arch_key(arch, r->suffix);
    struct ggki_found_kv key;
    ggk_value v;

    if (!ggki_find_key(c, name.name, &key))
        return;
    ggki_check_number_type(c, &key, name.name, r->layered);
    if (r->layered)
        check_layers(c, &key, name.name, n_layers);
    if (ggki_find_scalar(c, name.name, &key, &v) &&
        ggki_value_is_integer(v.type) &&
        (v.as.u < r->least || v.as.u > r->most))
        ggki_report(c, RULE_PARAMETER_RANGE, key.place, "%s is %lld", name.name,
                    (long long)v.as.i);
}

static void check_numbers(struct ggki_check *c, ggk_str name)
{
    const struct ggki_arch *arch = ggki_arch_find(name);
    /* Models without attention say so by 0 heads. */
    bool attention = arch != NULL && (arch->cache == GGKI_CACHE_KV ||
                                      arch->cache == GGKI_CACHE_HYBRID);
    /* Those that have it in some layers may say so by 0 heads of keys. */
    bool always = arch != NULL && arch->cache == GGKI_CACHE_KV;
    uint64_t n_layers = 0;
    struct ggki_found_kv blocks;

    /* llama.cpp's LLAMA_MAX_LAYERS and LLAMA_MAX_EXPERTS; the rest: no model
     * comes near. */
    const struct ranged numbers[] = {
        {"block_count", 1, 512, false},
        {"context_length", 1, UINT32_MAX, false},
        {"embedding_length", 1, 1u << 24, false},
        {"feed_forward_length", 0, UINT32_MAX, true},
        {"attention.head_count", attention, 1u << 16, true},
        {"attention.head_count_kv", always, 1u << 16, true},
        {"attention.key_length", attention, 1u << 16, false},
        {"attention.value_length", attention, 1u << 16, false},
        {"expert_count", 0, 1024, false},
        {"expert_used_count", 0, 1024, true},
        {"vocab_size", 1, INT32_MAX, false},
    };

    if (!ggki_find_count(c, ggki_arch_key(name, "block_count").name, &blocks,
                         &n_layers))
        n_layers = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        check_parameter(c, name, &numbers[i], n_layers);
}

/* ------------------------------------------------- numbers that must agree */

/* A count of the first layer, and the largest of any: the same, if one number
 * is there for all. */
struct layered {
    struct ggki_found_kv key;
    bool found;
    uint64_t first, most;
};

static struct layered find_layered(const struct ggki_check *c, const char *name)
{
    struct layered out = {.found = false};
    uint64_t pos;
    ggk_value v;

    if (!ggki_find_key(c, name, &out.key) || out.key.repeats ||
        !ggki_value_is_integer(out.key.kv.elem_type))
        return out;
    pos = out.key.kv.value_pos;
    while (ggki_gguf_scalar(c->gguf, out.key.kv.elem_type, pos, out.key.end, &v,
                            &pos)) {
        if (ggki_value_is_signed(v.type) && v.as.i < 0)
            v.as.u = 0;
        if (!out.found)
            out.first = v.as.u;
        if (v.as.u > out.most)
            out.most = v.as.u;
        out.found = true;
    }
    return out;
}

/* Of these architectures llama.cpp rotates heads as a whole. */
static bool rotates_whole_heads(ggk_str arch)
{
    static const char *const names[] = {"llama", "deci", "falcon",
                                        "llama-embed"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ggki_str_is(arch, names[i]))
            return true;
    return false;
}

static void check_rotation(struct ggki_check *c, ggk_str arch)
{
    struct ggki_arch_key name = ggki_arch_key(arch, "rope.dimension_count");
    struct layered heads =
        find_layered(c, ggki_arch_key(arch, "attention.head_count").name);
    struct ggki_found_kv key, length;
    uint64_t rotated, head;

    if (!rotates_whole_heads(arch) || heads.first == 0 ||
        c->counts[RULE_TENSOR_SHAPE] > 0 || /* then another key is wrong */
        !ggki_find_count(c, name.name, &key, &rotated))
        return;
    if (!ggki_find_count(c, ggki_arch_key(arch, "attention.key_length").name,
                         &length, &head)) {
        if (!ggki_find_count(c, ggki_arch_key(arch, "embedding_length").name,
                             &length, &head))
            return;
        head /= heads.first;
    }
    if (rotated != head)
        ggki_report(c, RULE_ROPE_DIMENSIONS, key.place,
                    "%s is %llu, but a head has %llu dimension%s", name.name,
                    (unsigned long long)rotated, (unsigned long long)head,
                    ggki_plural(head));
}

/* Is a key to be there, whose absence is told by itself? */
static bool is_required(ggk_str name, const char *suffix)
{
    const struct ggki_arch *arch = ggki_arch_find(name);

    for (size_t i = 0; arch != NULL && arch->required[i] != NULL; i++)
        if (strcmp(arch->required[i], suffix) == 0)
            return true;
    return false;
}

static void check_experts_used(struct ggki_check *c, ggk_str arch,
                               const struct layered *all)
{
    static const char suffix[] = "expert_used_count";
    struct ggki_arch_key name = ggki_arch_key(arch, suffix);
    struct layered used = find_layered(c, name.name);

    if (used.most > all->most)
        ggki_report(c, RULE_EXPERTS, used.key.place,
                    "%s is %llu, but there %s %llu expert%s", name.name,
                    (unsigned long long)used.most,
                    all->most == 1 ? "is" : "are",
                    (unsigned long long)all->most, ggki_plural(all->most));
    else if (all->most > 0 && used.found && used.most == 0)
        ggki_report(c, RULE_EXPERTS, used.key.place,
                    "%s is 0, but there are experts", name.name);
    else if (all->most > 0 && ggki_has_all_keys(c) &&
             !ggki_has_key(c, name.name) && !is_required(arch, suffix))
        ggki_report(c, RULE_EXPERTS, all->key.place,
                    "there are experts, but %s is missing", name.name);
}

static void check_expert_groups(struct ggki_check *c, ggk_str arch,
                                uint64_t experts)
{
    struct ggki_arch_key name = ggki_arch_key(arch, "expert_group_count");
    struct ggki_arch_key used_name =
        ggki_arch_key(arch, "expert_group_used_count");
    struct ggki_found_kv key;
    uint64_t groups, used = 0;

    if (!ggki_find_count(c, name.name, &key, &groups) || groups == 0)
        return;
    if (groups >= experts || (groups > 1 && experts % groups != 0)) {
        ggki_report(c, RULE_EXPERTS, key.place,
                    "%s is %llu, which does not part %llu expert%s", name.name,
                    (unsigned long long)groups, (unsigned long long)experts,
                    ggki_plural(experts));
        return;
    }
    if (groups == 1 || (!ggki_find_count(c, used_name.name, &key, &used) &&
                        !ggki_has_all_keys(c)))
        return;
    if (used == 0 || used >= groups)
        ggki_report(c, RULE_EXPERTS, key.place,
                    "%s is %llu, not 1 to %llu of %llu groups", used_name.name,
                    (unsigned long long)used, (unsigned long long)groups - 1,
                    (unsigned long long)groups);
}

/* What llama_model::load_hparams asserts of them. */
static void check_experts(struct ggki_check *c, ggk_str arch)
{
    struct ggki_arch_key name = ggki_arch_key(arch, "expert_count");
    struct layered all = find_layered(c, name.name);

    if (!all.found && (!ggki_has_all_keys(c) || ggki_has_key(c, name.name)))
        return;
    check_experts_used(c, arch, &all);
    check_expert_groups(c, arch, all.most);
}

/* Does it have all that llama.cpp asks for before it looks at tensors? */
static bool check_required(struct ggki_check *c, ggk_str name)
{
    const struct ggki_arch *arch = ggki_arch_find(name);
    bool all = arch != NULL;

    for (size_t i = 0; arch != NULL && arch->required[i] != NULL; i++) {
        const char *suffix = arch->required[i];
        const char *other = ggki_arch_other_key(suffix);
        struct ggki_arch_key key = ggki_arch_key(name, suffix);
        bool spared = arch->spared != NULL && strcmp(suffix, arch->spared) == 0;
        if (ggki_has_key(c, key.name) ||
            (other != NULL && ggki_has_key(c, ggki_arch_key(name, other).name)))
            continue;
        ggki_report(c, spared ? RULE_KEY_DESCRIBED : RULE_KEY_REQUIRED,
                    ggki_nowhere(), "missing %s", key.name);
        all = all && spared;
    }
    return all;
}

/* Of the layers that predict further tokens llama.cpp may load none. */
static void check_blocks(struct ggki_check *c, ggk_str arch)
{
    struct ggki_arch_key blocks = ggki_arch_key(arch, "block_count");
    struct ggki_found_kv key;
    uint64_t n, more;

    if (!ggki_is_model(c) ||
        (ggki_find_count(c, ggki_arch_key(arch, "nextn_predict_layers").name,
                         &key, &more) &&
         more > 0))
        return;
    if (ggki_find_count(c, blocks.name, &key, &n) && !key.repeats)
        ggki_check_blocks(c, ggki_arch_find(arch), blocks.name, n);
}

static void check_arch_chars(struct ggki_check *c,
                             const struct ggki_found_kv *key, ggk_str arch)
{
    for (size_t i = 0; i < arch.len; i++) {
        char ch = arch.ptr[i];
        if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9'))
            continue;
        ggki_report(c, RULE_ARCH_CHARS, key->place,
                    "the architecture \"%.*s\" is not made of a-z and 0-9",
                    ggki_shown(arch), arch.ptr);
        return;
    }
}

/* llama.cpp ends the name at a NUL byte. */
static void check_arch_known(struct ggki_check *c,
                             const struct ggki_found_kv *key, ggk_str arch)
{
    const char *nul = arch.len > 0 ? memchr(arch.ptr, 0, arch.len) : NULL;
    ggk_str name = {arch.ptr,
                    nul != NULL ? (size_t)(nul - arch.ptr) : arch.len};

    if (ggki_is_model(c) && !ggki_arch_is_known(name))
        ggki_report(c, RULE_ARCH_UNKNOWN, key->place,
                    "the architecture \"%.*s\" is not known", ggki_shown(arch),
                    arch.ptr);
}

static bool has_rules(ggk_str name)
{
    const struct ggki_arch *arch = ggki_arch_find(name);

    return arch != NULL && (arch->flags & GGKI_ARCH_BLOCKS) != 0;
}

static void check_architecture(struct ggki_check *c)
{
    struct ggki_found_kv key;
    ggk_str arch, type;

    if (ggki_find_string(c, "general.type", &key, &type))
        c->verdict->is_imatrix = ggki_str_is(type, "imatrix");
    if (!ggki_find_string(c, "general.architecture", &key, &arch)) {
        if (ggki_has_all_keys(c) && ggki_is_model(c))
            ggki_report(c, RULE_ARCH_MISSING, ggki_nowhere(),
                        "general.architecture is missing, or no string");
        return;
    }
    if (key.repeats)
        return; /* told already; none of them counts */
    c->verdict->arch_rules = has_rules(arch);
    check_arch_chars(c, &key, arch);
    check_arch_known(c, &key, arch);
    check_numbers(c, arch);
    check_parameter_types(c, arch);
    check_experts(c, arch);
    if (ggki_has_all_keys(c) && check_required(c, arch)) {
        ggki_check_shapes(c, arch);
        check_blocks(c, arch);
    }
    check_rotation(c, arch);
}

void ggki_check_parameters(struct ggki_check *c)
{
    if (c->stopped)
        return;
    check_architecture(c);
    check_key_types(c);
    ggki_check_mix(c);
}
