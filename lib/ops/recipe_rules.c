/* recipe_rules.c - the rules by which the targets give each tensor a type.
 *
 * The first rule of the table that is for the target and the tensor decides.
 * They are those of llama.cpp v0.5.0 (llama-quant.cpp), in an order that has
 * the same outcome. The layer of a tensor is how many of its role came before;
 * in a model of experts, of which a layer may have several, the number in its
 * name, but for the targets of the lowest bits.
 */
#include "base/err.h"
#include "base/str.h"
#include "ops/recipe.h"

static const ggk_reason reasons[GGKI_REASONS] = {
    [GGKI_KEEP_VECTOR] = {"keep.vector",
                          "a tensor of one dimension keeps its type"},
    [GGKI_KEEP_NAME] = {"keep.name",
                        "what is no weight by its name keeps its type"},
    [GGKI_KEEP_NORM] = {"keep.norm", "a norm keeps its type"},
    [GGKI_KEEP_OUTPUT] = {"keep.output", "the output was to be left as it is"},
    [GGKI_KEEP_SMALL] = {"keep.small",
                         "routers, positions, small convolutions and the like "
                         "keep their types"},
    [GGKI_OPTION_EMBEDDING] = {"option.embedding-type",
                               "the type that was asked for, for token "
                               "embeddings"},
    [GGKI_OPTION_OUTPUT] = {"option.output-type",
                            "the type that was asked for, for the output"},
    [GGKI_OPTION_OVERRIDE] = {"option.tensor-type",
                              "the type that was asked for, by a pattern that "
                              "its name matches"},
    [GGKI_OPTION_FROM] = {"option.recipe-from",
                          "the type that the tensor has in the model whose "
                          "recipe is taken"},
    [GGKI_PURE] = {"option.pure", "all tensors get the type of the target"},
    [GGKI_DEFAULT] = {"default", "the type of the target"},
    [GGKI_OUTPUT] = {"output", "the output decides each token: it is Q6_K"},
    [GGKI_OUTPUT_FALCON] = {"output.falcon", "the output of Falcon is Q8_0"},
    [GGKI_OUTPUT_NARROW] = {"output.narrow",
                            "an output whose rows are no whole blocks of the "
                            "target's type is Q8_0"},
    [GGKI_OUTPUT_LOW] = {"output.low",
                         "under the targets of the lowest bits the output is "
                         "Q5_K"},
    [GGKI_MXFP4_EXPERTS] = {"mxfp4.experts", "the experts are MXFP4"},
    [GGKI_MXFP4_OTHERS] = {"mxfp4.others", "what is no expert is Q8_0"},
    [GGKI_EMBEDDING_LOW] = {"embedding.low",
                            "under the targets of the lowest bits token "
                            "embeddings get more"},
    [GGKI_ATTN_V] = {"attn-v", "attention values get other bits than the rest"},
    [GGKI_ATTN_V_SHARED] = {"attn-v.shared-heads",
                            "attention values that four heads or more share "
                            "are small, and get more bits"},
    [GGKI_ATTN_V_EXPERTS] = {"attn-v.experts",
                             "attention values are small beside experts, and "
                             "get more bits"},
    [GGKI_ATTN_V_FIRST] = {"attn-v.first",
                           "attention values of the first layers get more "
                           "bits"},
    [GGKI_ATTN_V_MORE] = {"attn-v.more",
                          "attention values of the first and last eighth of "
                          "the layers, and each third between, get more bits"},
    [GGKI_ATTN_V_70B] = {"attn-v.70b",
                         "attention values of a model of 70B, which eight "
                         "heads share, get more bits"},
    [GGKI_ATTN_K_EXPERTS] = {"attn-k.experts",
                             "attention keys are small beside eight experts, "
                             "and get more bits"},
    [GGKI_ATTN_QK_LOW] = {"attn-qk.low",
                          "attention queries and keys get less bits"},
    [GGKI_ATTN_OUTPUT] = {"attn-output",
                          "attention output gets other bits than the rest"},
    [GGKI_ATTN_OUTPUT_EXPERTS] = {"attn-output.experts",
                                  "attention output is small beside eight "
                                  "experts, and gets more bits"},
    [GGKI_FFN_DOWN] = {"ffn-down",
                       "the way down from a feed-forward layer gets more bits"},
    [GGKI_FFN_DOWN_FIRST] = {"ffn-down.first",
                             "the way down from a feed-forward layer gets more "
                             "bits in the first layers"},
    [GGKI_FFN_DOWN_MORE] = {"ffn-down.more",
                            "the way down from a feed-forward layer gets more "
                            "bits in the first and last eighth of the layers, "
                            "and each third between"},
    [GGKI_FFN_DOWN_IMATRIX] = {"ffn-down.imatrix",
                               "with importances, the way down from the first "
                               "feed-forward layers gets a type with a "
                               "minimum"},
    [GGKI_FFN_MIDDLE] = {"ffn.middle",
                         "feed-forward layers in the middle get less bits"},
};

