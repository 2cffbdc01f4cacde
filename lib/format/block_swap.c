/* block_swap.c - which words of a block swap, and swapping them.
 *
 * Words are swapped as lanes of 64-bit numbers, which compilers turn into
 * vectors on every CPU; a loop over bswap they do not, where the CPU has none
 * for vectors.
 */
#include "format/block_swap.h"

#include <string.h>

#include "format/types.h"

/* `n` words of `width` bytes, one after the other, from byte `pos` on. */
struct word_run {
    uint16_t pos;
    uint8_t width;
    uint8_t n;
};

#define RUNS 2 /* no type has more */

struct swap_rule {
    bool known;
    struct word_run runs[RUNS]; /* n is 0 after the last */
};

/* docs/format.md 7.4; the place in the table is the id. */
static const struct swap_rule swap_rules[] = {
    [0] = {true, {{0, 4, 1}}},                /* F32 */
    [1] = {true, {{0, 2, 1}}},                /* F16 */
    [2] = {true, {{0, 2, 1}}},                /* Q4_0: d */
    [3] = {true, {{0, 2, 2}}},                /* Q4_1: d, m */
    [6] = {true, {{0, 2, 1}, {2, 4, 1}}},     /* Q5_0: d; qh */
    [7] = {true, {{0, 2, 2}, {4, 4, 1}}},     /* Q5_1: d, m; qh */
    [8] = {true, {{0, 2, 1}}},                /* Q8_0: d */
    [9] = {true, {{0, 2, 2}}},                /* Q8_1: d, s */
    [10] = {true, {{80, 2, 2}}},              /* Q2_K: d, dmin */
    [11] = {true, {{108, 2, 1}}},             /* Q3_K: d */
    [12] = {true, {{0, 2, 2}}},               /* Q4_K: d, dmin */
    [13] = {true, {{0, 2, 2}}},               /* Q5_K: d, dmin */
    [14] = {true, {{208, 2, 1}}},             /* Q6_K: d */
    [15] = {true, {{0, 4, 1}, {260, 2, 16}}}, /* Q8_K: d; bsums */
    [17] = {true, {{0, 2, 33}}},              /* IQ2_XS: d, qs */
    [18] = {true, {{0, 2, 1}, {66, 4, 8}}},   /* IQ3_XXS: d; scales and signs */
    [19] = {true, {{0, 2, 1}, {34, 2, 8}}},   /* IQ1_S: d; qh */
    [20] = {true, {{0, 2, 1}}},               /* IQ4_NL: d */
    [21] = {true, {{0, 2, 1}}},               /* IQ3_S: d */
    [22] = {true, {{0, 2, 1}}},               /* IQ2_S: d */
    [23] = {true, {{0, 2, 2}}},               /* IQ4_XS: d, scales_h */
    [24] = {true, {{0, 0, 0}}},               /* I8 */
    [25] = {true, {{0, 2, 1}}},               /* I16 */
    [26] = {true, {{0, 4, 1}}},               /* I32 */
    [27] = {true, {{0, 8, 1}}},               /* I64 */
    [28] = {true, {{0, 8, 1}}},               /* F64 */
    [29] = {true, {{48, 2, 4}}},              /* IQ1_M: scales */
    [30] = {true, {{0, 2, 1}}},               /* BF16 */
    [34] = {true, {{52, 2, 1}}},              /* TQ1_0: d */
    [35] = {true, {{64, 2, 1}}},              /* TQ2_0: d */
    [39] = {true, {{0, 0, 0}}},               /* MXFP4: bytes alone */
    [40] = {true, {{0, 0, 0}}},               /* NVFP4: bytes alone */
    [41] = {true, {{0, 2, 1}}},               /* Q1_0: d */
    [42] = {true, {{0, 2, 1}}},               /* Q2_0: d */
};

/* NULL if there is none. A type of a user's table is not the built-in one, even
 * if it has its number. */
static const struct swap_rule *find_rule(const ggk_type_info *type)
{
    if (ggki_type_is_opaque(type) || type != ggk_type_by_id(type->id) ||
        type->id >= sizeof swap_rules / sizeof swap_rules[0] ||
        !swap_rules[type->id].known)
        return NULL;
    return &swap_rules[type->id];
}

bool ggki_can_swap(const ggk_type_info *type)
{
    return find_rule(type) != NULL;
}

bool ggki_swap_matters(const ggk_type_info *type)
{
    const struct swap_rule *rule = find_rule(type);

    return rule != NULL && rule->runs[0].n > 0;
}

/* Swap the bytes of each 16-bit lane, or of each 32-bit lane, of `v`. */
static inline uint64_t swap_lanes16(uint64_t v)
{
    const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);

    return (v & low) << 8 | (v >> 8 & low);
}

static inline uint64_t swap_lanes32(uint64_t v)
{
    const uint64_t low = UINT64_C(0x0000ffff0000ffff);

    v = swap_lanes16(v);
    return (v & low) << 16 | (v >> 16 & low);
}

/* Lanes of many numbers at once, which gcc makes vectors of even where it is
 * not to make much of loops (-O2). */
#define AT_ONCE 8

static void swap_words16(uint8_t *p, size_t n)
{
    uint64_t v[AT_ONCE];

    for (; n >= sizeof v / 2; n -= sizeof v / 2, p += sizeof v) {
        memcpy(v, p, sizeof v);
        for (int i = 0; i < AT_ONCE; i++)
            v[i] = swap_lanes16(v[i]);
        memcpy(p, v, sizeof v);
    }
    for (; n > 0; n--, p += 2) {
        uint8_t first = p[0];
        p[0] = p[1];
        p[1] = first;
    }
}

static void swap_words32(uint8_t *p, size_t n)
{
    uint64_t v[AT_ONCE];

    for (; n >= sizeof v / 4; n -= sizeof v / 4, p += sizeof v) {
        memcpy(v, p, sizeof v);
        for (int i = 0; i < AT_ONCE; i++)
            v[i] = swap_lanes32(v[i]);
        memcpy(p, v, sizeof v);
    }
    for (; n > 0; n--, p += 4) {
        uint32_t last;
        memcpy(&last, p, 4);
        last = (uint32_t)swap_lanes32(last);
        memcpy(p, &last, 4);
    }
}

static void swap_words64(uint8_t *p, size_t n)
{
    for (; n > 0; n--, p += 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        v = swap_lanes32(v);
        v = v << 32 | v >> 32;
        memcpy(p, &v, 8);
    }
}

void ggki_swap_words(void *data, size_t n, size_t width)
{
    if (width == 2)
        swap_words16(data, n);
    else if (width == 4)
        swap_words32(data, n);
    else if (width == 8)
        swap_words64(data, n);
}

void ggki_swap_blocks(const ggk_type_info *type, void *data, size_t n_blocks)
{
    const struct swap_rule *rule = find_rule(type);
    uint8_t *block = data;

    if (rule == NULL || rule->runs[0].n == 0)
        return;
    if (rule->runs[0].width == type->bytes) { /* nothing but words */
        ggki_swap_words(data, n_blocks, type->bytes);
        return;
    }
    for (; n_blocks > 0; n_blocks--, block += type->bytes)
        for (size_t i = 0; i < RUNS; i++)
            ggki_swap_words(block + rule->runs[i].pos, rule->runs[i].n,
                            rule->runs[i].width);
}
