/* json_in.c - JSON that is given to us, read by json-c. */
#include "json_in.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GGK_HAS_JSON

#    include <json.h>

#    include "json_text.h"

/* ---------------------------------------------------------- before json-c */

/* A look at the text, token by token. Whether they are where they should be is
 * for json-c to say. */
struct scan {
    const char *at, *end;
    /* Objects that are open, with the names of their members so far; NULL for
     * an array. Deeper than this json-c will refuse it. */
    struct json_object *open[JSON_IN_DEPTH];
    size_t depth;
    bool minus_zero; /* is an integer of the text */
    bool no_memory;
    const char *why;
};

static bool refuse_token(struct scan *s, const char *why)
{
    s->why = why;
    return false;
}

static void pass_blanks(struct scan *s)
{
    while (s->at < s->end && *s->at != '\0' && strchr(" \t\r\n", *s->at))
        s->at++;
}

static size_t pass_digits(struct scan *s)
{
    const char *start = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - start);
}

static bool pass_one_of(struct scan *s, const char *chars)
{
    if (s->at == s->end || *s->at == '\0' || strchr(chars, *s->at) == NULL)
        return false;
    s->at++;
    return true;
}

/* Do these digits, without leading zeros, fit into 64 bits? */
static bool fits(const char *digits, size_t n, bool negative)
{
    const char *most =
        negative ? "9223372036854775808" : "18446744073709551615";
    size_t n_most = strlen(most);

    return n < n_most || (n == n_most && memcmp(digits, most, n) <= 0);
}

static bool at_number(const struct scan *s)
{
    return *s->at == '-' || (*s->at >= '0' && *s->at <= '9');
}

/* "-0", and not "-0.5". */
static bool at_minus_zero(const struct scan *s)
{
    return s->end - s->at >= 2 && memcmp(s->at, "-0", 2) == 0 &&
           (s->end - s->at == 2 || s->at[2] == '\0' ||
            strchr(".eE", s->at[2]) == NULL);
}

static bool scan_number(struct scan *s)
{
    bool minus_zero = at_minus_zero(s);
    bool negative = pass_one_of(s, "-"), is_float = false;
    const char *digits = s->at;
    size_t n = pass_digits(s);

    if (n == 0 || (n > 1 && *digits == '0'))
        return refuse_token(s, "no number is written like this");
    if (pass_one_of(s, ".")) {
        is_float = true;
        if (pass_digits(s) == 0)
            return refuse_token(s, "no number is written like this");
    }
    if (pass_one_of(s, "eE")) {
        is_float = true;
        (void)pass_one_of(s, "+-");
        if (pass_digits(s) == 0)
            return refuse_token(s, "no number is written like this");
    }
    if (!is_float && !fits(digits, n, negative))
        return refuse_token(s, "the integer does not fit into 64 bits");
    s->minus_zero = s->minus_zero || minus_zero;
    return true;
}

/* The number behind "\u"; -1 if there is none. */
static long take_unit(const char *at, const char *end)
{
    char hex[5] = "";

    if (end - at < 4)
        return -1;
    memcpy(hex, at, 4);
    return strspn(hex, "0123456789abcdefABCDEF") == 4 ? strtol(hex, NULL, 16)
                                                      : -1;
}

static bool scan_unicode(struct scan *s, bool *nul)
{
    long unit = take_unit(s->at, s->end), low;

    if (unit < 0)
        return refuse_token(s, "\\u wants four hexadecimal digits");
    *nul = *nul || unit == 0;
    s->at += 4;
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    low = s->end - s->at >= 6 && s->at[0] == '\\' && s->at[1] == 'u'
              ? take_unit(s->at + 2, s->end)
              : -1;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return refuse_token(s, "half of a surrogate pair stands alone");
    s->at += 6;
    return true;
}

/* The string of a token, which is in quotes; NULL for no memory, or, after an
 * error, if it is none. */
static struct json_object *decode_string(const char *token, size_t n,
                                         bool *error)
{
    struct json_tokener *tokener;
    struct json_object *string;

    *error = false;
    if (memchr(token, '\\', n) == NULL)
        return json_object_new_string_len(token + 1, (int)n - 2);
    tokener = json_tokener_new();
    if (tokener == NULL)
        return NULL;
    string = json_tokener_parse_ex(tokener, token, (int)n);
    *error = json_tokener_get_error(tokener) != json_tokener_success;
    json_tokener_free(tokener);
    return string;
}

