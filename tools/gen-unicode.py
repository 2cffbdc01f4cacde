#!/usr/bin/env python3
"""gen-unicode.py - write cli/out/unicode_table.h from Python's unicodedata.

    tools/gen-unicode.py > cli/out/unicode_table.h

The table lists the code points where the class of characters changes. Classes:
not printable (in the sense of str.isprintable), and printable with a display
width of 0, 1 or 2 columns.
"""
import sys
import unicodedata

UNPRINTABLE, WIDTH_0, WIDTH_1, WIDTH_2 = range(4)


def class_of(cp):
    ch = chr(cp)
    if not ch.isprintable():
        return UNPRINTABLE
    # Vowels and finals of Hangul syllables stand inside the leading consonant.
    if unicodedata.category(ch) in ("Mn", "Me") or 0x1160 <= cp <= 0x11FF:
        return WIDTH_0
    if unicodedata.east_asian_width(ch) in ("W", "F"):
        return WIDTH_2
    return WIDTH_1


def changes():
    last = None
    for cp in range(sys.maxunicode + 1):
        now = class_of(cp)
        if now != last:
            yield cp << 2 | now
            last = now


def main():
    print(f"""\
/* unicode_table.h - which characters are printable, and how wide they are.
 *
 * Written by tools/gen-unicode.py from the Unicode {unicodedata.unidata_version} data of Python's
 * unicodedata; do not edit. An entry is a code point times 4 plus the class of
 * the characters from there to the next entry: 0 not printable, else printable
 * with a width of class - 1 columns.
 */
#ifndef CLI_OUT_UNICODE_TABLE_H
#define CLI_OUT_UNICODE_TABLE_H

#include <stdint.h>

/* clang-format off */
static const uint32_t unicode_changes[] = {{""")
    line = "   "
    for entry in changes():
        item = f" 0x{entry:x},"
        if len(line) + len(item) > 80:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};\n/* clang-format on */\n\n#endif")


main()