size_t ggk_reason_count(void)
{
    return GGKI_REASONS;
}

const ggk_reason *ggk_reason_at(size_t i)
{
    return i < GGKI_REASONS ? &reasons[i] : NULL;
}

/* -------------------------------------------------------------- conditions */

/* What may be true of a model, */
#define IF_FALCON    1u
#define IF_BAILING   2u  /* which has stacked tensors that are no experts */
#define IF_SHARED    4u  /* four heads or more have one of keys and values */
#define IF_EXPERTS_4 8u  /* or more */
#define IF_EXPERTS_8 16u /* no more, no less */
#define IF_IMATRIX   32u
#define IF_70B       64u
/* of a tensor, */
#define IF_STACKED 128u /* it has three dimensions */
#define IF_NARROW  256u /* a row is no whole number of the target's blocks */
/* and of the place of its layer. */
#define IF_FIRST_2   512u
#define IF_FIRST_4   1024u
#define IF_SIXTEENTH 2048u /* the first */
#define IF_EIGHTH    4096u /* the first */
#define IF_MORE      8192u
#define IF_MIDDLE    16384u

/* Roles and targets as sets. */
#define R(role)   (1u << GGKI_ROLE_##role)
#define ANY_ROLE  UINT32_MAX
#define T(target) (UINT64_C(1) << GGKI_MOSTLY_##target)
#define ANY       UINT64_MAX

#define LOW_2 (T(IQ2_S) | T(IQ2_M))
#define LOW_1 (T(IQ1_S) | T(IQ1_M))
#define LOW   (T(IQ2_XXS) | T(IQ2_XS) | LOW_2 | LOW_1)

struct rule {
    uint32_t roles;
    uint64_t targets;
    unsigned when;   /* all of these are true, */
    unsigned unless; /* and none of these */
    enum ggki_type_id type;
    enum ggki_reason reason;
};

