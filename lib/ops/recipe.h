/* recipe.h - the parts of a recipe: what a tensor is by its name, the rules of
 * the targets, and the keys of a quantized file. */
#ifndef GGKI_RECIPE_H
#define GGKI_RECIPE_H

#include "base/type_ids.h"
#include "ggk.h"
#include "ops/pattern.h"
#include "ops/plan.h"

/* File types, by their numbers: all below 64. */
enum ggki_recipe_target {
    GGKI_ALL_F32 = 0,
    GGKI_MOSTLY_F16 = 1,
    GGKI_MOSTLY_Q4_0 = 2,
    GGKI_MOSTLY_Q4_1 = 3,
    GGKI_MOSTLY_Q8_0 = 7,
    GGKI_MOSTLY_Q5_0 = 8,
    GGKI_MOSTLY_Q5_1 = 9,
    GGKI_MOSTLY_Q2_K = 10,
    GGKI_MOSTLY_Q3_K_S = 11,
    GGKI_MOSTLY_Q3_K_M = 12,
    GGKI_MOSTLY_Q3_K_L = 13,
    GGKI_MOSTLY_Q4_K_S = 14,
    GGKI_MOSTLY_Q4_K_M = 15,
    GGKI_MOSTLY_Q5_K_S = 16,
    GGKI_MOSTLY_Q5_K_M = 17,
    GGKI_MOSTLY_Q6_K = 18,
    GGKI_MOSTLY_IQ2_XXS = 19,
    GGKI_MOSTLY_IQ2_XS = 20,
    GGKI_MOSTLY_Q2_K_S = 21,
    GGKI_MOSTLY_IQ3_XS = 22,
    GGKI_MOSTLY_IQ3_XXS = 23,
    GGKI_MOSTLY_IQ1_S = 24,
    GGKI_MOSTLY_IQ4_NL = 25,
    GGKI_MOSTLY_IQ3_S = 26,
    GGKI_MOSTLY_IQ3_M = 27,
    GGKI_MOSTLY_IQ2_S = 28,
    GGKI_MOSTLY_IQ2_M = 29,
    GGKI_MOSTLY_IQ4_XS = 30,
    GGKI_MOSTLY_IQ1_M = 31,
    GGKI_MOSTLY_BF16 = 32,
    GGKI_MOSTLY_TQ1_0 = 36,
    GGKI_MOSTLY_TQ2_0 = 37,
    GGKI_MOSTLY_MXFP4_MOE = 38,
    GGKI_MOSTLY_Q1_0 = 40,
    GGKI_MOSTLY_Q2_0 = 41
};

/* What a tensor is for, as far as rules ask. */
enum ggki_role {
    GGKI_ROLE_OTHER,
    GGKI_ROLE_OUTPUT,
    GGKI_ROLE_EMBEDDING,
    GGKI_ROLE_ATTN_V, /* values, or what holds them too */
    GGKI_ROLE_ATTN_K,
    GGKI_ROLE_ATTN_Q,
    GGKI_ROLE_ATTN_OUTPUT,
    GGKI_ROLE_FFN_UP,
    GGKI_ROLE_FFN_GATE,
    GGKI_ROLE_FFN_DOWN
};

/* Reasons, by their places in the table. */
enum ggki_reason {
    GGKI_KEEP_VECTOR,
    GGKI_KEEP_NAME,
    GGKI_KEEP_NORM,
    GGKI_KEEP_OUTPUT,
    GGKI_KEEP_SMALL,
    GGKI_OPTION_EMBEDDING,
    GGKI_OPTION_OUTPUT,
    GGKI_OPTION_OVERRIDE,
    GGKI_OPTION_FROM,
    GGKI_PURE,
    GGKI_DEFAULT,
    GGKI_OUTPUT,
    GGKI_OUTPUT_FALCON,
    GGKI_OUTPUT_NARROW,
    GGKI_OUTPUT_LOW,
    GGKI_MXFP4_EXPERTS,
    GGKI_MXFP4_OTHERS,
    GGKI_EMBEDDING_LOW,
    GGKI_ATTN_V,
    GGKI_ATTN_V_SHARED,
    GGKI_ATTN_V_EXPERTS,
    GGKI_ATTN_V_FIRST,
    GGKI_ATTN_V_MORE,
    GGKI_ATTN_V_70B,
    GGKI_ATTN_K_EXPERTS,
    GGKI_ATTN_QK_LOW,
    GGKI_ATTN_OUTPUT,
    GGKI_ATTN_OUTPUT_EXPERTS,
    GGKI_FFN_DOWN,
    GGKI_FFN_DOWN_FIRST,
    GGKI_FFN_DOWN_MORE,
    GGKI_FFN_DOWN_IMATRIX,
    GGKI_FFN_MIDDLE,
    GGKI_REASONS
};

