/* new_value.c - values as they are typed or given as JSON. */
#include "new_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "out/fmt.h"
#include "same.h"
#include "show.h"

/* ------------------------------------------------------------------- types */

bool value_type_parse(const char *text, struct value_type *out)
{
    size_t n = strcspn(text, "[");
    const char *rest = text + n;

    *out = (struct value_type){VALUE_ANY, 0, NULL};
    for (uint32_t type = 0; type < GGK_VALUE_TYPE_COUNT; type++) {
        const char *name = ggk_value_type_name(type);

        if (type != GGK_VALUE_ARRAY && strlen(name) == n &&
            strncasecmp(name, text, n) == 0)
            out->leaf = type;
    }
    for (; strncmp(rest, "[]", 2) == 0; rest += 2)
        out->depth++;
    return out->leaf != VALUE_ANY && *rest == '\0' &&
           out->depth <= GGK_MAX_DEPTH;
}

void value_type_name(char *out, struct value_type type)
{
    int n = snprintf(out, VALUE_TYPE_BYTES, "%s",
                     type.leaf == VALUE_ANY ? "ARRAY"
                                            : ggk_value_type_name(type.leaf));

    for (uint32_t i = type.leaf == VALUE_ANY; i < type.depth; i++)
        n += snprintf(out + n, VALUE_TYPE_BYTES - (size_t)n, "[]");
}

ggk_status value_type_at(const ggk_walk *walk, struct value_type *out,
                         ggk_error *err)
{
    ggk_walk w = *walk;
    uint32_t outside = ggk_walk_depth(walk), deepest = 0;
    ggk_value v;

    *out = (struct value_type){VALUE_ANY, 0, NULL};
    do {
        switch (ggk_walk_next(&w, &v)) {
        case GGK_WALK_VALUE: out->leaf = v.type; break;
        case GGK_WALK_OPEN:
            if (ggk_walk_depth(&w) - outside > deepest)
                deepest = ggk_walk_depth(&w) - outside;
            if (v.type != GGK_VALUE_ARRAY) {
                out->leaf = v.type;
                deepest = ggk_walk_depth(&w) - outside;
            } else if (v.as.u == 0 && ggk_walk_depth(&w) - outside == deepest) {
                deepest++; /* the arrays that could be in it */
            }
            break;
        case GGK_WALK_CLOSE: break;
        case GGK_WALK_END:
        case GGK_WALK_BROKEN: return show_broken(err);
        }
    } while (out->leaf == VALUE_ANY && ggk_walk_depth(&w) > outside);
    out->depth = deepest;
    return GGK_OK;
}

bool value_same(const ggk_value *a, const ggk_value *b)
{
    if (a->type != b->type)
        return false;
    switch ((ggk_value_type)a->type) {
    case GGK_VALUE_UINT8:
    case GGK_VALUE_UINT16:
    case GGK_VALUE_UINT32:
    case GGK_VALUE_UINT64: return a->as.u == b->as.u;
    case GGK_VALUE_INT8:
    case GGK_VALUE_INT16:
    case GGK_VALUE_INT32:
    case GGK_VALUE_INT64: return a->as.i == b->as.i;
    case GGK_VALUE_FLOAT32:
    case GGK_VALUE_FLOAT64:
        return (isnan(a->as.f) && isnan(b->as.f)) ||
               /* NOLINTNEXTLINE(*-memory-comparison,cert-*): bits, as meant */
               memcmp(&a->as.f, &b->as.f, sizeof a->as.f) == 0;
    case GGK_VALUE_BOOL: return (a->as.u != 0) == (b->as.u != 0);
    case GGK_VALUE_STRING: return str_same(a->as.s, b->as.s);
    case GGK_VALUE_ARRAY: break; /* no scalar */
    }
    return false;
}

/* ----------------------------------------------------------------- numbers */

static bool is_integer_type(uint32_t type)
{
    return type <= GGK_VALUE_INT32 || type == GGK_VALUE_UINT64 ||
           type == GGK_VALUE_INT64;
}

static bool is_signed_type(uint32_t type)
{
    return type == GGK_VALUE_INT8 || type == GGK_VALUE_INT16 ||
           type == GGK_VALUE_INT32 || type == GGK_VALUE_INT64;
}