static const struct rule rules[] = {
    {R(OUTPUT), T(MXFP4_MOE), 0, 0, GGKI_Q8_0, GGKI_MXFP4_OTHERS},
    {R(OUTPUT), ANY, IF_FALCON, 0, GGKI_Q8_0, GGKI_OUTPUT_FALCON},
    {R(OUTPUT), ANY, IF_NARROW, 0, GGKI_Q8_0, GGKI_OUTPUT_NARROW},
    {R(OUTPUT), LOW | T(IQ3_XXS), 0, 0, GGKI_Q5_K, GGKI_OUTPUT_LOW},
    {R(OUTPUT), ANY & ~T(Q8_0), 0, 0, GGKI_Q6_K, GGKI_OUTPUT},

    {R(FFN_UP) | R(FFN_GATE) | R(FFN_DOWN), T(MXFP4_MOE), IF_STACKED, 0,
     GGKI_MXFP4, GGKI_MXFP4_EXPERTS},
    {ANY_ROLE & ~R(OUTPUT), T(MXFP4_MOE), IF_STACKED, IF_BAILING, GGKI_MXFP4,
     GGKI_MXFP4_EXPERTS},
    {ANY_ROLE & ~R(OUTPUT), T(MXFP4_MOE), 0, 0, GGKI_Q8_0, GGKI_MXFP4_OTHERS},

    {R(EMBEDDING), T(IQ2_XXS) | T(IQ2_XS) | LOW_1, 0, 0, GGKI_Q2_K,
     GGKI_EMBEDDING_LOW},
    {R(EMBEDDING), LOW_2 | T(IQ3_XXS), 0, 0, GGKI_IQ3_S, GGKI_EMBEDDING_LOW},
    {R(EMBEDDING), T(TQ1_0) | T(TQ2_0) | T(Q2_0), 0, 0, GGKI_Q4_K,
     GGKI_EMBEDDING_LOW},

    {R(ATTN_V), LOW, IF_SHARED, 0, GGKI_Q4_K, GGKI_ATTN_V_SHARED},
    {R(ATTN_V), LOW, IF_EXPERTS_4, 0, GGKI_Q4_K, GGKI_ATTN_V_EXPERTS},
    {R(ATTN_V), LOW_2, 0, 0, GGKI_IQ3_S, GGKI_ATTN_V},
    {R(ATTN_V), LOW, 0, 0, GGKI_Q2_K, GGKI_ATTN_V},
    {R(ATTN_V), ANY, IF_EXPERTS_8, 0, GGKI_Q8_0, GGKI_ATTN_V_EXPERTS},
    {R(ATTN_V), T(Q2_K) | T(Q2_K_S) | T(IQ3_XXS) | T(IQ3_XS) | T(IQ3_S),
     IF_SHARED, 0, GGKI_Q4_K, GGKI_ATTN_V_SHARED},
    {R(ATTN_V), T(Q2_K), 0, 0, GGKI_Q3_K, GGKI_ATTN_V},
    {R(ATTN_V), T(IQ3_XXS), 0, IF_IMATRIX, GGKI_IQ3_S, GGKI_ATTN_V},
    {R(ATTN_V), T(IQ3_M), 0, 0, GGKI_Q4_K, GGKI_ATTN_V},
    {R(ATTN_V), T(Q3_K_M), IF_FIRST_2, 0, GGKI_Q5_K, GGKI_ATTN_V_FIRST},
    {R(ATTN_V), T(Q3_K_M), 0, 0, GGKI_Q4_K, GGKI_ATTN_V},
    {R(ATTN_V), T(Q3_K_L), 0, 0, GGKI_Q5_K, GGKI_ATTN_V},
    {R(ATTN_V), T(IQ4_NL) | T(IQ4_XS), IF_SHARED, 0, GGKI_Q5_K,
     GGKI_ATTN_V_SHARED},
    {R(ATTN_V), T(Q4_K_M) | T(Q5_K_M), IF_MORE, 0, GGKI_Q6_K, GGKI_ATTN_V_MORE},
    {R(ATTN_V), T(Q4_K_S), IF_FIRST_4, 0, GGKI_Q5_K, GGKI_ATTN_V_FIRST},

    {R(ATTN_K), LOW, IF_EXPERTS_8, 0, GGKI_Q4_K, GGKI_ATTN_K_EXPERTS},
    {R(ATTN_K), ANY, IF_EXPERTS_8, 0, GGKI_Q8_0, GGKI_ATTN_K_EXPERTS},
    {R(ATTN_K) | R(ATTN_Q), T(IQ3_XS), 0, 0, GGKI_IQ3_XXS, GGKI_ATTN_QK_LOW},
    {R(ATTN_K) | R(ATTN_Q), T(IQ3_XXS), 0, 0, GGKI_IQ2_S, GGKI_ATTN_QK_LOW},

    {R(FFN_DOWN), LOW_2, IF_EIGHTH, 0, GGKI_IQ3_S, GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), LOW, IF_EIGHTH, 0, GGKI_Q2_K, GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(Q2_K), 0, 0, GGKI_Q3_K, GGKI_FFN_DOWN},
    {R(FFN_DOWN), T(Q2_K_S), IF_EIGHTH, 0, GGKI_Q4_K, GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(IQ3_XXS), IF_EIGHTH, IF_IMATRIX, GGKI_Q4_K,
     GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(IQ3_XXS), 0, IF_IMATRIX, GGKI_Q3_K, GGKI_FFN_DOWN},
    {R(FFN_DOWN), T(Q3_K_M), IF_SIXTEENTH, 0, GGKI_Q5_K, GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(Q3_K_M), IF_MORE, 0, GGKI_Q4_K, GGKI_FFN_DOWN_MORE},
    {R(FFN_DOWN), T(Q3_K_M), 0, IF_FALCON, GGKI_Q4_K, GGKI_FFN_DOWN},
    {R(FFN_DOWN), T(IQ3_M), IF_EIGHTH, 0, GGKI_Q4_K, GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(IQ3_M), IF_EXPERTS_8 | IF_MORE, 0, GGKI_Q4_K,
     GGKI_FFN_DOWN_MORE},
    {R(FFN_DOWN), T(Q3_K_L), IF_FALCON, 0, GGKI_Q4_K, GGKI_FFN_DOWN},
    {R(FFN_DOWN), T(Q3_K_L), 0, 0, GGKI_Q5_K, GGKI_FFN_DOWN},
    {R(FFN_DOWN), T(Q4_K_M), IF_FALCON | IF_SIXTEENTH, 0, GGKI_Q6_K,
     GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(Q4_K_M), IF_FALCON | IF_MORE, 0, GGKI_Q5_K,
     GGKI_FFN_DOWN_MORE},
    {R(FFN_DOWN), T(Q4_K_M), IF_MORE, IF_FALCON, GGKI_Q6_K, GGKI_FFN_DOWN_MORE},
    {R(FFN_DOWN), T(IQ4_NL) | T(IQ4_XS), IF_EIGHTH, IF_IMATRIX, GGKI_Q5_K,
     GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(Q5_K_M), IF_MORE, 0, GGKI_Q6_K, GGKI_FFN_DOWN_MORE},
    {R(FFN_DOWN), T(Q4_K_S), IF_EIGHTH, IF_FALCON, GGKI_Q5_K,
     GGKI_FFN_DOWN_FIRST},
    {R(FFN_DOWN), T(Q4_0), IF_EIGHTH | IF_IMATRIX, 0, GGKI_Q4_1,
     GGKI_FFN_DOWN_IMATRIX},
    {R(FFN_DOWN), T(Q5_0), IF_EIGHTH | IF_IMATRIX, 0, GGKI_Q5_1,
     GGKI_FFN_DOWN_IMATRIX},

    {R(ATTN_OUTPUT), LOW, IF_EXPERTS_8, 0, GGKI_Q5_K, GGKI_ATTN_OUTPUT_EXPERTS},
    {R(ATTN_OUTPUT), LOW_1, 0, 0, GGKI_IQ2_XXS, GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT), LOW_2, 0, 0, GGKI_IQ3_S, GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT), T(Q3_K_L), IF_FALCON, 0, GGKI_Q4_K, GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT),
     T(Q2_K) | T(IQ3_XS) | T(IQ3_XXS) | T(Q3_K_S) | T(Q3_K_M) | T(IQ4_NL) |
         T(Q4_K_S) | T(Q4_K_M) | T(IQ3_S) | T(IQ3_M) | T(IQ4_XS),
     IF_EXPERTS_8, IF_FALCON, GGKI_Q5_K, GGKI_ATTN_OUTPUT_EXPERTS},
    {R(ATTN_OUTPUT), T(Q2_K), 0, IF_FALCON, GGKI_Q3_K, GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT), T(IQ3_XXS), 0, IF_FALCON, GGKI_IQ3_S, GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT), T(Q3_K_M) | T(IQ3_M), 0, IF_FALCON, GGKI_Q4_K,
     GGKI_ATTN_OUTPUT},
    {R(ATTN_OUTPUT), T(Q3_K_L), 0, IF_FALCON | IF_EXPERTS_8, GGKI_Q5_K,
     GGKI_ATTN_OUTPUT},

    {R(FFN_GATE) | R(FFN_UP), T(IQ3_XS), IF_MIDDLE, 0, GGKI_IQ3_XXS,
     GGKI_FFN_MIDDLE},
};

