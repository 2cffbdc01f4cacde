/* unicode.h - UTF-8, and which characters a terminal may be shown. */
#ifndef CLI_OUT_UNICODE_H
#define CLI_OUT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* unicode_decode - the character at the start of `n` bytes: its length, 1 to
 * 4, and itself in *cp; 0 if there is none: no bytes, or no valid UTF-8 (no
 * overlong forms, no surrogates, nothing past U+10FFFF). */
size_t unicode_decode(const void *bytes, size_t n, uint32_t *cp);

/* unicode_valid - whether all of it is UTF-8. */
bool unicode_valid(const void *bytes, size_t n);

/* unicode_printable - as Python's str.isprintable: no control, format,
 * private or unassigned character, no line or paragraph separator, and no
 * blank but the ASCII space. */
bool unicode_printable(uint32_t cp);

/* unicode_width - columns of a printable character: 2 for wide ones, 0 for
 * those that combine with the one before, else 1. */
unsigned unicode_width(uint32_t cp);

#endif
