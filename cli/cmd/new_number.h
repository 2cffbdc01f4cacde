/* new_number.h - numbers of a description, as a tensor stores them. */
#ifndef CLI_NEW_NUMBER_H
#define CLI_NEW_NUMBER_H

#include "new_value.h"

#define NEW_NUMBER_BYTES 8

/* new_number_plain - is it a type of single numbers: F32, F16, BF16, F64, I8,
 * I16, I32 or I64? */
bool new_number_plain(const ggk_type_info *type);

/* new_number - a number, or "nan", "inf" or "-inf", as `type->bytes` bytes,
 * little-endian. Integers must fit. Of the floats F32 and F64 get the nearest
 * to the decimal digits; F16 and BF16 the nearest to the F64, halves to even.
 * What is too large is refused, not made infinite. */
enum value_made new_number(json_in_value v, const ggk_type_info *type,
                           uint8_t *out, char *why);

#endif