static bool is_low(const ggk_target *target)
{
    return (LOW >> target->file_type & 1) != 0;
}

/* ------------------------------------------------------------------- models */

/* Models that llama.cpp takes for one of 70B, by their layers. */
static bool is_70b(const struct ggki_mix_numbers *m)
{
    static const struct {
        const char *architecture;
        uint64_t n_layers;
    } models[] = {{"deci", 80}, {"qwen2", 80}, {"olmo", 80}, {"jais2", 68}};

    if (ggki_str_is(m->architecture, "llama"))
        return m->n_layers == 80 && m->n_heads != m->n_heads_kv;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (ggki_str_is(m->architecture, models[i].architecture))
            return m->n_layers == models[i].n_layers;
    return false;
}

void ggki_mix_start(struct ggki_mix *mix, const ggk_target *target,
                    const struct ggki_mix_numbers *m, bool imatrix)
{
    bool shared = m->n_heads_kv > 0 && m->n_heads / m->n_heads_kv >= 4;

    *mix = (struct ggki_mix){.target = target, .n_layers = m->n_layers};
    mix->by_name = m->n_experts > 1 && !is_low(target);
    mix->model |= ggki_str_is(m->architecture, "falcon") ? IF_FALCON : 0;
    mix->model |= ggki_str_is(m->architecture, "bailingmoe3") ? IF_BAILING : 0;
    mix->model |= shared ? IF_SHARED : 0;
    mix->model |= m->n_experts >= 4 ? IF_EXPERTS_4 : 0;
    mix->model |= m->n_experts == 8 ? IF_EXPERTS_8 : 0;
    mix->model |= imatrix ? IF_IMATRIX : 0;
    mix->model |= is_70b(m) ? IF_70B : 0;
}

/* ------------------------------------------------------------------- places */

