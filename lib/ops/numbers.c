/* numbers.c - numbers to blocks and back, for callers that have them in memory;
 * and what to look for in both. */
#include "ops/numbers.h"

#include <math.h>
#include <stdio.h>

#include "base/ckd.h"
#include "base/err.h"
#include "base/finite.h"
#include "base/load.h"
#include "base/type_ids.h"
#include "kern/iq1.h"

/* ------------------------------------------------------------------- blocks */

#define F16_INFINITE  0x7c00 /* all bits of the exponent */
#define BF16_INFINITE 0x7f80
#define E8M0_NAN      0x00ff /* of one byte */

/* Where in a block its scales are, and what they must not be: of those that
 * numbers can be too large for, or too small. */
struct scale_rule {
    uint16_t infinite; /* 0: the type has none, or any will do */
    uint8_t first, second;
};

/* By the type. */
static const struct scale_rule scale_rules[] = {
    [GGKI_F16] = {F16_INFINITE, 0, 0},
    [GGKI_Q4_0] = {F16_INFINITE, 0, 0},     /* d */
    [GGKI_Q4_1] = {F16_INFINITE, 0, 2},     /* d, m */
    [GGKI_Q5_0] = {F16_INFINITE, 0, 0},     /* d */
    [GGKI_Q5_1] = {F16_INFINITE, 0, 2},     /* d, m */
    [GGKI_Q8_0] = {F16_INFINITE, 0, 0},     /* d */
    [GGKI_Q2_K] = {F16_INFINITE, 80, 82},   /* d, dmin */
    [GGKI_Q3_K] = {F16_INFINITE, 108, 108}, /* d */
    [GGKI_Q4_K] = {F16_INFINITE, 0, 2},     /* d, dmin */
    [GGKI_Q5_K] = {F16_INFINITE, 0, 2},     /* d, dmin */
    [GGKI_Q6_K] = {F16_INFINITE, 208, 208}, /* d */
    [GGKI_IQ2_XXS] = {F16_INFINITE, 0, 0},  /* d */
    [GGKI_IQ2_XS] = {F16_INFINITE, 0, 0},   /* d */
    [GGKI_IQ3_XXS] = {F16_INFINITE, 0, 0},  /* d */
    [GGKI_IQ1_S] = {F16_INFINITE, 0, 0},    /* d */
    [GGKI_IQ4_NL] = {F16_INFINITE, 0, 0},   /* d */
    [GGKI_IQ3_S] = {F16_INFINITE, 0, 0},    /* d */
    [GGKI_IQ2_S] = {F16_INFINITE, 0, 0},    /* d */
    [GGKI_IQ4_XS] = {F16_INFINITE, 0, 0},   /* d */
    [GGKI_BF16] = {BF16_INFINITE, 0, 0},
    [GGKI_Q8_K] = {BF16_INFINITE, 2, 2}, /* the upper half of d, an F32 */
    [GGKI_TQ1_0] = {F16_INFINITE, 52, 52},
    [GGKI_TQ2_0] = {F16_INFINITE, 64, 64},
    [GGKI_MXFP4] = {E8M0_NAN, 0, 0},
    [GGKI_Q1_0] = {F16_INFINITE, 0, 0},
    [GGKI_Q2_0] = {F16_INFINITE, 0, 0},
};

/* Its scale is spread. */
static size_t find_bad_iq1_m(const uint8_t *blocks, size_t n)
{
    size_t i = 0;

    while (i < n && isfinite(ggki_iq1_m_d(blocks + i * GGKI_IQ1_M_BYTES)))
        i++;
    return i;
}

static struct scale_rule rule_of(const ggk_type_info *type)
{
    return type->id < sizeof scale_rules / sizeof *scale_rules
               ? scale_rules[type->id]
               : (struct scale_rule){0, 0, 0};
}

bool ggki_numbers_have_scales(const ggk_type_info *type)
{
    return type != NULL && type == ggk_type_by_id(type->id) &&
           (type->id == GGKI_IQ1_M || rule_of(type).infinite != 0);
}

size_t ggki_numbers_find_bad_block(const ggk_type_info *type,
                                   const uint8_t *blocks, size_t n)
{
    const struct scale_rule rule = rule_of(type);

    if (type->id == GGKI_IQ1_M)
        return find_bad_iq1_m(blocks, n);
    for (size_t i = 0; i < n && rule.infinite != 0; i++) {
        const uint8_t *block = blocks + i * type->bytes;

        if ((load_le16(block + rule.first) & rule.infinite) == rule.infinite ||
            (load_le16(block + rule.second) & rule.infinite) == rule.infinite)
            return i;
    }
    return n;
}