/* False: the object that is open has that member already. */
static bool add_name(struct scan *s, const char *token, const char *end)
{
    struct json_object *object, *name;
    const char *text;
    bool is_new = true, error;

    if (s->depth == 0 || s->depth > JSON_IN_DEPTH)
        return true;
    object = s->open[s->depth - 1];
    if (object == NULL)
        return true;
    name = decode_string(token, (size_t)(end - token), &error);
    if (error)
        return true; /* which json-c will tell */
    text = json_object_get_string(name);
    if (text != NULL && json_object_object_get_ex(object, text, NULL))
        is_new = false;
    else
        s->no_memory =
            text == NULL || json_object_object_add(object, text, NULL) != 0;
    json_object_put(name);
    return is_new;
}

static bool scan_string(struct scan *s)
{
    bool nul = false;
    const char *start = s->at++, *end;

    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < 0x20)
            return refuse_token(s, "a control character must be escaped");
        if (*s->at++ != '\\' || s->at == s->end)
            continue;
        if (*s->at++ == 'u' && !scan_unicode(s, &nul))
            return false;
    }
    if (s->at == s->end) {
        s->at = start;
        return refuse_token(s, "the string does not end");
    }
    s->at++;
    end = s->at;
    pass_blanks(s);
    if (s->at == s->end || *s->at != ':')
        return true;
    if (!nul && add_name(s, start, end))
        return true;
    s->at = start;
    return s->no_memory ||
           refuse_token(s, nul ? "the name of a member holds a NUL"
                               : "a member occurs more than once in its "
                                 "object");
}

/* '{', '[' or their ends. */
static void scan_bracket(struct scan *s)
{
    struct json_object *names = NULL;

    if (*s->at == '{' || *s->at == '[') {
        if (*s->at == '{' && s->depth < JSON_IN_DEPTH) {
            names = json_object_new_object();
            s->no_memory = s->no_memory || names == NULL;
        }
        if (s->depth < JSON_IN_DEPTH)
            s->open[s->depth] = names;
        s->depth++;
    } else if (s->depth > 0 && --s->depth < JSON_IN_DEPTH) {
        json_object_put(s->open[s->depth]);
    }
    s->at++;
}

static void end_scan(struct scan *s)
{
    while (s->depth > 0)
        if (--s->depth < JSON_IN_DEPTH)
            json_object_put(s->open[s->depth]);
}

static bool scan_all(struct scan *s)
{
    for (pass_blanks(s); s->at < s->end && !s->no_memory; pass_blanks(s)) {
        if (*s->at == '"') {
            if (!scan_string(s))
                return false;
        } else if (at_number(s)) {
            if (!scan_number(s))
                return false;
        } else if (*s->at != '\0' && strchr("{[]}", *s->at) != NULL) {
            scan_bracket(s);
        } else if (*s->at == '\'') {
            return refuse_token(s, "names and strings stand in double quotes");
        } else if (*s->at == '\0' || *s->at == 'N' || *s->at == 'I') {
            return refuse_token(s, "this is no JSON");
        } else {
            s->at++;
        }
    }
    return true;
}

/* Pass the next number; was it "-0"? */
static bool pass_number(struct scan *s)
{
    bool found;

    while (s->at < s->end && !at_number(s)) {
        if (*s->at == '"')
            (void)scan_string(s);
        else
            s->at++;
    }
    found = at_minus_zero(s);
    (void)scan_number(s);
    return found;
}

/* ----------------------------------------------------------------- document */

struct json_in {
    struct json_object *root;
};

/* Where a walk over all values is. */
struct walked_level {
    json_in_value v;
    size_t i;
    struct json_in_member member;
};

/* The next value in the array or object of a level; false after the last. */
static bool next_value(struct walked_level *level, json_in_value *out)
{
    if (json_in_kind(level->v) == JSON_IN_ARRAY) {
        if (level->i == json_in_count(level->v))
            return false;
        *out = json_in_at(level->v, level->i++);
        return true;
    }
    if (level->member.name == NULL)
        return false;
    *out = level->member.value;
    level->member = json_in_next(&level->member);
    return true;
}

/* json-c wants what it does not change to be changeable. */
static struct json_object *node(json_in_value v)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    return (struct json_object *)(uintptr_t)v;
}

/* json-c takes -0 for 0: mark those that are, of the numbers of `text`. */
static void mark_minus_zero(json_in_value v, struct scan *text)
{
    enum json_in_kind kind = json_in_kind(v);

    if ((kind == JSON_IN_INTEGER || kind == JSON_IN_FLOAT) &&
        pass_number(text) && kind == JSON_IN_INTEGER)
        json_object_set_userdata(node(v), node(v), NULL);
}

