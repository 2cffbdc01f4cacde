/* new_mixed.h - arrays of arrays that hold different types: the innermost are
 * objects that say theirs, {"type": "UINT8[]", "value": [1]}. */
#ifndef CLI_NEW_MIXED_H
#define CLI_NEW_MIXED_H

#include "new_value.h"

/* new_is_mixed - is it an array of such arrays?
 * new_make_mixed - put it into a builder. */
bool new_is_mixed(json_in_value v);
enum value_made new_make_mixed(json_in_value v, ggk_builder *builder,
                               char *why);

#endif
