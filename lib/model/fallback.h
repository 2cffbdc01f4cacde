/* fallback.h - the types that take the place of others whose blocks are longer
 * than rows are. */
#ifndef GGKI_FALLBACK_H
#define GGKI_FALLBACK_H

#include "ggk.h"

/* The type in place of `type`, a built-in one, for rows that are not whole
 * blocks of it; false: there is none. */
bool ggki_fallback_of(uint32_t type, uint64_t ne0, uint32_t *out);

#endif