/* The largest scales with which the largest levels are finite: of MXFP4 12, of
 * Q8_K 128. */
#define MXFP4_MOST 252
#define Q8_K_MOST  0x7bffffffu /* FLT_MAX / 128 */

size_t ggki_numbers_find_huge_block(const ggk_type_info *type,
                                    const uint8_t *blocks, size_t n)
{
    size_t i = 0;

    switch (type->id) {
    case GGKI_MXFP4:
        while (i < n && (blocks[i * type->bytes] <= MXFP4_MOST ||
                         blocks[i * type->bytes] == E8M0_NAN))
            i++;
        return i;
    case GGKI_Q8_K:
        while (i < n && ((load_le32(blocks + i * type->bytes) & 0x7fffffff) <=
                             Q8_K_MOST ||
                         ggki_numbers_find_bad_block(
                             type, blocks + i * type->bytes, 1) == 0))
            i++;
        return i;
    default: return n;
    }
}

/* The exponent of a scale is behind so many bits of its fraction. */
static unsigned fraction_bits(uint32_t infinite)
{
    return infinite == F16_INFINITE ? 10 : infinite == BF16_INFINITE ? 7 : 0;
}

static uint16_t scale_size(uint32_t bits, uint32_t infinite)
{
    uint32_t size = bits & (infinite | (infinite - 1)); /* without the sign */

    if ((size & infinite) == infinite)
        return GGKI_NOT_FINITE;
    return (uint16_t)(size == 0 ? 0 : 1 + (size >> fraction_bits(infinite)));
}

static uint16_t iq1_m_size(const uint8_t *block)
{
    int exponent;
    float d = fabsf(ggki_iq1_m_d(block));

    if (!isfinite(d))
        return GGKI_NOT_FINITE;
    if (d == 0)
        return 0;
    (void)frexpf(d, &exponent);
    return (uint16_t)(exponent + 126);
}

void ggki_numbers_block_sizes(const ggk_type_info *type, const uint8_t *blocks,
                              size_t n, uint16_t *sizes)
{
    const struct scale_rule rule = rule_of(type);
    const size_t bytes = type->bytes;

    for (size_t i = 0; i < n; i++, blocks += bytes) {
        uint16_t a, b;

        if (type->id == GGKI_IQ1_M) {
            sizes[i] = iq1_m_size(blocks);
            continue;
        }
        a = scale_size(load_le16(blocks + rule.first), rule.infinite);
        b = scale_size(load_le16(blocks + rule.second), rule.infinite);
        sizes[i] = a > b ? a : b;
    }
}

/* Of MXFP4 the largest scale is that of FLT_MAX; what is below 2^-125 gets the
 * ones behind it. */
const char *ggki_numbers_fault(const ggk_type_info *type)
{
    return type->id == GGKI_MXFP4 ? "too small" : "too large";
}

void ggki_number_place(char out[GGKI_NUMBER_PLACE_BYTES], const uint64_t *ne,
                       uint32_t n_dims, uint64_t i)
{
    uint64_t row = i / ne[0], slice = row / ne[1];
    int n = snprintf(out, GGKI_NUMBER_PLACE_BYTES, "row %llu, column %llu",
                     (unsigned long long)(row % ne[1]),
                     (unsigned long long)(i % ne[0]));

    if (slice > 0 || n_dims > 2)
        snprintf(out + n, GGKI_NUMBER_PLACE_BYTES - (size_t)n, " of slice %llu",
                 (unsigned long long)slice);
}

/* ------------------------------------------------------------------ kernels */

static struct ggki_kern kern_with(const ggk_type_info *type, enum ggki_isa isa)
{
    if (type == NULL || type != ggk_type_by_id(type->id))
        return (struct ggki_kern){NULL, NULL};
    return ggki_kern_of(type->id, isa);
}

struct ggki_kern ggki_numbers_kern(const ggk_type_info *type)
{
    return kern_with(type, ggki_isa_best());
}

/* For every kernel there is a portable one: the processor need not be asked. */
bool ggk_type_can_quantize(const ggk_type_info *type)
{
    return kern_with(type, GGKI_ISA_GENERIC).quantize != NULL;
}

bool ggk_type_can_dequantize(const ggk_type_info *type)
{
    return kern_with(type, GGKI_ISA_GENERIC).dequantize != NULL;
}

const char *ggk_kernels(void)
{
    switch (ggki_isa_best()) {
    case GGKI_ISA_NEON: return "neon";
    case GGKI_ISA_AVX2: return "avx2";
    case GGKI_ISA_AVX512: return "avx512";
    case GGKI_ISA_GENERIC: break;
    }
    return "generic";
}