static bool is_float_type(uint32_t type)
{
    return type == GGK_VALUE_FLOAT32 || type == GGK_VALUE_FLOAT64;
}

/* Bits of the type, without that of the sign. */
static unsigned width_of(uint32_t type)
{
    return (unsigned)ggk_value_type_bytes(type) * 8 - is_signed_type(type);
}

static uint64_t most_of(uint32_t type)
{
    return UINT64_MAX >> (64 - width_of(type));
}

static bool integer_fits(uint32_t type, struct json_in_integer n)
{
    if (n.negative)
        return is_signed_type(type) && n.i >= -(int64_t)most_of(type) - 1;
    return n.u <= most_of(type);
}

static enum value_made unfit_integer(uint32_t type, const char *text, char *why)
{
    uint64_t most = most_of(type);

    if (is_signed_type(type))
        snprintf(why, VALUE_WHY, "%s holds %" PRId64 " to %" PRIu64 ", not %s",
                 ggk_value_type_name(type), -(int64_t)most - 1, most, text);
    else
        snprintf(why, VALUE_WHY, "%s holds 0 to %" PRIu64 ", not %s",
                 ggk_value_type_name(type), most, text);
    return VALUE_UNFIT;
}

static enum value_made take_integer(uint32_t type, struct json_in_integer n,
                                    const char *text, ggk_value *out, char *why)
{
    if (!integer_fits(type, n))
        return unfit_integer(type, text, why);
    out->type = type;
    if (n.negative)
        out->as.i = n.i;
    else
        out->as.u = n.u;
    return VALUE_MADE;
}

/* Is it an integer as JSON has them? One past 64 bits has `*fits` false. */
static bool parse_integer(const char *text, struct json_in_integer *out,
                          bool *fits)
{
    uint64_t u = 0;
    enum fmt_parsed parsed = fmt_parse_u64(text + (*text == '-'), &u);

    out->negative = *text == '-' && u > 0;
    out->u = u;
    out->i = 0;
    *fits = parsed == FMT_PARSED &&
            (!out->negative || u <= (uint64_t)INT64_MAX + 1);
    if (out->negative && *fits)
        out->i = -(int64_t)(u - 1) - 1;
    return parsed != FMT_JUNK;
}

/* A decimal number; not what strtod takes besides, but for the words. */
static bool parse_float(const char *text, uint32_t type, double *out)
{
    const char *word = text + (*text == '-');
    char *end;

    if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "nan") == 0) {
        *out = *word == 'n' || *word == 'N' ? (double)NAN : (double)INFINITY;
        if (*text == '-')
            *out = -*out;
        return true;
    }
    if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    *out = type == GGK_VALUE_FLOAT32 ? (double)strtof(text, &end)
                                     : strtod(text, &end);
    return *end == '\0';
}

static enum value_made unfit_text(uint32_t type, const char *text, char *why)
{
    const char *wanted = is_integer_type(type) ? "an integer"
                         : is_float_type(type) ? "a number"
                                               : "true or false";

    snprintf(why, VALUE_WHY, "%s wants %s, not \"%.100s\"",
             ggk_value_type_name(type), wanted, text);
    return VALUE_UNFIT;
}

static enum value_made take_float(uint32_t type, const char *text,
                                  ggk_value *out, char *why)
{
    out->type = type;
    if (!parse_float(text, type, &out->as.f))
        return unfit_text(type, text, why);
    if (!isinf(out->as.f) || strpbrk(text, "0123456789") == NULL)
        return VALUE_MADE;
    snprintf(why, VALUE_WHY, "%s cannot hold a number as large as %.100s",
             ggk_value_type_name(type), text);
    return VALUE_UNFIT;
}

/* -------------------------------------------------------------------- text */

enum value_made value_from_text(const char *text, uint32_t type, ggk_value *out,
                                char *why)
{
    struct json_in_integer n;
    bool fits;

    *out = (ggk_value){.type = type};
    if (type == GGK_VALUE_STRING) {
        out->as.s = ggk_cstr(text);
        return VALUE_MADE;
    }
    if (type == GGK_VALUE_BOOL) {
        out->as.u = strcmp(text, "true") == 0;
        return out->as.u != 0 || strcmp(text, "false") == 0
                   ? VALUE_MADE
                   : unfit_text(type, text, why);
    }
    if (is_float_type(type))
        return take_float(type, text, out, why);
    if (!parse_integer(text, &n, &fits))
        return unfit_text(type, text, why);
    return fits ? take_integer(type, n, text, out, why)
                : unfit_integer(type, text, why);
}

