/* finite.h - numbers that are NaN or infinite. */
#ifndef GGKI_FINITE_H
#define GGKI_FINITE_H

#include <stddef.h>

/* The first of `n` numbers that is NaN or infinite; `n`: none is. */
size_t ggki_find_not_finite(const float *x, size_t n);

#endif
