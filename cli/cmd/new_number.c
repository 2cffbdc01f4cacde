/* new_number.c - numbers of a description, as a tensor stores them. */
#include "cmd/new_number.h"

#include <math.h>
#include <string.h>

/* As which value such a number is read. */
struct number_form {
    const char *name;
    uint32_t value_type;
    unsigned mantissa; /* bits, of floats that are narrowed: a sign, the rest of
                          16 bits, these */
};

static const struct number_form number_forms[] = {
    {"F32", GGK_VALUE_FLOAT32, 0},  {"F64", GGK_VALUE_FLOAT64, 0},
    {"F16", GGK_VALUE_FLOAT64, 10}, {"BF16", GGK_VALUE_FLOAT64, 7},
    {"I8", GGK_VALUE_INT8, 0},      {"I16", GGK_VALUE_INT16, 0},
    {"I32", GGK_VALUE_INT32, 0},    {"I64", GGK_VALUE_INT64, 0},
};

static const struct number_form *form_of(const ggk_type_info *type)
{
    for (size_t i = 0; i < sizeof number_forms / sizeof number_forms[0]; i++)
        if (strcmp(number_forms[i].name, type->name) == 0)
            return &number_forms[i];
    return NULL;
}

bool new_number_plain(const ggk_type_info *type)
{
    return form_of(type) != NULL;
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

static enum value_made put_narrow(const struct number_form *form, double number,
                                  uint8_t *out, char *why)
{
    uint16_t half = 0;

    if (!narrow_float(number, form->mantissa, &half)) {
        snprintf(why, VALUE_WHY, "%s cannot hold a number as large as %g",
                 form->name, number);
        return VALUE_UNFIT;
    }
    put_little(half, sizeof half, out);
    return VALUE_MADE;
}

enum value_made new_number(json_in_value v, const ggk_type_info *type,
                           uint8_t *out, char *why)
{
    const struct number_form *form = form_of(type);
    ggk_value value;
    uint64_t bits;
    uint32_t bits32;
    float single;
    enum value_made made = value_number_json(v, form->value_type, &value, why);

    if (made != VALUE_MADE)
        return made;
    if (form->mantissa > 0)
        return put_narrow(form, value.as.f, out, why);
    if (form->value_type == GGK_VALUE_FLOAT32) {
        single = (float)value.as.f; /* which it is */
        memcpy(&bits32, &single, sizeof bits32);
        bits = bits32;
    } else {
        memcpy(&bits, &value.as, sizeof bits);
    }
    put_little(bits, type->bytes, out);
    return VALUE_MADE;
}
