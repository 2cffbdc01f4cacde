/* new_keys.c - the keys of a description: {"KEY": VALUE}, or a list of entries
 * as `gguf dump --json` prints them. */
#include <stdlib.h>
#include <string.h>

#include "cmd/new_spec.h"
#include "key_form.h"
#include "known_keys.h"
#include "new_value.h"
#include "same.h"
#include "show.h"

/* A key in the making. */
struct new_key {
    struct new_entry entry;
    ggk_str key;
    char *memory; /* of the key; NULL: it is the document's */
    json_in_value value;
    bool typed;
    struct value_type type;
};

/* --------------------------------------------------------------------- type */

/* "ARRAY", of elements of the type "elem_type"; without that, of any. */
static bool take_array_type(const char *elem, struct new_key *k)
{
    k->typed = elem != NULL;
    k->type = (struct value_type){VALUE_ANY, 2, NULL};
    if (elem == NULL || strcmp(elem, "ARRAY") == 0)
        return true;
    if (!value_type_parse(elem, &k->type))
        return false;
    k->type.depth++;
    return k->type.depth <= GGK_MAX_DEPTH;
}

/* "inner_types", of arrays of arrays. */
static int take_inner_types(struct new_key *k)
{
    json_in_value inner;

    if (!json_in_find(k->entry.object, "inner_types", &inner))
        return CLI_DONE;
    if (!k->typed || k->type.leaf != VALUE_ANY)
        return new_refuse(&k->entry, "inner_types",
                          "only an \"ARRAY\" of \"ARRAY\" has such");
    if (!value_take_inner(k->value, inner, &k->type))
        return new_refuse(&k->entry, "inner_types",
                          "it is no list of types, one for each array in the "
                          "array, of which the last may be left out if they "
                          "are the same");
    return CLI_DONE;
}

/* "type" and "elem_type". */
static int take_named_type(struct new_key *k)
{
    const char *type, *elem = NULL;
    int status = new_word(&k->entry, "type", &type);

    if (status == CLI_DONE)
        status = new_word(&k->entry, "elem_type", &elem);
    if (status != CLI_DONE)
        return status;
    if (type != NULL && strcmp(type, "ARRAY") == 0)
        return take_array_type(elem, k)
                   ? CLI_DONE
                   : new_refuse(&k->entry, "elem_type", "\"%.40s\" is no type",
                                elem);
    if (elem != NULL)
        return new_refuse(&k->entry, "elem_type",
                          "only the type \"ARRAY\" has elements");
    k->typed = type != NULL;
    return type == NULL || value_type_parse(type, &k->type)
               ? CLI_DONE
               : new_refuse(&k->entry, "type",
                            "\"%.40s\" is no type, such as UINT32 or STRING[]",
                            type);
}

/* "ARRAY" of "ARRAY", as dump has it, does not tell which integers or floats
 * there are, or what empty arrays would hold. */
static bool type_nested(struct new_key *k, struct value_type inferred)
{
    if (inferred.leaf == VALUE_ANY)
        return inferred.depth < 2;
    if (inferred.leaf != GGK_VALUE_STRING && inferred.leaf != GGK_VALUE_BOOL)
        return false;
    k->type.leaf = inferred.leaf;
    if (inferred.depth > k->type.depth)
        k->type.depth = inferred.depth;
    return true;
}

/* What the description does not say, the key or the value does. */
static enum value_made find_key_type(struct new_key *k, char *why)
{
    bool array = json_in_kind(k->value) == JSON_IN_ARRAY;
    struct value_type inferred;
    enum value_made made;

