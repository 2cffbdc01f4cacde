/* repeats.h - finds a name that is there twice, in linear time. */
#ifndef GGKI_REPEATS_H
#define GGKI_REPEATS_H

#include "base/namemap.h"

/* The first of entries 0 to n - 1 whose name another one has, into `*i`; or
 * GGK_NONE. Errors: GGK_E_NOMEM; GGK_E_LIMIT (n > GGKI_NAMEMAP_MAX). */
ggk_status ggki_names_find_repeat(const ggk_allocator *mem, uint64_t n,
                                  ggki_name_of *name_of, const void *owner,
                                  uint64_t *i);

#endif
