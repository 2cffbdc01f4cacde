/* pipe_in.h - inputs that can be read from their beginning to their end only,
 * for those that must read at any place: pipes, and a standard input that was
 * read from already, which is taken from there on. */
#ifndef CLI_PIPE_IN_H
#define CLI_PIPE_IN_H

#include <stdbool.h>

#include "ggk.h"

#define PIPE_IN_MOST ((size_t)1 << 30) /* bytes that are taken */

/* pipe_in_is - is it one? `file` is "-" or a path. */
bool pipe_in_is(const char *file);

/* pipe_in_open - read all of it into memory, as a source. Errors: GGK_E_IO,
 * GGK_E_NOMEM; GGK_E_UNSUPPORTED: it has more than PIPE_IN_MOST bytes. */
ggk_status pipe_in_open(const char *file, ggk_source **out, ggk_error *err);

#endif