/* The type for integers of which the one is the least, or the other the most.
 */
static uint32_t infer_integers(int64_t least, uint64_t most)
{
    if (least >= 0)
        return most <= UINT32_MAX ? GGK_VALUE_UINT32 : GGK_VALUE_UINT64;
    return least >= INT32_MIN && most <= INT32_MAX ? GGK_VALUE_INT32
                                                   : GGK_VALUE_INT64;
}

uint32_t value_infer_text(const char *text)
{
    const char *digits = text + (*text == '-');
    bool zeros = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
    struct json_in_integer n;
    double number;
    bool fits;

    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return GGK_VALUE_BOOL;
    if (*digits < '0' || *digits > '9' || zeros)
        return GGK_VALUE_STRING;
    if (parse_integer(text, &n, &fits))
        return fits           ? infer_integers(n.i, n.u)
               : *text == '-' ? GGK_VALUE_INT64 /* which refuses it */
                              : GGK_VALUE_UINT64;
    if (!parse_float(text, GGK_VALUE_FLOAT32, &number))
        return GGK_VALUE_STRING;
    return isinf(number) ? GGK_VALUE_FLOAT64 : GGK_VALUE_FLOAT32;
}

/* ------------------------------------------------------------ JSON: strings */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Bytes of base64, which has its padding; false if it is none. */
static bool decode_base64(const char *text, size_t n, char *out, size_t *bytes)
{
    uint32_t bits = 0;
    size_t digits = n;

    *bytes = 0;
    while (digits > 0 && n - digits < 2 && text[digits - 1] == '=')
        digits--;
    if (n % 4 != 0 || digits % 4 == 1)
        return false;
    for (size_t i = 0; i < digits; i++) {
        int digit = base64_digit(text[i]);

        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 > 0) /* 8 bits more than were taken */
            out[(*bytes)++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    return true;
}

enum value_made value_bytes_json(json_in_value v, ggk_str *out, char **memory,
                                 char *why)
{
    json_in_value text = NULL;
    const char *digits;

    *memory = NULL;
    if (json_in_kind(v) == JSON_IN_STRING) {
        out->ptr = json_in_string(v, &out->len);
        return VALUE_MADE;
    }
    if (json_in_kind(v) != JSON_IN_OBJECT ||
        !json_in_find(v, "base64", &text) ||
        json_in_kind(text) != JSON_IN_STRING) {
        snprintf(why, VALUE_WHY, "a string is wanted, not %s",
                 json_in_kind_name(v));
        return VALUE_UNFIT;
    }
    digits = json_in_string(text, &out->len);
    *memory = malloc(out->len / 4 * 3 + 1);
    if (*memory == NULL)
        return VALUE_NO_MEMORY;
    out->ptr = *memory;
    if (decode_base64(digits, out->len, *memory, &out->len))
        return VALUE_MADE;
    snprintf(why, VALUE_WHY, "what is called base64 is none");
    return VALUE_UNFIT;
}

/* -------------------------------------------------------------- JSON: walks */

enum json_event { JSON_LEAF, JSON_OPEN, JSON_CLOSE, JSON_END, JSON_TOO_DEEP };

/* A way through a value and the arrays in it. */
struct json_walk {
    json_in_value next;
    bool begun;
    struct {
        json_in_value array;
        size_t i; /* of the next element */
    } at[GGK_MAX_DEPTH];
    uint32_t depth;
};

static enum json_event walk_json(struct json_walk *w, json_in_value *v)
{
    if (w->depth == 0 && w->begun)
        return JSON_END;
    *v = w->next;
    if (w->depth > 0) {
        json_in_value array = w->at[w->depth - 1].array;

        if (w->at[w->depth - 1].i == json_in_count(array)) {
            w->depth--;
            return JSON_CLOSE;
        }
        *v = json_in_at(array, w->at[w->depth - 1].i++);
    }
    w->begun = true;
    if (json_in_kind(*v) != JSON_IN_ARRAY)
        return JSON_LEAF;
    if (w->depth == GGK_MAX_DEPTH)
        return JSON_TOO_DEEP;
    w->at[w->depth].array = *v;
    w->at[w->depth++].i = 0;
    return JSON_OPEN;
}

static enum value_made unfit_depth(char *why)
{
    snprintf(why, VALUE_WHY, "arrays are nested more than %d deep",
             GGK_MAX_DEPTH);
    return VALUE_UNFIT;
}

/* --------------------------------------------------------- JSON: its type */

/* What the leaves of a value are. */
struct leaves {
    bool integers, floats, bools, strings;
    int64_t least;
    uint64_t most;
    bool wide; /* a float that is too large for FLOAT32 */
};

static enum value_made look_at_leaf(struct leaves *l, json_in_value v,
                                    char *why)
{
    struct json_in_integer n;
    json_in_value text;
    const char *digits;
    double number;

    switch (json_in_kind(v)) {
    case JSON_IN_INTEGER:
        n = json_in_integer(v);
        l->integers = true;
        if (n.negative && n.i < l->least)
            l->least = n.i;
        if (!n.negative && n.u > l->most)
            l->most = n.u;
        return VALUE_MADE;
    case JSON_IN_FLOAT:
        l->floats = true;
        digits = json_in_float(v);
        if (digits == NULL)
            return VALUE_NO_MEMORY;
        l->wide = l->wide || !parse_float(digits, GGK_VALUE_FLOAT32, &number) ||
                  isinf(number);
        return VALUE_MADE;
    case JSON_IN_BOOL: l->bools = true; return VALUE_MADE;
    case JSON_IN_STRING: l->strings = true; return VALUE_MADE;
    case JSON_IN_OBJECT:
        l->strings = true;
        if (json_in_find(v, "base64", &text))
            return VALUE_MADE;
        break;
    case JSON_IN_NULL:
    case JSON_IN_ARRAY: break;
    }
    snprintf(why, VALUE_WHY, "%s is no value", json_in_kind_name(v));
    return VALUE_UNFIT;
}

static enum value_made type_of_leaves(const struct leaves *l, uint32_t *out,
                                      char *why)
{
    int kinds = (l->integers || l->floats) + l->bools + l->strings;

    if (kinds > 1) {
        snprintf(why, VALUE_WHY, "elements of several kinds in one array");
        return VALUE_UNFIT;
    }
    if (l->integers && !l->floats && l->least < 0 && l->most > INT64_MAX) {
        snprintf(why, VALUE_WHY, "no type holds all of these integers");
        return VALUE_UNFIT;
    }
    *out = l->bools      ? GGK_VALUE_BOOL
           : l->strings  ? GGK_VALUE_STRING
           : l->floats   ? (l->wide ? GGK_VALUE_FLOAT64 : GGK_VALUE_FLOAT32)
           : l->integers ? infer_integers(l->least, l->most)
                         : VALUE_ANY;
    return VALUE_MADE;
}

enum value_made value_infer_json(json_in_value v, struct value_type *out,
                                 char *why)
{
    struct json_walk w = {.next = v};
    struct leaves leaves = {0};
    uint32_t depth = 0;
    enum value_made made = VALUE_MADE;
    bool leaf = false;

    *out = (struct value_type){VALUE_ANY, 0, NULL};
    for (;;) {
        switch (walk_json(&w, &v)) {
        case JSON_LEAF:
            if (!leaf)
                depth = w.depth;
            leaf = true;
            made = look_at_leaf(&leaves, v, why);
            if (made != VALUE_MADE)
                return made;
            break;
        case JSON_OPEN:
            if (!leaf && w.depth > depth)
                depth = w.depth;
            break;
        case JSON_CLOSE: break;
        case JSON_END:
            out->depth = depth;
            return type_of_leaves(&leaves, &out->leaf, why);
        case JSON_TOO_DEEP: return unfit_depth(why);
        }
    }
}

/* Entry `i` of a list of types of elements; false if it is none. */
static bool inner_type(json_in_value inner, size_t i, uint32_t *out)
{
    json_in_value v = json_in_at(inner, i);
    struct value_type type;
    size_t n;

    if (json_in_kind(v) != JSON_IN_STRING)
        return false;
    if (strcmp(json_in_string(v, &n), "ARRAY") == 0) {
        *out = GGK_VALUE_ARRAY;
        return true;
    }
    if (!value_type_parse(json_in_string(v, &n), &type) || type.depth > 0)
        return false;
    *out = type.leaf;
    return true;
}

/* Of array number `i` in an array: the last entry is that of all others. */
static uint32_t inner_of(json_in_value inner, size_t i)
{
    size_t n = json_in_count(inner);
    uint32_t type = VALUE_ANY;

    if (n > 0)
        (void)inner_type(inner, i < n ? i : n - 1, &type);
    return type;
}

bool value_take_inner(json_in_value v, json_in_value inner,
                      struct value_type *out)
{
    struct json_walk w = {.next = v};
    size_t n_types, n = 0;
    uint32_t type, deepest = 2;
    enum json_event event;

    if (json_in_kind(inner) != JSON_IN_ARRAY)
        return false;
    n_types = json_in_count(inner);
    for (size_t i = 0; i < n_types; i++)
        if (!inner_type(inner, i, &type))
            return false;
    *out = (struct value_type){VALUE_ANY, 0, inner};
    while ((event = walk_json(&w, &v)) != JSON_END && event != JSON_TOO_DEEP) {
        if (event != JSON_OPEN || w.depth == 1)
            continue;
        type = inner_of(inner, n++);
        if (out->leaf == VALUE_ANY && type != GGK_VALUE_ARRAY)
            *out = (struct value_type){type, w.depth, inner};
        if (w.depth + (type == GGK_VALUE_ARRAY) > deepest)
            deepest = w.depth + (type == GGK_VALUE_ARRAY);
    }
    if (out->leaf == VALUE_ANY)
        out->depth = deepest;
    return n_types <= n && (n == 0 || n_types > 0);
}

/* --------------------------------------------------------- JSON: its value */

struct making {
    struct json_walk w;
    struct value_type type;
    uint32_t elem[GGK_MAX_DEPTH]; /* types of the arrays that are open */
    size_t n_inner;               /* arrays in arrays so far */
    ggk_walk old;
    bool in_step; /* with `old`: it says the same so far */
    ggk_builder *builder;
    char *why;
};

/* Take the same step in the old value, if it can be done. */
static bool step(struct making *m, ggk_event event, ggk_value *v)
{
    if (m->in_step)
        m->in_step = ggk_walk_next(&m->old, v) == event;
    return m->in_step;
}

static enum value_made unfit_leaf(uint32_t type, json_in_value v, char *why)
{
    snprintf(why, VALUE_WHY, "%s cannot be %s", ggk_value_type_name(type),
             json_in_kind_name(v));
    return VALUE_UNFIT;
}

enum value_made value_number_json(json_in_value v, uint32_t type,
                                  ggk_value *out, char *why)
{
    enum json_in_kind kind = json_in_kind(v);
    char text[FMT_BYTES];
    struct json_in_integer n;
    size_t len;

    *out = (ggk_value){.type = type};
    if (kind == JSON_IN_FLOAT && is_float_type(type)) {
        const char *digits = json_in_float(v);

        return digits != NULL ? take_float(type, digits, out, why)
                              : VALUE_NO_MEMORY;
    }
    if (kind == JSON_IN_STRING && is_float_type(type)) {
        const char *word = json_in_string(v, &len);

        if (strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0 ||
            strcmp(word, "-inf") == 0)
            return take_float(type, word, out, why);
    }
    if (kind != JSON_IN_INTEGER)
        return unfit_leaf(type, v, why);
    n = json_in_integer(v);
    if (n.negative)
        fmt_i64(text, n.i);
    else
        fmt_u64(text, n.u);
    if (is_float_type(type) && json_in_minus_zero(v))
        memcpy(text, "-0", sizeof "-0");
    return is_float_type(type) ? take_float(type, text, out, why)
                               : take_integer(type, n, text, out, why);
}

static enum value_made leaf_from_json(json_in_value v, uint32_t type,
                                      ggk_value *out, char **memory, char *why)
{
    *memory = NULL;
    *out = (ggk_value){.type = type};
    if (type == GGK_VALUE_ARRAY || type == VALUE_ANY) {
        snprintf(why, VALUE_WHY, "an array is wanted, not %s",
                 json_in_kind_name(v));
        return VALUE_UNFIT;
    }
    if (type == GGK_VALUE_STRING)
        return value_bytes_json(v, &out->as.s, memory, why);
    if (type != GGK_VALUE_BOOL)
        return value_number_json(v, type, out, why);
    if (json_in_kind(v) != JSON_IN_BOOL)
        return unfit_leaf(type, v, why);
    out->as.u = json_in_bool(v);
    return VALUE_MADE;
}

/* The type that the next value is to have. */
static uint32_t wanted_next(const struct making *m, uint32_t depth)
{
    if (depth > 0)
        return m->elem[depth - 1];
    return m->type.depth > 0 ? GGK_VALUE_ARRAY : m->type.leaf;
}

static enum value_made made_by(struct making *m, ggk_status status,
                               const ggk_error *err)
{
    if (status == GGK_OK)
        return VALUE_MADE;
    snprintf(m->why, VALUE_WHY, "%.200s", err->what);
    return status == GGK_E_NOMEM ? VALUE_NO_MEMORY : VALUE_UNFIT;
}

static enum value_made make_leaf(struct making *m, json_in_value v)
{
    ggk_value value, old;
    ggk_error err;
    char *memory;
    enum value_made made =
        leaf_from_json(v, wanted_next(m, m->w.depth), &value, &memory, m->why);

    if (made == VALUE_MADE) {
        if (step(m, GGK_WALK_VALUE, &old))
            m->in_step = value_same(&value, &old);
        made = made_by(m, ggk_builder_put(m->builder, &value, &err), &err);
    }
    free(memory);
    return made;
}

static enum value_made make_array(struct making *m)
{
    uint32_t depth = m->w.depth, wanted = wanted_next(m, depth - 1);
    uint32_t elem =
        depth < m->type.depth ? (uint32_t)GGK_VALUE_ARRAY : m->type.leaf;
    ggk_value old;
    ggk_error err;

    if (m->type.inner != NULL && depth > 1)
        elem = inner_of(m->type.inner, m->n_inner++);
    if (step(m, GGK_WALK_OPEN, &old)) {
        if (m->type.inner == NULL)
            elem = old.type;
        m->in_step = elem == old.type;
    }
    if (wanted != GGK_VALUE_ARRAY) {
        snprintf(m->why, VALUE_WHY, "%s cannot be an array",
                 wanted == VALUE_ANY ? "the value"
                                     : ggk_value_type_name(wanted));
        return VALUE_UNFIT;
    }
    if (elem == VALUE_ANY) {
        snprintf(m->why, VALUE_WHY,
                 "of what the array is empty must be said: --type 'STRING[]'");
        return VALUE_UNFIT;
    }
    m->elem[depth - 1] = elem;
    return made_by(m, ggk_builder_open(m->builder, elem, &err), &err);
}

static enum value_made make_all(struct making *m)
{
    enum value_made made = VALUE_MADE;
    json_in_value v;
    ggk_value old;
    ggk_error err;

    while (made == VALUE_MADE) {
        switch (walk_json(&m->w, &v)) {
        case JSON_LEAF: made = make_leaf(m, v); break;
        case JSON_OPEN: made = make_array(m); break;
        case JSON_CLOSE:
            (void)step(m, GGK_WALK_CLOSE, &old);
            made = made_by(m, ggk_builder_close(m->builder, &err), &err);
            break;
        case JSON_END: return VALUE_MADE;
        case JSON_TOO_DEEP: return unfit_depth(m->why);
        }
    }
    return made;
}

enum value_made value_from_json(json_in_value v, struct value_type type,
                                const ggk_walk *old, ggk_builder *out,
                                bool *same, char *why)
{
    char what[VALUE_WHY] = "";
    struct making m = {.w = {.next = v},
                       .type = type,
                       .in_step = old != NULL,
                       .builder = out,
                       .why = what};
    enum value_made made;

    if (old != NULL)
        m.old = *old;
    made = make_all(&m);
    *same = m.in_step;
    if (made != VALUE_UNFIT)
        return made;
    if (m.w.depth > 0 && m.w.at[0].i > 0)
        snprintf(why, VALUE_WHY, "element %zu: %.200s", m.w.at[0].i - 1, what);
    else
        snprintf(why, VALUE_WHY, "%s", what);
    return made;
}
