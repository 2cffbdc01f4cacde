/* utf8.h - is it UTF-8, and may a terminal see it? */
#ifndef GGKI_UTF8_H
#define GGKI_UTF8_H

#include "ggk.h"

/* The first byte that is not part of valid UTF-8 (RFC 3629: no overlong forms,
 * no surrogates, nothing past U+10FFFF), or s.len. */
size_t ggki_utf8_invalid(ggk_str s);

/* The first byte of a character that a terminal would obey rather than show:
 * C0 but for tab, line feed and carriage return, DEL, C1, and the characters
 * that change the direction of text; or s.len. `s` need not be valid. */
size_t ggki_utf8_control(ggk_str s);

#endif
