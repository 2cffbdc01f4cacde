/* json_in.h - JSON that is given to us: read whole, and then looked at.
 *
 * json-c reads it. What it would let pass is refused before: numbers past 64
 * bits, members that occur twice, names with a NUL, halves of surrogate pairs,
 * NaN, bytes that are no UTF-8, text after the document. Knows no GGUF.
 */
#ifndef CLI_JSON_IN_H
#define CLI_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_IN_DEPTH 32 /* arrays and objects, the outermost counted */

/* A document. */
struct json_in;

/* A value in it, valid as long as the document; NULL stands for null. */
typedef const struct json_object *json_in_value;

enum json_in_parsed {
    JSON_IN_PARSED,
    JSON_IN_BAD, /* it is no JSON: `why` tells, a sentence */
    JSON_IN_NO_MEMORY,
    JSON_IN_UNSUPPORTED /* this program was built without json-c */
};

/* json_in_version - of json-c, "0.16"; NULL: built without it. */
const char *json_in_version(void);

/* json_in_parse - on JSON_IN_PARSED json_in_free must follow. */
#define JSON_IN_WHY 160
enum json_in_parsed json_in_parse(const char *text, size_t bytes,
                                  struct json_in **out, char *why);
void json_in_free(struct json_in *doc);
json_in_value json_in_root(const struct json_in *doc);

enum json_in_kind {
    JSON_IN_NULL,
    JSON_IN_BOOL,
    JSON_IN_INTEGER,
    JSON_IN_FLOAT,
    JSON_IN_STRING,
    JSON_IN_ARRAY,
    JSON_IN_OBJECT
};
enum json_in_kind json_in_kind(json_in_value v);

/* json_in_kind_name - "an array", "a number"... */
const char *json_in_kind_name(json_in_value v);

/* An integer of either sign: of a negative one `i` is right, else `u`. */
struct json_in_integer {
    bool negative;
    int64_t i;
    uint64_t u;
};

/* Each of these wants a value of its kind. A string may hold NUL bytes; a float
 * is given as it was written, or as NULL if there is no memory. */
bool json_in_bool(json_in_value v);
struct json_in_integer json_in_integer(json_in_value v);
bool json_in_minus_zero(json_in_value v); /* an integer written "-0"? */
const char *json_in_float(json_in_value v);
const char *json_in_string(json_in_value v, size_t *bytes);
size_t json_in_count(json_in_value array);
json_in_value json_in_at(json_in_value array, size_t i);

/* The members of an object, in order. */
struct json_in_member {
    const char *name; /* NULL after the last */
    json_in_value value;
    const void *next; /* private */
};
struct json_in_member json_in_first(json_in_value object);
struct json_in_member json_in_next(const struct json_in_member *member);

/* json_in_find - the member of that name; false if there is none. */
bool json_in_find(json_in_value object, const char *name, json_in_value *out);

#endif