/* ------------------------------------------------------------------- public */

static ggk_status check_bytes(uint64_t need, size_t have, ggk_error *err)
{
    if (need == have)
        return GGK_OK;
    ggki_fail(err, GGK_E_ARG, "the blocks take %llu bytes, not %llu",
              (unsigned long long)need, (unsigned long long)have);
    ggki_err_set_need(err, need, have);
    return GGK_E_ARG;
}

/* So many numbers of that type as these are must have these bytes. */
static ggk_status check_shape(const ggk_type_info *type, uint64_t n_rows,
                              uint64_t ne0, size_t bytes, ggk_error *err)
{
    uint64_t row, all, numbers;
    ggk_status status = ggk_type_row_bytes(type, ne0, &row, err);

    if (status != GGK_OK)
        return status;
    if (!ckd_mul64(n_rows, row, &all) || !ckd_mul64(n_rows, ne0, &numbers) ||
        numbers > SIZE_MAX / sizeof(float))
        return ggki_fail(err, GGK_E_OVERFLOW,
                         "so many numbers cannot be in memory");
    return check_bytes(all, bytes, err);
}

static ggk_status fail_value(uint64_t i, uint64_t n, const char *what,
                             ggk_error *err)
{
    ggki_fail(err, GGK_E_VALUE, "%s, number %llu from 0", what,
              (unsigned long long)i);
    ggki_err_set_need(err, i, n);
    return GGK_E_VALUE;
}

/* `blame` may be "". */
static ggk_status fail_block(const ggk_type_info *type, uint64_t bad,
                             uint64_t n, const char *blame, ggk_error *err)
{
    char what[80];

    snprintf(what, sizeof what, "%s for the type%s", ggki_numbers_fault(type),
             blame);
    return fail_value(bad * type->block, n, what, err);
}

/* Is there no bad block in a row without its importances? They may be to blame
 * for one then. What is in `blocks` is good for nothing any more. */
static bool fits_without(ggki_quantize *quantize, const ggk_type_info *type,
                         const float *x, size_t row, size_t ne0,
                         uint8_t *blocks)
{
    size_t n_blocks = ne0 / type->block;

    quantize(x + row * ne0, blocks, 1, ne0, NULL);
    return ggki_numbers_find_bad_block(type, blocks, n_blocks) == n_blocks;
}

ggk_status ggk_type_quantize(const ggk_type_info *type, const float *x,
                             uint64_t n_rows, uint64_t ne0,
                             const float *importances, void *blocks,
                             size_t block_bytes, ggk_error *err)
{
    ggki_quantize *quantize = ggki_numbers_kern(type).quantize;
    size_t n, n_blocks, bad, row;
    ggk_status status;
    bool fits;

    if (quantize == NULL)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "there is no quantizing to this type");
    status = check_shape(type, n_rows, ne0, block_bytes, err);
    if (status != GGK_OK)
        return status;
    if (importances != NULL &&
        ggki_find_not_finite(importances, (size_t)ne0) < ne0)
        return ggki_fail(err, GGK_E_ARG, "an importance is not finite");
    n = (size_t)(n_rows * ne0);
    bad = ggki_find_not_finite(x, n);
    if (bad < n)
        return fail_value(bad, n, "NaN or infinite", err);
    if (n > 0)
        quantize(x, blocks, (size_t)n_rows, (size_t)ne0, importances);
    n_blocks = n / type->block;
    bad = ggki_numbers_find_bad_block(type, blocks, n_blocks);
    if (bad == n_blocks)
        return GGK_OK;
    row = bad * type->block / (size_t)ne0;
    fits = importances != NULL &&
           fits_without(quantize, type, x, row, (size_t)ne0, blocks);
    return fail_block(type, bad, n,
                      fits ? " by the importances, without which it fits" : "",
                      err);
}

ggk_status ggk_type_dequantize(const ggk_type_info *type, const void *blocks,
                               size_t block_bytes, float *x, uint64_t n,
                               ggk_error *err)
{
    ggki_dequantize *dequantize = ggki_numbers_kern(type).dequantize;
    ggk_status status;

    if (dequantize == NULL)
        return ggki_fail(err, GGK_E_UNSUPPORTED,
                         "there is no dequantizing of this type");
    status = check_shape(type, 1, n, block_bytes, err);
    if (status == GGK_OK && n > 0)
        dequantize(blocks, x, (size_t)n);
    return status;
}