static void mark_minus_zeros(json_in_value root, const char *text, size_t bytes)
{
    struct scan again = {.at = text, .end = text + bytes};
    struct walked_level at[JSON_IN_DEPTH + 1];
    size_t depth = 0;
    json_in_value v = root;

    do {
        enum json_in_kind kind = json_in_kind(v);

        mark_minus_zero(v, &again);
        if ((kind == JSON_IN_ARRAY || kind == JSON_IN_OBJECT) &&
            depth <= JSON_IN_DEPTH) {
            struct walked_level *level = &at[depth++];

            *level = (struct walked_level){v, 0, {NULL, NULL, NULL}};
            if (kind == JSON_IN_OBJECT)
                level->member = json_in_first(v);
        }
        while (depth > 0 && !next_value(&at[depth - 1], &v))
            depth--;
    } while (depth > 0);
}

const char *json_in_version(void)
{
    return json_c_version();
}

/* What is wrong, and where in the text. */
static enum json_in_parsed refuse_text(char *why, const char *what,
                                       const char *text, size_t at)
{
    char place[JSON_TEXT_PLACE];

    snprintf(why, JSON_IN_WHY, "%s, at %s of the JSON", what,
             json_text_place(text, at, place));
    return JSON_IN_BAD;
}

static enum json_in_parsed parse_with(struct json_tokener *tokener,
                                      const char *text, size_t bytes,
                                      struct json_in *doc, char *why)
{
    enum json_tokener_error error;
    size_t at;

    json_tokener_set_flags(tokener,
                           JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    doc->root = json_tokener_parse_ex(tokener, text, (int)bytes);
    at = json_tokener_get_parse_end(tokener);
    if (json_tokener_get_error(tokener) == json_tokener_continue) {
        at = bytes;
        doc->root = json_tokener_parse_ex(tokener, "", 1); /* it ends here */
    }
    error = json_tokener_get_error(tokener);
    if (error == json_tokener_success)
        return JSON_IN_PARSED;
    return refuse_text(why, json_tokener_error_desc(error), text, at);
}

static enum json_in_parsed look_through(const char *text, size_t bytes,
                                        bool *minus_zero, char *why)
{
    struct scan scan = {.at = text, .end = text + bytes};
    bool good;

    *minus_zero = false;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return refuse_text(why, "a byte order mark is no part of JSON", text,
                           0);
    good = scan_all(&scan);
    end_scan(&scan);
    *minus_zero = scan.minus_zero;
    if (scan.no_memory)
        return JSON_IN_NO_MEMORY;
    return good ? JSON_IN_PARSED
                : refuse_text(why, scan.why, text, (size_t)(scan.at - text));
}

enum json_in_parsed json_in_parse(const char *text, size_t bytes,
                                  struct json_in **out, char *why)
{
    bool minus_zero;
    struct json_tokener *tokener;
    struct json_in *doc;
    enum json_in_parsed parsed;

    *out = NULL;
    if (bytes >= INT_MAX) {
        snprintf(why, JSON_IN_WHY, "it is too large");
        return JSON_IN_BAD;
    }
    parsed = look_through(text, bytes, &minus_zero, why);
    if (parsed != JSON_IN_PARSED)
        return parsed;
    doc = calloc(1, sizeof *doc);
    tokener = json_tokener_new_ex(JSON_IN_DEPTH);
    parsed = doc != NULL && tokener != NULL
                 ? parse_with(tokener, text, bytes, doc, why)
                 : JSON_IN_NO_MEMORY;
    if (parsed == JSON_IN_PARSED && minus_zero)
        mark_minus_zeros(doc->root, text, bytes);
    if (tokener != NULL)
        json_tokener_free(tokener);
    if (parsed == JSON_IN_PARSED)
        *out = doc;
    else
        json_in_free(doc);
    return parsed;
}

void json_in_free(struct json_in *doc)
{
    if (doc == NULL)
        return;
    json_object_put(doc->root);
    free(doc);
}

json_in_value json_in_root(const struct json_in *doc)
{
    return doc->root;
}

/* ------------------------------------------------------------------- values */

enum json_in_kind json_in_kind(json_in_value v)
{
    switch (json_object_get_type(v)) {
    case json_type_null: return JSON_IN_NULL;
    case json_type_boolean: return JSON_IN_BOOL;
    case json_type_int: return JSON_IN_INTEGER;
    case json_type_double: return JSON_IN_FLOAT;
    case json_type_string: return JSON_IN_STRING;
    case json_type_array: return JSON_IN_ARRAY;
    case json_type_object: return JSON_IN_OBJECT;
    }
    return JSON_IN_NULL;
}

bool json_in_bool(json_in_value v)
{
    return json_object_get_boolean(v) != 0;
}

struct json_in_integer json_in_integer(json_in_value v)
{
    struct json_in_integer n = {false, json_object_get_int64(v), 0};

