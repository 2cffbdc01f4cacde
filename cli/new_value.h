/* new_value.h - values as they are typed or given as JSON, made into what a
 * file stores. */
#ifndef CLI_NEW_VALUE_H
#define CLI_NEW_VALUE_H

#include "command.h"
#include "json_in.h"

/* A type of values: `depth` arrays, one in another, of elements of type `leaf`.
 */
struct value_type {
    uint32_t leaf; /* GGK_VALUE_*, not ARRAY; or VALUE_ANY */
    uint32_t depth;
    json_in_value inner; /* what each array in it holds: "inner_types" of JSON;
                            NULL: all the same */
};
#define VALUE_ANY UINT32_MAX /* not known: of arrays that are all empty */

/* value_type_parse - "UINT32", "string[]" or "INT8[][]"; false if it is none.
 * value_type_name - the same the other way, at most VALUE_TYPE_BYTES. */
#define VALUE_TYPE_BYTES 64
bool value_type_parse(const char *text, struct value_type *out);
void value_type_name(char *out, struct value_type type);

/* value_type_at - of the value that a walk stands before: the leaf is that of
 * the first elements which are no arrays. */
ggk_status value_type_at(const ggk_walk *walk, struct value_type *out,
                         ggk_error *err);

/* value_take_inner - the type of an array of arrays of JSON, for which "ARRAY"
 * of "ARRAY" was said, and these inner types; false if they do not fit it. */
bool value_take_inner(json_in_value v, json_in_value inner,
                      struct value_type *out);

/* value_same - do they say the same? All NaNs do, and all BOOLs but 0. */
bool value_same(const ggk_value *a, const ggk_value *b);

enum value_made {
    VALUE_MADE,
    VALUE_UNFIT, /* `why` tells, a sentence */
    VALUE_NO_MEMORY
};
#define VALUE_WHY 256

/* value_from_text - a scalar of that type, as it is typed; a STRING is the text
 * itself, which is borrowed.
 * value_infer_text - the type of a text for which there is no other: integers
 * UINT32 or UINT64, with a sign INT32 or INT64; other numbers FLOAT32, or
 * FLOAT64 if they are too large for it; true and false BOOL; else STRING. */
enum value_made value_from_text(const char *text, uint32_t type, ggk_value *out,
                                char *why);
uint32_t value_infer_text(const char *text);

/* value_from_json - put a value of that type, which must have a leaf unless it
 * is given by inner types, or by `old`: a walk that stands before a value of
 * the same type (or NULL), from which each array in an array takes the type of
 * its elements if there are no inner types.
 * `*same`: it says what the old one says.
 * value_infer_json - as for a text, all elements together. Its leaf is
 * VALUE_ANY if there are only empty arrays. */
enum value_made value_from_json(json_in_value v, struct value_type type,
                                const ggk_walk *old, ggk_builder *out,
                                bool *same, char *why);
enum value_made value_infer_json(json_in_value v, struct value_type *out,
                                 char *why);

/* value_number_json - a number of that type, which is one of integers or
 * floats; also "nan", "inf" and "-inf". */
enum value_made value_number_json(json_in_value v, uint32_t type,
                                  ggk_value *out, char *why);

/* value_bytes_json - a string of JSON, or {"base64": "..."}: its bytes, and the
 * memory they are in, to be freed (NULL: the document's). */
enum value_made value_bytes_json(json_in_value v, ggk_str *out, char **memory,
                                 char *why);

#endif
