/* new_mixed.c - arrays of arrays that hold different types. */
#include "cmd/new_mixed.h"

#include <string.h>

/* A way through arrays of arrays. */
struct mixed_walk {
    struct {
        json_in_value array;
        size_t i; /* of the next element */
    } at[GGK_MAX_DEPTH];
    uint32_t depth;
};

enum mixed_event { MIXED_OPEN, MIXED_CLOSE, MIXED_LEAF, MIXED_TOO_DEEP };

static enum mixed_event mixed_enter(struct mixed_walk *w, json_in_value array)
{
    if (w->depth == GGK_MAX_DEPTH)
        return MIXED_TOO_DEEP;
    w->at[w->depth].array = array;
    w->at[w->depth++].i = 0;
    return MIXED_OPEN;
}

/* The next step in the array that is open. */
static enum mixed_event mixed_next(struct mixed_walk *w, json_in_value *v)
{
    json_in_value array = w->at[w->depth - 1].array;

    if (w->at[w->depth - 1].i == json_in_count(array)) {
        w->depth--;
        return MIXED_CLOSE;
    }
    *v = json_in_at(array, w->at[w->depth - 1].i++);
    return json_in_kind(*v) == JSON_IN_ARRAY ? mixed_enter(w, *v) : MIXED_LEAF;
}

static bool says_type(json_in_value v)
{
    json_in_value type;

    return json_in_kind(v) == JSON_IN_OBJECT && json_in_find(v, "type", &type);
}

bool new_is_mixed(json_in_value v)
{
    struct mixed_walk w = {.depth = 0};
    bool found = false;

    if (json_in_kind(v) != JSON_IN_ARRAY)
        return false;
    (void)mixed_enter(&w, v);
    while (w.depth > 0 && !found)
        found = mixed_next(&w, &v) == MIXED_LEAF && says_type(v);
    return found;
}

/* An array that says its type. */
static enum value_made make_typed_array(json_in_value v, ggk_builder *builder,
                                        char *why)
{
    json_in_value type = NULL, value = NULL;
    struct value_type parsed;
    size_t n;
    bool same, has = json_in_kind(v) == JSON_IN_OBJECT &&
                     json_in_find(v, "type", &type) &&
                     json_in_find(v, "value", &value) &&
                     json_in_kind(type) == JSON_IN_STRING;

    if (has && value_type_parse(json_in_string(type, &n), &parsed) &&
        parsed.depth > 0)
        return value_from_json(value, parsed, NULL, builder, &same, why);
    snprintf(why, VALUE_WHY,
             "beside arrays that say their type, such as "
             "{\"type\": \"UINT8[]\", \"value\": [1]}, stands what does not");
    return VALUE_UNFIT;
}

static enum value_made made_by_builder(ggk_status status, const ggk_error *err,
                                       char *why)
{
    if (status == GGK_OK)
        return VALUE_MADE;
    snprintf(why, VALUE_WHY, "%.200s", err->what);
    return status == GGK_E_NOMEM ? VALUE_NO_MEMORY : VALUE_UNFIT;
}

enum value_made new_make_mixed(json_in_value v, ggk_builder *builder, char *why)
{
    struct mixed_walk w = {.depth = 0};
    enum mixed_event event = mixed_enter(&w, v);
    enum value_made made = VALUE_MADE;
    ggk_error err = {.status = GGK_OK};

    for (;;) {
        switch (event) {
        case MIXED_OPEN:
            made = made_by_builder(
                ggk_builder_open(builder, GGK_VALUE_ARRAY, &err), &err, why);
            break;
        case MIXED_CLOSE:
            made = made_by_builder(ggk_builder_close(builder, &err), &err, why);
            break;
        case MIXED_LEAF: made = make_typed_array(v, builder, why); break;
        case MIXED_TOO_DEEP:
            snprintf(why, VALUE_WHY, "arrays are nested more than %d deep",
                     GGK_MAX_DEPTH);
            return VALUE_UNFIT;
        }
        if (made != VALUE_MADE || w.depth == 0)
            return made;
        event = mixed_next(&w, &v);
    }
}