    n.negative = n.i < 0;
    n.u = n.negative ? 0 : json_object_get_uint64(v);
    return n;
}

bool json_in_minus_zero(json_in_value v)
{
    return json_object_get_type(v) == json_type_int &&
           json_object_get_userdata(node(v)) != NULL;
}

const char *json_in_float(json_in_value v)
{
    return json_object_to_json_string(node(v));
}

const char *json_in_string(json_in_value v, size_t *bytes)
{
    *bytes = (size_t)json_object_get_string_len(v);
    return json_object_get_string(node(v));
}

size_t json_in_count(json_in_value array)
{
    return json_object_array_length(array);
}

json_in_value json_in_at(json_in_value array, size_t i)
{
    return json_object_array_get_idx(array, i);
}

static struct json_in_member member_at(const struct lh_entry *entry)
{
    if (entry == NULL)
        return (struct json_in_member){NULL, NULL, NULL};
    return (struct json_in_member){lh_entry_k(entry), lh_entry_v(entry),
                                   entry->next};
}

struct json_in_member json_in_first(json_in_value object)
{
    return member_at(json_object_get_object(object)->head);
}

struct json_in_member json_in_next(const struct json_in_member *member)
{
    return member_at(member->next);
}

bool json_in_find(json_in_value object, const char *name, json_in_value *out)
{
    struct json_object *found = NULL;
    bool is_there = json_object_object_get_ex(object, name, &found) != 0;

    *out = found;
    return is_there;
}

#else /* without json-c there are no documents, and so no values */

const char *json_in_version(void)
{
    return NULL;
}

enum json_in_parsed json_in_parse(const char *text, size_t bytes,
                                  struct json_in **out, char *why)
{
    (void)text;
    (void)bytes;
    *out = NULL;
    snprintf(why, JSON_IN_WHY,
             "this gguf was built without json-c, and reads no JSON");
    return JSON_IN_UNSUPPORTED;
}

void json_in_free(struct json_in *doc)
{
    (void)doc;
}

json_in_value json_in_root(const struct json_in *doc)
{
    (void)doc;
    return NULL;
}

enum json_in_kind json_in_kind(json_in_value v)
{
    (void)v;
    return JSON_IN_NULL;
}

bool json_in_bool(json_in_value v)
{
    (void)v;
    return false;
}

struct json_in_integer json_in_integer(json_in_value v)
{
    (void)v;
    return (struct json_in_integer){false, 0, 0};
}

bool json_in_minus_zero(json_in_value v)
{
    (void)v;
    return false;
}

const char *json_in_float(json_in_value v)
{
    (void)v;
    return "";
}

const char *json_in_string(json_in_value v, size_t *bytes)
{
    (void)v;
    *bytes = 0;
    return "";
}

size_t json_in_count(json_in_value array)
{
    (void)array;
    return 0;
}

json_in_value json_in_at(json_in_value array, size_t i)
{
    (void)array;
    (void)i;
    return NULL;
}

struct json_in_member json_in_first(json_in_value object)
{
    (void)object;
    return (struct json_in_member){NULL, NULL, NULL};
}

struct json_in_member json_in_next(const struct json_in_member *member)
{
    (void)member;
    return (struct json_in_member){NULL, NULL, NULL};
}

bool json_in_find(json_in_value object, const char *name, json_in_value *out)
{
    (void)object;
    (void)name;
    *out = NULL;
    return false;
}

#endif

const char *json_in_kind_name(json_in_value v)
{
    switch (json_in_kind(v)) {
    case JSON_IN_NULL: return "null";
    case JSON_IN_BOOL: return "a truth value";
    case JSON_IN_INTEGER: return "an integer";
    case JSON_IN_FLOAT: return "a number with a fraction";
    case JSON_IN_STRING: return "a string";
    case JSON_IN_ARRAY: return "an array";
    case JSON_IN_OBJECT: return "an object";
    }
    return "nothing";
}
