/* new_number.c - numbers of a description, as a tensor stores them. */
#include "cmd/new_number.h"

#include <math.h>
#include <string.h>

#include "array_in.h"

bool new_number_plain(const ggk_type_info *type)
{
    return array_plain_named(type->name) != NULL;
}

/* As which value such a number is read. */
static uint32_t value_type_of(const struct array_plain *plain)
{
    if (plain->kind != 'i')
        return plain->width == 4 ? GGK_VALUE_FLOAT32 : GGK_VALUE_FLOAT64;
    switch (plain->width) {
    case 1: return GGK_VALUE_INT8;
    case 2: return GGK_VALUE_INT16;
    case 4: return GGK_VALUE_INT32;
    default: return GGK_VALUE_INT64;
    }
}

/* Of floats of 16 bits: a sign, the rest, and these. */
static unsigned mantissa_bits(const struct array_plain *plain)
{
    return plain->kind == 'b' ? 7 : 10;
}

/* The bits from `shift` on, rounded to nearest, halves to even. */
static uint64_t round_bits(uint64_t bits, unsigned shift)
{
    uint64_t kept, rest, half;

    if (shift > 60)
        return 0; /* of 53 bits not half of one is left */
    kept = bits >> shift;
    rest = bits & ((UINT64_C(1) << shift) - 1);
    half = UINT64_C(1) << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

/* A float of 16 bits; false if the number is too large for it. */
static bool narrow_float(double number, unsigned mantissa, uint16_t *out)
{
    const unsigned infinite = 0x7fffu >> mantissa << mantissa;
    const int bias = (1 << (14 - mantissa)) - 1;
    uint64_t bits, magnitude;
    int exponent;
    unsigned shift = 52 - mantissa, sign;

    memcpy(&bits, &number, sizeof bits);
    sign = (unsigned)(bits >> 63) << 15;
    *out = (uint16_t)(sign | infinite);
    if (isinf(number))
        return true;
    if (isnan(number)) {
        *out = (uint16_t)(infinite | 1u << (mantissa - 1));
        return true;
    }
    exponent = (int)(bits >> 52 & 0x7ff) - 1023 + bias;
    magnitude = bits & ((UINT64_C(1) << 52) - 1);
    if ((bits >> 52 & 0x7ff) != 0)
        magnitude |= UINT64_C(1) << 52;
    if (exponent > 0) /* the leading bit adds 1 to it */
        magnitude = round_bits(magnitude, shift) +
                    ((uint64_t)(exponent - 1) << mantissa);
    else
        magnitude = round_bits(magnitude, shift + (unsigned)(1 - exponent));
    *out = (uint16_t)(sign | (unsigned)magnitude);
    return magnitude < infinite;
}

static void put_little(uint64_t bits, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(bits >> 8 * i);
}

static enum value_made put_narrow(const struct array_plain *plain,
                                  double number, uint8_t *out, char *why)
{
    uint16_t half = 0;

    if (!narrow_float(number, mantissa_bits(plain), &half)) {
        snprintf(why, VALUE_WHY, "%s cannot hold a number as large as %g",
                 plain->name, number);
        return VALUE_UNFIT;
    }
    put_little(half, sizeof half, out);
    return VALUE_MADE;
}

enum value_made new_number(json_in_value v, const ggk_type_info *type,
                           uint8_t *out, char *why)
{
    const struct array_plain *plain = array_plain_named(type->name);
    uint32_t value_type = value_type_of(plain);
    ggk_value value;
    uint64_t bits;
    uint32_t bits32;
    float single;
    enum value_made made = value_number_json(v, value_type, &value, why);

    if (made != VALUE_MADE)
        return made;
    if (plain->kind != 'i' && plain->width == 2)
        return put_narrow(plain, value.as.f, out, why);
    if (value_type == GGK_VALUE_FLOAT32) {
        single = (float)value.as.f; /* which it is */
        memcpy(&bits32, &single, sizeof bits32);
        bits = bits32;
    } else {
        memcpy(&bits, &value.as, sizeof bits);
    }
    put_little(bits, type->bytes, out);
    return VALUE_MADE;
}
