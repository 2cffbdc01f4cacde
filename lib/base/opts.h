/* opts.h - the options of a caller, who may know of fewer than there are here,
 * or of more. */
#ifndef GGKI_OPTS_H
#define GGKI_OPTS_H

#include "ggk.h"

/* Copy a caller's options, a struct that begins with its size, into one of
 * `out_bytes`: what an older one lacks becomes 0, and all of them if `opts` is
 * NULL. Errors: GGK_E_ARG, if it asks for more than is known here. */
ggk_status ggki_opts_take(void *out, size_t out_bytes, const void *opts,
                          ggk_error *err);

/* Are there no other flags than those that are known? Errors: GGK_E_ARG. */
ggk_status ggki_opts_check_flags(uint32_t flags, uint32_t known,
                                 ggk_error *err);

#endif
