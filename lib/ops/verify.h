/* verify.h - looks at what was written, before it takes its name. */
#ifndef GGKI_VERIFY_H
#define GGKI_VERIFY_H

#include "ops/plan.h"

/* Read the header that was written to `fd` and compare it with what it should
 * be; open a GGUF file as anybody would, too. Errors:
 * GGK_E_CHANGED (somebody else made it another), GGK_E_BUG (it is none),
 * GGK_E_IO, GGK_E_NOMEM. */
ggk_status ggki_verify(const ggk_plan *plan, const struct ggki_plan_file *f,
                       int fd, ggk_error *err);

/* Open a GGUF file of which memory holds all up to its data. */
ggk_status ggki_verify_header(const ggk_plan *plan,
                              const struct ggki_plan_file *f, ggk_str head,
                              ggk_error *err);

#endif