    if (k->typed && (k->type.leaf != VALUE_ANY || k->type.inner != NULL))
        return VALUE_MADE;
    if (!k->typed && known_key_type(k->key, &k->type)) {
        /* Of a number that there may be one of for each layer. */
        if (array && k->type.depth == 0 && k->type.leaf != GGK_VALUE_STRING)
            k->type.depth = 1;
        return VALUE_MADE;
    }
    made = value_infer_json(k->value, &inferred, why);
    if (made != VALUE_MADE)
        return made;
    if (k->typed && type_nested(k, inferred))
        return VALUE_MADE;
    if (!k->typed && inferred.leaf != VALUE_ANY) {
        k->type = inferred;
        return VALUE_MADE;
    }
    snprintf(why, VALUE_WHY, "what the array%s must be said, by a type as %s",
             k->typed ? "s in it hold" : " would hold",
             k->typed ? "INT32[][]" : "STRING[]");
    return VALUE_UNFIT;
}

/* -------------------------------------------------------------------- value */

static int tell_unmade(const struct new_key *k, enum value_made made,
                       const char *why)
{
    return made == VALUE_NO_MEMORY
               ? new_fail_memory(&k->entry)
               : new_refuse(&k->entry, NULL, "\"%.*s\": %s",
                            show_most(k->key, 80), k->key.ptr, why);
}

/* A word that stands for a number, where the key has such. */
static bool word_as_number(const struct new_key *k, ggk_value *out)
{
    size_t n;

    return json_in_kind(k->value) == JSON_IN_STRING && k->type.depth == 0 &&
           k->type.leaf == GGK_VALUE_UINT32 &&
           known_key_word(k->key, json_in_string(k->value, &n), out);
}

static enum value_made make_value(struct new_key *k, ggk_builder *builder,
                                  char *why)
{
    bool same;
    ggk_value number;
    enum value_made made = find_key_type(k, why);

    if (made != VALUE_MADE)
        return made;
    if (!word_as_number(k, &number))
        return value_from_json(k->value, k->type, NULL, builder, &same, why);
    return ggk_builder_put(builder, &number, NULL) == GGK_OK ? VALUE_MADE
                                                             : VALUE_NO_MEMORY;
}

static int plan_key(struct new_key *k, ggk_builder *builder)
{
    char why[VALUE_WHY] = "";
    ggk_error err;
    enum value_made made = make_value(k, builder, why);

    if (made != VALUE_MADE)
        return tell_unmade(k, made, why);
    if (ggk_plan_set_kv(k->entry.spec->plan, 0, k->key, builder, &err) !=
        GGK_OK)
        return new_fail(&k->entry, NULL, &err);
    return CLI_DONE;
}

/* A key of bad form is refused; one that is not known may be misspelt. */
static int check_key_name(const struct new_key *k)
{
    const struct cli *cli = k->entry.spec->cli;
    char fault[KEY_FORM_BYTES], near[KNOWN_KEY_BYTES];
    struct value_type type;
    int shown = show_most(k->key, 80);

    if (k->key.len == 0)
        return new_refuse(&k->entry, NULL, "a key cannot be empty");
    if (!cli->global.force && key_form_fault(k->key, fault) != NULL)
        return new_refuse(&k->entry, NULL, "\"%.*s\": %s", shown, k->key.ptr,
                          fault);
    if (!known_key_type(k->key, &type) &&
        known_key_near(k->key, (ggk_str){NULL, 0}, near))
        msg_warning(&cli->msg, k->entry.spec->name,
                    "\"%.*s\" is no key that is known; did you mean \"%s\"?",
                    shown, k->key.ptr, near);
    return CLI_DONE;
}

static int make_key(struct new_key *k, struct new_names *names)
{
    ggk_builder *builder;
    int status = check_key_name(k);

    if (status != CLI_DONE)
        return status;
    if (!new_names_add(names, k->key) ||
        ggk_builder_new(NULL, &builder, NULL) != GGK_OK)
        return new_fail_memory(&k->entry);
    status = plan_key(k, builder);
    ggk_builder_free(builder);
    return status;
}

