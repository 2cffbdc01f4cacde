/* recipe_types.c - what can be quantized to: the targets and their types. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "format/types.h"
#include "ops/recipe.h"

static const ggk_target targets[] = {
    {GGKI_ALL_F32, GGKI_F32, "F32"},
    {GGKI_MOSTLY_F16, GGKI_F16, "F16"},
    {GGKI_MOSTLY_Q4_0, GGKI_Q4_0, "Q4_0"},
    {GGKI_MOSTLY_Q4_1, GGKI_Q4_1, "Q4_1"},
    {GGKI_MOSTLY_Q8_0, GGKI_Q8_0, "Q8_0"},
    {GGKI_MOSTLY_Q5_0, GGKI_Q5_0, "Q5_0"},
    {GGKI_MOSTLY_Q5_1, GGKI_Q5_1, "Q5_1"},
    {GGKI_MOSTLY_Q2_K, GGKI_Q2_K, "Q2_K"},
    {GGKI_MOSTLY_Q3_K_S, GGKI_Q3_K, "Q3_K_S"},
    {GGKI_MOSTLY_Q3_K_M, GGKI_Q3_K, "Q3_K_M"},
    {GGKI_MOSTLY_Q3_K_L, GGKI_Q3_K, "Q3_K_L"},
    {GGKI_MOSTLY_Q4_K_S, GGKI_Q4_K, "Q4_K_S"},
    {GGKI_MOSTLY_Q4_K_M, GGKI_Q4_K, "Q4_K_M"},
    {GGKI_MOSTLY_Q5_K_S, GGKI_Q5_K, "Q5_K_S"},
    {GGKI_MOSTLY_Q5_K_M, GGKI_Q5_K, "Q5_K_M"},
    {GGKI_MOSTLY_Q6_K, GGKI_Q6_K, "Q6_K"},
    {GGKI_MOSTLY_IQ2_XXS, GGKI_IQ2_XXS, "IQ2_XXS"},
    {GGKI_MOSTLY_IQ2_XS, GGKI_IQ2_XS, "IQ2_XS"},
    {GGKI_MOSTLY_Q2_K_S, GGKI_Q2_K, "Q2_K_S"},
    {GGKI_MOSTLY_IQ3_XS, GGKI_IQ3_S, "IQ3_XS"},
    {GGKI_MOSTLY_IQ3_XXS, GGKI_IQ3_XXS, "IQ3_XXS"},
    {GGKI_MOSTLY_IQ1_S, GGKI_IQ1_S, "IQ1_S"},
    {GGKI_MOSTLY_IQ4_NL, GGKI_IQ4_NL, "IQ4_NL"},
    {GGKI_MOSTLY_IQ3_S, GGKI_IQ3_S, "IQ3_S"},
    {GGKI_MOSTLY_IQ3_M, GGKI_IQ3_S, "IQ3_M"},
    {GGKI_MOSTLY_IQ2_S, GGKI_IQ2_XS, "IQ2_S"},
    {GGKI_MOSTLY_IQ2_M, GGKI_IQ2_S, "IQ2_M"},
    {GGKI_MOSTLY_IQ4_XS, GGKI_IQ4_XS, "IQ4_XS"},
    {GGKI_MOSTLY_IQ1_M, GGKI_IQ1_M, "IQ1_M"},
    {GGKI_MOSTLY_BF16, GGKI_BF16, "BF16"},
    {GGKI_MOSTLY_TQ1_0, GGKI_TQ1_0, "TQ1_0"},
    {GGKI_MOSTLY_TQ2_0, GGKI_TQ2_0, "TQ2_0"},
    {GGKI_MOSTLY_MXFP4_MOE, GGKI_MXFP4, "MXFP4_MOE"},
    {GGKI_MOSTLY_Q1_0, GGKI_Q1_0, "Q1_0"},
    {GGKI_MOSTLY_Q2_0, GGKI_Q2_0, "Q2_0"},
};

size_t ggk_target_count(void)
{
    return sizeof targets / sizeof targets[0];
}

const ggk_target *ggk_target_at(size_t i)
{
    return i < ggk_target_count() ? &targets[i] : NULL;
}

static const char *whole_name(const char *name)
{
    static const char *const names[][2] = {
        {"Q3_K", "Q3_K_M"}, {"Q4_K", "Q4_K_M"}, {"Q5_K", "Q5_K_M"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ggki_ascii_same(name, names[i][0]))
            return names[i][1];
    return name;
}

const ggk_target *ggk_target_by_name(const char *name)
{
    size_t n_digits = strspn(name, "0123456789");
    bool is_number = n_digits > 0 && n_digits < 4 && name[n_digits] == '\0';

    name = whole_name(name);
    for (size_t i = 0; i < ggk_target_count(); i++)
        if (is_number ? targets[i].file_type == strtoul(name, NULL, 10)
                      : ggki_ascii_same(name, targets[i].name))
            return &targets[i];
    return NULL;
}

bool ggki_is_target_type(uint32_t type)
{
    const ggk_type_info *info = ggk_type_by_id(type);

    if (ggki_type_is_opaque(info) || type == GGKI_Q8_1 || type == GGKI_Q8_K)
        return false; /* the last two are for computing only */
    return (info->flags & GGK_TYPE_QUANTIZED) != 0 || type == GGKI_F32 ||
           type == GGKI_F16 || type == GGKI_BF16;
}

bool ggki_needs_imatrix(uint32_t type, const ggk_target *target)
{
    return (ggk_type_by_id(type)->flags & GGK_TYPE_NEEDS_IMATRIX) != 0 ||
           (type == GGKI_Q2_K && target->file_type == GGKI_MOSTLY_Q2_K_S);
}