/* What is true of layer `i` of `n`. */
static unsigned place_of(uint64_t i, uint64_t n)
{
    unsigned place = 0;

    place |= i < 2 ? IF_FIRST_2 : 0;
    place |= i < 4 ? IF_FIRST_4 : 0;
    place |= i < n / 16 ? IF_SIXTEENTH : 0;
    place |= i < n / 8 ? IF_EIGHTH : 0;
    place |= i >= n / 8 && i < 7 * n / 8 ? IF_MIDDLE : 0;
    if (i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2)
        place |= IF_MORE;
    return place;
}

/* The place of a feed-forward tensor, of which there were `*count`. */
static ggk_status place_of_ffn(const struct ggki_mix *mix, ggk_str name,
                               uint64_t *count, unsigned *out, ggk_error *err)
{
    uint64_t i = (*count)++;

    if (!mix->by_name) {
        *out = place_of(i, mix->n_layers);
        return GGK_OK;
    }
    if (!ggki_layer_of(name, &i))
        return ggki_fail(err, GGK_E_RANGE,
                         "the model has experts, but the tensor's name does "
                         "not begin with the layer it is in, as \"blk.0.\"");
    if (i >= mix->n_layers) {
        ggki_fail(err, GGK_E_RANGE,
                  "the tensor's name says layer %llu, but there are only %llu",
                  (unsigned long long)i, (unsigned long long)mix->n_layers);
        ggki_err_set_need(err, i, mix->n_layers);
        return GGK_E_RANGE;
    }
    *out = place_of(i, mix->n_layers);
    return GGK_OK;
}

static ggk_status find_place(struct ggki_mix *mix,
                             const struct ggki_mix_tensor *t, unsigned *out,
                             ggk_error *err)
{
    *out = 0;
    if (mix->target->file_type == GGKI_MOSTLY_MXFP4_MOE)
        return GGK_OK;
    switch (t->role) {
    case GGKI_ROLE_ATTN_V: *out = place_of(mix->i_v++, mix->n_v); break;
    case GGKI_ROLE_FFN_DOWN:
        return place_of_ffn(mix, t->name, &mix->i_down, out, err);
    case GGKI_ROLE_FFN_GATE:
    case GGKI_ROLE_FFN_UP:
        if (!is_low(mix->target))
            return place_of_ffn(mix, t->name,
                                t->role == GGKI_ROLE_FFN_UP ? &mix->i_up
                                                            : &mix->i_gate,
                                out, err);
        break;
    case GGKI_ROLE_OTHER:
    case GGKI_ROLE_OUTPUT:
    case GGKI_ROLE_EMBEDDING:
    case GGKI_ROLE_ATTN_K:
    case GGKI_ROLE_ATTN_Q:
    case GGKI_ROLE_ATTN_OUTPUT: break;
    }
    return GGK_OK;
}

/* ----------------------------------------------------------------- deciding */

/* The first rule for that role of which all conditions are met; NULL: none. */
static const struct rule *find_rule(const ggk_target *target,
                                    enum ggki_role role, unsigned facts)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *r = &rules[i];

        if ((r->roles >> role & 1) != 0 &&
            (r->targets >> target->file_type & 1) != 0 &&
            (facts & r->when) == r->when && (facts & r->unless) == 0)
            return r;
    }
    return NULL;
}

ggk_status ggki_mix_next(struct ggki_mix *mix, const struct ggki_mix_tensor *t,
                         uint32_t *type, enum ggki_reason *reason,
                         ggk_error *err)
{
    const ggk_target *target = mix->target;
    bool tied = mix->tied && t->role == GGKI_ROLE_EMBEDDING;
    const struct rule *rule;
    unsigned facts;
    ggk_status status = find_place(mix, t, &facts, err);

    if (status != GGK_OK)
        return status;
    facts |= mix->model;
    facts |= t->ne2 > 1 ? IF_STACKED : 0;
    if (t->ne0 % ggk_type_by_id(target->type)->block != 0)
        facts |= IF_NARROW;
    rule = find_rule(target, tied ? GGKI_ROLE_OUTPUT : t->role, facts);
    *type = rule != NULL ? (uint32_t)rule->type : target->type;
    *reason = rule != NULL ? rule->reason : GGKI_DEFAULT;
    if (t->role == GGKI_ROLE_ATTN_V && (facts & IF_70B) != 0 &&
        !is_low(target) && (*type == GGKI_Q3_K || *type == GGKI_Q4_K)) {
        *type = GGKI_Q5_K;
        *reason = GGKI_ATTN_V_70B;
    }
    return GGK_OK;
}