/* An object with the value and, if need be, its type. */
static int take_typed_value(struct new_key *k)
{
    static const char *const members[] = {"key",         "type", "elem_type",
                                          "inner_types", "n",    "value",
                                          "shortened",   NULL};
    json_in_value shortened;
    int status = new_refuse_unknown(&k->entry, members);

    if (status != CLI_DONE)
        return status;
    if (json_in_find(k->entry.object, "shortened", &shortened))
        return new_refuse(&k->entry, NULL,
                          "the value was shortened: print it with --full");
    if (!json_in_find(k->entry.object, "value", &k->value))
        return new_refuse(&k->entry, NULL, "there is no value");
    status = take_named_type(k);
    return status == CLI_DONE ? take_inner_types(k) : status;
}

/* -------------------------------------------------------------------- lists */

static int take_member(const struct new_spec *s, size_t i,
                       const struct json_in_member *m, struct new_names *names)
{
    struct new_key k = {.entry = {s, "keys", i, m->value},
                        .key = ggk_cstr(m->name),
                        .value = m->value};
    json_in_value base64;
    int status = CLI_DONE;

    if (json_in_kind(m->value) == JSON_IN_OBJECT &&
        !json_in_find(m->value, "base64", &base64))
        status = take_typed_value(&k);
    return status == CLI_DONE ? make_key(&k, names) : status;
}

static int take_listed(const struct new_spec *s, size_t i, json_in_value v,
                       struct new_names *names)
{
    struct new_key k = {.entry = {s, "keys", i, v}};
    json_in_value key;
    char why[VALUE_WHY] = "";
    enum value_made made;
    int status;

    if (json_in_kind(v) != JSON_IN_OBJECT || !json_in_find(v, "key", &key))
        return new_refuse(&k.entry, NULL, "an entry is an object with a key");
    made = value_bytes_json(key, &k.key, &k.memory, why);
    if (made == VALUE_MADE)
        status = take_typed_value(&k);
    else
        status = made == VALUE_NO_MEMORY
                     ? new_fail_memory(&k.entry)
                     : new_refuse(&k.entry, "key", "%s", why);
    if (status == CLI_DONE)
        status = make_key(&k, names);
    free(k.memory);
    return status;
}

static int take_all_keys(const struct new_spec *s, json_in_value keys,
                         struct new_names *names)
{
    struct new_entry whole = {.spec = s, .list = ""};
    int status = CLI_DONE;
    size_t i = 0;

    switch (json_in_kind(keys)) {
    case JSON_IN_OBJECT:
        for (struct json_in_member m = json_in_first(keys);
             m.name != NULL && status == CLI_DONE; m = json_in_next(&m))
            status = take_member(s, i++, &m, names);
        return status;
    case JSON_IN_ARRAY:
        for (; i < json_in_count(keys) && status == CLI_DONE; i++)
            status = take_listed(s, i, json_in_at(keys, i), names);
        return status;
    case JSON_IN_NULL:
    case JSON_IN_BOOL:
    case JSON_IN_INTEGER:
    case JSON_IN_FLOAT:
    case JSON_IN_STRING: break;
    }
    return new_refuse(&whole, "keys", "they are an object or an array, not %s",
                      json_in_kind_name(keys));
}

static int refuse_twice(const struct new_spec *s, const struct new_names *names)
{
    struct new_entry e = {.spec = s, .list = "keys"};
    ggk_str name = {NULL, 0};
    bool no_memory;

    if (new_names_twice(names, &e.i, &name, &no_memory))
        return new_refuse(&e, NULL, "the key \"%.*s\" was there before",
                          show_most(name, 80), name.ptr);
    return no_memory ? new_fail_memory(&e) : CLI_DONE;
}

static bool has_name(const struct new_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (str_is(names->at[i], name))
            return true;
    return false;
}

int new_keys_plan(struct new_spec *s, bool *has_alignment)
{
    struct new_names names = {NULL, 0, 0};
    json_in_value keys;
    int status;

    *has_alignment = false;
    if (!json_in_find(s->root, "keys", &keys))
        return CLI_DONE;
    status = take_all_keys(s, keys, &names);
    if (status == CLI_DONE)
        status = refuse_twice(s, &names);
    *has_alignment = has_name(&names, "general.alignment");
    new_names_free(&names);
    return status;
}