/* What the rules ask of a model, and how many tensors of each role they have
 * seen: those that options decide are not among them. */
struct ggki_mix {
    const ggk_target *target;
    unsigned model; /* what is true of it: see recipe_rules.c */
    bool by_name;   /* layers are told by names, not by counting */
    bool tied;      /* token embeddings are the output too */
    uint64_t n_layers;
    uint64_t n_v; /* tensors of role ATTN_V */
    uint64_t i_v, i_up, i_gate, i_down;
};

/* What they ask of a tensor. */
struct ggki_mix_tensor {
    ggk_str name;
    enum ggki_role role;
    uint64_t ne0, ne2;
};

/* The numbers of a model that rules depend on. */
struct ggki_mix_numbers {
    ggk_str architecture;
    uint64_t n_layers, n_heads, n_heads_kv, n_experts; /* of layer 0 */
};

/* An override, understood. */
struct ggki_override {
    struct ggki_pattern pattern;
    uint32_t type;
    uint64_t n_decided; /* tensors */
};

/* Layers that are left out, and what is known of the others so far. */
struct ggki_pruning {
    uint64_t *layers; /* that are left out, in their order */
    size_t n;
    size_t n_met;    /* the first so many of them were there */
    uint64_t n_seen; /* layers, */
    uint64_t last;   /* the last of them, */
    uint64_t n_stay; /* and those that stay are numbered below this */
    char *names;     /* new ones of tensors */
    size_t name_bytes, names_end;
    ggk_str architecture; /* of the model */
    uint64_t n_layers;    /* that it says it has */
};

#define GGKI_NO_TYPE UINT32_MAX /* none was asked for */

/* The options of a recipe, understood. */
struct ggki_recipe_options {
    uint32_t flags;
    const ggk_target *target;
    uint32_t output_type, embedding_type;
    struct ggki_override *overrides;
    size_t n_overrides;
    struct ggki_pcre2 pcre2;    /* open if there are overrides */
    const ggk_model *from;      /* may be NULL */
    const ggk_imatrix *imatrix; /* may be NULL */
    const ggk_key_value *keys;
    size_t n_keys;
    struct ggki_pruning pruning;
};

/* The model that a recipe is for, and what was asked of it. */
const ggk_model *ggki_recipe_model(const ggk_recipe *recipe);
const struct ggki_recipe_options *ggki_recipe_options(const ggk_recipe *recipe);

/* The importances that tensor `t` of the model, which gets `r`, is quantized
 * by, or NULL. Errors: GGK_E_CHANGED (the imatrix is not what it was),
 * GGK_E_ARG (it has none that can be used), GGK_E_UNSUPPORTED (its type needs
 * some). */
ggk_status ggki_recipe_importances(const ggk_recipe *recipe,
                                   const ggk_recipe_tensor *r,
                                   const ggk_tensor *t, const float **out,
                                   ggk_error *err);

/* Understand a caller's options. Errors: those of ggk_recipe_new; then `*out`
 * is empty. */
ggk_status ggki_recipe_options_take(const ggk_allocator *mem,
                                    const ggk_recipe_opts *opts,
                                    struct ggki_recipe_options *out,
                                    ggk_error *err);
void ggki_recipe_options_free(const ggk_allocator *mem,
                              struct ggki_recipe_options *options);

/* The first override that is for a tensor of that name; GGK_NONE: none is.
 * Errors: those of ggki_pattern_find; `where` is "overrides[2]". */
ggk_status ggki_recipe_override_of(const struct ggki_recipe_options *options,
                                   ggk_str name, uint64_t *out, ggk_error *err);

/* The value that a key is to have, as llama.cpp looks for it: the first; NULL:
 * none was given. */
