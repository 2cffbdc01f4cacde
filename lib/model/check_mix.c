/* check_mix.c - rules about the types of the tensors: does the label of the
 * file, general.file_type, name that of most weights? */
#include <string.h>

#include "base/str.h"
#include "format/types.h"
#include "model/check_find.h"
#include "model/fallback.h"

#define MIX_TYPES 64 /* ids below this are counted */

struct type_mix {
    const char *label;           /* NULL: there is none, or it is not known */
    bool named[MIX_TYPES];       /* types that the label names */
    uint64_t weights[MIX_TYPES]; /* of matrices, by type */
    uint64_t all;
    bool quantized; /* any tensor is */
};

/* ------------------------------------------------------------------- labels */

/* Does the label name the type: MOSTLY_Q4_K_M, Q4_K? Some of llama.cpp's mixes
 * are named after no type, or after another than most of theirs. Some give so
 * much another that it may be most of a model: attention, where that has more
 * weights than its feed-forward layers; all, where there are no experts. */
static bool label_names(const char *label, const char *type)
{
    static const char *const mixes[][2] = {
        {"MOSTLY_IQ2_S", "IQ2_XS"},   {"MOSTLY_IQ2_M", "IQ2_S"},
        {"MOSTLY_IQ3_XS", "IQ3_S"},   {"MOSTLY_IQ3_XS", "IQ3_XXS"},
        {"MOSTLY_IQ3_M", "IQ3_S"},    {"MOSTLY_Q2_K", "Q3_K"},
        {"MOSTLY_Q3_K_M", "Q4_K"},    {"MOSTLY_Q3_K_L", "Q5_K"},
        {"MOSTLY_MXFP4_MOE", "Q8_0"},
    };
    const char *named = label + strcspn(label, "_");
    size_t len = strlen(type);

    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++)
        if (strcmp(label, mixes[i][0]) == 0 && strcmp(type, mixes[i][1]) == 0)
            return true;
    named += strspn(named, "_");
    return strncmp(named, type, len) == 0 &&
           (named[len] == '\0' || named[len] == '_');
}

static void read_label(const struct ggki_check *c, const char *label,
                       struct type_mix *mix)
{
    mix->label = label;
    for (uint32_t t = 0; t < MIX_TYPES && label != NULL; t++) {
        const ggk_type_info *type = ggk_model_type(c->model, t);

        mix->named[t] = type != NULL && label_names(label, type->name);
    }
}

/* --------------------------------------------------------------------- sums */

/* Does the type of a tensor of this name say nothing of the recipe? Embeddings
 * and output have a type of their own in most. */
static bool is_apart(ggk_str name)
{
    static const char *const names[] = {
        "token_embd.weight", "per_layer_token_embd.weight", "output.weight"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ggki_str_is(name, names[i]))
            return true;
    return false;
}

/* Are rows of `ne0` no whole blocks of a type? */
static bool is_narrow(uint32_t type, uint64_t ne0)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    return info != NULL && info->block > 1 && ne0 % info->block != 0;
}

/* Is `type` what rows get that are too narrow for another? */
static bool stands_in(uint32_t type, uint32_t other, uint64_t ne0)
{
    uint32_t fallback;

    return is_narrow(other, ne0) && ggki_fallback_of(other, ne0, &fallback) &&
           fallback == type;
}

/* The type that a tensor was probably meant to have: what is too narrow for
 * those that the label names has another. MIX_TYPES: that cannot be told. */
static uint32_t meant_type(const struct type_mix *mix, uint32_t type,
                           uint64_t ne0)
{
    bool gives_way = false, stands = false;

    if (mix->named[type])
        return type;
    for (uint32_t t = 0; t < MIX_TYPES; t++) {
        if (mix->named[t] && stands_in(type, t, ne0))
            return t;
        gives_way = gives_way || (mix->named[t] && is_narrow(t, ne0));
        stands = stands || stands_in(type, t, ne0);
    }
    return gives_way && stands ? MIX_TYPES : type;
}

/* Norms and biases, which are no matrices, stay F32 in any recipe. */
static void add_type(struct type_mix *mix, const struct ggki_gguf *g,
                     const struct ggki_info *info)
{
    const ggk_type_info *type =
        info->opaque ? NULL : ggki_type_find(g->types, info->type);
    uint32_t meant;

    if (type == NULL)
        return;
    mix->quantized = mix->quantized || (type->flags & GGK_TYPE_QUANTIZED) != 0;
    if (info->type >= MIX_TYPES || info->n_dims < 2 ||
        info->n_elements > UINT64_MAX - mix->all ||
        is_apart(ggki_gguf_bytes(g, info->name_pos, info->name_len)))
        return;
    meant = meant_type(mix, info->type, info->ne[0]);
    if (meant == MIX_TYPES)
        return;
    mix->weights[meant] += info->n_elements;
    mix->all += info->n_elements;
}

static void sum_types(const struct ggki_check *c, struct type_mix *mix)
{
    for (uint32_t file = 0; file < c->model->n_files; file++) {
        const struct ggki_gguf *g = &c->model->files[file].gguf;

        for (uint64_t i = 0; i < g->n_tensors; i++) {
            struct ggki_info info;

            if (ggki_gguf_info(g, i, &info))
                add_type(mix, g, &info);
        }
    }
}

/* -------------------------------------------------------------------- rules */

static void check_label(struct ggki_check *c, const struct type_mix *mix,
                        const struct ggki_found_kv *key, uint64_t file_type)
{
    uint32_t most = 0;

    for (uint32_t t = 1; t < MIX_TYPES; t++)
        if (mix->weights[t] > mix->weights[most])
            most = t;
    if (mix->label == NULL)
        ggki_report(c, RULE_FILE_TYPE, key->place,
                    "general.file_type %llu is not known",
                    (unsigned long long)file_type);
    else if (!mix->named[most])
        ggki_report(c, RULE_FILE_TYPE, key->place,
                    "general.file_type says %s, but most weights of the "
                    "layers (%llu of %llu) are %s",
                    mix->label, (unsigned long long)mix->weights[most],
                    (unsigned long long)mix->all,
                    ggk_model_type(c->model, most)->name);
}

void ggki_check_mix(struct ggki_check *c)
{
    struct type_mix mix = {.label = NULL};
    struct ggki_found_kv key;
    uint64_t file_type = 0;
    bool is_labelled =
        c->whole && ggki_find_count(c, "general.file_type", &key, &file_type);

    if (is_labelled)
        read_label(c, ggk_file_type_name(file_type), &mix);
    sum_types(c, &mix);
    if (mix.quantized && ggki_has_all_keys(c) &&
        !ggki_has_key(c, "general.quantization_version"))
        ggki_report(c, RULE_QUANT_VERSION, ggki_nowhere(),
                    "general.quantization_version is missing");
    if (is_labelled && mix.all > 0)
        check_label(c, &mix, &key, file_type);
}
