/* well_formed.h - what the program may write, judged without its own code. */
#ifndef TESTS_WELL_FORMED_H
#define TESTS_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>

/* is_plain_text - UTF-8 in which a terminal obeys nothing but newlines, and
 * tabs if they are allowed: no other control character, none that turns the
 * direction of writing, separates lines, or is a byte order mark. */
bool is_plain_text(const char *s, size_t n, bool tabs);

/* is_json - one JSON value and a newline. */
bool is_json(const char *s, size_t n);

#endif
