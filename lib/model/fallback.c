/* fallback.c - the types that take the place of others whose blocks are longer
 * than rows are.
 *
 * As llama.cpp v0.5.0 has them (llama-quant.cpp).
 */
#include "model/fallback.h"

#include "base/type_ids.h"

/* The type of smaller blocks for one of large ones; of those of 32 itself;
 * UINT32_MAX: none was chosen. */
static uint32_t smaller_type(uint32_t type)
{
    switch (type) {
    case GGKI_IQ1_S:
    case GGKI_IQ1_M:
    case GGKI_IQ2_XXS:
    case GGKI_IQ2_XS:
    case GGKI_IQ2_S:
    case GGKI_IQ3_XXS:
    case GGKI_IQ3_S:
    case GGKI_IQ4_XS: return GGKI_IQ4_NL;
    case GGKI_Q2_K:
    case GGKI_Q3_K:
    case GGKI_TQ1_0:
    case GGKI_TQ2_0:
    case GGKI_Q2_0: return GGKI_Q4_0;
    case GGKI_Q4_K: return GGKI_Q5_0;
    case GGKI_Q5_K: return GGKI_Q5_1;
    case GGKI_Q6_K: return GGKI_Q8_0;
    default: return ggk_type_by_id(type)->block == 32 ? type : UINT32_MAX;
    }
}

bool ggki_fallback_of(uint32_t type, uint64_t ne0, uint32_t *out)
{
    *out = smaller_type(type);
    if (*out == UINT32_MAX)
        return false;
    if (ne0 % ggk_type_by_id(*out)->block != 0)
        *out = GGKI_F16;
    return true;
}
