/* find.h - a text to look for, as it is typed: bytes, or a pattern.
 *
 * What gguf prints can be typed: \n \t \r \\ \" \xHH and \u{H...}. Where the
 * text holds * ? or [ it may be meant as a pattern or as it stands, so whoever
 * looks tries it as it stands first. A backslash in front takes the meaning
 * from them.
 */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "ggk.h"

struct find {
    ggk_str exact; /* any bytes */
    char *pattern; /* for show_matches; NULL: it is none */
    char *memory;
};

enum find_parsed {
    FIND_PARSED,
    FIND_BAD_ESCAPE, /* *bad points to its backslash */
    FIND_NO_MEMORY
};

/* find_parse - on FIND_PARSED find_free must follow. */
enum find_parsed find_parse(const char *text, struct find *out,
                            const char **bad);
void find_free(struct find *f);

/* find_equal / find_matches - is it this text? Does it match as a pattern? */
bool find_equal(const struct find *f, ggk_str text);
bool find_matches(const struct find *f, ggk_str text);

#endif