const ggk_value *ggki_recipe_key(const struct ggki_recipe_options *options,
                                 const char *key);

/* Understand which layers are to be left out: GGK_E_ARG if one is there twice.
 */
ggk_status ggki_pruning_take(const ggk_allocator *mem, const uint64_t *layers,
                             size_t n, struct ggki_pruning *out,
                             ggk_error *err);
void ggki_pruning_free(const ggk_allocator *mem, struct ggki_pruning *p);

/* Give the next tensor, in the order of layers, the name that it will have;
 * `*stays` is false if it is left out. `name_bytes` is the sum of all names'
 * lengths. Errors: GGK_E_UNSUPPORTED, GGK_E_NOMEM. */
ggk_status ggki_pruning_next(const ggk_allocator *mem, struct ggki_pruning *p,
                             ggk_str name, ggk_str *out, bool *stays,
                             ggk_error *err);

/* Layers are to be left out of a shard alone: fails with GGK_E_ARG. */
ggk_status ggki_pruning_refuse_part(ggk_error *err);

/* All tensors were there: are all layers that are left out, and do others stay?
 * Errors: GGK_E_ARG. */
ggk_status ggki_pruning_check(const struct ggki_pruning *p, ggk_error *err);

/* Of arrays with a number for each layer, which a file of a plan has from the
 * model, leave those of layers that stay. Errors: GGK_E_UNSUPPORTED,
 * GGK_E_CHANGED, and those of ggk_plan_set_kv.
 * And say how many layers there are, as the last key. */
ggk_status ggki_plan_cut_keys(ggk_plan *plan, uint32_t file,
                              const ggk_model *model,
                              const struct ggki_pruning *p, ggk_error *err);
ggk_status ggki_plan_count_layers(ggk_plan *plan, uint32_t file,
                                  const struct ggki_pruning *p, ggk_error *err);

/* What a tensor is, by its name.
 * Why one is not quantized whatever was asked; GGKI_REASONS: it is. */
enum ggki_role ggki_role_of(ggk_str name);
enum ggki_reason ggki_keep_reason(ggk_str name, const uint64_t *ne,
                                  bool leave_output);

/* The number in "blk.7."; false if the name does not begin like that. */
bool ggki_layer_of(ggk_str name, uint64_t *out);

/* Set up the rules of a target; the roles of the tensors are the caller's. */
void ggki_mix_start(struct ggki_mix *mix, const ggk_target *target,
                    const struct ggki_mix_numbers *m, bool imatrix);

/* The type that the rules give to the next tensor, and by which of them.
 * Errors: GGK_E_RANGE, if layers are told by names: this one has none, or one
 * that the model has not. */
ggk_status ggki_mix_next(struct ggki_mix *mix, const struct ggki_mix_tensor *t,
                         uint32_t *type, enum ggki_reason *reason,
                         ggk_error *err);

/* Can tensors be made of that type? */
bool ggki_is_target_type(uint32_t type);

/* Does the type need importances, in a file of that target? */
bool ggki_needs_imatrix(uint32_t type, const ggk_target *target);

/* What a file that was quantized by importances says of them; text that is NULL
 * and numbers that are 0 are left out, but for n_entries. */
struct ggki_imatrix_keys {
    const char *file;
    const char *dataset;
    uint64_t n_entries;
    uint64_t n_chunks;
};

/* What a quantized file says of itself. */
struct ggki_quantized_keys {
    const ggk_target *target;
    const ggk_key_value *others; /* that were asked for */
    size_t n_others;
    const struct ggki_imatrix_keys *imatrix; /* may be NULL */
    bool is_shard; /* of a set, and stays so: which one it is says it still */
};

/* Make the keys of a file of a plan, copied from a model, those of one that is
 * quantized: as llama-quantize orders them. Errors: GGK_E_RANGE (no such file;
 * a count past 2^32-1), GGK_E_NOMEM, and those of ggk_plan_set_kv. */
ggk_status ggki_plan_quantized_keys(ggk_plan *plan, uint32_t file,
                                    const struct ggki_quantized_keys *keys,
                                    ggk_error *err);

/* Give a key that value, as the last one, wherever it was. */
ggk_status ggki_plan_append_kv(ggk_plan *plan, uint32_t file,
                               const ggk_key_value *kv, ggk_error *err);

#endif
